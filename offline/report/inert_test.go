package report_test

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/offline"
	"readiness/offline/report"
	"readiness/offline/show"
)

// hostile are texts that a host makes a link, a notification, an image or a command of.
var hostile = []string{"@octocat", "a@evil.example", "https://evil.example", "HTTP://evil.example", "www.evil.example", "#12", "owner/repo#1", "GH-1", "gh-22", "!7",
	"<img src=x>", "![x](y)", "[x](https://evil.example)", "`code`", "a|b", "a\nb", "a\u202eb", "a\u2028b", "::error::x", "%0A", "##vso[task.setvariable variable=x]y",
	"owner/repo@0123abc", "#0123abc", "@0123abc", "$x$", "mailto:a@b.example", "&lt;b&gt;", "<!-- x"}

// active finds what GitHub or Azure DevOps acts on in Markdown whose escapes are resolved.
var active = regexp.MustCompile(`(?i)https?://|www\.|(^|\W)@\w|\w@\w|(^|\W|\w)#[0-9]|gh-[0-9]|![0-9]|::error::x?$|##vso|mailto:\w`)

func TestMarkdownIsInert(t *testing.T) {
	t.Parallel()
	escape := regexp.MustCompile("\\\\([!-/:-@\\[-`{-~])")
	for _, text := range hostile {
		for _, text := range []string{text, "of " + text + ".", "(" + text + ")"} {
			got := show.MarkdownText(text)
			shown := escape.ReplaceAllString(got, "$1")
			if found := active.FindString(strings.TrimPrefix(shown, "\u200b::")); found != "" {
				t.Errorf("%q becomes %q, where %q acts", text, got, found)
			}
			if raw := escape.ReplaceAllString(got, ""); strings.ContainsAny(raw, "`*_[]<>|$&\n\r\u202e\u2028") {
				t.Errorf("%q becomes %q, which has syntax", text, got)
			}
			want := strings.NewReplacer("\n", "\ufffd", "\u202e", "\ufffd", "\u2028", "\ufffd").Replace(text)
			if got := strings.ReplaceAll(shown, "\u200b", ""); got != want {
				t.Errorf("%q is shown as %q", text, got)
			}
		}
	}
	for _, text := range []string{"Sales (2024)", "100 rows", "1000000", "da39a3ee5e6b4b0d3255bfef95601890afd80709", "A, b: c; 12:30", "Umsatz in %"} {
		if got := show.MarkdownText(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// A cell of CSV is never a formula, also behind white space and in other widths.
func TestCellsAreNoFormulas(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"=1", "+A1", "-1-1", "@x", "\t=1", "\r=1", "\n=1", " =1", "＝1", "\ufeff=1"} {
		if got := show.InCell(text); !strings.HasPrefix(got, "'") || strings.ContainsAny(got, "\r\n\t") {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	for _, text := range []string{"", "a=b", "Sales - all", " Sales"} {
		if got := show.InCell(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// An annotation is one command, whatever a finding says or its file is called.
func TestAnnotationsAreOneCommand(t *testing.T) {
	t.Parallel()
	for _, text := range append(hostile, "a\r\n::error::b", "]##vso[task.complete]", "x,title=y::z") {
		a := &offline.Assessment{Items: []offline.Assessed{{Findings: []offline.Finding{{
			Finding: readiness.Finding{Severity: finding.High, RuleIDs: []string{"VIS-02"}, Message: text},
			Place:   offline.Place{File: text, Line: 1}}}}}}
		for format, write := range map[string]func(io.Writer, *offline.Assessment, report.Listing) error{"::error ": report.WriteGitHub, "##vso[task.logissue ": report.WriteAzure} {
			var b strings.Builder
			if err := write(&b, a, report.Listing{}); err != nil {
				t.Fatal(err)
			}
			got := b.String()
			if !strings.HasPrefix(got, format) || strings.Count(got, "\n") != 1 || strings.Count(got, "##vso[") > 1 || strings.ContainsAny(got, "\r\u202e\u2028") {
				t.Errorf("%q becomes %q", text, got)
			}
			if format == "::error " && strings.Count(strings.SplitN(got, "::", 3)[1], ",") != 2 {
				t.Errorf("%q adds a property: %q", text, got)
			}
		}
	}
}
