package upgrade_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/definition/upgrade"
)

const (
	modelPart  = "model Model\n\tculture: en-US\n\nref table Sales\nref cultureInfo en-US\n"
	tablePart  = "table Sales\n\tlineageTag: t\n\n\tmeasure Revenue = 1\n\t\tlineageTag: m\n\n\tcolumn Amount\n\t\tdataType: int64\n\n\tcolumn Region\n\t\tdataType: string\n\n\thierarchy Places\n\n\t\tlevel Region\n\t\t\tlineageTag: l\n\t\t\tcolumn: Region\n"
	pbism      = "{\r\n  \"version\": \"4.2\",\r\n  \"settings\": {\r\n    \"qnaEnabled\": true\r\n  }\r\n}\r\n"
	pbismAfter = "{\r\n  \"version\": \"5.0\",\r\n  \"settings\": {\r\n    \"qnaEnabled\": false\r\n  },\r\n  \"$schema\": \"https://developer.microsoft.com/json-schemas/fabric/item/semanticModel/definitionProperties/1.0.0/schema.json\"\r\n}\r\n"
)

// culture returns a part with a linguistic schema on one line.
func culture(name, schema string) definition.Part {
	return definition.Part{Path: "definition/cultures/" + name + ".tmdl",
		Data: []byte("cultureInfo " + name + "\n\n\tlinguisticMetadata = " + schema + "\n\t\tcontentType: json\n\n")}
}

func model(parts ...definition.Part) definition.Definition {
	return definition.New(append(parts, definition.Part{Path: "definition.pbism", Data: []byte(pbism)},
		definition.Part{Path: "definition/model.tmdl", Data: []byte(modelPart)},
		definition.Part{Path: "definition/tables/Sales.tmdl", Data: []byte(tablePart)})...)
}

func upgraded(t *testing.T, d definition.Definition, o upgrade.Options) (upgrade.Result, error) {
	t.Helper()
	m, err := semanticmodel.Read(d)
	if err != nil {
		t.Fatal(err)
	}
	return upgrade.Make(d, m, o)
}

// of returns a schema with the terms of an entity that is bound so.
func of(binding, terms string) string {
	return `{"Version":"4.2.0","Language":"en-US","Entities":{"e":{"Definition":{"Binding":{` + binding + `}},"Terms":[` + terms + `]}}}`
}

const revenue = `"ConceptualEntity":"Sales","ConceptualProperty":"Revenue"`

// What a linguistic schema holds is carried over or listed as lost, and nothing is both or neither.
func TestCarriedOver(t *testing.T) {
	t.Parallel()
	many := make([]string, 1025)
	for i := range many {
		many[i] = fmt.Sprintf(`"word %d"`, i)
	}
	for name, c := range map[string]struct {
		schema string
		o      upgrade.Options
		want   string // synonyms, hidden objects, prompts, characters
		entry  string // in schema.json; "" for none
		lost   string
	}{
		"a term without a state is a person's": {of(revenue, `{"turnover":{"LastModified":"2025"}}`), upgrade.Options{}, "1 0 0 0", `"id":"m","name":"Revenue","visibility":"Auto","synonyms":["turnover"]`, ""},
		"a term that is only a text":           {of(revenue, `"turnover"`), upgrade.Options{}, "1 0 0 0", `"synonyms":["turnover"]`, ""},
		"authored and user":                    {of(revenue, `{"a":{"State":"Authored"}},{"b":{"State":"User"}}`), upgrade.Options{}, "2 0 0 0", `"synonyms":["a","b"]`, ""},
		"a term twice":                         {of(revenue, `"a","a"`), upgrade.Options{}, "1 0 0 0", `"synonyms":["a"]`, ""},
		"generated and deleted terms are noise": {of(revenue, `"a",{"revenue":{"State":"Generated"}},{"b":{"State":"Deleted"}}`), upgrade.Options{},
			"1 0 0 0", `"synonyms":["a"]`, ""},
		"a suggested term is lost": {of(revenue, `"a",{"b":{"State":"Suggested"}}`), upgrade.Options{}, "1 0 0 0", `"synonyms":["a"]`, "1 suggested synonym"},
		"suggested terms alone":    {of(revenue, `{"b":{"State":"Suggested"}}`), upgrade.Options{Suggested: true}, "1 0 0 0", `"synonyms":["b"]`, ""},
		"unless it is asked for":   {of(revenue, `"a",{"b":{"State":"Suggested"}}`), upgrade.Options{Suggested: true}, "2 0 0 0", `"synonyms":["a","b"]`, ""},
		"a table":                  {of(`"ConceptualEntity":"sales"`, `"orders"`), upgrade.Options{}, "1 0 0 0", `"id":"t","name":"Sales","visibility":"Auto","synonyms":["orders"]`, ""},
		"a hierarchy":              {of(`"ConceptualEntity":"Sales","Hierarchy":"Places"`, `"area"`), upgrade.Options{}, "1 0 0 0", `"hierarchies":[{"name":"Places"`, ""},
		"a level of it": {of(`"ConceptualEntity":"Sales","Hierarchy":"Places","HierarchyLevel":"Region"`, `"area"`), upgrade.Options{}, "1 0 0 0",
			`"hierarchies":[{"name":"Places","visibility":"Auto","levels":[{"id":"l","name":"Region","visibility":"Auto","synonyms":["area"]}]}]`, ""},
		"a level that is gone": {of(`"ConceptualEntity":"Sales","Hierarchy":"Places","HierarchyLevel":"City"`, `"area"`), upgrade.Options{}, "0 0 0 0", "",
			`the synonym "area"`},
		"a level of dates": {of(`"ConceptualEntity":"Sales","VariationSource":"Amount","VariationSet":"Variation","Hierarchy":"Places","HierarchyLevel":"Region"`, `"area"`),
			upgrade.Options{}, "0 0 0 0", "", `the synonym "area"`},
		"an object that is gone":        {of(`"ConceptualEntity":"Sales","ConceptualProperty":"Gone"`, `"area"`), upgrade.Options{}, "0 0 0 0", "", `the synonym "area"`},
		"bound to nothing":              {of("", `"area"`), upgrade.Options{}, "0 0 0 0", "", `the synonym "area"`},
		"1,025 synonyms":                {of(revenue, strings.Join(many, ",")), upgrade.Options{}, "1024 0 0 0", `"word 1023"`, `the synonym "word 1024"`},
		"a synonym of 1,024 characters": {of(revenue, `"`+strings.Repeat("ä", 1024)+`"`), upgrade.Options{}, "1 0 0 0", `"synonyms":["ä`, ""},
		"a synonym of 1,025 characters": {of(revenue, `"a","`+strings.Repeat("ä", 1025)+`"`), upgrade.Options{}, "1 0 0 0", `"synonyms":["a"]`, "a synonym"},
		"markup stays as it is":         {of(revenue, `"<b>&\u2028"`), upgrade.Options{}, "1 0 0 0", `"synonyms":["<b>&\u2028"]`, ""},
		"hidden by a person": {`{"Entities":{"e":{"Definition":{"Binding":{` + revenue + `}},"Visibility":{"Value":"Hidden","State":"Authored"}}},"CustomInstructions":"x"}`,
			upgrade.Options{}, "0 1 0 1", `"name":"Revenue","visibility":"Hidden"`, ""},
		"hidden as the model hides it": {`{"Entities":{"e":{"Definition":{"Binding":{` + revenue + `}},"Visibility":{"Value":"Hidden"}}},"CustomInstructions":"x"}`,
			upgrade.Options{}, "0 0 0 1", "", ""},
		"questions": {`{"CustomInstructions":"x","Examples":["Why?",{"Text":"How?"},{"Other":1}],"SuggestedQuestions":[{"Question":"Why?"},"` + strings.Repeat("q", 501) + `"]}`,
			upgrade.Options{}, "0 0 2 1", "", "a suggested question"},
		"instructions that are too long": {`{"CustomInstructions":"` + strings.Repeat("ü", 10_001) + `"}`, upgrade.Options{}, "0 0 0 10001", "", "1 characters of AI instructions"},
		"phrasings":                      {`{"CustomInstructions":"x","Relationships":{"made":{"State":"Generated"},"mine":{"Phrasings":[]}}}`, upgrade.Options{}, "0 0 0 1", "", "a phrasing"},
		"a member that nobody knows":     {`{"CustomInstructions":"x","GlobalSubstitutions":[],"Agents":{}}`, upgrade.Options{}, "0 0 0 1", "", "the member GlobalSubstitutions"},
		"an exported schema": {`{"CustomInstructions":"x"}`, upgrade.Options{Schema: new("Version: 4.0.0\nLanguage: en-US\nEntities:\n  sale.revenue:\n    Binding: {Table: Sales, Measure: Revenue}\n    Terms:\n    - revenue: {State: Generated}\n    - turnover\n    - net sales: {Weight: 0.9}\n")},
			"2 0 0 0", `"synonyms":["turnover","net sales"]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := model(culture("en-US", c.schema))
			r, err := upgraded(t, before, c.o)
			if err != nil {
				t.Fatal(err)
			}
			lost := make([]string, 0, len(r.Lost))
			for _, l := range r.Lost {
				lost = append(lost, l.What)
			}
			if got := fmt.Sprint(r.Synonyms, r.Hidden, r.Prompts, r.Instructions); got != c.want || strings.Join(lost, "; ") != c.lost {
				t.Errorf("carried over %s, lost %q, want %s and %q", got, lost, c.want, c.lost)
			}
			data, _ := r.After.Part("Copilot/schema.json")
			if len(data) > 0 {
				var v any
				if err := json.Unmarshal(data, &v); err != nil {
					t.Fatal(err)
				}
			}
			if got := strings.Join(strings.Fields(string(data)), ""); c.entry == "" && data != nil || !strings.Contains(got, strings.ReplaceAll(c.entry, " ", "")) {
				t.Errorf("schema.json is %s, want %s", data, c.entry)
			}
			m, err := semanticmodel.Read(r.After)
			if err != nil || len(m.Unread) > 0 || !m.Copilot.Present {
				t.Errorf("what was written is not read: %v, %v", err, m.Unread)
			}
			if data, _ := r.After.Part("definition.pbism"); string(data) != pbismAfter {
				t.Errorf("definition.pbism is %q", data)
			}
			for _, p := range before.Parts { // everything else is the same
				if data, _ := r.After.Part(p.Path); p.Path != "definition.pbism" && string(data) != string(p.Data) {
					t.Errorf("%s was changed", p.Path)
				}
			}
		})
	}
}

// What has no linguistic schema, and what has no place for the new parts, is refused.
func TestNotUpgraded(t *testing.T) {
	t.Parallel()
	told := culture("en-US", `{"CustomInstructions":"x"}`)
	loose := model(told)
	loose.Loose = true
	for name, c := range map[string]struct {
		of   definition.Definition
		o    upgrade.Options
		want string
	}{
		"no schema":            {model(), upgrade.Options{}, "there is nothing to upgrade"},
		"a schema of noise":    {model(culture("en-US", of(revenue, `{"revenue":{"State":"Generated"}}`))), upgrade.Options{}, "there is nothing to upgrade"},
		"a folder Copilot":     {model(told, definition.Part{Path: "Copilot/settings.json", Data: []byte("{}")}), upgrade.Options{}, "it has a folder Copilot already"},
		"files without folder": {loose, upgrade.Options{}, "it has no place for a folder Copilot"},
		"no definition.pbism":  {model(told).With(map[string][]byte{"definition.pbism": nil}), upgrade.Options{}, "it has no definition.pbism"},
		"a broken one":         {model(told).With(map[string][]byte{"definition.pbism": []byte("{")}), upgrade.Options{}, "definition.pbism"},
		"a list for one":       {model(told).With(map[string][]byte{"definition.pbism": []byte("[]")}), upgrade.Options{}, "no JSON object"},
		"an unknown culture":   {model(told), upgrade.Options{Culture: "fr-FR"}, `the model has no culture "fr-FR"`},
		"XML":                  {model(told), upgrade.Options{Schema: new("<Schema/>")}, "it is XML"},
		"broken YAML":          {model(told), upgrade.Options{Schema: new("Entities: [")}, "it cannot be read"},
		"broken JSON":          {model(told), upgrade.Options{Schema: new("{")}, "it cannot be read"},
		"an empty export":      {model(told), upgrade.Options{Schema: new("")}, "it is empty"},
		"comments alone":       {model(told), upgrade.Options{Schema: new("# Q&A\n")}, "it is empty"},
		"a text":               {model(told), upgrade.Options{Schema: new("nothing\n")}, "it is no object"},
		"a list":               {model(told), upgrade.Options{Schema: new("- Entities\n")}, "it is no object"},
		"null":                 {model(told), upgrade.Options{Schema: new("null\n")}, "it is no object"},
		"an export of noise":   {model(told), upgrade.Options{Schema: new("Version: 4.0.0\nEntities: {}\n")}, "tells an AI nothing"},
		"two documents":        {model(told), upgrade.Options{Schema: new("CustomInstructions: x\n---\nCustomInstructions: y\n")}, "a second document begins"},
		"a name twice":         {model(told), upgrade.Options{Schema: new("CustomInstructions: x\nCustomInstructions: y\n")}, `line 2: the name "CustomInstructions" stands twice`},
		"a name that is none":  {model(told), upgrade.Options{Schema: new("[x]: y\n")}, "line 1: a name is no text"},
		"a cycle":              {model(told), upgrade.Options{Schema: new("Entities: &e\n  x: *e\n")}, "line 2: the value e contains itself"},
		"200,000 lists":        {model(told), upgrade.Options{Schema: new("Entities: " + strings.Repeat("[", 200_000))}, "exceeded max depth"},
		"200,000 objects":      {model(told), upgrade.Options{Schema: new("Entities: " + strings.Repeat("{a: ", 200_000))}, "exceeded max depth"},
		"a bomb":               {model(told), upgrade.Options{Schema: new(bomb())}, "values"},
	} {
		r, err := upgraded(t, c.of, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || r.After.Parts != nil {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if nothing := strings.HasPrefix(c.want, "there is nothing"); nothing != errors.Is(err, upgrade.ErrNothing) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// bomb returns a small file with 10,000 million values.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	return b.String()
}

// An exported schema keeps words that look like numbers or truth values, and what an alias repeats; a large one is read in time.
func TestExported(t *testing.T) {
	t.Parallel()
	var large strings.Builder
	large.WriteString("Entities:\n")
	for i := range 20_000 {
		fmt.Fprintf(&large, "  e%d:\n    Binding: {Table: Sales, Measure: Revenue}\n    Terms:\n    - word %d\n", i, i)
	}
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"words":   {"Entities: {e: {Binding: {Table: Sales, Measure: Revenue}, Terms: [2019, yes, 1.50, 2020-01-01, ~, [x], {no: {State: Authored}}, {0x10: }]}}", []string{"2019", "yes", "1.50", "2020-01-01", "no", "0x10"}},
		"aliases": {"Entities:\n  a: {Binding: &b {Table: Sales, Measure: Revenue}, Terms: &t [one]}\n  b: {Binding: *b, Terms: [two]}\n  c: {Binding: {Table: Sales, Measure: Revenue}, Terms: *t}\n", []string{"one", "two"}},
		"CRLF":    {"\ufeffEntities:\r\n  a:\r\n    Binding:\r\n      Table: Sales\r\n      Measure: Revenue\r\n    Terms:\r\n    - one\r\n", []string{"one"}},
		"large":   {large.String(), nil}, // 20,000 entities of one object
	} {
		r, err := upgraded(t, model(), upgrade.Options{Schema: &c.text})
		if err != nil {
			t.Fatal(name, err)
		}
		data, _ := r.After.Part("Copilot/schema.json")
		m, err := semanticmodel.Read(r.After)
		if err != nil || m.Copilot.Schema == nil || len(m.Copilot.Schema.Tables) != 1 {
			t.Fatalf("%s: %v %s", name, err, data)
		}
		if got := m.Copilot.Schema.Tables[0].Measures[0].Synonyms; c.want != nil && !slices.Equal(got, c.want) || c.want == nil && (len(got) != 1024 || len(r.Lost) != 20_000-1024) {
			t.Errorf("%s: got %d %.200q, want %q", name, len(got), got, c.want)
		}
	}
}

// The model's default culture is taken, or the one that is named; synonyms of others are lost.
func TestCultures(t *testing.T) {
	t.Parallel()
	d := model(culture("de-DE", of(revenue, `"Umsatz"`)), culture("en-US", of(revenue, `"turnover"`)))
	for named, want := range map[string]string{"": "turnover", "en-us": "turnover", "de-DE": "Umsatz"} {
		r, err := upgraded(t, d, upgrade.Options{Culture: named})
		if err != nil {
			t.Fatal(err)
		}
		if data, _ := r.After.Part("Copilot/schema.json"); !strings.Contains(string(data), want) || len(r.Lost) != 1 || r.Lost[0].What != "1 synonym" {
			t.Errorf("culture %q: %s, lost %v", named, data, r.Lost)
		}
	}
}

// In model.bim the schema is an object, a text, or the lines of one.
func TestModelBIM(t *testing.T) {
	t.Parallel()
	schema := of(revenue, `"turnover"`)
	text, _ := json.Marshal(schema)
	for name, content := range map[string]string{"object": schema, "text": string(text), "lines": "[" + string(text) + `, ""]`} {
		bim := `{"compatibilityLevel": 1600, "model": {"culture": "en-US", "tables": [{"name": "Sales", "measures": [{"name": "Revenue", "expression": "1"}]}],
			"cultures": [{"name": "en-US", "linguisticMetadata": {"content": ` + content + `, "contentType": "json"}}]}}`
		d := definition.New(definition.Part{Path: "definition.pbism", Data: []byte(pbism)}, definition.Part{Path: "model.bim", Data: []byte(bim)})
		r, err := upgraded(t, d, upgrade.Options{})
		if err != nil || r.Synonyms != 1 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		if _, err := upgraded(t, d, upgrade.Options{Remove: true}); err == nil || !strings.Contains(err.Error(), "remove them in Power BI Desktop") {
			t.Errorf("%s is removed: %v", name, err)
		}
	}
}

// A script that lies in the model's folder is no part of it: it is neither read nor changed.
func TestScripts(t *testing.T) {
	t.Parallel()
	script := definition.Part{Path: "TMDLScripts/one.tmdl", Data: []byte("createOrReplace\n\n\tcultureInfo fr-FR\n\t\tlinguisticMetadata = {\"CustomInstructions\":\"y\"}\n\t\t\tcontentType: json\n")}
	r, err := upgraded(t, model(culture("en-US", `{"CustomInstructions":"x"}`), script), upgrade.Options{Remove: true})
	if err != nil {
		t.Fatal(err)
	}
	if data, _ := r.After.Part(script.Path); string(data) != string(script.Data) || r.Instructions != 1 || len(r.Lost) != 0 {
		t.Errorf("%+v, the script is %q", r, data)
	}
}

// The linguistic schemas are removed where that is asked for, in every layout, and nothing else of their files is.
func TestRemoved(t *testing.T) {
	t.Parallel()
	const caption = "\r\n\ttranslations\r\n\r\n\t\tmodel Model\r\n\t\t\tcaption: Verkauf\r\n"
	for name, text := range map[string]string{
		"one line":      "cultureInfo en-US\r\n\r\n\tlinguisticMetadata = {\"CustomInstructions\":\"x\"}\r\n\t\tcontentType: json\r\n" + caption,
		"several lines": "cultureInfo en-US\r\n\r\n\tlinguisticMetadata =\r\n\t\t\t{\r\n\t\t\t\"CustomInstructions\":\"x\"\r\n\t\t\t}\r\n\t\tcontentType: json\r\n" + caption,
		"a fence":       "cultureInfo en-US\r\n\r\n\tlinguisticMetadata = ```\r\n\t\t\t{\"CustomInstructions\":\"x\"}\r\n\t\t\t```\r\n\t\tcontentType: json\r\n" + caption,
	} {
		d := model(definition.Part{Path: "definition/cultures/en-US.tmdl", Data: []byte(text)})
		r, err := upgraded(t, d, upgrade.Options{Remove: true})
		if err != nil {
			t.Fatal(name, err)
		}
		data, _ := r.After.Part("definition/cultures/en-US.tmdl")
		if diff := cmp.Diff("cultureInfo en-US\r\n\r\n"+caption, string(data)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// A definition.pbism gets what it lacks, and keeps a newer version.
func TestProperties(t *testing.T) {
	t.Parallel()
	for was, want := range map[string]string{
		`{"version": "6.0", "settings": {"qnaEnabled": true, "x": [1]}}`: `{"version": "6.0", "settings": {"qnaEnabled": false, "x": [1]}, "$schema": "https://developer.microsoft.com/json-schemas/fabric/item/semanticModel/definitionProperties/1.0.0/schema.json"}`,
		`{"version": "1.0"}`: `{"version": "5.0", "$schema": "https://developer.microsoft.com/json-schemas/fabric/item/semanticModel/definitionProperties/1.0.0/schema.json", "settings": {"qnaEnabled": false}}`,
		`{"$schema": "x", "version": "10.1", "settings": {}}`: `{"$schema": "x", "version": "10.1", "settings": {"qnaEnabled": false}}`,
		`{}`: `{"$schema": "https://developer.microsoft.com/json-schemas/fabric/item/semanticModel/definitionProperties/1.0.0/schema.json", "version": "5.0", "settings": {"qnaEnabled": false}}`,
	} {
		d := model(culture("en-US", `{"CustomInstructions":"x"}`)).With(map[string][]byte{"definition.pbism": []byte(was)})
		r, err := upgraded(t, d, upgrade.Options{})
		if err != nil {
			t.Fatal(was, err)
		}
		data, _ := r.After.Part("definition.pbism")
		if strings.ReplaceAll(string(data), " ", "") != strings.ReplaceAll(want, " ", "") {
			t.Errorf("%s became %s, want %s", was, data, want)
		}
	}
}
