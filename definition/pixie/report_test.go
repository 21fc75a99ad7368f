package pixie_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"readiness/definition"
	"readiness/definition/pixie"
)

const (
	reportID = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"
	pbirPart = `{"version":"4.0","datasetReference":{"byPath":{"path":"../Sales.SemanticModel"}}}`
)

var setup = pixie.Setup{CollectorBaseURL: "https://collector.example/t"}

// build returns a definition from paths and texts.
func build(pairs ...string) definition.Definition {
	parts := []definition.Part{{Path: "definition.pbir", Data: []byte(pbirPart)}}
	for i := 0; i < len(pairs); i += 2 {
		parts = append(parts, definition.Part{Path: pairs[i], Data: []byte(pairs[i+1])})
	}
	return definition.New(parts...)
}

// with returns the definition with other parts in it; "" removes one.
func with(d definition.Definition, pairs ...string) definition.Definition {
	all := byPath(d)
	for i := 0; i < len(pairs); i += 2 {
		if all[pairs[i]] = pairs[i+1]; pairs[i+1] == "" {
			delete(all, pairs[i])
		}
	}
	var parts []definition.Part
	for path, data := range all {
		parts = append(parts, definition.Part{Path: path, Data: []byte(data)})
	}
	return definition.New(parts...)
}

func byPath(d definition.Definition) map[string]string {
	all := map[string]string{}
	for _, p := range d.Parts {
		all[p.Path] = string(p.Data)
	}
	return all
}

// added returns the paths of the parts that only the second definition has.
func added(before, after definition.Definition) []string {
	had := byPath(before)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(byPath(after))), func(path string) bool { _, ok := had[path]; return ok })
}

func part(t rapid.TB, d definition.Definition, path string) string {
	t.Helper()
	data, ok := d.Part(path)
	if !ok {
		t.Fatalf("there is no %s", path)
	}
	return string(data)
}

// same fails unless the definitions are equal byte for byte.
func same(t rapid.TB, want, got definition.Definition) {
	t.Helper()
	if want.Hash() != got.Hash() {
		t.Fatalf("parts (-want +got):\n%s", cmp.Diff(byPath(want), byPath(got)))
	}
}

// acme is an account.
var acme = pixie.Owner{Mark: pixie.Mark([]byte("key"), "acme")}

// ours returns the account as the owner of every id in the report.
func ours(d definition.Definition, reportID string) pixie.Owner {
	all, _ := pixie.IDs(d, reportID) // an unreadable report has none
	return owning(acme, all...)
}

// owning returns the account as the owner of the ids.
func owning(o pixie.Owner, ids ...string) pixie.Owner {
	o.IDs = map[string]bool{}
	for _, id := range ids {
		o.IDs[id] = true
	}
	return o
}

// ids returns a generator of ids: id-0000000000000001 and so on.
func ids() func() string {
	n := 0
	return func() string { n++; return fmt.Sprintf("id-%016d", n) }
}

// put calls Put, which must succeed.
func put(t rapid.TB, d definition.Definition, s pixie.Setup, known map[string]string, newID func() string) (definition.Definition, []pixie.Placed, pixie.Counts, bool) {
	t.Helper()
	hash := d.Hash()
	after, placed, counts, changed, err := pixie.Put(d, reportID, ours(d, reportID), s, known, newID)
	if err != nil {
		t.Fatal(err)
	}
	if d.Hash() != hash {
		t.Fatal("Put changed the definition it was given")
	}
	if changed != (after.Hash() != hash) {
		t.Fatalf("changed is %v", changed)
	}
	return after, placed, counts, changed
}

func remove(t rapid.TB, d definition.Definition) (definition.Definition, int) {
	t.Helper()
	hash := d.Hash()
	after, n, err := pixie.Remove(d, reportID, ours(d, reportID))
	if err != nil {
		t.Fatal(err)
	}
	if d.Hash() != hash {
		t.Fatal("Remove changed the definition it was given")
	}
	return after, n
}

// never returns a generator for a Put that needs no new id.
func never(t rapid.TB) func() string {
	return func() string { t.Helper(); t.Error("a new id was asked for"); return "" }
}

func pageIDs(placed []pixie.Placed) map[string]string {
	all := map[string]string{}
	for _, p := range placed {
		all[p.Page] = p.ID
	}
	return all
}

const (
	pageOne   = "{\n  \"name\": \"one\",\n  \"displayName\": \"Overview\",\n  \"displayOption\": \"FitToPage\",\n  \"height\": 720,\n  \"width\": 1280\n}"
	pageTip   = "{\n  \"name\": \"tip\",\n  \"displayName\": \"Details of a day\",\n  \"displayOption\": \"ActualSize\",\n  \"height\": 240.5,\n  \"width\": 320,\n  \"type\": \"Tooltip\",\n  \"visibility\": \"HiddenInViewMode\"\n}"
	schemaURL = "https://developer.microsoft.com/json-schemas/fabric/item/report/definition/visualContainer/"
)

// container returns a visual.json.
func container(version, name string, z float64, rest string) string {
	return fmt.Sprintf("{\n  \"$schema\": %q,\n  \"name\": %q,\n  \"position\": {\n    \"x\": 10,\n    \"y\": 20,\n    \"z\": %v,\n    \"height\": 100,\n    \"width\": 200\n  },\n  %s\n}", schemaURL+version+"/schema.json", name, z, rest)
}

const chart = `"visual": {"visualType": "barChart"}`

// sample returns a report with a page of two visuals and a group, and an empty
// tooltip page.
func sample() definition.Definition {
	return build(
		"definition/version.json", "{}",
		"definition/report.json", "{}",
		"definition/pages/pages.json", `{"pageOrder":["one","tip"]}`,
		"definition/pages/one/page.json", pageOne,
		"definition/pages/one/visuals/a/visual.json", container("2.4.0", "a", 1000, chart),
		"definition/pages/one/visuals/b/visual.json", container("2.10.0", "b", 0, chart),
		"definition/pages/one/visuals/g/visual.json", container("2.9.0", "g", 500, `"visualGroup": {"displayName": "G", "groupMode": "ScaleMode"}`),
		"definition/pages/tip.Page/page.json", pageTip,
	)
}

// legacySample returns a report with the same pages in one report.json.
func legacySample(layout func(string) string) definition.Definition {
	return build("report.json", layout(`{
  "config": "{\"version\":\"5.69\",\"bookmarks\":[]}",
  "sections": [
    {
      "config": "{\"relationships\":[]}",
      "displayName": "Overview",
      "filters": "[]",
      "height": 720.00,
      "name": "one",
      "visualContainers": [
        {
          "config": "{\"name\":\"a\",\"singleVisual\":{\"visualType\":\"barChart\"}}",
          "z": 1000.00
        },
        {
          "config": "{\"name\":\"b\",\"layouts\":[{\"id\":0,\"position\":{\"x\":1}}],\"singleVisual\":{\"visualType\":\"slicer\"}}",
          "z": 0.00
        },
        {
          "config": "{\"name\":\"g\",\"singleVisualGroup\":{\"displayName\":\"G\"}}",
          "z": 500.00
        }
      ],
      "width": 1280.00
    },
    {
      "config": "{\"visibility\":1,\"type\":1}",
      "displayName": "Details of a day",
      "height": 240.50,
      "name": "tip",
      "visualContainers": [],
      "width": 320.00
    }
  ]
}`))
}

func inLF(s string) string   { return s }
func inCRLF(s string) string { return "\ufeff" + strings.ReplaceAll(s, "\n", "\r\n") + "\r\n" }
