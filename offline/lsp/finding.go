package lsp

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"readiness/definition/tmdl"
	"readiness/domain/readiness/explained"
	"readiness/domain/readiness/finding"
	"readiness/offline"
	"readiness/offline/rulehelp"
	"readiness/offline/show"
)

func firstRune(s string) (rune, int) { return utf8.DecodeRuneInString(s) }

// severities are those of the protocol; reports in SARIF use the same.
var severities = map[finding.Severity]int{finding.High: 1, finding.Medium: 2, finding.Low: 3}

// findingData identifies a finding in the data of its diagnostic.
type findingData struct {
	Rule   string             `json:"rule"`
	Table  string             `json:"table"`
	Object string             `json:"object"`
	Type   finding.ObjectType `json:"type"`
	Kinds  []finding.FixKind  `json:"kinds,omitempty"`
}

// findingIn returns a finding as a remark on the text of its file.
func findingIn(t text, f offline.Finding) diagnostic {
	rule := explained.Leading(f.RuleIDs)
	d := diagnostic{Range: declaration(t, f.Line-1), Severity: severities[f.Severity], Code: rule, Source: source, Message: show.Printable(f.Message)}
	if f.Evidence != "" && !strings.Contains(f.Message, f.Evidence) {
		d.Message += " (" + show.Printable(f.Evidence) + ")"
	}
	if page := rulehelp.Page(rule); page != "" {
		d.CodeDescription = &link{page}
	}
	d.Data, _ = json.Marshal(findingData{rule, f.Table, f.ObjectName, f.ObjectType, f.FixKinds})
	return d
}

// maxUnderlined bounds what is underlined of a line, in bytes.
const maxUnderlined = 120

// declaration returns the range of what is declared on a line: `measure 'Net Sales'` without its expression, or the line.
func declaration(t text, n int) span {
	from, to := t.line(n)
	written := t.src[from:to]
	from += len(written) - len(strings.TrimLeft(written, " \t"))
	if _, end := tmdl.DeclaredName(t.src[from:to]); end > 0 {
		return t.span(from, from+end)
	}
	end := from + min(len(strings.TrimRight(t.src[from:to], " \t,")), maxUnderlined)
	for end < to && !utf8.RuneStart(t.src[end]) {
		end++
	}
	return t.span(from, end)
}
