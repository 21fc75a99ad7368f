package ignore

import (
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/offline/rulehelp"
)

// annotation is the name of the annotation by which a model accepts findings about an object: `DSC-01, NAM-02: why`.
const annotation = "readiness.ignore"

// OfModel returns the entries in the model's own annotations, and those of the Best Practice Analyzer. An annotation of a table covers
// only the table; one of the model, which is declared at model, covers only findings about the model itself.
// own are the rules of a team that they may name too. warn gets what is wrong, and where.
func OfModel(m *semanticmodel.Model, model semanticmodel.Source, own []string, warn func(semanticmodel.Source, string)) []Entry {
	var all []Entry
	read := func(values map[string]string, table, object string, src semanticmodel.Source) {
		all = append(all, ofAnalyzer(values, table, object, src, warn)...)
		text, ok := values[annotation]
		if !ok {
			return
		}
		rules, reason, _ := strings.Cut(text, ":")
		if reason = strings.TrimSpace(reason); reason == "" {
			warn(src, "annotation "+annotation+": the reason is missing, so the annotation has no effect; write RULE, RULE: reason")
			return
		}
		for rule := range strings.SplitSeq(rules, ",") {
			if rule = strings.TrimSpace(rule); !knownRule(rule, own) {
				warn(src, "annotation "+annotation+": "+rulehelp.Unknown(slices.Concat(ruleIDs, own), rule))
				continue
			}
			all = append(all, Entry{Rule: rule, Table: new(table), Object: new(object), Reason: reason, Line: src.Line})
		}
	}
	read(m.Annotations, "", "#", model)
	for _, t := range m.Tables {
		read(t.Annotations, t.Name, "", t.Source)
		for _, c := range t.Columns {
			read(c.Annotations, t.Name, c.Name, c.Source)
		}
		for _, measure := range t.Measures {
			read(measure.Annotations, t.Name, measure.Name, measure.Source)
		}
	}
	for _, r := range m.Relationships {
		read(r.Annotations, r.FromTable, r.FromTable+"["+r.FromColumn+"] -> "+r.ToTable+"["+r.ToColumn+"]", r.Source)
	}
	return all
}
