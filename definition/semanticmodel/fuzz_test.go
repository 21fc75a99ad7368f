package semanticmodel_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"readiness/definition/jsonpart"
	"readiness/definition/semanticmodel"
	"readiness/definition/tmdl"
	"readiness/test/samples"
)

// Any files give either a model or an error with its position, the same every time,
// and line ends do not matter.
func FuzzFromTMDL(f *testing.F) {
	f.Add(sales, "table Sales\n\tcolumn C\n")
	f.Add("model Model\n\tref table T\n", "relationship r\n\tfromColumn: 'A'.B\n")
	f.Add("database d\n\tmodel m\n\t\ttable T\n\t\t\tcalculationGroup\n", "culture c\n\tlinguisticMetadata = {\"Entities\":{}}\n")
	for _, text := range samples.Texts(f, samples.Ending(".tmdl")) {
		f.Add(string(text), "ref table Sales\n\tmeasure M = 1\n")
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		read := func(first, second string) (*semanticmodel.Model, error) {
			return semanticmodel.FromTMDL(tmdlParts("definition/a.tmdl", first, "definition/b.tmdl", second))
		}
		m, err := read(first, second)
		if _, ok := errors.AsType[*tmdl.SyntaxError](err); (m == nil) == (err == nil) || err != nil && !ok {
			t.Fatalf("got %v, %v", m, err)
		}
		if again, _ := read(first, second); !cmp.Equal(m, again) {
			t.Fatalf("read twice: %s", cmp.Diff(m, again))
		}
		if m == nil || strings.Contains(first+second, "\r") {
			return
		}
		ends := strings.NewReplacer("\n", "\r\n")
		if crlf, err := read(ends.Replace(first), ends.Replace(second)); err != nil || !cmp.Equal(m, crlf) {
			t.Errorf("with CRLF: %v (-LF +CRLF)\n%s", err, cmp.Diff(m, crlf))
		}
	})
}

// Spaces between the tokens of model.bim change only line numbers.
func FuzzFromTMSL(f *testing.F) {
	f.Add([]byte(bim))
	f.Add([]byte(`{"model":{"tables":[{"name":["a"]}]}}`))
	for _, text := range samples.Texts(f, samples.Ending(".bim")) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := semanticmodel.FromTMSL("model.bim", data)
		if e, ok := errors.AsType[*jsonpart.Error](err); (m == nil) != (err != nil) || err != nil && (!ok || e.File != "model.bim") {
			t.Fatalf("got %v, %v", m, err)
		}
		var compact bytes.Buffer
		if json.Compact(&compact, bytes.TrimPrefix(data, []byte("\ufeff"))) != nil {
			if err == nil {
				t.Fatal("read a model where there is no JSON")
			}
			return
		}
		again, err := semanticmodel.FromTMSL("model.bim", compact.Bytes())
		if diff := cmp.Diff(m, again, cmpopts.IgnoreTypes(semanticmodel.Source{}), asJSON); diff != "" {
			t.Errorf("without spaces: %v (-with +without)\n%s", err, diff)
		}
	})
}

// asJSON compares extended properties, which are stored as written, by their JSON
// value.
var asJSON = cmp.FilterPath(
	func(p cmp.Path) bool { return p.Last().String() == ".ExtendedProperties" },
	cmp.Transformer("compact", func(properties map[string]string) map[string]string {
		said := map[string]string{}
		for name, text := range properties {
			var compact bytes.Buffer
			if json.Compact(&compact, []byte(text)) == nil {
				text = compact.String()
			}
			said[name] = text
		}
		return said
	}))

func FuzzLinguisticSchema(f *testing.F) {
	f.Add(bigSchema(2))
	f.Add(`{"CustomInstructions":"x","Entities":{"e":{"Terms":["a",{"b":{}}],"Visibility":{"Value":"Hidden"}}}}`)
	for _, text := range samples.Texts(f, samples.Ending("cultures/en-US.tmdl")) {
		_, schema, _ := strings.Cut(string(text), "linguisticMetadata =")
		schema, _, _ = strings.Cut(schema, "contentType:")
		f.Add(schema)
	}
	f.Fuzz(func(t *testing.T, schema string) {
		c := culture(t, schema)
		for _, e := range c.Entities {
			if e.Table == "" {
				t.Errorf("an entity of no table: %+v", e)
			}
		}
		if !json.Valid([]byte(strings.TrimPrefix(schema, "\ufeff"))) && (len(c.Entities) > 0 || c.CustomInstructions != nil) {
			t.Errorf("read where there is no JSON: %+v", c)
		}
	})
}

// A Copilot part counts as absent if and only if it is not a JSON object.
func FuzzCopilot(f *testing.F) {
	f.Add([]byte(`{"tables":[{"name":"T","visibility":"Visible","columns":[{"name":"c","synonyms":["s"]}]}]}`), []byte(`{"triggerPrompts":[{"prompt":"p"}]}`), []byte(`{"From":[{"Name":"s","Entity":"S"}],"Column":{"Expression":{"SourceRef":{"Source":"s"}},"Property":"p"}}`))
	for _, text := range samples.Texts(f, samples.Ending("Copilot/schema.json")) {
		f.Add(text, []byte("{}"), []byte("{}"))
	}
	for _, text := range samples.Texts(f, func(path string) bool { return strings.Contains(path, "/VerifiedAnswers/") }) {
		f.Add([]byte("{}"), text, text)
	}
	f.Fuzz(func(t *testing.T, schema, answer, visual []byte) {
		c := copilot(t, map[string]string{
			"Copilot/schema.json": string(schema),
			"Copilot/VerifiedAnswers/definitions/a/definition.json": string(answer),
			"Copilot/VerifiedAnswers/definitions/a/filters.json":    string(visual),
		})
		if len(c.VerifiedAnswers) != 1 {
			t.Fatalf("got %+v", c.VerifiedAnswers)
		}
		if (c.Schema != nil) != object(schema) {
			t.Errorf("got schema %+v of %q", c.Schema, schema)
		}
		if len(c.VerifiedAnswers[0].TriggerPhrases) > 0 && !object(answer) || len(c.VerifiedAnswers[0].Fields) > 0 && !json.Valid(bytes.TrimPrefix(visual, []byte("\ufeff"))) {
			t.Errorf("read where there is no JSON: %+v", c.VerifiedAnswers)
		}
		if c.Schema == nil {
			return
		}
		for _, table := range c.Schema.Tables {
			for _, field := range append(append(table.Columns, table.Measures...), table.Hierarchies...) {
				if field.Name == "" || table.Name == "" {
					t.Errorf("an entry of no name: %+v", table)
				}
			}
		}
	})
}

// object reports whether a part is a JSON object.
func object(part []byte) bool {
	part = bytes.TrimPrefix(part, []byte("\ufeff"))
	return json.Valid(part) && bytes.HasPrefix(bytes.TrimLeft(part, " \t\r\n"), []byte("{"))
}
