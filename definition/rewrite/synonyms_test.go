package rewrite_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
)

// Synonyms are written in the schema's own shape, next to what is there; no visibility
// changes, and a restore brings back every byte.
//
// proves: decisions/6/synonyms-written
func TestSynonymsAreWrittenIntoTheSchema(t *testing.T) {
	t.Parallel()
	const start = "{\n  \"$schema\": \"https://developer.microsoft.com/json-schemas/fabric/item/semanticModel/copilot/schema/1.0.0/schema.json\""
	for name, c := range map[string]struct {
		schema  string
		changes []rewrite.Change
		want    string
	}{
		"no schema": {"", []rewrite.Change{change(rewrite.Synonyms, "T", "M", "Umsatz\nturnover"), change(rewrite.Synonyms, "T", "", "range"), change(rewrite.Synonyms, "T", "C", "quantity")},
			start + ",\n  \"tables\": [\n    {\n      \"id\": \"t\",\n      \"name\": \"T\",\n      \"columns\": [\n        {\n          \"id\": \"c\",\n          \"name\": \"C\",\n          \"synonyms\": [\n            \"quantity\"\n          ]\n        }\n      ],\n" +
				"      \"measures\": [\n        {\n          \"id\": \"m\",\n          \"name\": \"M\",\n          \"synonyms\": [\n            \"Umsatz\",\n            \"turnover\"\n          ]\n        }\n      ],\n      \"synonyms\": [\n        \"range\"\n      ]\n    }\n  ]\n}"},
		"behind index":               {`{"tables":[{"name":"T","columns":[{"name":"C","visibility":"Hidden","index":"None","x":1}]}]}`, []rewrite.Change{change(rewrite.Synonyms, "T", "C", "a")}, `{"tables":[{"name":"T","columns":[{"name":"C","visibility":"Hidden","index":"None","synonyms":["a"],"x":1}]}]}`},
		"of a table, behind lists":   {`{"tables":[{"name":"T","visibility":"Visible","columns":[],"hierarchies":[]}]}`, []rewrite.Change{change(rewrite.Synonyms, "T", "", "a")}, `{"tables":[{"name":"T","visibility":"Visible","columns":[],"hierarchies":[],"synonyms":["a"]}]}`},
		"after those there":          {"{\"tables\":[{\"name\":\"T\",\"synonyms\":[\r\n\t\"\\u0061\" ,\r\n\t\"b\" ]}]}", []rewrite.Change{change(rewrite.Synonyms, "T", "", "a\nb\nc")}, "{\"tables\":[{\"name\":\"T\",\"synonyms\":[\r\n\t\"\\u0061\" ,\r\n\t\"b\" ,\r\n\t\"c\" ]}]}"},
		"in place of others":         {`{"tables":[{"name":"T","synonyms":["a","b"]}]}`, []rewrite.Change{change(rewrite.Synonyms, "T", "", "b\na")}, `{"tables":[{"name":"T","synonyms":["b","a"]}]}`},
		"fewer":                      {`{"tables":[{"name":"T","synonyms":["a","b"]}]}`, []rewrite.Change{change(rewrite.Synonyms, "T", "", "a")}, `{"tables":[{"name":"T","synonyms":["a"]}]}`},
		"in place of null":           {`{"tables":[{"name":"T","synonyms":null}]}`, []rewrite.Change{change(rewrite.Synonyms, "T", "", "a")}, `{"tables":[{"name":"T","synonyms":["a"]}]}`},
		"in an empty list":           {`{"tables":[{"name":"T","synonyms":[ ]}]}`, []rewrite.Change{change(rewrite.Synonyms, "T", "", "a")}, `{"tables":[{"name":"T","synonyms":["a" ]}]}`},
		"the same":                   {`{"tables":[{"name":"T","synonyms":["\u0061"]}]}`, []rewrite.Change{change(rewrite.Synonyms, "T", "", "a")}, `{"tables":[{"name":"T","synonyms":["\u0061"]}]}`},
		"lines as a person has them": {`{"tables":[{"name":"T"}]}`, []rewrite.Change{change(rewrite.Synonyms, "T", "", "a\r\nb\rc")}, `{"tables":[{"name":"T","synonyms":["a","b","c"]}]}`},
		"the entry that counts":      {`{"tables":[{"name":"t "},{"name":"T","visibility":"Hidden"}]}`, []rewrite.Change{change(rewrite.Synonyms, "T", "", "a")}, `{"tables":[{"name":"t ","synonyms":["a"]},{"name":"T","visibility":"Hidden"}]}`},
		"with a visibility": {`{"tables":[]}`, []rewrite.Change{change(rewrite.Visibility, "T", "C", "Hidden"), change(rewrite.Synonyms, "T", "C", "a"), change(rewrite.Visibility, "T", "", "Visible")},
			`{"tables":[{"id":"t","name":"T","visibility":"Visible","columns":[{"id":"c","name":"C","visibility":"Hidden","synonyms":["a"]}]}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := with(model("definition/a.tmdl", columnTMDL), "Copilot/schema.json", c.schema)
			written, undos := write(t, d, c.changes...)
			if diff := cmp.Diff(c.want, part(t, written, "Copilot/schema.json")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, one := range c.changes {
				if one.Property == rewrite.Synonyms && reading(t, d, rewrite.Target{Property: rewrite.Visibility, Table: one.Table, Name: one.Name}) !=
					reading(t, written, rewrite.Target{Property: rewrite.Visibility, Table: one.Table, Name: one.Name}) && name != "with a visibility" {
					t.Errorf("the visibility of %s changed", one.Target)
				}
			}
			restored, err := rewrite.Restore(written, undos)
			if err != nil {
				t.Fatal(err)
			}
			same(t, d, restored)
			for i := range undos { // one by one, the last first
				if written, err = rewrite.Restore(written, undos[len(undos)-1-i:len(undos)-i]); err != nil {
					t.Fatal(err)
				}
			}
			same(t, d, written)
		})
	}
}

// proves: decisions/6/synonyms-proposed
func TestSynonymsHaveNoPlace(t *testing.T) {
	t.Parallel()
	loose := model("Sales.bim", bim)
	loose.Loose = true
	ofTMDL := model("definition/a.tmdl", columnTMDL)
	for name, c := range map[string]struct {
		d    definition.Definition
		want string
	}{
		"no folder":                         {loose, "folder Copilot"},
		"a linguistic schema that hides":    {with(ofTMDL, "definition/c.tmdl", lsdl), "linguistic schema"},
		"one that follows the model":        {with(ofTMDL, "definition/c.tmdl", "cultureInfo a\n\tlinguisticMetadata = {\"Entities\": {\"t\": {\"Definition\": {\"Binding\": {\"ConceptualEntity\": \"T\"}}, \"Visibility\": {\"Value\": \"Hidden\"}}}}\n"), ""},
		"one with a folder Copilot":         {with(with(ofTMDL, "definition/c.tmdl", lsdl), "Copilot/settings.json", "{}"), ""},
		"instructions in a linguistic file": {with(ofTMDL, "definition/c.tmdl", "cultureInfo a\n\tlinguisticMetadata = {\"CustomInstructions\":\"a\"}\n"), "linguistic schema"},
		"a line break in a synonym":         {with(ofTMDL, "Copilot/schema.json", `{"tables":[{"name":"T","synonyms":["a\nb"]}]}`), "-"},
		"a blank synonym":                   {with(ofTMDL, "Copilot/schema.json", `{"tables":[{"name":"T","synonyms":[" "]}]}`), "-"},
	} {
		m, err := semanticmodel.Read(c.d)
		if err != nil {
			t.Fatal(err)
		}
		why := rewrite.Kept(c.d, m, rewrite.Synonyms)
		if inOne := c.want == "-"; (why == nil) != (c.want == "" || inOne) || why != nil && !strings.Contains(why.Error(), c.want) {
			t.Errorf("%s: %v", name, why)
		}
		values, err := rewrite.Values(c.d, []rewrite.Target{{Property: rewrite.Synonyms, Table: "T"}, {Property: rewrite.Synonyms, Table: "T", Name: "none"}})
		if err != nil || values[0].Found != (c.want == "") || values[1].Found {
			t.Errorf("%s: %v, %v", name, values, err)
		}
		if _, _, err := rewrite.Write(c.d, []rewrite.Change{change(rewrite.Synonyms, "T", "", "a")}); (err == nil) != (c.want == "") {
			t.Errorf("%s: writing: %v", name, err)
		}
	}
	for _, schema := range []string{"{", "[]", `{"tables":1}`} {
		if _, _, err := rewrite.Write(with(ofTMDL, "Copilot/schema.json", schema), []rewrite.Change{change(rewrite.Synonyms, "T", "", "a")}); err == nil || !strings.Contains(err.Error(), "Copilot/schema.json") {
			t.Errorf("%s: %v", schema, err)
		}
	}
}

// Synonyms that someone changed since are not restored; an entry that someone added to
// stays.
//
// proves: decisions/6/synonyms-written
func TestSynonymsAreRestoredOnlyAsWritten(t *testing.T) {
	t.Parallel()
	d := with(model("definition/a.tmdl", columnTMDL), "Copilot/schema.json", `{"tables":[]}`)
	written, undos := write(t, d, change(rewrite.Synonyms, "T", "C", "a\nb"))
	schema := part(t, written, "Copilot/schema.json")
	for from, to := range map[string]string{`"a","b"`: `"a"`, `["a","b"]`: `null`, `"synonyms"`: `"words"`, `"C"`: `"D"`, `"b"`: `"b","c"`} {
		if !strings.Contains(schema, from) {
			t.Fatalf("%s is not in %s", from, schema)
		}
		if _, err := rewrite.Restore(with(written, "Copilot/schema.json", strings.Replace(schema, from, to, 1)), undos); !errors.Is(err, rewrite.ErrChanged) {
			t.Errorf("%s for %s: got %v, want ErrChanged", to, from, err)
		}
	}
	restored, err := rewrite.Restore(with(written, "Copilot/schema.json", strings.Replace(schema, `"name":"C",`, `"name":"C","index":"All",`, 1)), undos)
	if err != nil {
		t.Fatal(err)
	}
	if got := part(t, restored, "Copilot/schema.json"); strings.Contains(got, "synonyms") || !strings.Contains(got, `"index":"All"`) {
		t.Error(got)
	}
}

func TestCheckSynonyms(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		"a": true, "a\nb": true, "a\r\nb": true, strings.Repeat("é", 1024): true, "": false, "a\n": false, "a\n\nb": false, " ": false, "a\tb": false, "a\u2028b": false,
		"a\nA ": true, strings.Repeat("é", 1025): false, "a\x00": false, "\xff": false, strings.Join(numbered(1024), "\n"): true, strings.Join(numbered(1025), "\n"): false,
	} {
		if problem := rewrite.CheckText(rewrite.Synonyms, text); (problem == "") != ok {
			t.Errorf("%.20q: got %q, want ok %t", text, problem, ok)
		}
	}
}

// numbered returns n different words.
func numbered(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = strings.Repeat("x", 1+i%500) + strings.Repeat("y", i/500)
	}
	return all
}
