package page

import (
	"fmt"

	"readiness/client"
)

// Across is something that differs or repeats across models of one workspace that were assessed together.
type Across struct {
	// What is the name of a measure or table, or what the models share; Differs how many texts the name has.
	What, Differs string
	// Texts are the models by text, the most frequent text first; one entry for models that are nearly identical.
	Texts []AcrossText
}

// AcrossText are the models of one text.
type AcrossText struct {
	Models []AcrossModel
	// More is how many models are not listed.
	More int
}

// AcrossModel is a model by its address and name.
type AcrossModel struct{ Path, Name string }

const (
	// maxAcross is how many results of each kind a page lists of a workspace, maxAcrossAll how many results in all.
	maxAcross    = 10
	maxAcrossAll = 60
)

// acrossOf returns what differs across the models of an assessment, and how much more there is than it lists.
func acrossOf(b client.BulkAssessment) (all []Across, more int) {
	a := b.AcrossModels
	if a == nil {
		return nil, 0
	}
	names := map[string]string{}
	for _, r := range b.Value {
		if names[r.SemanticModelID] = r.SemanticModelID; r.SemanticModelName != nil {
			names[r.SemanticModelID] = *r.SemanticModelName
		}
	}
	listed := func(ids []string, count int) AcrossText {
		t := AcrossText{More: count - len(ids)}
		for _, id := range ids {
			t.Models = append(t.Models, AcrossModel{"/models/" + b.WorkspaceID + "/" + id, names[id]})
		}
		return t
	}
	for _, kind := range []struct {
		found       client.NamesAcrossModels
		named, noun string
	}{{a.Measures, "[%s]", "expressions"}, {a.Tables, "'%s'", "descriptions"}} {
		for _, d := range kind.found.Value[:min(len(kind.found.Value), maxAcross)] {
			one := Across{What: fmt.Sprintf(kind.named, d.Name), Differs: fmt.Sprintf("%d %s in %d models", d.Texts, kind.noun, d.Models)}
			for _, t := range d.Value {
				one.Texts = append(one.Texts, listed(t.SemanticModelIds, t.Models))
			}
			all = append(all, one)
		}
		more += max(0, kind.found.Count-maxAcross)
	}
	for _, g := range a.NearIdentical.Value[:min(len(a.NearIdentical.Value), maxAcross)] {
		all = append(all, Across{What: "Nearly identical", Differs: fmt.Sprintf("%d %% of the objects or more are the same", int(100*g.Share)),
			Texts: []AcrossText{listed(g.SemanticModelIds, g.Models)}})
	}
	return all, more + max(0, a.NearIdentical.Count-maxAcross)
}
