package pixie_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/pixie"
	"readiness/test/samples"
)

// putAndRemove checks the properties of any report without Pixies and any setup.
func putAndRemove(t rapid.TB, d definition.Definition, s pixie.Setup) {
	t.Helper()
	pages, err := pixie.Read(d, reportID, ours(d, reportID))
	if err != nil {
		t.Fatal(err)
	}
	after, placed, counts, changed := put(t, d, s, nil, ids())
	if changed != (len(placed) > 0) || counts.Pages != len(placed) {
		t.Fatalf("changed is %v, counts %+v, placed %+v", changed, counts, placed)
	}
	if fresh := len(added(d, after)); fresh != 0 && fresh != len(placed) {
		t.Fatalf("%d new parts", fresh)
	}
	now, err := pixie.Read(after, reportID, ours(after, reportID))
	if err != nil {
		t.Fatal(err)
	}
	var found []pixie.Placed
	visuals := 0
	for i, p := range now {
		if found = append(found, p.Pixies...); len(p.Pixies) > 0 {
			visuals += p.Visuals
		}
		if p.Visuals != pages[i].Visuals || p.Name != pages[i].Name {
			t.Fatalf("page %d was %+v and is %+v", i, pages[i], p)
		}
	}
	if diff := cmp.Diff(placed, found); diff != "" {
		t.Fatalf("placed and found (-placed +found):\n%s", diff)
	}
	if visuals != counts.Visuals {
		t.Fatalf("%d visuals of pages with Pixies; counted %d", visuals, counts.Visuals)
	}
	again, placedAgain, countsAgain, _ := put(t, after, s, pageIDs(placed), never(t))
	same(t, after, again)
	if diff := cmp.Diff(placed, placedAgain); diff != "" || counts != countsAgain {
		t.Fatalf("placed again (-want +got):\n%s", diff)
	}
	// Apply another setup and then the first one again.
	other := pixie.Setup{CollectorBaseURL: "http://other.example", Size: 9, Corner: pixie.BottomRight, ExcludePages: []string{"*b*"}}
	others := ids()
	elsewhere, _, _, _ := put(t, after, other, pageIDs(placed), func() string { return "other-" + others() })
	before, _ := remove(t, elsewhere)
	same(t, d, before)
	back, _, _, _ := put(t, before, s, pageIDs(placed), never(t))
	same(t, after, back)
	before, removed := remove(t, after)
	if removed != len(placed) {
		t.Fatalf("%d removed of %d", removed, len(placed))
	}
	same(t, d, before)
}

// draw returns JSON of the value, in a drawn layout.
func draw(t *rapid.T, v any) string {
	indent := rapid.SampledFrom([]string{"", "  ", "\t", "    "}).Draw(t, "indent")
	data, err := json.Marshal(v)
	if indent != "" {
		data, err = json.MarshalIndent(v, "", indent)
	}
	if err != nil {
		t.Fatal(err)
	}
	text := string(data) + rapid.SampledFrom([]string{"", "\n", " "}).Draw(t, "end")
	if rapid.Bool().Draw(t, "CRLF") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "mark") + text
}

type object = map[string]any

var (
	names   = rapid.StringMatching(`[a-f]{1,3}`)
	numbers = rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(-10, 5000))
	types   = rapid.SampledFrom([]string{"image", "barChart", "slicer"})
	config  = rapid.Custom(func(t *rapid.T) object {
		visual := object{"visualType": types.Draw(t, "type")}
		if rapid.Bool().Draw(t, "address") {
			visual["objects"] = object{"image": []any{1, object{"properties": object{"sourceUrl": object{"expr": object{"Literal": object{"Value": "'https://x.example/p/0123456789abcdef.gif'"}}}}}}}
		}
		return visual
	})
)

// optional adds the member to the object in most draws.
func optional(t *rapid.T, in object, name string, value any) {
	if rapid.IntRange(0, 5).Draw(t, name) > 0 {
		in[name] = value
	}
}

func drawPBIR(t *rapid.T) definition.Definition {
	d := build("definition/report.json", draw(t, object{"x": 1}))
	for _, page := range rapid.SliceOfNDistinct(names, 0, 4, rapid.ID[string]).Draw(t, "pages") {
		p := object{}
		optional(t, p, "name", page)
		optional(t, p, "displayName", names.Draw(t, "display"))
		optional(t, p, "width", numbers.Draw(t, "width"))
		optional(t, p, "height", numbers.Draw(t, "height"))
		d = with(d, "definition/pages/"+page+"/page.json", draw(t, p))
		for _, visual := range rapid.SliceOfNDistinct(names, 0, 5, rapid.ID[string]).Draw(t, "visuals") {
			v := object{}
			optional(t, v, "$schema", schemaURL+rapid.SampledFrom([]string{"1.0.0", "2.4.0", "2.11.0", "x"}).Draw(t, "version")+"/schema.json")
			optional(t, v, "name", visual)
			optional(t, v, "position", object{"z": numbers.Draw(t, "z")})
			if rapid.IntRange(0, 4).Draw(t, "group") == 0 {
				v["visualGroup"] = object{}
			} else {
				v["visual"] = config.Draw(t, "visual")
			}
			d = with(d, "definition/pages/"+page+"/visuals/"+visual+"/visual.json", draw(t, v))
		}
	}
	return d
}

func drawLegacy(t *rapid.T) definition.Definition {
	root := object{}
	var sections []any
	for _, page := range rapid.SliceOfNDistinct(names, 0, 4, rapid.ID[string]).Draw(t, "pages") {
		s := object{"name": page, "z": 1}
		optional(t, s, "displayName", names.Draw(t, "display"))
		optional(t, s, "width", numbers.Draw(t, "width"))
		optional(t, s, "config", draw(t, object{"relationships": []any{object{"source": "a", "target": "b"}}}))
		visuals := []any{}
		for _, visual := range rapid.SliceOfN(names, 0, 5).Draw(t, "visuals") {
			c := object{"name": visual, "singleVisual": config.Draw(t, "visual")}
			if rapid.IntRange(0, 4).Draw(t, "group") == 0 {
				c = object{"name": visual, "singleVisualGroup": object{}}
			}
			v := object{}
			optional(t, v, "config", draw(t, c))
			optional(t, v, "z", numbers.Draw(t, "z"))
			visuals = append(visuals, v)
		}
		s["visualContainers"] = visuals
		sections = append(sections, s)
	}
	optional(t, root, "config", draw(t, object{"bookmarks": []any{}}))
	optional(t, root, "sections", sections)
	text := draw(t, root)
	if empty := rapid.SampledFrom([]string{"[]", "[ ]", "[\n]", "[\r\n\t ]"}).Draw(t, "empty"); strings.Contains(text, `"visualContainers":[]`) {
		text = strings.ReplaceAll(text, `"visualContainers":[]`, `"visualContainers":`+empty)
	} else {
		text = strings.ReplaceAll(text, `"visualContainers": []`, `"visualContainers": `+empty)
	}
	return build("report.json", text)
}

func TestPutAndRemove(t *testing.T) {
	t.Parallel()
	for name, report := range map[string]func(*rapid.T) definition.Definition{"PBIR": drawPBIR, "legacy": drawLegacy} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				putAndRemove(t, report(t), pixie.Setup{
					CollectorBaseURL: "https://c.example",
					Size:             rapid.IntRange(0, pixie.MaxSize).Draw(t, "size"),
					Corner:           rapid.SampledFrom([]pixie.Corner{"", pixie.TopLeft, pixie.TopRight, pixie.BottomLeft, pixie.BottomRight}).Draw(t, "corner"),
					ExcludePages:     rapid.SliceOfN(rapid.SampledFrom([]string{"a*", "?", "*c"}), 0, 2).Draw(t, "excluded"),
				})
			})
		})
	}
}

// large returns a large PBIR report.
func large(pages, visuals int) definition.Definition {
	parts := []definition.Part{{Path: "definition.pbir", Data: []byte(pbirPart)}}
	for i := range pages {
		folder := fmt.Sprintf("definition/pages/page%03d", i)
		parts = append(parts, definition.Part{Path: folder + "/page.json", Data: []byte(strings.Replace(pageOne, `"one"`, fmt.Sprintf(`"page%03d"`, i), 1))})
		for n := range visuals {
			name := fmt.Sprintf("visual%04d", n)
			query := strings.Repeat(`{"Column": {"Expression": {"SourceRef": {"Entity": "Sales"}}, "Property": "Amount"}}, `, 20)
			rest := fmt.Sprintf(`"visual": {"visualType": %q, "query": {"queryState": {"Y": {"projections": [%s{}]}}}}`, []string{"image", "barChart"}[n%2], query)
			parts = append(parts, definition.Part{Path: folder + "/visuals/" + name + "/visual.json", Data: []byte(container("2.4.0", name, float64(n), rest))})
		}
	}
	return definition.New(parts...)
}

func TestManyVisuals(t *testing.T) {
	t.Parallel()
	d := large(1, 641)
	putAndRemove(t, d, setup)
	if _, _, counts, _ := put(t, d, setup, nil, ids()); (counts != pixie.Counts{Pages: 1, Visuals: 641}) {
		t.Errorf("got %+v", counts)
	}
}

// TestCorpus tests the reports of public projects. The hard tests also try other
// encodings of them.
func TestCorpus(t *testing.T) {
	t.Parallel()
	ofCorpus(t, "as they are")
}

// ofCorpus checks the properties of every report of the corpus in each encoding of
// its JSON.
func ofCorpus(t *testing.T, encodings ...string) {
	t.Helper()
	root, _ := samples.Corpus(t)
	reports := 0
	err := filepath.WalkDir(root, func(file string, e os.DirEntry, err error) error {
		if err != nil || e.Name() != "definition.pbir" {
			return err
		}
		folder := filepath.Dir(file)
		var parts []definition.Part
		err = filepath.WalkDir(folder, func(file string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			path, err := filepath.Rel(folder, file)
			parts = append(parts, definition.Part{Path: filepath.ToSlash(path), Data: data})
			return err
		})
		if err != nil {
			return err
		}
		d := definition.New(parts...)
		if len(parts) == 1 {
			return nil // only the binding
		}
		reports++
		t.Run(strings.TrimPrefix(folder, root), func(t *testing.T) {
			t.Parallel()
			for _, ends := range encodings {
				v := d
				if ends != "as they are" {
					v = definition.New(append([]definition.Part{}, d.Parts...)...)
				}
				for i, p := range v.Parts {
					if !strings.HasSuffix(p.Path, ".json") {
						continue
					}
					switch ends {
					case "CRLF":
						v.Parts[i].Data = []byte(strings.ReplaceAll(strings.ReplaceAll(string(p.Data), "\r\n", "\n"), "\n", "\r\n"))
					case "byte order mark":
						v.Parts[i].Data = append([]byte("\ufeff"), p.Data...)
					}
				}
				putAndRemove(t, v, setup)
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if reports < 10 {
		t.Errorf("%s has %d reports with pages", root, reports)
	}
}

// Any report is either refused or restored.
func tryPutAndRemove(t *testing.T, d definition.Definition) {
	t.Helper()
	pages, err := pixie.Read(d, reportID, ours(d, reportID))
	if err != nil {
		return
	}
	for _, p := range pages {
		if len(p.Pixies) > 0 {
			if gone, _, err := pixie.Remove(d, reportID, ours(d, reportID)); err == nil {
				tryPutAndRemove(t, gone)
			}
			return
		}
	}
	after, placed, _, _, err := pixie.Put(d, reportID, ours(d, reportID), setup, nil, ids())
	if err != nil {
		return
	}
	again, _, _, changed, err := pixie.Put(after, reportID, ours(after, reportID), setup, pageIDs(placed), ids())
	if err != nil || changed {
		t.Fatalf("put twice: changed is %v, %v", changed, err)
	}
	same(t, after, again)
	before, removed, err := pixie.Remove(after, reportID, ours(after, reportID))
	if e, ok := errors.AsType[*jsonpart.Error](err); ok && strings.Contains(e.File, "/bookmarks/") {
		return // one is read only when it names a Pixie
	}
	if err != nil || removed != len(placed) {
		t.Fatalf("%d removed of %d, %v", removed, len(placed), err)
	}
	for _, p := range placed {
		for _, part := range d.Parts {
			if strings.Contains(string(part.Data), p.Visual) {
				return // removing a Pixie removes what names it
			}
		}
	}
	same(t, d, before)
}

func FuzzLegacy(f *testing.F) {
	f.Add([]byte(`{"sections":[{"name":"a","visualContainers":[ ]},{"visualContainers":[{"config":"{\"name\":\"v\"}"}, 1]}, null]}`))
	d, _, _, _ := put(f, legacySample(inCRLF), setup, known, never(f))
	f.Add([]byte(part(f, d, "report.json")))
	f.Add([]byte(part(f, legacySample(inLF), "report.json")))
	for _, text := range samples.Texts(f, samples.Ending("report.json")) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, report []byte) {
		tryPutAndRemove(t, build("report.json", string(report)))
	})
}

func FuzzVisual(f *testing.F) {
	d, _, _, _ := put(f, sample(), setup, known, never(f))
	f.Add([]byte(part(f, d, visualPath("one", "one"))), []byte(pageOne), []byte(replacePixies(mentions[2].before)))
	f.Add([]byte(container("2.4.0", "v", 1e300, chart)), []byte("\ufeff{}\r\n"), []byte(replacePixies(mentions[3].before)))
	f.Add([]byte(`[]`), []byte(replacePixies(mentions[0].before)), []byte(`{}`))
	for _, visual := range samples.Texts(f, samples.Ending("visual.json")) {
		f.Add(visual, []byte(pageOne), []byte(`{}`))
	}
	for _, page := range samples.Texts(f, samples.Ending("page.json")) {
		f.Add([]byte(`{}`), page, []byte(`{}`))
	}
	f.Fuzz(func(t *testing.T, visual, page, bookmark []byte) {
		tryPutAndRemove(t, build("definition/pages/one/page.json", string(page), "definition/pages/one/visuals/a/visual.json", string(visual), "definition/bookmarks/b.bookmark.json", string(bookmark)))
		tryPutAndRemove(t, build("definition/pages/one/page.json", string(page), visualPath("one", "one"), string(visual)))
	})
}

// Texts of a legacy report are cut without parsing them again.
func FuzzTexts(f *testing.F) {
	f.Add(`{"bookmarks":[{"options":{"targetVisualNames":["ONE"]}}]}`, `{"relationships":[{"source":"ONE"},{"target":"ONE"}]}`)
	f.Fuzz(func(t *testing.T, root, section string) {
		text := func(s string) string {
			b, err := json.Marshal(replacePixies(s))
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		d := build("report.json", `{"config":`+text(root)+`,"sections":[{"name":"one","config":`+text(section)+`,"visualContainers":[]}]}`)
		after, _, _, _, err := pixie.Put(d, reportID, ours(d, reportID), setup, nil, ids())
		if err != nil {
			return
		}
		gone, _ := remove(t, after)
		if _, err := jsonpart.New("report.json", []byte(part(t, gone, "report.json"))); err != nil {
			t.Fatal(err)
		}
		if _, removed := remove(t, gone); removed != 0 {
			t.Fatal("something was left")
		}
	})
}

func BenchmarkPut(b *testing.B) {
	d := large(100, 50)
	size := 0
	for _, p := range d.Parts {
		size += len(p.Data)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		if _, _, _, _, err := pixie.Put(d, reportID, ours(d, reportID), setup, nil, ids()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRemove(b *testing.B) {
	d, _, _, _, err := pixie.Put(large(100, 50), reportID, acme, setup, nil, ids())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := pixie.Remove(d, reportID, ours(d, reportID)); err != nil {
			b.Fatal(err)
		}
	}
}
