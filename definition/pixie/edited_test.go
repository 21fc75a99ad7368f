package pixie_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"readiness/definition"
	"readiness/definition/pixie"
)

// rewritten returns JSON as an editor may have written it: sorted members, another
// layout, and objects changed by edit.
func rewritten(t rapid.TB, data, indent string, edit func(root map[string]any)) string {
	t.Helper()
	var root map[string]any
	if err := json.Unmarshal([]byte(data), &root); err != nil {
		t.Fatal(err)
	}
	edit(root)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(true)
	e.SetIndent("", indent)
	if err := e.Encode(root); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(b.String(), "\n", "\r\n")
}

// dig returns the value at the path of names and indices.
func dig(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			v = v.(map[string]any)[step]
		case int:
			v = v.([]any)[step]
		}
	}
	return v
}

// editContainer changes the config of the last visual of a page of a legacy report,
// and its container.
func editContainer(t rapid.TB, d definition.Definition, section int, edit func(config map[string]any), place func(container map[string]any)) definition.Definition {
	t.Helper()
	return with(d, "report.json", rewritten(t, part(t, d, "report.json"), "\t", func(root map[string]any) {
		all := dig(root, "sections", section, "visualContainers").([]any)
		container := all[len(all)-1].(map[string]any)
		container["config"] = rewritten(t, container["config"].(string), "", edit)
		place(container)
	}))
}

const oneID = "known-id-of-page-one"

var known = map[string]string{"one": oneID, "tip": "known-id-of-page-tip"}

// A Pixie that an editor has rewritten is recognized, and written only if its
// address, size or corner differs.
func TestPutAfterTheEditor(t *testing.T) {
	t.Parallel()
	set := func(name string, value any) func(map[string]any) {
		return func(m map[string]any) { m[name] = value }
	}
	position := func(name string, value any) func(map[string]any) {
		return func(m map[string]any) {
			if layouts, ok := m["layouts"]; ok {
				m = dig(layouts, 0).(map[string]any)
			}
			m["position"].(map[string]any)[name] = value
		}
	}
	url := func(v any) func(map[string]any) {
		return func(m map[string]any) {
			visual, ok := m["visual"]
			if !ok {
				visual = m["singleVisual"]
			}
			dig(visual, "objects", "image", 0, "properties").(map[string]any)["sourceUrl"] = v
		}
	}
	literal := func(s string) any {
		return map[string]any{"expr": map[string]any{"Literal": map[string]any{"Value": s}}}
	}
	for _, c := range []struct {
		name    string
		edit    func(visual map[string]any)
		written bool
	}{
		{"laid out otherwise", func(map[string]any) {}, false},
		{"something added", set("howCreated", "CopyPaste"), false},
		{"the annotation gone", func(m map[string]any) { delete(m, "annotations") }, false},
		{"other annotations", func(m map[string]any) {
			m["annotations"] = append([]any{map[string]any{"name": "theirs", "value": "x"}, 5}, m["annotations"].([]any)...)
		}, false},
		{"another layer", position("z", 5000), false},
		{"another place in the tab order", position("tabOrder", 9), false},
		{"moved less than can be seen", position("x", 0.4), false},
		{"moved", position("x", 300), true},
		{"made larger", position("width", 50.5), true},
		{"another address", url(literal("'https://elsewhere.example/pixel.png'")), true},
		{"no literal for an address", url(map[string]any{"expr": map[string]any{"Measure": map[string]any{}}}), true},
		{"no address", func(m map[string]any) {
			for _, visual := range []string{"visual", "singleVisual"} {
				if v, ok := m[visual].(map[string]any); ok {
					delete(v, "objects")
				}
			}
		}, true},
		{"moved in a group", func(m map[string]any) { set("parentGroupName", "g")(m); position("x", 300)(m) }, false},
	} {
		pbir, _, _, _ := put(t, sample(), setup, known, never(t))
		path := visualPath("one", "one")
		editedPBIR := with(pbir, path, rewritten(t, part(t, pbir, path), "\t", c.edit))
		legacy, _, _, _ := put(t, legacySample(inLF), setup, known, never(t))
		editedLegacy := editContainer(t, legacy, 0, c.edit, func(map[string]any) {})
		for format, edited := range map[string]definition.Definition{"PBIR": editedPBIR, "legacy": editedLegacy} {
			after, placed, _, changed := put(t, edited, setup, known, never(t))
			if changed != c.written {
				t.Errorf("%s, %s: changed is %v", format, c.name, changed)
			}
			if len(placed) != 2 || placed[0].ID != oneID {
				t.Errorf("%s, %s: placed %+v", format, c.name, placed)
			}
			if !strings.Contains(part(t, after, map[string]string{"PBIR": path, "legacy": "report.json"}[format]), "'https://collector.example/t/p/"+oneID+".gif'") {
				t.Errorf("%s, %s: it has not its address", format, c.name)
			}
			again, _, _, _ := put(t, after, setup, known, never(t))
			same(t, after, again)
			gone, removed := remove(t, edited)
			if removed != 2 {
				t.Errorf("%s, %s: %d removed", format, c.name, removed)
			}
			if format == "PBIR" {
				same(t, sample(), gone)
			}
		}
	}
}

// An update happens in place: nothing else of the visual changes.
func TestPutUpdatesInPlace(t *testing.T) {
	t.Parallel()
	other := pixie.Setup{CollectorBaseURL: "https://new.example", Size: 8, Corner: pixie.BottomRight}
	replace := strings.NewReplacer("https://collector.example/t/p/known-id-of-page-one", "https://new.example/p/the-new-id-of-page-one",
		"\"value\": \"known-id-of-page-one", "\"value\": \"the-new-id-of-page-one", "\"x\": 0", "\"x\": 1271", "\"y\": 0", "\"y\": 711", "\"height\": 4", "\"height\": 8", "\"width\": 4", "\"width\": 8")
	newKnown := map[string]string{"one": "the-new-id-of-page-one", "tip": known["tip"]}

	before, _, _, _ := put(t, sample(), setup, known, never(t))
	edited := with(before, visualPath("one", "one"), strings.ReplaceAll(part(t, before, visualPath("one", "one")), "\n", "\r\n  "))
	after, placed, _, changed := put(t, edited, other, newKnown, never(t))
	if diff := cmp.Diff(replace.Replace(part(t, edited, visualPath("one", "one"))), part(t, after, visualPath("one", "one"))); diff != "" || !changed {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(newKnown, pageIDs(placed)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	before, _, _, _ = put(t, legacySample(inCRLF), setup, known, never(t))
	after, _, _, _ = put(t, before, other, newKnown, never(t))
	inText := strings.NewReplacer("https://collector.example/t/p/known-id-of-page-one", "https://new.example/p/the-new-id-of-page-one",
		"https://collector.example/t/p/known-id-of-page-tip", "https://new.example/p/known-id-of-page-tip",
		`\"value\":\"known-id-of-page-one`, `\"value\":\"the-new-id-of-page-one`,
		`\"x\":0,\"y\":0,\"z\":-1,\"height\":4,\"width\":4`, `\"x\":1271,\"y\":711,\"z\":-1,\"height\":8,\"width\":8`,
		`\"x\":0,\"y\":0,\"z\":0,\"height\":4,\"width\":4`, `\"x\":311,\"y\":231.5,\"z\":0,\"height\":8,\"width\":8`,
		"\"height\": 4.00", "\"height\": 8.00", "\"width\": 4.00", "\"width\": 8.00")
	want := inText.Replace(part(t, before, "report.json"))
	for _, place := range [][2]string{{"1271.00", "711.00"}, {"311.00", "231.50"}} {
		want = strings.Replace(want, "\"x\": 0.00", "\"x\": "+place[0], 1)
		want = strings.Replace(want, "\"y\": 0.00", "\"y\": "+place[1], 1)
	}
	if diff := cmp.Diff(want, part(t, after, "report.json")); diff != "" {
		t.Errorf("legacy (-want +got)\n%s", diff)
	}
}

// A copy counts the views of its original until it is removed, and the page it is on
// gets its own Pixie.
func TestCopies(t *testing.T) {
	t.Parallel()
	d, _, _, _ := put(t, sample(), setup, known, never(t))
	mine := part(t, d, visualPath("one", "one"))
	copied := func(name string) string { return strings.Replace(mine, pixie.Names(reportID, acme, "one")[0], name, 1) }

	t.Run("with its page", func(t *testing.T) {
		t.Parallel()
		for _, name := range []string{"0123456789abcdef0123", pixie.Names(reportID, acme, "one")[0]} { // a new name, and the same one
			bare := with(sample(), "definition/pages/new/page.json", `{"name":"new","displayName":"Duplicate of Overview"}`,
				"definition/pages/new/visuals/a/visual.json", container("2.4.0", "a", 1, chart))
			twice := with(d, "definition/pages/new/page.json", `{"name":"new","displayName":"Duplicate of Overview"}`,
				"definition/pages/new/visuals/a/visual.json", container("2.4.0", "a", 1, chart),
				"definition/pages/new/visuals/"+name+"/visual.json", copied(name))
			after, placed, counts, _ := put(t, twice, setup, known, func() string { return "the-id-of-the-new-page" })
			if got := pageIDs(placed); got["new"] != "the-id-of-the-new-page" || got["one"] != oneID || len(placed) != 3 || counts.Visuals != 3 {
				t.Errorf("placed %+v, %+v", placed, counts)
			}
			want, _, _, _ := put(t, bare, setup, pageIDs(placed), never(t))
			same(t, want, after)
			gone, removed := remove(t, twice)
			if same(t, bare, gone); removed != 3 {
				t.Errorf("%d removed", removed)
			}
		}
	})
	t.Run("on its page", func(t *testing.T) {
		t.Parallel()
		twice := with(d, "definition/pages/one/visuals/c/visual.json", copied("c"))
		after, _, counts, _ := put(t, twice, setup, known, never(t))
		if same(t, d, after); counts.Visuals != 2 {
			t.Errorf("got %+v", counts)
		}
		gone, _ := remove(t, twice)
		same(t, sample(), gone)
	})
	t.Run("with its report", func(t *testing.T) {
		t.Parallel()
		const other = "6fa459ea-ee8a-3ca4-894e-db77e160355e"
		after, placed, _, changed, err := pixie.Put(d, other, ours(d, other), setup, nil, ids())
		if err != nil || !changed || len(placed) != 2 || placed[0].ID == oneID || placed[0].Visual != pixie.Names(other, acme, "one")[0] {
			t.Errorf("placed %+v, %v", placed, err)
		}
		gone, removed, err := pixie.Remove(after, other, ours(after, other))
		if same(t, sample(), gone); err != nil || removed != 2 {
			t.Errorf("%d removed, %v", removed, err)
		}
		gone, _, err = pixie.Remove(d, other, ours(d, other))
		if same(t, sample(), gone); err != nil {
			t.Error(err)
		}
	})
	t.Run("in a legacy report", func(t *testing.T) {
		t.Parallel()
		d, _, _, _ := put(t, legacySample(inLF), setup, known, never(t))
		text := part(t, d, "report.json")
		container := text[strings.LastIndex(text, "\"visualContainers\": [{"):]
		container = container[len("\"visualContainers\": [") : strings.Index(container, "\n        }")+len("\n        }")]
		name := pixie.Names(reportID, acme, "tip")[0]
		twice := with(d, "report.json", strings.Replace(text, "\n      ],\n      \"width\"", ","+strings.Replace(container, name, "copied", 1)+"\n      ],\n      \"width\"", 1))
		if pages, err := pixie.Read(twice, reportID, ours(twice, reportID)); err != nil || len(pages[0].Pixies) != 2 || pages[0].Pixies[1].Visual != "copied" {
			t.Fatalf("got %+v, %v", pages, err)
		}
		after, _, _, _ := put(t, twice, setup, known, never(t))
		same(t, d, after)
		gone, _ := remove(t, twice)
		same(t, legacySample(inLF), gone)
	})
	t.Run("left where a page was", func(t *testing.T) {
		t.Parallel()
		left := with(d, "definition/pages/one/page.json", "")
		after, placed, counts, _ := put(t, left, setup, known, never(t))
		if len(placed) != 1 || placed[0].Page != "tip" || counts.Pages != 1 || len(added(sample(), after)) != 1 {
			t.Errorf("placed %+v, %+v", placed, counts)
		}
	})
}

// Foreign visuals that resemble Pixies are not changed or counted.
func TestLookAlikes(t *testing.T) {
	t.Parallel()
	d, _, _, _ := put(t, sample(), setup, known, never(t))
	mine, name := part(t, d, visualPath("one", "one")), pixie.Names(reportID, acme, "one")[0]
	another := strings.Replace(mine, name, "theirs", 1)
	replaced := func(s string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(s) }
	for what, visual := range map[string]string{
		"the address only":                replaced(another, `"readiness.pixie"`, `"another.tool"`),
		"the annotation only":             replaced(another, "https://collector.example/t/p/", "https://elsewhere.example/"),
		"annotation and another's id":     replaced(another, "/p/"+oneID+".gif", "/p/"+known["tip"]+".gif"),
		"an annotation that is no id":     replaced(another, `"value": "`+oneID+`"`, `"value": "on"`),
		"an address with another ending":  replaced(another, ".gif", ".png"),
		"an address with something after": replaced(another, ".gif", ".gif?x=1"),
		"another kind":                    replaced(another, `"visualType": "image"`, `"visualType": "actionButton"`),
		"a group":                         replaced(another, `"visual": {`, `"visualGroup": {`),
		"another page's name":             replaced(mine, name, pixie.Names(reportID, acme, "two")[0], `"readiness.pixie"`, `"another.tool"`),
	} {
		with := with(d, "definition/pages/one/visuals/theirs/visual.json", visual)
		after, placed, _, changed := put(t, with, setup, known, never(t))
		if changed || len(placed) != 2 {
			t.Errorf("%s: Put took it for ours: %+v", what, placed)
		}
		if same(t, with, after); len(placed) != 2 {
			t.Errorf("%s: placed %+v", what, placed)
		}
		if gone, removed := remove(t, with); removed != 2 || part(t, gone, "definition/pages/one/visuals/theirs/visual.json") != visual {
			t.Errorf("%s: %d removed", what, removed)
		}
	}
	// Only the name is ours.
	nothing := replaced(mine, `"readiness.pixie"`, `"another.tool"`, "https://collector.example/t/p/", "https://elsewhere.example/")
	theirs := with(sample(), visualPath("one", "one"), nothing)
	if gone, removed := remove(t, theirs); removed != 0 {
		t.Errorf("%d removed", removed)
	} else {
		same(t, theirs, gone)
	}
	after, placed, counts, _ := put(t, theirs, setup, known, never(t))
	if part(t, after, visualPath("one", "one")) != nothing || placed[0].Visual != pixie.Names(reportID, acme, "one")[1] || counts.Visuals != 3 {
		t.Errorf("placed %+v, %+v", placed, counts)
	}
}
