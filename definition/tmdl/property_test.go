package tmdl_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"readiness/definition/tmdl"
)

var (
	names  = rapid.SampledFrom([]string{"A", "#b", "'C d'", "'It''s'", "'x = y: z.w'", "Größe", "'```'", "'//'", "_e"})
	values = rapid.OneOf(
		rapid.SampledFrom([]string{"none", "sum", "true", "A\\B", `"$"#,0`, `"`, `""`, `"quoted"`, " a ", "\t", "/// x", "```", "'n'", "= x", "x: y", "é\u2028\v"}),
		rapid.StringMatching(`[ -~äß日\t]{0,20}`),
	)
	texts = rapid.OneOf(
		rapid.SampledFrom([]string{"Sales of a day.", "a\nb", "a\r\nb\rc", "\n", " ", "///", "a\n\n", "measure x = y", "\u2028"}),
		rapid.StringMatching(`[ -~é日\n\r\t]{1,60}`),
	)
	expressions = rapid.SampledFrom([]string{"SUM(x)", "VAR x =\n  1\n\nRETURN x", "\n// c\nformatString: 0\n/// d", "```\n1\n```", "measure M = 1"})
	properties  = rapid.SampledFrom([]string{"displayFolder", "summarizeBy", "isHidden", "formatString", "dataCategory", "lineageTag", "sourceColumn", "notKnown"})
)

// file draws a file as a folder may contain it: any line ends, indentation, comments
// and blank lines, with and without a byte order mark.
func file(t *rapid.T) string {
	var b strings.Builder
	step := rapid.SampledFrom([]string{"\t", "\t", "  ", "    ", "\t\t", "\t\t\t", "\t ", " ", "          "}).Draw(t, "step")
	ends := rapid.SampledFrom([][]string{{"\n"}, {"\r\n"}, {"\r"}, {"\n", "\r\n", "\r"}}).Draw(t, "line ends")
	line := func(level int, text string) {
		end := rapid.SampledFrom(ends).Draw(t, "line end")
		if text == "" && strings.HasSuffix(b.String(), "\r") && end == "\n" {
			end = "\r"
		}
		if text != "" {
			text = strings.Repeat(step, level) + text
		}
		b.WriteString(text + end)
	}
	chance := func(label string) bool { return rapid.IntRange(0, 2).Draw(t, label) == 0 }
	expression := func(level int, head string) {
		text := expressions.Draw(t, "expression")
		fence := chance("fence")
		switch {
		case fence && !strings.Contains(text, "```"):
			line(level, head+" = ```")
			for l := range strings.SplitSeq(text, "\n") {
				line(rapid.IntRange(0, level+2).Draw(t, "level in the fence"), l)
			}
			line(level+2, "```")
		case strings.Contains(text, "\n"):
			line(level, head+" =")
			for l := range strings.SplitSeq(text, "\n") {
				line(level+2, l)
			}
		default:
			line(level, head+" = "+text)
		}
	}
	describe := func(level int) {
		if chance("comment") {
			line(level, rapid.SampledFrom([]string{"// x", "/// x"}).Draw(t, "comment text"))
			line(0, "")
		}
		if chance("described") {
			for l := range strings.SplitSeq(strings.ReplaceAll(texts.Draw(t, "description"), "\r", ""), "\n") {
				line(level, rapid.SampledFrom([]string{"/// ", "///"}).Draw(t, "slashes")+l)
			}
		}
	}
	set := func(level int) {
		seen := map[string]bool{}
		for range rapid.IntRange(0, 4).Draw(t, "properties") {
			name := properties.Draw(t, "property")
			value := strings.Trim(values.Draw(t, "value"), " \t")
			switch {
			case seen[name]:
			case name == "isHidden":
				line(level, rapid.SampledFrom([]string{"isHidden", "isHidden: true", "ISHIDDEN:false"}).Draw(t, "flag"))
			default:
				line(level, name+": "+value)
			}
			seen[name] = true
		}
	}
	if chance("byte order mark") {
		b.WriteString("\ufeff")
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "tables") {
		describe(0)
		line(0, fmt.Sprintf("table T%d", i))
		set(1)
		for j := range rapid.IntRange(0, 4).Draw(t, "children") {
			if chance("blank") {
				line(0, "")
			}
			describe(1)
			name := names.Draw(t, "name")
			if strings.HasPrefix(name, "'") {
				name = fmt.Sprintf("'%d %s", j, name[1:])
			} else {
				name += fmt.Sprint(j)
			}
			if chance("measure") {
				expression(1, "measure "+name)
			} else {
				line(1, "column "+name)
			}
			set(2)
			if chance("annotation") {
				line(0, "")
				line(2, "annotation X = y")
			}
		}
	}
	s := b.String()
	if chance("no last line end") {
		s = strings.TrimRight(s, "\r\n")
	}
	return s
}

var places = regexp.MustCompile(` at \d+:\d+\n`)

// content returns the tree without positions.
func content(doc *tmdl.Document) string { return places.ReplaceAllString(dump(doc), "\n") }

// setAndTakeOut checks that set values can be read back, that nothing else in the
// tree changes, and that removing them restores the original bytes.
func setAndTakeOut(t *rapid.T, doc *tmdl.Document) {
	var objects []int // those that are not a ref
	i := 0
	for o := range doc.All() {
		if !o.Ref {
			objects = append(objects, i)
		}
		i++
	}
	if len(objects) == 0 {
		return
	}
	nth := func(doc *tmdl.Document, n int) *tmdl.Object {
		for o := range doc.All() {
			if n == 0 {
				return o
			}
			n--
		}
		return nil
	}
	type set struct {
		object         int
		property, text string
	}
	var added []set
	e := doc.Edit()
	for range rapid.IntRange(1, 6).Draw(t, "changes") {
		s := set{object: rapid.SampledFrom(objects).Draw(t, "object")}
		o := nth(doc, s.object)
		var err error
		if rapid.Bool().Draw(t, "describe") {
			if s.text = texts.Draw(t, "text"); o.Description() != "" {
				continue
			}
			err = e.SetDescription(o, s.text)
		} else {
			s.property, s.text = properties.Draw(t, "name"), values.Draw(t, "new value")
			if _, has := o.Property(s.property); has {
				continue
			}
			err = e.SetProperty(o, s.property, s.text)
		}
		if err != nil {
			if strings.Contains(err.Error(), "twice") || strings.Contains(err.Error(), "known to have") {
				continue
			}
			t.Fatal(err)
		}
		added = append(added, s)
	}
	after, err := e.Apply()
	if err != nil && strings.Contains(err.Error(), "cannot have this isHidden") {
		return // below the block of an object that is an expression, a bare flag would be its last line
	}
	if err != nil {
		t.Fatalf("%v\n%q", err, doc.Bytes())
	}
	changed := map[set]bool{}
	for _, s := range added {
		changed[set{object: s.object, property: strings.ToLower(s.property)}] = true
	}
	i = 0
	for o := range after.All() {
		sameBut(t, nth(doc, i), o, func(property string) bool { return changed[set{object: i, property: strings.ToLower(property)}] })
		i++
	}
	back := after.Edit()
	for _, s := range added {
		o := nth(after, s.object)
		if s.property == "" {
			if want := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s.text); o.Description() != want {
				t.Fatalf("got description %q, want %q", o.Description(), want)
			}
			err = back.SetDescription(o, "")
		} else {
			if p, _ := o.Property(s.property); p.Value() != s.text {
				t.Fatalf("got %s %q, want %q", s.property, p.Value(), s.text)
			}
			err = back.RemoveProperty(o, s.property)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	restored, err := back.Apply()
	if err != nil {
		t.Fatalf("%v\n%q", err, after.Bytes())
	}
	want := string(doc.Bytes())
	for _, s := range added {
		// A block of `///` lines without text reads as no description and is
		// replaced.
		if s.property == "" && emptyBlock(doc, s.object) {
			if diff := cmp.Diff(content(doc), content(restored)); diff != "" {
				t.Fatalf("taken out (-before +after):\n%s", diff)
			}
			return
		}
	}
	if string(restored.Bytes()) != want {
		t.Fatalf("set and taken out:\n got %q\nwant %q\n with %q", restored.Bytes(), want, after.Bytes())
	}
}

// sameBut compares an object before and after, except for the change.
func sameBut(t *rapid.T, before, after *tmdl.Object, changed func(property string) bool) {
	if before.Keyword != after.Keyword || before.Name != after.Name || before.Default() != after.Default() || len(before.Children) != len(after.Children) {
		t.Fatalf("got %s %q = %q, want %s %q = %q", after.Keyword, after.Name, after.Default(), before.Keyword, before.Name, before.Default())
	}
	if !changed("") && before.Description() != after.Description() {
		t.Fatalf("%s %q: got description %q, want %q", after.Keyword, after.Name, after.Description(), before.Description())
	}
	var kept []string
	for _, p := range after.Properties {
		if !changed(p.Name) {
			kept = append(kept, p.Name+": "+p.Value())
		}
	}
	var had []string
	for _, p := range before.Properties {
		had = append(had, p.Name+": "+p.Value())
	}
	if !slices.Equal(kept, had) {
		t.Fatalf("%s %q: got properties %q in addition to those set, want %q", after.Keyword, after.Name, kept, had)
	}
}

// emptyBlock reports whether an object is below `///` lines without text.
func emptyBlock(doc *tmdl.Document, n int) bool {
	for o := range doc.All() {
		if n == 0 {
			lines := regexp.MustCompile(`\r\n|\r|\n`).Split(strings.TrimPrefix(string(doc.Bytes()), "\ufeff"), -1)
			return o.Line > 1 && strings.Trim(lines[o.Line-2], " \t") == "///"
		}
		n--
	}
	return false
}

func TestEditRemovesWhatItInserted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		src := file(t)
		doc, err := tmdl.Parse("T.tmdl", []byte(src))
		if err != nil {
			t.Fatalf("%v\n%q", err, src)
		}
		setAndTakeOut(t, doc)
	})
}

// The same on public projects, in each variant of their files.
func TestEditCorpus(t *testing.T) {
	t.Parallel()
	var docs []*tmdl.Document
	for name, src := range corpus(t) {
		for _, kind := range []string{"LF", "CRLF", "CR", "mixed", "byte order mark", "no last line end"} {
			if doc, err := tmdl.Parse(name, variants(src)[kind]); err == nil {
				docs = append(docs, doc)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) { setAndTakeOut(t, rapid.SampledFrom(docs).Draw(t, "file")) })
}

// Changing what Power BI wrote and setting it back restores the bytes.
func TestEditCorpusAndRestore(t *testing.T) {
	t.Parallel()
	for name, src := range corpus(t) {
		for _, kind := range []string{"LF", "CRLF", "CR", "no last line end"} {
			doc, err := tmdl.Parse(name, variants(src)[kind])
			if err != nil {
				continue
			}
			change, back := doc.Edit(), [](func(e *tmdl.Edit, o *tmdl.Object) error){}
			var objects []int
			i := 0
			for o := range doc.All() {
				if old := o.Description(); old != "" {
					if err := change.SetDescription(o, "Another\ntext"); err != nil {
						t.Fatal(err)
					}
					objects, back = append(objects, i), append(back, func(e *tmdl.Edit, o *tmdl.Object) error { return e.SetDescription(o, old) })
				}
				for _, property := range []string{"displayFolder", "summarizeBy", "formatString"} {
					if p, ok := o.Property(property); ok {
						if err := change.SetProperty(o, property, "another"); err != nil {
							t.Fatal(err)
						}
						objects, back = append(objects, i), append(back, func(e *tmdl.Edit, o *tmdl.Object) error { return e.SetProperty(o, property, p.Value()) })
					}
				}
				i++
			}
			changed, err := change.Apply()
			if err != nil {
				t.Fatal(err)
			}
			e := changed.Edit()
			i = 0
			for o := range changed.All() {
				for ; len(objects) > 0 && objects[0] == i; objects, back = objects[1:], back[1:] {
					if err := back[0](e, o); err != nil {
						t.Fatal(err)
					}
				}
				i++
			}
			restored, err := e.Apply()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(doc.Bytes()), string(restored.Bytes())); diff != "" {
				t.Errorf("%s, %s (-before +after):\n%s", name, kind, diff)
			}
		}
	}
}
