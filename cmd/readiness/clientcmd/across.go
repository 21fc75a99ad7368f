package clientcmd

import (
	"fmt"
	"strings"

	"readiness/client"
	"readiness/cmd/readiness/clientcmd/sheet"
)

// acrossTable prints the differences and repetitions across the models of a bulk assessment.
func acrossTable(s *sheet.Sheet, b client.BulkAssessment) {
	a := b.AcrossModels
	if a == nil || a.Measures.Count+a.Tables.Count+a.NearIdentical.Count == 0 {
		return
	}
	names := map[string]string{}
	for _, r := range b.Value {
		names[r.SemanticModelID] = sheet.OrID(r.SemanticModelName, r.SemanticModelID)
	}
	listed := func(ids []string, all int) string {
		var of []string
		for _, id := range ids {
			of = append(of, names[id])
		}
		if more := all - len(ids); more > 0 {
			of = append(of, fmt.Sprintf("%d more", more))
		}
		return strings.Join(of, ", ")
	}
	s.Rows("ACROSS MODELS", "WHAT", "SEMANTIC MODELS")
	for _, kind := range []struct {
		found       client.NamesAcrossModels
		named, noun string
	}{{a.Measures, "[%s]", "expressions"}, {a.Tables, "'%s'", "descriptions"}} {
		for _, d := range kind.found.Value[:min(len(kind.found.Value), maxRows)] {
			var texts []string
			for i, t := range d.Value {
				texts = append(texts, fmt.Sprintf("(%d) %s", i+1, listed(t.SemanticModelIds, t.Models)))
			}
			s.Row(fmt.Sprintf(kind.named, d.Name), fmt.Sprintf("%d %s", d.Texts, kind.noun), strings.Join(texts, " "))
		}
	}
	for _, g := range a.NearIdentical.Value[:min(len(a.NearIdentical.Value), maxRows)] {
		s.Row("nearly identical", fmt.Sprintf("%d %% of the objects or more", int(100*g.Share)), listed(g.SemanticModelIds, g.Models))
	}
	s.More(max(0, a.Measures.Count-maxRows) + max(0, a.Tables.Count-maxRows) + max(0, a.NearIdentical.Count-maxRows))
}
