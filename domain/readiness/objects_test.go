package readiness_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
)

func TestObjects(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", readiness.MaxDescribed)
	sales := &semanticmodel.Table{Name: "Sales", Description: long + "cut"}
	e := readiness.Exposure{
		Tables: []readiness.ExposedTable{
			{Table: sales, Terms: []string{"turnover"},
				Columns:  []readiness.ExposedColumn{{Column: &semanticmodel.Column{Name: "Amount", Description: long}}},
				Measures: []readiness.ExposedMeasure{{Measure: &semanticmodel.Measure{Name: "Revenue"}, Terms: []string{"income"}}}},
			{Table: &semanticmodel.Table{Name: "Date"}},
		},
		Relationships: []*semanticmodel.Relationship{{FromTable: "Sales", FromColumn: "Day", ToTable: "Date", ToColumn: "Date"}},
		Answers: []readiness.ExposedAnswer{{Phrases: []string{"how much?"},
			Fields: []semanticmodel.FieldRef{{Table: "Sales", Name: "Revenue"}, {Table: "Date", Name: "Date"}}}},
	}
	if diff := cmp.Diff([]readiness.ExposedObject{
		{"table", "Sales", "", long, []string{"turnover"}},
		{"column", "Sales", "Amount", long, nil},
		{"measure", "Sales", "Revenue", "", []string{"income"}},
		{Type: "table", Table: "Date"},
		{Type: "relationship", Table: "Sales", Name: "Sales[Day] -> Date[Date]"},
		{Type: "verified answer", Name: "Sales[Revenue], Date[Date]", Terms: []string{"how much?"}},
	}, e.Objects()); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}
