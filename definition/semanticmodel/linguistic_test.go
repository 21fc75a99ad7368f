package semanticmodel_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"readiness/definition/semanticmodel"
)

// culture reads a linguistic schema, inserted as a string into a model of one
// culture.
func culture(t testing.TB, schema string) semanticmodel.Culture {
	t.Helper()
	content, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	m, err := semanticmodel.FromTMSL("model.bim", fmt.Appendf(nil, `{"model":{"cultures":[{"name":"en-US","linguisticMetadata":{"content":%s}}]}}`, content))
	if err != nil {
		t.Fatal(err)
	}
	return m.Cultures[0]
}

func TestLinguisticSchema(t *testing.T) {
	t.Parallel()
	entity := func(binding, more string) string {
		return `{"Entities":{"e":{"Definition":{"Binding":{` + binding + `}}` + more + `}}}`
	}
	one := func(e semanticmodel.LinguisticEntity) semanticmodel.Culture {
		return semanticmodel.Culture{Entities: []semanticmodel.LinguisticEntity{e}}
	}
	for _, c := range []struct {
		name, schema string
		want         semanticmodel.Culture
	}{
		{"empty", ``, semanticmodel.Culture{}},
		{"XML", `<LinguisticSchema xmlns="x"><Entities/></LinguisticSchema>`, semanticmodel.Culture{}},
		{"cut short", `{"CustomInstructions":"x","Entities":{`, semanticmodel.Culture{}},
		{"an array", `[]`, semanticmodel.Culture{}},
		{"instructions", `{"CustomInstructions":"Use \"Total\".\n"}`, semanticmodel.Culture{CustomInstructions: new("Use \"Total\".\n")}},
		{"blank instructions", `{"CustomInstructions":""}`, semanticmodel.Culture{CustomInstructions: new("")}},
		{"instructions that are no text", `{"CustomInstructions":["x"]}`, semanticmodel.Culture{}},
		{"a table", entity(`"ConceptualEntity":"Sales"`, ``), one(semanticmodel.LinguisticEntity{Table: "Sales"})},
		{
			"a column with all there is",
			entity(`"ConceptualEntity":"Sales","ConceptualProperty":"Amount"`, `,"State":"Generated","Visibility":{"Value":"Hidden","State":"Authored"},"Terms":[{"amount":{"State":"Generated","Weight":0.97}},{"revenue":{}},{"turnover":{"Type":"Noun","State":"Suggested"}}]`),
			one(semanticmodel.LinguisticEntity{Table: "Sales", Property: "Amount", Visibility: "Hidden", VisibilityState: "Authored", Terms: []semanticmodel.Term{{Text: "amount", State: "Generated"}, {Text: "revenue"}, {Text: "turnover", State: "Suggested"}}}),
		},
		{"a hierarchy", entity(`"ConceptualEntity":"Date","Hierarchy":"H"`, ``), one(semanticmodel.LinguisticEntity{Table: "Date", OfHierarchy: true})},
		{"a level", entity(`"ConceptualEntity":"Date","Hierarchy":"H","HierarchyLevel":"L"`, ``), one(semanticmodel.LinguisticEntity{Table: "Date", OfHierarchy: true})},
		{"a hierarchy that is null", entity(`"ConceptualEntity":"Date","Hierarchy":null`, ``), one(semanticmodel.LinguisticEntity{Table: "Date"})},
		{"no binding", `{"Entities":{"e":{"Terms":[{"x":{}}]},"f":{"Definition":{}},"g":{"Binding":{"ConceptualEntity":"Sales"}}}}`, semanticmodel.Culture{}},
		{"terms as texts, and of other kinds", entity(`"ConceptualEntity":"Sales"`, `,"Terms":["deal",5,null,{"order":null},{"sale":{"State":7}}]`), one(semanticmodel.LinguisticEntity{Table: "Sales", Terms: []semanticmodel.Term{{Text: "deal"}, {Text: "order"}, {Text: "sale"}}})},
		{"members of other kinds", `{"Entities":[1]}`, semanticmodel.Culture{}},
	} {
		want := c.want
		want.Name = "en-US"
		if diff := cmp.Diff(want, culture(t, c.schema), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, diff)
		}
	}
}

// Every entity of a schema of megabytes on one line is read.
func TestLinguisticSchemaOfMegabytes(t *testing.T) {
	t.Parallel()
	const n = 30_000
	got := culture(t, bigSchema(n))
	if len(got.Entities) != n {
		t.Fatalf("got %d entities, want %d", len(got.Entities), n)
	}
	want := semanticmodel.LinguisticEntity{Table: "Sales", Property: "Column 29999", Terms: []semanticmodel.Term{{Text: "word", State: "Generated"}}}
	if diff := cmp.Diff(want, got.Entities[n-1]); diff != "" {
		t.Error(diff)
	}
}

func bigSchema(n int) string {
	var b strings.Builder
	b.WriteString(`{"Version":"4.2.0","Entities":{`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"e%d":{"Definition":{"Binding":{"ConceptualEntity":"Sales","ConceptualProperty":"Column %d"}},"State":"Generated","Terms":[{"word":{"State":"Generated","Weight":0.97}}]}`, i, i)
	}
	b.WriteString(`}}`)
	return b.String()
}

func BenchmarkLinguisticSchema(b *testing.B) {
	text := fmt.Sprintf(`{"model":{"cultures":[{"name":"c","linguisticMetadata":{"content":%s}}]}}`, bigSchema(30_000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := semanticmodel.FromTMSL("model.bim", []byte(text)); err != nil {
			b.Fatal(err)
		}
	}
}
