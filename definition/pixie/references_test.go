package pixie_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition"
	"readiness/definition/pixie"
)

// replacePixies inserts the names of the Pixies for ONE and TIP.
func replacePixies(s string) string {
	return strings.NewReplacer("ONE", pixie.Names(reportID, acme, "one")[0], "TIP", pixie.Names(reportID, acme, "tip")[0]).Replace(s)
}

// mentions lists parts that name Pixies, and what is left of them.
var mentions = []struct{ path, before, after string }{
	{
		"definition/pages/one/page.json",
		"{\r\n  \"name\": \"one\",\r\n  \"displayName\": \"Overview\",\r\n  \"visualInteractions\": [\r\n    {\"source\": \"ONE\", \"target\": \"a\", \"type\": \"NoFilter\"},\r\n    {\"source\": \"a\", \"target\": \"b\", \"type\": \"NoFilter\"},\r\n    {\"type\": \"NoFilter\", \"target\": \"ONE\", \"source\": \"b\"},\r\n    {\"source\": \"a\", \"target\": \"TIP\", \"type\": \"NoFilter\"}\r\n  ],\r\n  \"autoPageGenerationConfig\": {\"selectedFields\": [], \"visualContainerConfigurations\": [{\"name\": \"a\", \"fields\": []}, {\"name\": \"ONE\", \"fields\": []}], \"layout\": {\"related\": {\"version\": 1, \"dataTableName\": \"ONE\"}, \"combination\": {\"version\": 1, \"dataTableName\": \"a\"}}}\r\n}",
		"{\r\n  \"name\": \"one\",\r\n  \"displayName\": \"Overview\",\r\n  \"visualInteractions\": [\r\n    {\"source\": \"a\", \"target\": \"b\", \"type\": \"NoFilter\"},\r\n    {\"source\": \"a\", \"target\": \"TIP\", \"type\": \"NoFilter\"}\r\n  ],\r\n  \"autoPageGenerationConfig\": {\"selectedFields\": [], \"visualContainerConfigurations\": [{\"name\": \"a\", \"fields\": []}], \"layout\": {\"related\": {\"version\": 1}, \"combination\": {\"version\": 1, \"dataTableName\": \"a\"}}}\r\n}",
	},
	{
		"definition/pages/tip.Page/page.json",
		"{ \"name\":\"tip\", \"displayName\":\"Details of a day\", \"visualInteractions\":[{\"source\":\"TIP\",\"target\":\"TIP\"} , {\"source\":\"x\",\"target\":\"TIP\"}], \"width\":320 }",
		"{ \"name\":\"tip\", \"displayName\":\"Details of a day\", \"width\":320 }",
	},
	{
		"definition/bookmarks/b1.bookmark.json",
		"\ufeff{\"name\":\"b1\",\"options\":{\"applyOnlyToTargetVisuals\":true,\"targetVisualNames\":[\"ONE\", \"a\", \"TIP\"]},\"explorationState\":{\"sections\":{\"one\":{\"visualContainers\":{\"a\":{\"singleVisual\":{}},\"ONE\":{\"singleVisual\":{\"visualType\":\"image\",\"display\":{\"mode\":\"hidden\"}}}}},\"tip\":{\"visualContainers\":{\"ONE\":{},\"TIP\":{}}}}}}",
		"\ufeff{\"name\":\"b1\",\"options\":{\"applyOnlyToTargetVisuals\":true,\"targetVisualNames\":[\"a\"]},\"explorationState\":{\"sections\":{\"one\":{\"visualContainers\":{\"a\":{\"singleVisual\":{}}}},\"tip\":{\"visualContainers\":{\"ONE\":{}}}}}}",
	},
	{
		"definition/bookmarks/b2.bookmark.json",
		"{\"displayName\": \"ONE\", \"options\":{\"targetVisualNames\":[\"ONE\"]},\"explorationState\":{\"activeSection\":\"ONE\"}}\n",
		"{\"displayName\": \"ONE\", \"options\":{\"targetVisualNames\":[]},\"explorationState\":{\"activeSection\":\"ONE\"}}\n",
	},
	{"definition/bookmarks/b3.bookmark.json", "{\"options\": 1, \"explorationState\": [\"ONE\", \"TIP\"]}", "{\"options\": 1, \"explorationState\": [\"ONE\", \"TIP\"]}"},
	{"definition/bookmarks/bookmarks.json", "{\"items\": [{\"name\": \"ONE\"}]}", "{\"items\": [{\"name\": \"ONE\"}]}"},
	{"definition/report.json", "{\"annotations\": [{\"name\": \"x\", \"value\": \"ONE\"}]}", "{\"annotations\": [{\"name\": \"x\", \"value\": \"ONE\"}]}"},
	{"StaticResources/RegisteredResources/note.json", "{\"options\":{\"targetVisualNames\":[\"ONE\"]}}", "{\"options\":{\"targetVisualNames\":[\"ONE\"]}}"},
}

// What the editor wrote about a Pixie is removed with it, and no other byte.
func TestRemoveForgets(t *testing.T) {
	t.Parallel()
	before, want := sample(), sample()
	for _, m := range mentions {
		before, want = with(before, m.path, replacePixies(m.before)), with(want, m.path, replacePixies(m.after))
	}
	before, _, _, _ = put(t, before, setup, nil, ids())
	before = with(before, strings.Replace(visualPath("one", "one"), "visual.json", "mobile.json", 1), "{}")
	got, removed := remove(t, before)
	if same(t, want, got); removed != 2 {
		t.Errorf("%d removed", removed)
	}

	// The same holds if its page is excluded, except for the other page's Pixie.
	s := setup
	s.ExcludePages = []string{"Overview"}
	got, _, _, _ = put(t, before, s, nil, never(t))
	for _, m := range mentions[2:4] {
		fewer := strings.NewReplacer(`"ONE", "a"`, `"a"`, `,"ONE":{"singleVisual":{"visualType":"image","display":{"mode":"hidden"}}}`, "", `["ONE"]`, `[]`).Replace(m.before)
		if diff := cmp.Diff(replacePixies(fewer), part(t, got, m.path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", m.path, diff)
		}
	}
	if _, ok := got.Part(strings.Replace(visualPath("one", "one"), "visual.json", "mobile.json", 1)); ok {
		t.Error("the mobile layout of a Pixie stays")
	}
}

// A list that does not name the page keeps a name that another visual also has.
func TestRemoveKeepsSharedName(t *testing.T) {
	t.Parallel()
	bookmark := replacePixies("{\"options\":{\"targetVisualNames\":[\"ONE\",\"TIP\"]},\"explorationState\":{\"sections\":{\"one\":{\"visualContainers\":{\"ONE\":{}}}, \"tip\":{\"visualContainers\":{\"ONE\":{}}}}}}")
	d := with(sample(), "definition/pages/tip.Page/visuals/same/visual.json", container("2.4.0", pixie.Names(reportID, acme, "one")[0], 0, chart))
	after, _, _, _ := put(t, with(d, "definition/bookmarks/b.bookmark.json", bookmark), setup, nil, ids())
	got, _ := remove(t, after)
	want := replacePixies("{\"options\":{\"targetVisualNames\":[\"ONE\"]},\"explorationState\":{\"sections\":{\"one\":{\"visualContainers\":{}}, \"tip\":{\"visualContainers\":{\"ONE\":{}}}}}}")
	same(t, with(d, "definition/bookmarks/b.bookmark.json", want), got)
}

func TestRemoveReadsPartsThatNamePixies(t *testing.T) {
	t.Parallel()
	d, _, _, _ := put(t, sample(), setup, nil, ids())
	d = with(d, "definition/bookmarks/a.bookmark.json", "{", "definition/bookmarks/b.bookmark.json", replacePixies("{\n\"ONE\": 1,}"))
	if _, _, err := pixie.Remove(d, reportID, ours(d, reportID)); err == nil || !strings.HasPrefix(err.Error(), "definition/bookmarks/b.bookmark.json:2:27: ") {
		t.Errorf("got %v", err)
	}
}

// In a legacy report the mentions are in strings, whose other bytes stay however
// they are written.
func TestRemoveForgetsInStrings(t *testing.T) {
	t.Parallel()
	report := func(root, section string) definition.Definition {
		text := func(s string) string {
			b, err := json.Marshal(replacePixies(s))
			if err != nil {
				t.Fatal(err)
			}
			return strings.ReplaceAll(string(b), "é/", `\u00e9\/`)
		}
		return build("report.json", "{ \"config\" :"+text(root)+",\r\n\"sections\":[{\"name\":\"one\",\"visualContainers\":[ ],\"config\":"+text(section)+"},{\"name\":\"tip\",\"visualContainers\":[{\"config\":\"{}\"}]}]}")
	}
	before := report(
		`{"é/<":"ONE","bookmarks":[{"name":"b","explorationState":{"sections":{"one":{"visualContainers":{"ONE":{"é/":1},"a":{"é/":1}}}}},"options":{"targetVisualNames":["TIP","a","ONE"]}},{"displayName":"é/","children":[{"explorationState":{"sections":{"tip":{"visualContainers":{"TIP":{}}}}}}]}],"z":"é/"}`,
		`{"é/":"<","relationships":[{"source":"ONE","target":"é/","type":3},{"source":"é/","target":"b"},{"source":"b","target":"ONE"}],"z":"é/"}`)
	want := report(
		`{"é/<":"ONE","bookmarks":[{"name":"b","explorationState":{"sections":{"one":{"visualContainers":{"a":{"é/":1}}}}},"options":{"targetVisualNames":["a"]}},{"displayName":"é/","children":[{"explorationState":{"sections":{"tip":{"visualContainers":{}}}}}]}],"z":"é/"}`,
		`{"é/":"<","relationships":[{"source":"é/","target":"b"}],"z":"é/"}`)
	before, _, _, _ = put(t, before, setup, nil, ids())
	got, removed := remove(t, before)
	if same(t, want, got); removed != 2 {
		t.Errorf("%d removed", removed)
	}
	// The list of interactions is removed with its last entry.
	before, _, _, _ = put(t, report(`{}`, `{"relationships":[{"source":"ONE","target":"a"}],"z":1}`), setup, nil, ids())
	got, _ = remove(t, before)
	same(t, report(`{}`, `{"z":1}`), got)
}
