package rewrite_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
	"readiness/test/samples"
)

// layout describes how a service reformats the parts that it receives. Zero members
// change nothing.
type layout struct {
	lineEnd  string
	lastEnd  string // at the end of every part that is not JSON
	json     func(dst *bytes.Buffer, src []byte) error
	escaped  bool // everything except ASCII in JSON
	mark     bool // a byte order mark before every part
	markdown bool // trimmed
}

var layouts = map[string]layout{
	"as it is":               {},
	"LF":                     {lineEnd: "\n"},
	"CRLF":                   {lineEnd: "\r\n"},
	"line ends at the end":   {lastEnd: "\n\n"},
	"no line end at the end": {lastEnd: " "},
	"indented JSON":          {json: func(dst *bytes.Buffer, src []byte) error { return json.Indent(dst, src, "", "    ") }},
	"compact JSON":           {json: json.Compact},
	"escaped JSON":           {escaped: true},
	"trimmed Markdown":       {markdown: true},
	"byte order marks":       {mark: true},
	"all, in CRLF": {
		lineEnd: "\r\n", lastEnd: "\n\n", markdown: true, escaped: true,
		json: func(dst *bytes.Buffer, src []byte) error { return json.Indent(dst, src, "", "\t") },
	},
	"all, in LF": {lineEnd: "\n", lastEnd: " ", json: json.Compact, markdown: true, mark: true},
}

// of returns a definition as the service returns it.
func (l layout) of(d definition.Definition) definition.Definition {
	parts := make([]definition.Part, len(d.Parts))
	for i, p := range d.Parts {
		s := strings.TrimPrefix(string(p.Data), "\ufeff")
		marked := l.mark || s != string(p.Data)
		isJSON := json.Valid([]byte(s))
		if l.json != nil && isJSON {
			var b bytes.Buffer
			if err := l.json(&b, []byte(s)); err != nil {
				panic(err)
			}
			s = b.String()
		}
		if l.escaped && isJSON {
			s = escapedJSON(s)
		}
		if l.markdown && strings.HasSuffix(p.Path, ".md") {
			s = strings.TrimSpace(s)
		}
		if l.lastEnd != "" && !isJSON {
			s = strings.TrimRight(s, "\r\n") + strings.TrimSpace(l.lastEnd)
			s += strings.Repeat("\n", strings.Count(l.lastEnd, "\n"))
		}
		if l.lineEnd != "" {
			s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", l.lineEnd)
		}
		if marked {
			s = "\ufeff" + s
		}
		parts[i] = definition.Part{Path: p.Path, Data: []byte(s)}
	}
	return definition.New(parts...)
}

// escapedJSON escapes everything except ASCII, which is only in strings.
func escapedJSON(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// paths returns the paths of the parts.
func paths(d definition.Definition) (all []string) {
	for _, p := range d.Parts {
		all = append(all, p.Path)
	}
	return all
}

// changesOf returns changes of a model, by kind: of the first and the last object
// that has the property, and all of these together.
func changesOf(d definition.Definition, m *semanticmodel.Model) map[string][]rewrite.Change {
	values := map[rewrite.Property]string{
		rewrite.Instructions: "# Rules\n\nAnswer in euros.  \nBe brief: “short”, 短い.\n\n", rewrite.Description: "One line,\nand another.",
		rewrite.DisplayFolder: `Umsätze\Netto`, rewrite.SummarizeBy: "average", rewrite.Visibility: "Hidden",
		rewrite.Synonyms: "Umsatz\nnet “sales” 短い",
	}
	changes, all := map[string][]rewrite.Change{}, []rewrite.Change{}
	found := targets(d, m)
	for _, p := range slices.Sorted(maps.Keys(values)) {
		var of []rewrite.Change
		for _, target := range found {
			if target.Property == p {
				of = append(of, rewrite.Change{Target: target, Value: values[p]})
			}
		}
		if len(of) > 2 {
			of = []rewrite.Change{of[0], of[len(of)-1]}
		}
		changes[string(p)] = of
		all = append(all, of...)
	}
	changes["all"] = all
	return changes
}

// relaid checks the properties of a definition on a service that reformats parts.
func relaid(t *testing.T, d definition.Definition, l layout) {
	t.Helper()
	m, err := semanticmodel.Read(d)
	if err != nil {
		t.Fatal(err)
	}
	for kind, changes := range changesOf(d, m) {
		if len(changes) == 0 {
			continue
		}
		written, undos := write(t, d, changes...)
		restored, err := rewrite.Restore(l.of(written), undos)
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		if diff := cmp.Diff(paths(d), paths(restored)); diff != "" {
			t.Errorf("%s: parts (-want +got):\n%s", kind, diff)
		}
		again, err := semanticmodel.Read(restored)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, again, cmpopts.IgnoreTypes(semanticmodel.Source{}),
			cmpopts.IgnoreFields(semanticmodel.Notice{}, "Column"), sameInstructions); diff != "" {
			t.Errorf("%s: values (-want +got):\n%s", kind, diff)
		}
		// Content that the service itself had formatted is restored byte for byte.
		before := l.of(d)
		written, undos = write(t, before, changes...)
		if restored, err = rewrite.Restore(l.of(written), undos); err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		same(t, before, l.of(restored))
	}
}

// sameInstructions compares instructions as Same does: parts that are not restored
// keep the service's layout.
var sameInstructions = cmp.FilterPath(func(p cmp.Path) bool {
	last := p.Last().String()
	return last == ".Instructions" || last == ".CustomInstructions"
}, cmp.Comparer(func(a, b *string) bool { return rewrite.Same(rewrite.Instructions, a, b) }))

// Content that a service reformats after a write is restored: nothing is refused,
// and nothing is left over.
//
// proves: decisions/8/20-relaid
func TestRestoreAfterReformatting(t *testing.T) {
	t.Parallel()
	models, made := modelsBelow(t, samples.Workspaces(t)), map[string]definition.Definition{}
	if root, public := samples.Corpus(t); public {
		made = modelsBelow(t, root)
	}
	for _, kind := range []string{"TMDL", "TMSL"} {
		for i, linguistic := range linguistics {
			for j, schema := range schemas {
				if i > 0 && j > 0 || strings.HasPrefix(linguistic, "<") {
					continue
				}
				d := model("definition/model.tmdl", modelTMDL, "definition/tables/Sales.tmdl", salesTMDL, "definition/measures.tmdl", moreTMDL)
				culture := ""
				if linguistic != "" {
					culture = "cultureInfo en-US\n\n\tlinguisticMetadata = " + strings.ReplaceAll(linguistic, "\n", "") + "\n\t\tcontentType: json\n"
				}
				if kind == "TMSL" {
					content, _ := json.Marshal(linguistic)
					d = model("model.bim", strings.Replace(modelTMSL, "CULTURES", `[{"name":"en-US","linguisticMetadata":{"content":`+string(content)+`}}]`, 1))
				} else {
					d = with(d, "definition/cultures/en-US.tmdl", culture)
				}
				d = with(d, "definition.pbism", properties[(i+j)%len(properties)])
				made[fmt.Sprintf("%s %d %d", kind, i, j)] = with(d, "Copilot/schema.json", schema)
			}
		}
	}
	maps.Copy(made, models)
	both := []string{"all, in CRLF", "all, in LF"}
	everyLayout(t, made, both...)
	// These two have a part of each kind. The hard tests try each layout on every model.
	for _, name := range []string{"/Retail Analytics/Retail Sales", "/Corporate Functions/People/Headcount"} {
		for how, l := range layouts {
			if !slices.Contains(both, how) {
				t.Run(name+" "+how, func(t *testing.T) {
					t.Parallel()
					relaid(t, models[name], l)
				})
			}
		}
	}
}

func everyLayout(t *testing.T, models map[string]definition.Definition, names ...string) {
	for name, d := range models {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, how := range names {
				t.Run(how, func(t *testing.T) { relaid(t, d, layouts[how]) })
			}
		})
	}
}

func TestSame(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	shown := func(s *string) string {
		if s == nil {
			return "none"
		}
		return strconv.Quote(*s)
	}
	for _, c := range []struct {
		a, b *string
		want bool // of instructions
	}{
		{nil, nil, true}, {nil, text(""), false}, {text(""), nil, false}, {text("a"), text("a"), true}, {text("a"), text("A"), false},
		{text("a\r\nb"), text("a\nb"), true}, {text("a\rb"), text("a\nb"), true}, {text("a\nb"), text("a\n\nb"), false}, {text("a b"), text("a  b"), false},
		{text("a\n"), text("a"), true}, {text("\n a\n\n"), text("a"), true}, {text("a  \nb\t"), text("a\nb"), true}, {text("a\n b"), text("a\nb"), false},
		{text("a\u00a0"), text("a"), true},
	} {
		if got := rewrite.Same(rewrite.Instructions, c.a, c.b); got != c.want {
			t.Errorf("instructions %s and %s: got %v, want %v", shown(c.a), shown(c.b), got, c.want)
		}
		want := c.a == nil && c.b == nil || c.a != nil && c.b != nil && *c.a == *c.b
		if got := rewrite.Same(rewrite.Description, c.a, c.b); got != want {
			t.Errorf("descriptions %s and %s: got %v, want %v", shown(c.a), shown(c.b), got, want)
		}
	}
}
