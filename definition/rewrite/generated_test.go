package rewrite_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
)

// The tables of a model in several files, as a person may have written them.
const (
	salesTMDL = "/// Sales of the shop\n///\n///one row an order line\ntable Sales\n\tlineageTag: t-sales\n\n" +
		"\t///needless\n\tmeasure 'Net Sales' =\n\t\t\tSUM ( Sales[Amount] )\n\t\tformatString: 0\n\t\tdisplayFolder:  \"Sales\"  \n\t\tlineageTag: m-net\n\n" +
		"\tmeasure Plain = 1\n\n" +
		"\tmeasure Fenced = ```\n\t\t\tdisplayFolder: x\n\t\t\t```\n\n" +
		"\tcolumn Amount\n\t\tdataType: int64\n\t\tlineageTag: c-amount\n\t\tsummarizeBy: None\n\t\tsourceColumn: Amount\n\n\t\tannotation SummarizationSetBy = Automatic\n\n" +
		"\tcolumn Region\n\t\tdataType: string\n\t\tDISPLAYFOLDER:Where\n\t\tsourceColumn: Region\n\n" +
		"\t///\n\tcolumn 'It''s'\n\t\tdataType: automatic\n\n"
	moreTMDL  = "ref table Sales\n\n\t/// elsewhere\n\tmeasure Elsewhere = 2\n\t\tlineageTag: m-else\n\n\tmeasure 'Net  Margin' = 3\n\ntable Date\n\n\tcolumn Date\n\t\tdataType: dateTime\n\t\tsummarizeBy: none\n"
	modelTMDL = "model Model\n\tculture: en-US\n\nref table Sales\nref table Date\n\nref cultureInfo en-US\n"
)

// modelTMSL is the same model, except for the cultures.
const modelTMSL = `{"name":"db","compatibilityLevel":1600,"model":{"culture":"en-US","tables":[
{"name":"Sales","description":["Sales of the shop","","one row an order line"],"lineageTag":"t-sales","columns":[
 {"name":"Amount","dataType":"int64","isHidden":true,"sourceColumn":"Amount","formatString":"0","lineageTag":"c-amount","summarizeBy":"None","annotations":[{"name":"SummarizationSetBy","value":"Automatic"}]},
 {"type":"calculated","name":"Region","dataType":"string","displayFolder":"Wh\u0065re","expression":["1","+1"]},
 {"name":"It's","description":null}],
 "measures":[{"name":"Net Sales","expression":"SUM(Sales[Amount])","displayFolder":"Sa\/les","lineageTag":"m-net"},{"expression":"1","name":"Plain"},{"name":"Elsewhere","description":"else\u0077here","expression":"2"},{"name":"Net  Margin","expression":"3"}]},
{"name":"Date","columns":[{"name":"Date","dataType":"dateTime","summarizeBy":"none"}]}],
"cultures":CULTURES}}`

// linguistics are linguistic schemas with and without the relevant members.
var linguistics = []string{
	``,
	`{"Version":"4.2.0","Language":"en-US","Entities":{}}`,
	`{"Version":"4.2.0","Language":"en-US","CustomInstructions":"Use \"Net Sales\".\nAlw\u0061ys.","Entities":{"sales":{"Definition":{"Binding":{"ConceptualEntity":"Sales"}},"State":"Generated","Terms":[{"sale":{}}]}}}`,
	`{"Version":"4.2.0","Entities":{"sales":{"Definition":{"Binding":{"ConceptualEntity":"Sales"}},"State":"Generated","Visibility":{"Value":"Hidden","State":"Authored"},"Terms":[]},
	 "sales.amount":{"Definition":{"Binding":{"ConceptualEntity":"Sales","ConceptualProperty":"Amount"}},"State":"Generated","Visibility":{"Value":"Hidden"}},
	 "sales.date":{"Definition":{"Binding":{"ConceptualEntity":"Date","Hierarchy":"H"}},"Visibility":{"Value":"Hidden","State":"Authored"}},
	 "x":{"Definition":{"Binding":{"ConceptualEntity":"sales","ConceptualProperty":"NET SALES"}},"Visibility":{}},
	 "date.date":{"Definition":{"Binding":{"ConceptualEntity":"Date","ConceptualProperty":"Date"}},"Visibility":null}}}`,
	`{"CustomInstructions":null,"Entities":{"e":{"Definition":{"Binding":{"ConceptualEntity":"Sales"}},"Visibility":{"State":"Authored","Value":"Visible"}}}}`,
	`{"CustomInstructions":""}`,
	`<LinguisticSchema/>`,
}

// schemas are AI data schemas in every state.
var schemas = []string{
	``,
	`{}`,
	`{"$schema":"x"}`,
	`{"$schema":"x","tables":null}`,
	`{"tables":[ ],"$schema":"x"}`,
	`{"$schema":"x","tables":[{"id":"t-sales","name":"Sales","visibility":"Visible","columns":[{"id":"c-amount","name":"Amount","visibility":"Hidden","index":"None","synonyms":["a"]},{"name":"region","visibility":null}],"measures":[],"hierarchies":[]}]}`,
	`{"$schema":"x","tables":[{"name":"sales","synonyms":["s"],"measures":null},{"name":"Sales","visibility":"Hidden"},{"name":"Gone","columns":[{"name":"x","visibility":"Foo"}]}]}`,
	`{"$schema":"x","tables":[{"name":"Sales","columns":[{"name":"Amount","synonyms":[ ]},{"name":"Region","synonyms":null,"visibility":"Auto"}],"measures":[{"name":"Plain","synonyms":["a","turn\u006fver"],"index":"All"}],"hierarchies":[],"synonyms":["s",5,"a"]}]}`,
}

// properties are parts that say, or do not say, whether Q&A is on.
var properties = []string{
	``,
	`{}`,
	`{"version":"4.2"}`,
	`{"$schema":"x","version":"4.2","settings":{}}`,
	`{"settings":{"qnaEnabled":false},"version":"5.0"}`,
	`{"version":"4.2","settings":{"qnaEnabled":true,"x":[1]}}`,
	`{"version":"4.2","settings":{"x":{"qnaEnabled":false},"qnaEnabled":"false"}}`,
	`{"version":"4.2","settings":{"x":1}}`,
	`{"settings":null,"version":"4.2"}`,
	`{"settings":[{"qnaEnabled":false}]}`,
	`{"settings":{"qnaEnabled":true},"settings":{"qnaEnabled":null}}`,
}

// restyle returns the JSON with random white space; in one line if oneLine is set.
func restyle(t *rapid.T, src string, oneLine bool) string {
	if !json.Valid([]byte(src)) {
		return src
	}
	var b bytes.Buffer
	_ = json.Compact(&b, []byte(src))
	styles := []string{"compact", "spaced"}
	if !oneLine {
		styles = append(styles, "two spaces", "tab", "any")
	}
	style := rapid.SampledFrom(styles).Draw(t, "JSON style")
	compact := b.String()
	gaps := rapid.SampledFrom([]string{"", " ", "\n", "\n\t", "  \n"})
	switch style {
	case "two spaces":
		b.Reset()
		_ = json.Indent(&b, []byte(compact), "", "  ")
		return b.String()
	case "tab":
		b.Reset()
		_ = json.Indent(&b, []byte(compact), "\t\t\t", "\t")
		return "\t\t\t" + b.String()
	case "compact":
		return compact
	}
	var out strings.Builder
	inText := false
	for i := range len(compact) {
		c := compact[i]
		if c == '"' && (i == 0 || compact[i-1] != '\\') {
			inText = !inText
		}
		if inText || strings.IndexByte("{}[],:", c) < 0 {
			out.WriteByte(c)
			continue
		}
		if style == "any" {
			out.WriteString(gaps.Draw(t, "gap") + string(c) + gaps.Draw(t, "gap"))
		} else if out.WriteByte(c); c == ',' || c == ':' {
			out.WriteByte(' ')
		}
	}
	return out.String()
}

var leadingTabs = regexp.MustCompile(`(?m)^\t+`)

// generated draws a definition.
func generated(t *rapid.T) definition.Definition {
	var parts []definition.Part
	add := func(path, text string) { parts = append(parts, definition.Part{Path: path, Data: []byte(text)}) }
	linguistic := rapid.SampledFrom(linguistics).Draw(t, "linguistic schema")
	if rapid.Bool().Draw(t, "TMSL") {
		content := restyle(t, linguistic, false)
		if quoted, _ := json.Marshal(content); content == "" || !json.Valid([]byte(content)) || rapid.Bool().Draw(t, "as a text") {
			content = string(quoted)
			if odd := rapid.SampledFrom([]string{"", "/", "a", "O", "H"}).Draw(t, "oddly escaped"); odd != "" {
				content = strings.ReplaceAll(content, odd, fmt.Sprintf(`\u%04x`, odd[0]))
			}
		}
		cultures := `[{"name":"en-US","linguisticMetadata":{"content":` + content + `,"contentType":"json"}}]`
		bim := strings.Replace(modelTMSL, "CULTURES", "0", 1)
		add("model.bim", strings.Replace(restyle(t, strings.Replace(bim, ":0}", `:"CULTURES"}`, 1), false), `"CULTURES"`, cultures, 1))
	} else {
		indented := func(text string) string { return text }
		switch rapid.SampledFrom([]string{"tabs", "spaces", "one file"}).Draw(t, "TMDL style") {
		case "spaces":
			indented = func(text string) string {
				return leadingTabs.ReplaceAllStringFunc(text, func(tabs string) string { return strings.Repeat("    ", len(tabs)) })
			}
			fallthrough
		case "tabs":
			add("definition/model.tmdl", indented(modelTMDL))
			add("definition/tables/Sales.tmdl", indented(salesTMDL))
			add("definition/measures.tmdl", indented(moreTMDL))
		default:
			tables := strings.ReplaceAll("\n"+salesTMDL+strings.TrimPrefix(moreTMDL, "ref table Sales\n"), "\n", "\n\t\t")
			add("definition/database.tmdl", "database d\n\tmodel Model\n\t\tculture: en-US\n"+tables)
		}
		culture := rapid.SampledFrom([]string{"cultureInfo", "culture"}).Draw(t, "keyword") + " en-US\n"
		switch form := rapid.SampledFrom([]string{"inline", "block", "fence"}).Draw(t, "form"); {
		case linguistic == "":
		case form == "inline":
			culture += "\n\tlinguisticMetadata = " + restyle(t, strings.ReplaceAll(linguistic, "\n", ""), true) + "\n\t\tcontentType: json\n"
		case form == "fence":
			culture += "\n\tlinguisticMetadata = ```\n\t\t\t" + restyle(t, linguistic, false) + "\n\t\t\t```\n\t\tcontentType: json\n"
		default:
			text := restyle(t, linguistic, false)
			culture += "\n\tlinguisticMetadata =\n\t\t\t" + strings.ReplaceAll(text, "\n", "\n\t\t\t") + "\n\t\tcontentType: json\n"
		}
		add("definition/cultures/en-US.tmdl", culture)
	}
	if text := rapid.SampledFrom(properties).Draw(t, "definition.pbism"); text != "" {
		add("definition.pbism", restyle(t, text, false))
	}
	if rapid.Bool().Draw(t, "without Copilot") {
		return variant(definition.New(parts...), rapid.SampledFrom(variants).Draw(t, "variant"))
	}
	if schema := rapid.SampledFrom(schemas).Draw(t, "AI data schema"); schema != "" {
		add("Copilot/schema.json", restyle(t, schema, false))
	}
	switch rapid.SampledFrom([]string{"", "settings", "instructions", "odd instructions", "all"}).Draw(t, "Copilot") {
	case "settings":
		add("Copilot/settings.json", `{"indexingEnabled":true}`)
	case "instructions":
		add("Copilot/Instructions/instructions.md", "Be brief.\r\n")
	case "odd instructions":
		add("Copilot/Instructions/instructions.md", "\ufeffa\xffb")
		add("Copilot/version.json", `{"version":"1.0.0"}`)
	case "all":
		add("Copilot/Instructions/instructions.md", "")
		add("Copilot/Instructions/version.json", "{}")
		add("Copilot/version.json", "{}")
	}
	return variant(definition.New(parts...), rapid.SampledFrom(variants).Draw(t, "variant"))
}

// proves: 4.5/revert/1
func TestGenerated(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := generated(t)
		if _, err := semanticmodel.Read(d); err != nil {
			t.Fatalf("%v\n%s", err, d.Parts)
		}
		writeAndRestore(t, d)
	})
}

// edits are concurrent changes by others: one text replaced by another, in any file.
var edits = [][2]string{{"int64", "double"}, {"4.2.0", "4.3.0"}, {"Generated", "Suggested"}, {"SetBy = Automatic", "SetBy = User"}, {"SUM", "SUMX"}, {"indexingEnabled", "indexing"}}

// edited returns the definition with the edits and one more table.
func edited(d definition.Definition, edits [][2]string) definition.Definition {
	parts := []definition.Part{{Path: "definition/tables/New.tmdl", Data: []byte("table New\n")}}
	if _, tmsl := d.Part("model.bim"); tmsl {
		parts = nil
	}
	for _, p := range d.Parts {
		text := string(p.Data)
		for _, e := range edits {
			text = strings.ReplaceAll(text, e[0], e[1])
		}
		parts = append(parts, definition.Part{Path: p.Path, Data: []byte(text)})
	}
	return definition.New(parts...)
}

// proves: decisions/8/3
func TestRestoreKeepsEditsOfOthers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := generated(t)
		m, err := semanticmodel.Read(d)
		if err != nil {
			t.Fatal(err)
		}
		written, undos, err := rewrite.Write(d, draw(t, d, m, 8))
		if err != nil {
			t.Fatal(err)
		}
		edits := rapid.SliceOfN(rapid.SampledFrom(edits), 1, 4).Draw(t, "edits")
		restored, err := rewrite.Restore(edited(written, edits), stored(t, undos))
		if err != nil {
			t.Fatal(err)
		}
		same(t, edited(d, edits), restored)
	})
}

// Writes are restored in any order. Only if two of them share an entry of the AI
// data schema does the first restore leave the entry to the second.
func TestRestoreOfSeveralWrites(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := generated(t)
		m, err := semanticmodel.Read(d)
		if err != nil {
			t.Fatal(err)
		}
		var first, second []rewrite.Change
		inSchema := map[bool]bool{}
		for _, c := range draw(t, d, m, 10) {
			of := &first
			if rapid.Bool().Draw(t, "in the second write") {
				of = &second
			}
			*of = append(*of, c)
			inSchema[of == &first] = inSchema[of == &first] || c.Property == rewrite.Visibility || c.Property == rewrite.Synonyms
		}
		once, firstUndos, err := rewrite.Write(d, first)
		if err != nil {
			t.Fatal(err)
		}
		twice, secondUndos, err := rewrite.Write(once, second)
		if err != nil {
			t.Fatal(err)
		}
		order := [][]rewrite.Undo{secondUndos, firstUndos}
		if !(inSchema[true] && inSchema[false]) && rapid.Bool().Draw(t, "the first write first") {
			slices.Reverse(order)
		}
		back := twice
		for _, undos := range order {
			if back, err = rewrite.Restore(back, stored(t, undos)); err != nil {
				t.Fatal(err)
			}
		}
		same(t, d, back)
	})
}
