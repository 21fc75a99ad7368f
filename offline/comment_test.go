package offline_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"readiness/offline"
	"readiness/offline/report"
)

// A comment on a pull request is less than 60,000 bytes, however many items there are and whatever they are called, and
// says how many it has no room for.
func TestCommentsAreBounded(t *testing.T) {
	t.Parallel()
	one := wide(t).Items[0]
	for name, tt := range map[string]struct {
		items    int
		path     string
		omits    bool
		baseline string
	}{
		"one":             {1, "Sales", false, ""},
		"some":            {5, "Sales", false, ""},
		"many":            {2000, "Sales", true, ""},
		"long names":      {300, strings.Repeat("Sales|`*", 500), true, ""},
		"with a baseline": {2000, "Sales", true, "main.json"},
	} {
		a := &offline.Assessment{Baseline: tt.baseline}
		for i := range tt.items {
			item := one
			item.Path = fmt.Sprint(tt.path, i)
			a.Items = append(a.Items, item)
		}
		got := string(written(t, func(b *bytes.Buffer) error { return report.WriteComment(b, a, report.Listing{Top: 10}) }))
		if len(got) >= 60_000 || !strings.HasPrefix(got, report.CommentMark+"\n") || strings.Contains(got, "has no room for") != tt.omits {
			t.Errorf("%s: %d bytes, ending in %q", name, len(got), got[max(0, len(got)-200):])
		}
	}
}

// Annotations hold ten findings of a severity, and no text of a model ends their command or begins another.
func TestPipelineAnnotations(t *testing.T) {
	t.Parallel()
	a := wide(t)
	for i := range a.Items[0].Findings {
		f := &a.Items[0].Findings[i]
		f.Message, f.File = "50 %\n::error::injected ##vso[task.complete]", "a,b:c;d]%/t.tmdl"
	}
	for name, tt := range map[string]struct {
		write        func(*bytes.Buffer) error
		begins, path string
	}{
		"github": {func(b *bytes.Buffer) error { return report.WriteGitHub(b, a, report.Listing{}) }, "::", "file=a%2Cb%3Ac;d]%25/t.tmdl,line="},
		"azure":  {func(b *bytes.Buffer) error { return report.WriteAzure(b, a, report.Listing{}) }, "##vso[task.logissue ", "sourcepath=a,b:c%3Bd%5D%AZP25/t.tmdl;linenumber="},
	} {
		lines := strings.Split(strings.TrimSpace(string(written(t, tt.write))), "\n")
		if len(lines) > 31 || len(lines) < 11 {
			t.Errorf("%s: %d lines", name, len(lines))
		}
		for _, line := range lines[:len(lines)-1] {
			if !strings.HasPrefix(line, tt.begins) || !strings.Contains(line, tt.path) {
				t.Errorf("%s: %q", name, line)
			}
		}
		if last := lines[len(lines)-1]; !strings.Contains(last, "more finding") {
			t.Errorf("%s: ends with %q", name, last)
		}
	}
}
