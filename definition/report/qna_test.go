package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition"
	"readiness/definition/report"
)

// The Q&A visuals of every page count in both formats, and the bookmarks that keep one; other visuals, and words, do not.
func TestQnA(t *testing.T) {
	t.Parallel()
	const pbir = `{"version": "4.0", "datasetReference": {"byPath": {"path": "../Sales.SemanticModel"}}}`
	visual := func(kind string) string { return `{"name": "v", "visual": {"visualType": "` + kind + `"}}` }
	for name, c := range map[string]struct {
		parts map[string]string
		want  report.QnA
	}{
		"PBIR": {map[string]string{
			"definition/pages/pages.json":                `{"pageOrder": ["one", "tip", "details", "other"]}`,
			"definition/pages/one/page.json":             `{"name": "one", "displayName": "Overview"}`,
			"definition/pages/one/visuals/a/visual.json": visual("qnaVisual"), "definition/pages/one/visuals/b/visual.json": visual("qnaVisual"),
			"definition/pages/one/visuals/c/visual.json":     visual("card"),
			"definition/pages/tip/page.json":                 `{"name": "tip", "displayName": "A tip", "type": "Tooltip"}`,
			"definition/pages/tip/visuals/a/visual.json":     visual("qnaVisual"),
			"definition/pages/details/page.json":             `{"name": "details", "displayName": "Details", "pageBinding": {"type": "Drillthrough"}, "visibility": "HiddenInViewMode"}`,
			"definition/pages/details/visuals/a/visual.json": visual("qnaVisual"),
			"definition/pages/other/page.json":               `{"name": "other", "displayName": "qnaVisual"}`,
			"definition/pages/other/visuals/a/visual.json":   visual("textbox"),
			"definition/bookmarks/a.bookmark.json":           `{"explorationState": {"sections": {"one": {"visualContainers": {"a": {"singleVisual": {"visualType": "qnaVisual"}}}}}}}`,
			"definition/bookmarks/b.bookmark.json":           `{"explorationState": {}}`,
			"definition/bookmarks/bookmarks.json":            `{"items": ["qnaVisual"]}`,
		}, report.QnA{Visuals: 4, Pages: []string{"Overview", "A tip", "Details"}, Bookmarks: 1}},
		"legacy": {map[string]string{"report.json": `{
			"config": "{\"bookmarks\":[{\"displayName\":\"G\",\"children\":[{\"explorationState\":{\"v\":\"qnaVisual\"}},{\"explorationState\":{}}]},{\"displayName\":\"qnaVisual\"}]}",
			"sections": [
				{"name": "one", "displayName": "Overview", "config": "{}", "visualContainers": [{"config": "{\"name\":\"a\",\"singleVisual\":{\"visualType\":\"qnaVisual\"}}"}, {"config": "{\"name\":\"b\",\"singleVisual\":{\"visualType\":\"card\"}}"}]},
				{"name": "tip", "displayName": "A tip", "config": "{\"type\":1}", "visualContainers": [{"config": "{\"name\":\"a\",\"singleVisual\":{\"visualType\":\"qnaVisual\"}}"}]}]}`,
		}, report.QnA{Visuals: 2, Pages: []string{"Overview", "A tip"}, Bookmarks: 1}},
		"without": {map[string]string{"definition/pages/one/visuals/c/visual.json": visual("card")}, report.QnA{}},
	} {
		parts := []definition.Part{{Path: "definition.pbir", Data: []byte(pbir)}}
		for path, text := range c.parts {
			parts = append(parts, definition.Part{Path: path, Data: []byte(text)})
		}
		d := definition.New(parts...)
		r, err := report.Read(d)
		if err != nil {
			t.Fatal(name, err)
		}
		if diff := cmp.Diff(c.want, r.QnA(d)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}
