package semanticmodel_test

import (
	"fmt"
	"strings"
	"testing"

	"readiness/definition"
	"readiness/definition/semanticmodel"
)

// Content that Power BI refuses is read, and reported with its position.
//
// proves: decisions/9/15-notices
func TestNotices(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		src  string
		want []string // line and a part of the message
	}{
		"none":                {"table T\n\tlineageTag: 1\n\tcolumn A\n\t\tlineageTag: 2\n\t\tdataType: Int64\n\t\tsummarizeBy: None\n\ntable U\n\tcolumn A\n\t\tlineageTag: 2\n", nil},
		"tables with one tag": {"table T\n\tlineageTag: a\ntable U\n\tlineageTag: A\n", []string{"4 table 'U' has the lineage tag of the table 'T' (definition/a.tmdl:1)"}},
		"fields with one tag": {
			"table T\n\tcolumn A\n\t\tlineageTag: a\n\tmeasure M = 1\n\t\tlineageTag: a\n\thierarchy H\n\t\tlineageTag: a\n",
			[]string{"5 measure 'M' has the lineage tag of the column 'A'", "7 hierarchy 'H' has"},
		},
		"unknown values": {
			"table T\n\tcolumn A\n\t\tdataType: money\n\t\tsummarizeBy: median\n\tpartition P = m\n\t\tmode: fast\nrelationship r\n\ttoCardinality: few\n\tcrossFilteringBehavior: none\n\tfromColumn: T.A\n\ttoColumn: T.A\n",
			[]string{`8 "few"`, `9 "none"`, `3 "money", which Power BI does not know; it knows string`, `4 "median"`, `6 "fast"`},
		},
		"of the files": {"// x\ntable T\n\t/// y\n\n\tcolumn A\n", []string{"1 accepts no comment", "3 describe nothing"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := semanticmodel.Read(definition.New(definition.Part{Path: "definition/a.tmdl", Data: []byte(c.src)},
				definition.Part{Path: "definition/database.tmdl", Data: []byte("database\n")}))
			if err != nil {
				t.Fatal(err)
			}
			if len(m.Notices) != len(c.want) {
				t.Fatalf("got %v, want %q", m.Notices, c.want)
			}
			for i, n := range m.Notices {
				line, message, _ := strings.Cut(c.want[i], " ")
				if n.File != "definition/a.tmdl" || fmt.Sprint(n.Line) != line || !strings.Contains(n.Message, message) {
					t.Errorf("got %+v, want %s", n, c.want[i])
				}
			}
		})
	}
}
