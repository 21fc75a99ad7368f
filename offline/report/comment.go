package report

import (
	"fmt"
	"io"

	"readiness/offline"
	"readiness/offline/show"
)

const (
	// CommentMark begins every comment, so that a later run finds the comment that it replaces.
	CommentMark = "<!-- ai-readiness -->"
	// commentLimit is less than the 65,536 characters that GitHub and the 150,000 that Azure DevOps accept in a comment,
	// in bytes. lastLines is what is kept of it for the lines after the items.
	commentLimit, lastLines = 60_000, 500
)

// WriteComment writes the assessment as a comment on a pull request: Markdown of less than 60,000 bytes, with the scores
// before and after and the new and fixed findings if there is a baseline. It counts the items that it has no room for.
func WriteComment(w io.Writer, a *offline.Assessment, l Listing) error {
	m := &markdown{Listing: l, brief: true}
	fmt.Fprintf(m, "%s\n# AI readiness\n\n%s.\n\n", CommentMark, a.Summary())
	m.overview(a, commentLimit/2)
	omitted := 0
	for _, i := range a.All() {
		if a.Baseline != "" && i.Error == nil && i.Since != nil && len(i.Findings)+len(i.Since.Fixed) == 0 {
			continue // nothing changed
		}
		part := &markdown{Listing: l, brief: true}
		if part.item(i); m.Len()+part.Len() > commentLimit-lastLines {
			omitted++
			continue
		}
		m.WriteString(part.String())
	}
	if omitted > 0 {
		fmt.Fprintf(m, "\n… and %s that a comment has no room for; `readiness assess --format markdown` shows all.\n",
			show.Count(omitted, "item"))
	}
	if n := len(a.Warnings); n > 0 {
		fmt.Fprintf(m, "\n%s; `readiness assess --format markdown` shows them.\n", show.Count(n, "warning"))
	}
	_, err := io.WriteString(w, m.String())
	return err
}
