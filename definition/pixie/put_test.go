package pixie_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/pixie"
)

func visualPath(folder, page string) string {
	return "definition/pages/" + folder + "/visuals/" + pixie.Names(reportID, acme, page)[0] + "/visual.json"
}

func TestPut(t *testing.T) {
	t.Parallel()
	one, tip := pixie.Names(reportID, acme, "one")[0], pixie.Names(reportID, acme, "tip")[0]
	want := []pixie.Placed{
		{Page: "one", PageName: "Overview", Visual: one, ID: "known-id-of-page-one"},
		{Page: "tip", PageName: "Details of a day", Visual: tip, ID: "id-0000000000000001"},
	}
	for name, d := range map[string]definition.Definition{"PBIR": sample(), "legacy": legacySample(inLF), "legacy in CRLF": legacySample(inCRLF)} {
		after, placed, counts, changed := put(t, d, setup, map[string]string{"one": "known-id-of-page-one", "elsewhere": "known-id-elsewhere"}, ids())
		if diff := cmp.Diff(want, placed); diff != "" {
			t.Errorf("%s: placed (-want +got):\n%s", name, diff)
		}
		if (counts != pixie.Counts{Pages: 2, Visuals: 2}) || !changed {
			t.Errorf("%s: got %+v, changed %v", name, counts, changed)
		}
		pages, err := pixie.Read(after, reportID, ours(after, reportID))
		if err != nil {
			t.Fatal(err)
		}
		wantPages := []pixie.Page{
			{Name: "one", DisplayName: "Overview", Visuals: 2, Pixies: want[:1]},
			{Name: "tip", DisplayName: "Details of a day", Pixies: want[1:]},
		}
		if diff := cmp.Diff(wantPages, pages); diff != "" {
			t.Errorf("%s: pages (-want +got):\n%s", name, diff)
		}
		again, placed, counts, _ := put(t, after, setup, pageIDs(placed), never(t))
		same(t, after, again)
		if diff := cmp.Diff(want, placed); diff != "" || counts.Pages != 2 {
			t.Errorf("%s: placed again (-want +got):\n%s", name, diff)
		}
		// Without known ids, a Pixie keeps the id it has.
		again, _, _, _ = put(t, after, setup, nil, never(t))
		same(t, after, again)
		before, removed := remove(t, after)
		if same(t, d, before); removed != 2 {
			t.Errorf("%s: %d removed", name, removed)
		}
		if _, removed := remove(t, d); removed != 0 {
			t.Errorf("%s: %d removed where there is none", name, removed)
		}
	}
}

// Adding to a PBIR report only writes new parts.
func TestPutWritesVisualsOnly(t *testing.T) {
	t.Parallel()
	d := sample()
	after, _, _, _ := put(t, d, setup, nil, ids())
	if diff := cmp.Diff([]string{visualPath("one", "one"), visualPath("tip.Page", "tip")}, added(d, after)); diff != "" {
		t.Errorf("new parts (-want +got):\n%s", diff)
	}
	for _, p := range d.Parts {
		if part(t, after, p.Path) != string(p.Data) {
			t.Errorf("%s changed", p.Path)
		}
	}
	want := `{
  "$schema": "https://developer.microsoft.com/json-schemas/fabric/item/report/definition/visualContainer/2.10.0/schema.json",
  "name": "` + pixie.Names(reportID, acme, "one")[0] + `",
  "position": {
    "x": 0,
    "y": 0,
    "z": -1,
    "height": 4,
    "width": 4,
    "tabOrder": -1
  },
  "visual": {
    "visualType": "image",
    "objects": {
      "image": [
        {
          "properties": {
            "sourceType": {
              "expr": {
                "Literal": {
                  "Value": "'imageUrl'"
                }
              }
            },
            "sourceUrl": {
              "expr": {
                "Literal": {
                  "Value": "'https://collector.example/t/p/id-0000000000000001.gif'"
                }
              }
            }
          }
        }
      ]
    },
    "visualContainerObjects": {
`
	got := part(t, after, visualPath("one", "one"))
	if !strings.HasPrefix(got, want) {
		t.Errorf("visual.json begins otherwise:\n%s", cmp.Diff(want, got))
	}
	if tail := "    \"drillFilterOtherVisuals\": false\n  },\n  \"annotations\": [\n    {\n      \"name\": \"readiness.pixie\",\n      \"value\": \"id-0000000000000001\"\n    }\n  ]\n}"; !strings.HasSuffix(got, tail) {
		t.Errorf("visual.json ends otherwise:\n%s", cmp.Diff(tail, got))
	}
}

func TestPutLegacyWritesAContainer(t *testing.T) {
	t.Parallel()
	after, _, _, _ := put(t, legacySample(inLF), setup, nil, ids())
	was, is := part(t, legacySample(inLF), "report.json"), part(t, after, "report.json")
	config := func(page string, z int, id string) string {
		return `{\"name\":\"` + pixie.Names(reportID, acme, page)[0] + `\",\"layouts\":[{\"id\":0,\"position\":{\"x\":0,\"y\":0,\"z\":` + fmt.Sprint(z) + `,\"height\":4,\"width\":4,\"tabOrder\":-1}}],` +
			`\"singleVisual\":{\"visualType\":\"image\",\"objects\":{\"image\":[{\"properties\":{\"sourceType\":{\"expr\":{\"Literal\":{\"Value\":\"'imageUrl'\"}}},` +
			`\"sourceUrl\":{\"expr\":{\"Literal\":{\"Value\":\"'https://collector.example/t/p/` + id + `.gif'\"}}}}}]},\"vcObjects\":{`
	}
	for _, c := range []struct{ anchor, want, end string }{
		{"\n          \"z\": 500.00\n        }", ",\n        {\n          \"config\": \"" + config("one", -1, "id-0000000000000001"), "\",\n          \"filters\": \"[]\",\n          \"height\": 4.00,\n          \"width\": 4.00,\n          \"x\": 0.00,\n          \"y\": 0.00,\n          \"z\": -1.00\n        }\n      ],"},
		{"\"visualContainers\": [", "{\n          \"config\": \"" + config("tip", 0, "id-0000000000000002"), "\n          \"z\": 0.00\n        }],"},
	} {
		at := strings.LastIndex(is, c.anchor) + len(c.anchor)
		if !strings.HasPrefix(is[at:], c.want) || !strings.Contains(is[at:], c.end) {
			t.Errorf("after %q stands\n%s", c.anchor, is[at:])
		}
	}
	if kept := strings.Index(was, "\n      ],"); !strings.HasPrefix(is, was[:kept]) {
		t.Error("what stands before the first Pixie changed")
	}
}

// A written visual is valid in the format version that it names.
func TestPutIsValid(t *testing.T) {
	t.Parallel()
	rules, err := os.Open("testdata/visualContainer.json")
	if err != nil {
		t.Fatal(err)
	}
	defer rules.Close()
	doc, err := jsonschema.UnmarshalJSON(rules)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("visualContainer.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("visualContainer.json")
	if err != nil {
		t.Fatal(err)
	}
	validate := func(data string) error {
		t.Helper()
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.TrimPrefix(data, "\ufeff")))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(v)
	}
	for _, corner := range []pixie.Corner{pixie.TopLeft, pixie.TopRight, pixie.BottomLeft, pixie.BottomRight} {
		s := setup
		s.Corner, s.Size = corner, 16
		after, _, _, _ := put(t, sample(), s, nil, ids())
		for _, path := range added(sample(), after) {
			if err := validate(part(t, after, path)); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	good := part(t, first(put(t, sample(), setup, nil, ids())), visualPath("one", "one"))
	for was, is := range map[string]string{`"visual": {`: `"visuals": {`, `"x": 0`: `"x": "0"`, `"tabOrder"`: `"order"`, `"value"`: `"text"`, "2.10.0": "2.10", "keepLayerOrder": "layerOrder"} {
		if validate(strings.ReplaceAll(good, was, is)) == nil {
			t.Errorf("with %s the rules find nothing wrong", is)
		}
	}
}

func first(d definition.Definition, _ []pixie.Placed, _ pixie.Counts, _ bool) definition.Definition {
	return d
}

// A new visual.json has the layout of the existing ones, preferably of those on the same page.
func TestPutKeepsLayout(t *testing.T) {
	t.Parallel()
	const compact = `{"$schema":"x","name":"a","visual":{"visualType":"card"}}`
	pretty := func(end, indent string) string {
		return "{" + end + indent + `"name": "a",` + end + indent + `"visual": {"visualType": "card"}` + end + "}"
	}
	for _, c := range []struct{ name, page, visual, elsewhere, want string }{
		{"CRLF", pageOne, pretty("\r\n", "  "), pretty("\n", "    "), "{\r\n  \"$schema\": \"" + schemaURL + "2.0.0/schema.json\",\r\n  \"name\""},
		{"four", pageOne, pretty("\n", "    "), "", "{\n    \"$schema\": \"" + schemaURL + "2.0.0/schema.json\",\n    \"name\""},
		{"tabs", pageOne, pretty("\n", "\t"), "", "{\n\t\"$schema\": \"" + schemaURL + "2.0.0/schema.json\",\n\t\"name\""},
		{"none", pageOne, pretty("\n", ""), "", "{\n  \"$schema\": \"" + schemaURL + "2.0.0/schema.json\",\n  \"name\""},
		{"one line", pageOne, compact, "", "{\"$schema\":\"" + schemaURL + "2.0.0/schema.json\",\"name\":\""},
		{"another page's", "{}", "", pretty("\r\n", "\t"), "{\r\n\t\"$schema\""},
		{"the page's own", strings.ReplaceAll(pageOne, "\n", "\r\n"), "", "", "{\r\n  \"$schema\""},
		{"an empty page's own", "{}", "", "", "{\"$schema\":"},
	} {
		for _, last := range []string{"", "\n", "\r\n"} {
			if strings.Contains(c.want, "\r\n") != strings.Contains(last, "\r") && last != "" {
				continue
			}
			add := func(s string) string {
				if s == "" {
					return ""
				}
				return s + last
			}
			d := with(build("definition/pages/one/page.json", add(c.page)), "definition/pages/one/visuals/a/visual.json", add(c.visual))
			if c.elsewhere != "" {
				d = with(d, "definition/pages/two/page.json", `{"name":"two"}`, "definition/pages/two/visuals/a/visual.json", add(c.elsewhere))
			}
			after, _, _, _ := put(t, d, setup, nil, ids())
			got := part(t, after, visualPath("one", "one"))
			if !strings.HasPrefix(got, c.want) || got != strings.TrimRight(got, "\r\n")+last {
				t.Errorf("%s, ending in %q: got %q", c.name, last, got[:min(len(got), 120)])
			}
			if strings.Count(got, "\r\n") != strings.Count(got, "\n") && strings.Contains(got, "\r") {
				t.Errorf("%s: mixed line ends", c.name)
			}
		}
	}
}

func TestPutTakesTheHighestVersion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		versions []string
		want     string
	}{
		{nil, "2.0.0"},
		{[]string{"1.1.0", "1.0.0"}, "1.1.0"},
		{[]string{"2.9.0", "2.13.0", "2.4.0", "1.8.0"}, "2.13.0"},
		{[]string{"2.4.0", "3.0.0"}, "2.4.0"},
		{[]string{"3.0.0"}, "2.0.0"},
		{[]string{"2.0.0-beta", "99999.1.0"}, "2.0.0"},
	} {
		d := build("definition/pages/one/page.json", pageOne, "definition/pages/two/page.json", `{}`)
		for i, v := range c.versions {
			d = with(d, fmt.Sprintf("definition/pages/two/visuals/v%d/visual.json", i), container(v, fmt.Sprint(i), 0, chart))
		}
		after, _, _, _ := put(t, d, setup, nil, ids())
		if got := part(t, after, visualPath("one", "one")); !strings.Contains(got, schemaURL+c.want+"/") {
			t.Errorf("%v: got %s", c.versions, got[:200])
		}
	}
}

// A Pixie is in its corner, inside the page and behind all other visuals.
func TestPutPlaces(t *testing.T) {
	t.Parallel()
	type position struct{ X, Y, Z, Width, Height, TabOrder float64 }
	for _, c := range []struct {
		corner pixie.Corner
		size   int
		page   string
		z      []float64
		want   position
	}{
		{"", 0, `{"width":1280,"height":720}`, nil, position{0, 0, 0, 4, 4, -1}},
		{pixie.TopLeft, 1, `{"width":1280,"height":720}`, []float64{0}, position{0, 0, -1, 1, 1, -1}},
		{pixie.TopRight, 10, `{"width":1280,"height":720}`, []float64{3000, 1000.5, 2000}, position{1269, 0, 999, 10, 10, -1}},
		{pixie.BottomLeft, 10, `{"width":320.25,"height":240.5}`, []float64{-3.5}, position{0, 229.5, -5, 10, 10, -1}},
		{pixie.BottomRight, 64, `{}`, []float64{1, 2}, position{1215, 655, 0, 64, 64, -1}},
		{pixie.BottomRight, 64, `{"width":"wide","height":16}`, nil, position{1215, 0, 0, 64, 64, -1}},
	} {
		pbir := build("definition/pages/p/page.json", c.page)
		var containers []string
		for i, z := range c.z {
			pbir = with(pbir, fmt.Sprintf("definition/pages/p/visuals/v%d/visual.json", i), container("2.4.0", fmt.Sprint(i), z, chart))
			containers = append(containers, fmt.Sprintf(`{"config":"{}","z":%v}`, z))
		}
		section := strings.Replace(c.page, "{", `{"name":"p","visualContainers":[`+strings.Join(containers, ",")+`],`, 1)
		old := build("report.json", `{"sections":[`+strings.Replace(section, ",}", "}", 1)+`]}`)
		s := setup
		s.Corner, s.Size = c.corner, c.size

		after, _, _, _ := put(t, pbir, s, nil, ids())
		var visual struct{ Position position }
		if err := json.Unmarshal([]byte(part(t, after, visualPath("p", "p"))), &visual); err != nil {
			t.Fatal(err)
		}
		if visual.Position != c.want {
			t.Errorf("%s of %s: got %+v, want %+v", c.corner, c.page, visual.Position, c.want)
		}

		after, _, _, _ = put(t, old, s, nil, ids())
		var report struct {
			Sections []struct {
				VisualContainers []struct {
					X, Y, Z, Width, Height float64
					Config                 string
				}
			}
		}
		if err := json.Unmarshal([]byte(part(t, after, "report.json")), &report); err != nil {
			t.Fatal(err)
		}
		all := report.Sections[0].VisualContainers
		got := all[len(all)-1]
		var config struct{ Layouts []struct{ Position position } }
		if err := json.Unmarshal([]byte(got.Config), &config); err != nil {
			t.Fatal(err)
		}
		if outer := (position{got.X, got.Y, got.Z, got.Width, got.Height, -1}); config.Layouts[0].Position != c.want || outer != c.want {
			t.Errorf("%s of %s in a legacy report: got %+v and %+v, want %+v", c.corner, c.page, config.Layouts[0].Position, outer, c.want)
		}
	}
}

func TestPutExcludes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern string
		want    []string // the pages that are tracked
	}{
		{"*", nil},
		{"overview", []string{"tip"}},
		{"Over", []string{"one", "tip"}},
		{"*VIEW", []string{"tip"}},
		{"?vervie?", []string{"tip"}},
		{"*of*day*", []string{"one"}},
		{"d*a*a*", []string{"one"}},
		{"*e*", nil},
		{"", []string{"one", "tip"}},
		{"[O]verview", []string{"one", "tip"}},
		{"tip", []string{"one", "tip"}}, // a page's name, which is not displayed
	} {
		for name, d := range map[string]definition.Definition{"PBIR": sample(), "legacy": legacySample(inLF)} {
			s := setup
			s.ExcludePages = []string{"nothing", c.pattern}
			after, placed, counts, changed := put(t, d, s, nil, ids())
			if got := slices.Sorted(maps.Keys(pageIDs(placed))); !slices.Equal(got, c.want) || counts.Pages != len(c.want) || changed != (len(c.want) > 0) {
				t.Errorf("%s, %q: tracked are %v (%+v)", name, c.pattern, got, counts)
			}
			// Pages that are excluded later lose their Pixies.
			n := 0
			others := func() string { n++; return fmt.Sprintf("the-id-of-another-page-%d", n) }
			all, _, _, _ := put(t, d, setup, pageIDs(placed), others)
			fewer, _, _, _ := put(t, all, s, pageIDs(placed), never(t))
			same(t, after, fewer)
		}
	}
}

// If another visual has the first name, the next one is used and kept.
func TestPutSkipsTakenNames(t *testing.T) {
	t.Parallel()
	names := pixie.Names(reportID, acme, "one")
	d := with(sample(),
		"definition/pages/one/visuals/c/visual.json", container("2.4.0", names[0], 0, chart),
		"definition/pages/one/visuals/"+strings.ToUpper(names[1])+"/mobile.json", "{}",
	)
	after, placed, counts, _ := put(t, d, setup, nil, ids())
	if placed[0].Visual != names[2] || counts.Visuals != 3 {
		t.Errorf("got %+v, %+v", placed, counts)
	}
	again, _, _, _ := put(t, after, setup, nil, never(t))
	same(t, after, again)
	before, _ := remove(t, after)
	same(t, d, before)

	for i, name := range names {
		d = with(d, fmt.Sprintf("definition/pages/one/visuals/n%d/visual.json", i), container("2.4.0", name, 0, chart))
	}
	if _, _, _, _, err := pixie.Put(d, reportID, ours(d, reportID), setup, nil, ids()); err == nil || !strings.Contains(err.Error(), `page "one"`) {
		t.Errorf("every name taken: got %v", err)
	}
}

func TestPutRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		setup pixie.Setup
		known map[string]string
		newID func() string
		want  string
	}{
		{"no collector", pixie.Setup{}, nil, ids(), "is not a web address"},
		{"another scheme", pixie.Setup{CollectorBaseURL: "ftp://x/y"}, nil, ids(), "is not a web address"},
		{"no host", pixie.Setup{CollectorBaseURL: "https:///y"}, nil, ids(), "is not a web address"},
		{"a query", pixie.Setup{CollectorBaseURL: "https://x/y?z"}, nil, ids(), "no user, query or fragment"},
		{"a fragment", pixie.Setup{CollectorBaseURL: "https://x/y#"}, nil, ids(), "no user, query or fragment"},
		{"a user", pixie.Setup{CollectorBaseURL: "https://me@x/y"}, nil, ids(), "no user, query or fragment"},
		{"a long address", pixie.Setup{CollectorBaseURL: "https://x/" + strings.Repeat("y", 1000)}, nil, ids(), "at most 1000"},
		{"too small", pixie.Setup{CollectorBaseURL: "https://x", Size: -1}, nil, ids(), "from 1 to 64"},
		{"too large", pixie.Setup{CollectorBaseURL: "https://x", Size: 65}, nil, ids(), "from 1 to 64"},
		{"not a corner", pixie.Setup{CollectorBaseURL: "https://x", Corner: "Middle"}, nil, ids(), "not a corner"},
		{"many patterns", pixie.Setup{CollectorBaseURL: "https://x", ExcludePages: make([]string, 101)}, nil, ids(), "at most 100"},
		{"a long pattern", pixie.Setup{CollectorBaseURL: "https://x", ExcludePages: []string{strings.Repeat("*", 201)}}, nil, ids(), "at most 200"},
		{"a known id of another form", setup, map[string]string{"one": "short"}, ids(), "the known id of page \"one\""},
		{"a known id twice", setup, map[string]string{"a": "0123456789abcdef", "b": "0123456789abcdef"}, ids(), "the pages \"a\" and \"b\""},
		{"a new id of another form", setup, nil, func() string { return "../../0123456789abcdef" }, "the new id of page \"one\""},
		{"a new id twice", setup, nil, func() string { return "0123456789abcdef" }, "is that of page \"one\""},
	} {
		got, placed, counts, changed, err := pixie.Put(sample(), reportID, ours(sample(), reportID), c.setup, c.known, c.newID)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want …%s…", c.name, err, c.want)
		}
		if len(got.Parts) > 0 || placed != nil || counts != (pixie.Counts{}) || changed {
			t.Errorf("%s: something was returned", c.name)
		}
	}
	for _, o := range []pixie.Owner{{}, {Mark: "acme"}} {
		if _, _, _, changed, err := pixie.Put(sample(), reportID, o, setup, nil, ids()); err == nil || changed {
			t.Errorf("Pixies of an account with the mark %q were put", o.Mark)
		}
		if _, removed, err := pixie.Remove(sample(), reportID, o); err == nil || removed != 0 {
			t.Errorf("Pixies of an account with the mark %q were removed", o.Mark)
		}
	}
	largest := pixie.Setup{CollectorBaseURL: "http://localhost:8080/", Size: 64, Corner: pixie.BottomRight}
	if _, _, _, _, err := pixie.Put(sample(), reportID, ours(sample(), reportID), largest, nil, ids()); err != nil {
		t.Error(err)
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://x.example":         "'https://x.example/p/0123456789abcdef.gif'",
		"https://x.example//":       "'https://x.example/p/0123456789abcdef.gif'",
		"http://[::1]:8080/a/":      "'http://[::1]:8080/a/p/0123456789abcdef.gif'",
		"https://x.example/it's":    "'https://x.example/it''s/p/0123456789abcdef.gif'",
		"https://x.example/a \"é\"": "'https://x.example/a%20%22%C3%A9%22/p/0123456789abcdef.gif'",
	} {
		d := build("definition/pages/one/page.json", pageOne)
		known := map[string]string{"one": "0123456789abcdef"}
		s := pixie.Setup{CollectorBaseURL: base}
		after, _, _, _ := put(t, d, s, known, never(t))
		if got := part(t, after, visualPath("one", "one")); !strings.Contains(got, `"Value": "`+want+`"`) {
			t.Errorf("%s: got %s", base, got)
		}
		again, _, _, _ := put(t, after, s, nil, never(t))
		same(t, after, again)
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		d    definition.Definition
		want string
	}{
		{"paginated", definition.New(definition.Part{Path: "Invoice.rdl", Data: []byte("<Report/>")}), "Invoice.rdl: this is a paginated report"},
		{"no pages", build(), "definition/: the report has neither"},
		{"no definition.pbir", definition.New(definition.Part{Path: "report.json", Data: []byte("{}")}), "definition.pbir: the part is missing"},
		{"a broken page", with(sample(), "definition/pages/one/page.json", "{\n]"), "definition/pages/one/page.json:2:1: "},
		{"a broken visual", with(sample(), "definition/pages/one/visuals/a/visual.json", "{\n\n\"a\" 1}"), "definition/pages/one/visuals/a/visual.json:3:5: "},
		{"a broken report.json", with(sample(), "definition/report.json", ""), ""},
		{"a broken legacy report", build("report.json", "{\n\n"), "report.json:2:1: "},
		{"a broken visual of one", build("report.json", "{\"sections\":[{\"visualContainers\":[\n{\"config\":\"{\"}]}]}"), "report.json:2:1: the config of visual 1 of page 1"},
		{"a broken config of one", build("report.json", "{\n\n\"config\":\"{\\\"a\\\"\"}"), "report.json:3:1: the report's config is not JSON: "},
		{"a page without visuals", build("report.json", `{"sections":[{"name":"x"}]}`), "report.json: page \"x\" has no list of visuals"},
		{"a path that leaves", build("definition/pages/../../x/page.json", "{}"), "definition/pages/../../x/page.json: "},
		{"a path without a name", build("definition/pages//page.json", "{}"), "definition/pages//page.json: "},
	} {
		_, _, _, _, err := pixie.Put(c.d, reportID, ours(c.d, reportID), setup, nil, ids())
		_, isPart := err.(*jsonpart.Error)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: got %v", c.name, err)
			}
			continue
		}
		if !isPart || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s…", c.name, err, c.want)
		}
		if c.name == "a page without visuals" {
			continue // it has no Pixie, which is valid
		}
		if _, _, removal := pixie.Remove(c.d, reportID, ours(c.d, reportID)); removal == nil || removal.Error() != err.Error() {
			t.Errorf("%s: Remove says %v", c.name, removal)
		}
		if _, reading := pixie.Read(c.d, reportID, ours(c.d, reportID)); reading == nil || reading.Error() != err.Error() {
			t.Errorf("%s: Read says %v", c.name, reading)
		}
	}
}

// Known ids of pages take precedence over the ids of their Pixies: two exchanged ids
// are corrected.
func TestKnownIDs(t *testing.T) {
	t.Parallel()
	d, _, _, _ := put(t, sample(), setup, known, never(t))
	exchanged := map[string]string{"one": known["tip"], "tip": known["one"]}
	want, _, _, _ := put(t, sample(), setup, exchanged, never(t))
	got, _, _, _ := put(t, d, setup, exchanged, never(t))
	same(t, want, got)
	got, placed, _, _ := put(t, d, setup, map[string]string{"tip": known["one"]}, ids())
	if diff := cmp.Diff(map[string]string{"one": "id-0000000000000001", "tip": known["one"]}, pageIDs(placed)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	again, _, _, _ := put(t, got, setup, nil, never(t))
	same(t, got, again)
}

// Pages with the same name, which a report should not have, share an id, so that Put
// terminates.
func TestPagesOfOneName(t *testing.T) {
	t.Parallel()
	d := build("report.json", `{"sections":[{"visualContainers":[]},{"visualContainers":[{"config":"{}"}]}]}`)
	after, placed, counts, _ := put(t, d, setup, nil, ids())
	if len(placed) != 2 || placed[0].ID != placed[1].ID || counts.Pages != 2 {
		t.Errorf("placed %+v, %+v", placed, counts)
	}
	again, _, _, _ := put(t, after, setup, pageIDs(placed), never(t))
	same(t, after, again)
}
