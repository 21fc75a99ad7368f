package offline

import (
	"fmt"
	"strings"

	"readiness/definition/semanticmodel"
)

// annotation is the name of the annotation by which a model accepts findings about an object: `DSC-01, NAM-02: why`.
const annotation = "readiness.ignore"

// annotated returns the ignores in the model's own annotations. An annotation of a table covers only the table; one of
// the model covers only findings about the model itself.
func annotated(m *semanticmodel.Model, at *places) ([]ignore, []Warning) {
	var all []ignore
	var warnings []Warning
	read := func(values map[string]string, table, object string, src semanticmodel.Source) {
		text, ok := values[annotation]
		if !ok {
			return
		}
		rules, reason, _ := strings.Cut(text, ":")
		warn := func(format string, args ...any) {
			warnings = append(warnings, Warning{at.file(src.File), max(src.Line, 1),
				"annotation " + annotation + ": " + fmt.Sprintf(format, args...)})
		}
		if reason = strings.TrimSpace(reason); reason == "" {
			warn("the reason is missing, so the annotation has no effect; write RULE, RULE: reason")
			return
		}
		for rule := range strings.SplitSeq(rules, ",") {
			if rule = strings.TrimSpace(rule); !knownRule(rule) {
				warn("%s", UnknownRule(ruleIDs, rule))
				continue
			}
			all = append(all, ignore{rule: rule, table: new(table), object: new(object), reason: reason, line: src.Line})
		}
	}
	read(m.Annotations, "", "#", at.model)
	for _, t := range m.Tables {
		read(t.Annotations, t.Name, "", t.Source)
		for _, c := range t.Columns {
			read(c.Annotations, t.Name, c.Name, c.Source)
		}
		for _, measure := range t.Measures {
			read(measure.Annotations, t.Name, measure.Name, measure.Source)
		}
	}
	return all, warnings
}
