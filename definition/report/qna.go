package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"readiness/definition"
)

// qnaVisual is the type of a Q&A visual.
const qnaVisual = "qnaVisual"

// QnA is what of a report needs Q&A: it shows an error once Q&A is off for the model.
type QnA struct {
	// Visuals counts the Q&A visuals, also of tooltip and drillthrough pages, and Pages are the display names of their pages.
	Visuals int
	Pages   []string
	// Bookmarks counts the bookmarks that keep the state of one.
	Bookmarks int
}

// QnA returns what of the report, which has the definition, needs Q&A.
func (r Report) QnA(d definition.Definition) (q QnA) {
	for _, p := range r.Pages {
		n := 0
		for _, v := range p.Visuals {
			if v.Type == qnaVisual {
				n++
			}
		}
		if q.Visuals += n; n > 0 {
			q.Pages = append(q.Pages, cmp.Or(p.DisplayName, p.Name))
		}
	}
	q.Pages = slices.Compact(q.Pages)
	if r.Format == Legacy {
		data, _ := d.Part("report.json")
		q.Bookmarks = legacyBookmarks(data)
		return q
	}
	for _, p := range d.Parts {
		if strings.HasPrefix(p.Path, "definition/bookmarks/") && strings.HasSuffix(p.Path, ".bookmark.json") && bytes.Contains(p.Data, []byte(qnaVisual)) {
			q.Bookmarks++
		}
	}
	return q
}

// bookmark is a bookmark of a legacy report, or a group of bookmarks.
type bookmark struct {
	Children         []bookmark
	ExplorationState json.RawMessage
}

// keeping counts the bookmarks that keep the state of a Q&A visual.
func keeping(all []bookmark) (n int) {
	for _, b := range all {
		if n += keeping(b.Children); bytes.Contains(b.ExplorationState, []byte(qnaVisual)) {
			n++
		}
	}
	return n
}

// legacyBookmarks counts them in report.json, whose config is JSON in a text.
func legacyBookmarks(data []byte) int {
	var all struct{ Config string }
	var config struct{ Bookmarks []bookmark }
	if !bytes.Contains(data, []byte(qnaVisual)) || json.Unmarshal(data, &all) != nil || json.Unmarshal([]byte(all.Config), &config) != nil {
		return 0
	}
	return keeping(config.Bookmarks)
}
