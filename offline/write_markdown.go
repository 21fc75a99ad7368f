package offline

import (
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes an assessment as GitHub Markdown. top is how many findings of an item are listed; 0 means all.
func WriteMarkdown(w io.Writer, a *Assessment, top int) error {
	b := &strings.Builder{}
	fmt.Fprintf(b, "# AI readiness\n\n%s.\n\n| Item | Score | As a data agent reads it | Findings |\n| --- | ---: | ---: | ---: |\n",
		a.Summary())
	for _, i := range a.Items {
		if i.Error != nil {
			fmt.Fprintf(b, "| %s | error | | |\n", plain(i.Path))
			continue
		}
		fmt.Fprintf(b, "| %s | %s | %s | %d |\n", plain(i.Path), shownScore(i.Result.Score), shownScore(i.ScoreDataAgent), len(i.Findings))
	}
	for _, i := range a.Items {
		switch {
		case i.Error != nil:
			fmt.Fprintf(b, "\n## %s\n\nCannot be assessed: %s\n", plain(i.Path), plain(i.Error.Error()))
			continue
		case len(i.Findings)+len(i.Ignored) == 0:
			continue
		}
		fmt.Fprintf(b, "\n## %s\n", plain(i.Path))
		listed := i.Findings
		if top > 0 && len(listed) > top {
			listed = listed[:top]
		}
		if len(listed) > 0 {
			fmt.Fprint(b, "\n| Severity | Rules | Points | Where | What to do |\n| --- | --- | ---: | --- | --- |\n")
		}
		for _, f := range listed {
			fmt.Fprintf(b, "| %s | %s | %.1f | %s:%d | %s |\n", f.Severity, strings.Join(f.RuleIDs, ", "), f.Impact,
				plain(below(i.Path, f.File)), f.Line, plain(f.Message))
		}
		if more := len(i.Findings) - len(listed); more > 0 {
			fmt.Fprintf(b, "\n… and %d more.\n", more)
		}
		if len(i.Ignored) > 0 {
			fmt.Fprint(b, "\n| Ignored | Rules | Why |\n| --- | --- | --- |\n")
		}
		for _, f := range i.Ignored {
			fmt.Fprintf(b, "| %s | %s | %s |\n", plain(f.Message), strings.Join(f.RuleIDs, ", "), plain(f.Reason))
		}
	}
	if len(a.Warnings) > 0 {
		fmt.Fprint(b, "\n## Warnings\n\n")
	}
	for _, one := range a.Warnings {
		fmt.Fprintf(b, "- %s\n", plain(one.String()))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// plain escapes a text for Markdown.
func plain(what string) string {
	var b strings.Builder
	for _, r := range printable(what) {
		if strings.ContainsRune("\\`*_{}[]<>#|~&!@", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
