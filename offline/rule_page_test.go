package offline_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"readiness/domain/readiness"
	"readiness/offline"
	"readiness/offline/report"
	"readiness/offline/report/sarif"
	"readiness/offline/rulehelp"
)

// A program that was built with the address of its documents links every rule of a SARIF report to its page, and the rules
// in Markdown and HTML; another one names the command that explains the rule. Not parallel: the address is the program's.
func TestRulePages(t *testing.T) {
	schema := sarifSchema(t)
	some := few(t)
	for address, link := range map[string]string{
		"": "", "docs": "", "https://git.example.com/tools/docs": "https://git.example.com/tools/docs/rules/", "https://git.example.com/docs/": "https://git.example.com/docs/rules/",
	} {
		rulehelp.DocsURL = address
		data := written(t, func(b *bytes.Buffer) error {
			_, err := sarif.Write(b, &offline.Assessment{Rules: readiness.Current().Rules()}, "1.2.3", 0)
			return err
		})
		markdown := string(written(t, func(b *bytes.Buffer) error { return report.WriteMarkdown(b, some, report.Listing{}) }))
		page := htmlOf(t, some, report.Listing{})
		rulehelp.DocsURL = ""
		const id = "DSC-02"
		if got := strings.Contains(markdown, "["+id+"]("+link+id+".md)") && strings.Contains(page, `<a class="rule" href="`+link+id+`.md">`+id+`</a>`); got != (link != "") {
			t.Errorf("%q: Markdown and HTML with links: got %v", address, got)
		}
		validSARIF(t, schema, data)
		var log struct {
			Runs []struct {
				Tool struct {
					Driver struct {
						Rules []struct {
							ID      string
							HelpURI *string
							Help    struct{ Text, Markdown string }
						}
					}
				}
			}
		}
		if err := json.Unmarshal(data, &log); err != nil {
			t.Fatal(err)
		}
		rules := log.Runs[0].Tool.Driver.Rules
		if len(rules) == 0 {
			t.Fatal("the report has no rules")
		}
		for _, r := range rules {
			switch page := link + r.ID + ".md"; {
			case link == "" && (r.HelpURI != nil || !strings.Contains(r.Help.Text, "readiness rules show "+r.ID)):
				t.Errorf("%s: without an address: got %v, %q", r.ID, r.HelpURI, r.Help.Text)
			case link != "" && (r.HelpURI == nil || *r.HelpURI != page || !strings.Contains(r.Help.Markdown, "]("+page+")")):
				t.Errorf("%s: got %v, want %s", r.ID, r.HelpURI, page)
			}
		}
	}
}
