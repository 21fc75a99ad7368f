package rewrite_test

import (
	"slices"
	"strings"
	"testing"

	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
)

// An entry of the AI data schema is for the object with its id, whatever that was called: it is read, written and restored there, and
// no second entry with the id is made. What is gone is said, and hides nothing of another object.
func TestEntriesAreFoundByTheirIDs(t *testing.T) {
	t.Parallel()
	const tmdl = "table T\n\tlineageTag: aa\n\n\tmeasure M = 1\n\t\tlineageTag: bb\n\n\tcolumn C\n\t\tlineageTag: cc\n\n\tcolumn D\n\t\tlineageTag: dd\n\n\thierarchy H\n\t\tlineageTag: ee\n\n\t\tlevel L\n\t\t\tlineageTag: ff\n\t\t\tcolumn: C\n"
	column := func(entries string) string { return `{"tables":[{"id":"aa","name":"T","columns":[` + entries + `]}]}` }
	for name, c := range map[string]struct {
		schema  string
		target  string // table or table/field
		want    string // its visibility
		written string // the schema after the target is made Visible
		gone    []string
	}{
		"a renamed column":       {column(`{"id":"cc","name":"Old","visibility":"Hidden"}`), "T/C", "Hidden", column(`{"id":"cc","name":"Old","visibility":"Visible"}`), nil},
		"in another letter case": {column(`{"id":"CC","name":"Old","visibility":"Hidden"}`), "T/C", "Hidden", column(`{"id":"CC","name":"Old","visibility":"Visible"}`), nil},
		"without a name":         {column(`{"id":"cc","visibility":"Hidden"}`), "T/C", "Hidden", column(`{"id":"cc","visibility":"Visible"}`), nil},
		"exchanged":              {column(`{"id":"dd","name":"C","visibility":"Visible"},{"id":"cc","name":"D","visibility":"Hidden"}`), "T/C", "Hidden", column(`{"id":"dd","name":"C","visibility":"Visible"},{"id":"cc","name":"D","visibility":"Visible"}`), nil},
		"a renamed table":        {`{"tables":[{"id":"aa","name":"Old","visibility":"Hidden"}]}`, "T", "Hidden", `{"tables":[{"id":"aa","name":"Old","visibility":"Visible"}]}`, nil},
		"a renamed measure":      {`{"tables":[{"id":"aa","name":"Old","measures":[{"id":"bb","name":"Old","visibility":"Hidden"}]}]}`, "T/M", "Hidden", `{"tables":[{"id":"aa","name":"Old","measures":[{"id":"bb","name":"Old","visibility":"Visible"}]}]}`, nil},
		"by name":                {column(`{"name":"C","visibility":"Hidden"}`), "T/C", "Hidden", column(`{"name":"C","visibility":"Visible"}`), nil},
		"gone, beside it":        {column(`{"id":"zz","name":"C","visibility":"Visible"},{"id":"cc","name":"Old","visibility":"Hidden"}`), "T/C", "Hidden", column(`{"id":"zz","name":"C","visibility":"Visible"},{"id":"cc","name":"Old","visibility":"Visible"}`), []string{`column "C"`}},
		"beside levels with ids": {`{"tables":[{"id":"aa","name":"T","hierarchies":[{"id":"ee","name":"Old","visibility":"Auto","levels":[{"id":"ff","name":"Old","visibility":"Hidden","synonyms":[]},{"id":"xx","name":"Gone"}]}]}]}`, "T", "",
			`{"tables":[{"id":"aa","name":"T","visibility":"Visible","hierarchies":[{"id":"ee","name":"Old","visibility":"Auto","levels":[{"id":"ff","name":"Old","visibility":"Hidden","synonyms":[]},{"id":"xx","name":"Gone"}]}]}]}`, nil},
		"gone": {`{"tables":[{"id":"zz","name":"Gone","visibility":"Hidden"},{"id":"aa","name":"Old","visibility":"Hidden","hierarchies":[{"id":"ee","name":"G"},{"id":"yy","name":"X"}]}]}`, "T", "Hidden",
			`{"tables":[{"id":"zz","name":"Gone","visibility":"Hidden"},{"id":"aa","name":"Old","visibility":"Visible","hierarchies":[{"id":"ee","name":"G"},{"id":"yy","name":"X"}]}]}`, []string{`table "Gone"`, `hierarchy "X"`}},
	} {
		for form, definition := range map[string]string{"TMDL": tmdl, "TMSL": `{"model":{"tables":[{"name":"T","lineageTag":"aa","measures":[{"name":"M","expression":"1","lineageTag":"bb"}],` +
			`"columns":[{"name":"C","lineageTag":"cc"},{"name":"D","lineageTag":"dd"}],"hierarchies":[{"name":"H","lineageTag":"ee","levels":[{"name":"L","column":"C","ordinal":0,"lineageTag":"ff"}]}]}]}}`} {
			t.Run(name+", "+form, func(t *testing.T) {
				t.Parallel()
				path := map[string]string{"TMDL": "definition/a.tmdl", "TMSL": "model.bim"}[form]
				d := with(model(path, definition), "Copilot/schema.json", c.schema)
				if form == "TMDL" {
					d = with(d, "definition/database.tmdl", "database\n\tcompatibilityLevel: 1567\n")
				}
				table, field, _ := strings.Cut(c.target, "/")
				if got := reading(t, d, rewrite.Target{Property: rewrite.Visibility, Table: table, Name: field}); got != c.want {
					t.Errorf("it is %s, want %s", got, c.want)
				}
				m, err := semanticmodel.Read(d)
				if err != nil {
					t.Fatal(err)
				}
				for _, want := range c.gone {
					if !slices.ContainsFunc(m.Notices, func(n semanticmodel.Notice) bool {
						return n.File == "Copilot/schema.json" && strings.Contains(n.Message, want)
					}) {
						t.Errorf("it does not say that %s is gone: %v", want, m.Notices)
					}
				}
				others := slices.DeleteFunc(slices.Clone(m.Notices), func(n semanticmodel.Notice) bool {
					return strings.Contains(n.Message, "for what the model now calls")
				})
				if len(others) != len(c.gone) {
					t.Errorf("it says %v", m.Notices)
				}
				after, undos := write(t, d, change(rewrite.Visibility, table, field, "Visible"))
				if got := part(t, after, "Copilot/schema.json"); got != c.written {
					t.Errorf("got  %s\nwant %s", got, c.written)
				}
				words, more := write(t, after, change(rewrite.Synonyms, table, field, "word"))
				if got := part(t, words, "Copilot/schema.json"); strings.Count(got, `"id"`) != strings.Count(c.schema, `"id"`) || strings.Count(got, "word") != 1 {
					t.Errorf("a second entry was made: %s", got)
				}
				back, err := rewrite.Restore(words, more)
				if err != nil {
					t.Fatal(err)
				}
				if back, err = rewrite.Restore(back, undos); err != nil {
					t.Fatal(err)
				}
				same(t, d, back)
			})
		}
	}
}
