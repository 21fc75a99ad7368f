package model

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/domain/readiness/finding"
	"readiness/http/console/chart"
)

// filter selects findings, as the address of the page says.
type filter struct {
	// Text is part of the name of an object, of a message or of a rule.
	Text             string
	Severity, Effort string
	// Minutes is how much time there is; 0 for any.
	Minutes int
	// Shown and All count the findings; Gain is what the score wins, where time is limited.
	Shown, All int
	Gain       string
}

// maxMinutes bounds the time that a person can plan, in minutes.
const maxMinutes = 480

// Severities and Efforts are what can be chosen.
func (filter) Severities() []finding.Severity {
	return []finding.Severity{finding.High, finding.Medium, finding.Low}
}

func (filter) Efforts() []explained.Effort {
	return []explained.Effort{explained.Minutes, explained.Hour, explained.Days}
}

// Any reports whether anything is selected.
func (f filter) Any() bool {
	return f.Text != "" || f.Severity != "" || f.Effort != "" || f.Minutes > 0
}

func filterOf(query url.Values) filter {
	f := filter{Text: strings.TrimSpace(query.Get("q")), Severity: query.Get("severity"), Effort: query.Get("effort")}
	if n, err := strconv.Atoi(query.Get("minutes")); err == nil {
		f.Minutes = min(max(n, 0), maxMinutes)
	}
	return f
}

// of returns the result with the findings that the filter selects. Where time is limited, these are the tasks to do first that fit into it.
func (f *filter) of(report readiness.Result) readiness.Result {
	f.All = len(report.Findings)
	left := map[string]bool{} // the rules whose findings remain
	minutes := 0
	var chosen []explained.Task
	for _, t := range explained.Tasks(report, report.Findings) {
		if f.Effort != "" && string(t.Effort()) != f.Effort || f.Minutes > 0 && minutes+t.Minutes() > f.Minutes {
			continue
		}
		minutes += t.Minutes()
		left[t.Rule], chosen = true, append(chosen, t)
	}
	if f.Minutes > 0 && report.Raw != nil {
		f.Gain = chart.Decimal(float64(int(explained.Gain(report, chosen...)*10+.5)) / 10)
	}
	text := strings.ToLower(f.Text)
	report.Findings = slices.DeleteFunc(slices.Clone(report.Findings), func(one readiness.Finding) bool {
		rule := explained.Leading(one.RuleIDs)
		return !left[rule] || f.Severity != "" && string(one.Severity) != f.Severity ||
			text != "" && !strings.Contains(strings.ToLower(one.Table+" "+one.ObjectName+" "+one.Message+" "+rule), text)
	})
	f.Shown = len(report.Findings)
	return report
}
