package model

import (
	"net/url"
	"slices"
	"testing"

	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
)

// A filter keeps the findings that fit all of it; limited time keeps what to do first.
func TestFilter(t *testing.T) {
	t.Parallel()
	found := func(rule, table, object string, severity finding.Severity, points float64) readiness.Finding {
		return readiness.Finding{RuleIDs: []string{rule}, Key: finding.Key{Table: table, ObjectName: object}, Severity: severity, Impact: points, Violation: 1}
	}
	report := readiness.Result{Findings: []readiness.Finding{found("MEA-03", "Sales", "Revenue", finding.Medium, 2), found("MEA-03", "Stock", "Value", finding.Low, 1),
		found("TIM-01", "", "", finding.High, 3)}}
	for query, want := range map[string][]string{
		"":                          {"Revenue", "Value", ""},
		"q=REV":                     {"Revenue"},
		"q=tim-01":                  {""},
		"q=stock&severity=low":      {"Value"},
		"q=stock&severity=high":     nil,
		"severity=none":             nil,
		"effort=hour":               {""},
		"effort=minutes":            {"Revenue", "Value"},
		"minutes=10":                {"Revenue", "Value"},
		"minutes=1":                 nil,
		"minutes=-5":                {"Revenue", "Value", ""},
		"minutes=9999999999999999":  {"Revenue", "Value", ""},
		"minutes=480&q=sales":       {"Revenue"},
		"minutes=x&severity=medium": {"Revenue"},
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		f := filterOf(values)
		var got []string
		for _, one := range f.of(report).Findings {
			got = append(got, one.ObjectName)
		}
		if !slices.Equal(got, want) || f.Shown != len(want) || f.All != 3 || len(report.Findings) != 3 {
			t.Errorf("%q: got %q, %+v; want %q", query, got, f, want)
		}
	}
}
