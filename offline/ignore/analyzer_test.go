package ignore_test

import (
	"slices"
	"strings"
	"testing"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/offline/ignore"
)

// What the Best Practice Analyzer ignores is ignored where it has a counterpart; what cannot be read is a warning.
func TestAnalyzer(t *testing.T) {
	t.Parallel()
	with := func(value string) map[string]string {
		return map[string]string{"BestPracticeAnalyzer_IgnoreRules": value}
	}
	measure := func(value string) *semanticmodel.Model {
		return &semanticmodel.Model{Tables: []semanticmodel.Table{{Name: "T", Measures: []semanticmodel.Measure{{Name: "M", Annotations: with(value)}}}}}
	}
	table := func(value string) *semanticmodel.Model {
		return &semanticmodel.Model{Tables: []semanticmodel.Table{{Name: "T", Annotations: with(value)}}}
	}
	for name, c := range map[string]struct {
		m    *semanticmodel.Model
		rule string
		key  finding.Key
		want bool
		warn string
	}{
		"a measure":                  {measure(`{"RuleIDs":["X","DAX_DIVISION_COLUMNS"]}`), "MEA-08", finding.Key{Table: "T", ObjectName: "M"}, true, ""},
		"another measure":            {measure(`{"RuleIDs":["DAX_DIVISION_COLUMNS"]}`), "MEA-08", finding.Key{Table: "T", ObjectName: "N"}, false, ""},
		"another rule":               {measure(`{"RuleIDs":["DAX_DIVISION_COLUMNS"]}`), "MEA-03", finding.Key{Table: "T", ObjectName: "M"}, false, ""},
		"a rule without one":         {measure(`{"RuleIDs":["UNUSED_COLUMNS"]}`), "MEA-08", finding.Key{Table: "T", ObjectName: "M"}, false, ""},
		"several counterparts":       {table(`{"RuleIDs":["OBJECTS_WITH_NO_DESCRIPTION"]}`), "DSC-01", finding.Key{Table: "T"}, true, ""},
		"a table, not its fields":    {table(`{"RuleIDs":["NO_CAMELCASE_MEASURES_TABLES"]}`), "NAM-01", finding.Key{Table: "T", ObjectName: "M"}, false, ""},
		"a table for its measures":   {table(`{"RuleIDs":["LAYOUT_MEASURES_DF"]}`), "MEA-04", finding.Key{Table: "T", ObjectName: "M"}, true, ""},
		"the model for all":          {&semanticmodel.Model{Annotations: with(`{"RuleIDs":["META_SUMMARIZE_NONE"]}`)}, "TYP-02", finding.Key{Table: "T", ObjectName: "C"}, true, ""},
		"no rules":                   {measure(`{}`), "MEA-08", finding.Key{Table: "T", ObjectName: "M"}, false, ""},
		"no JSON":                    {measure(`DAX_DIVISION_COLUMNS`), "MEA-08", finding.Key{Table: "T", ObjectName: "M"}, false, "it is not JSON"},
		"JSON of another form":       {measure(`{"RuleIDs":"DAX_DIVISION_COLUMNS"}`), "MEA-08", finding.Key{Table: "T", ObjectName: "M"}, false, "it is not JSON"},
		"the field of another table": {table(`{"RuleIDs":["LAYOUT_MEASURES_DF"]}`), "MEA-04", finding.Key{Table: "U", ObjectName: "M"}, false, ""},
	} {
		warned := ""
		all := ignore.OfModel(c.m, semanticmodel.Source{}, nil, func(_ semanticmodel.Source, text string) { warned += text })
		if got := coveredBy(all)(c.rule, c.key); got != c.want || (warned != "") != (c.warn != "") || !strings.Contains(warned, c.warn) {
			t.Errorf("%s: got %t, %q", name, got, warned)
		}
	}
	before := ""
	for _, c := range ignore.Counterparts() {
		if c.ID <= before || slices.ContainsFunc(c.Rules, func(id string) bool { _, ok := readiness.Current().Rule(id); return !ok }) {
			t.Errorf("%s: not in order, or with unknown rules %v", c.ID, c.Rules)
		}
		before = c.ID
	}
}
