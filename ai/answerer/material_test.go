package answerer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"readiness/ai/answerer"
	"readiness/ai/openai"
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
)

// large returns a model of that many tables with 40 fields each, a calendar and one table about
// penguins.
func large(tables int) *semanticmodel.Model {
	m := &semanticmodel.Model{Tables: []semanticmodel.Table{
		{Name: "Calendar", DataCategory: "Time", Columns: []semanticmodel.Column{{Name: "Date", DataType: semanticmodel.DateTime, IsKey: true}}},
		{Name: "Zoo", Columns: []semanticmodel.Column{{Name: "Date", DataType: semanticmodel.DateTime}, {Name: "Animal", Description: "Bears and penguins."}}, Measures: []semanticmodel.Measure{{Name: "Visitors", Expression: "1"}}},
	}}
	m.Relationships = append(m.Relationships, semanticmodel.Relationship{
		FromTable: "Zoo", FromColumn: "Date", ToTable: "Calendar", ToColumn: "Date", FromCardinality: semanticmodel.Many, ToCardinality: semanticmodel.One, IsActive: true,
	})
	for i := range 40 {
		m.Tables[0].Columns = append(m.Tables[0].Columns, semanticmodel.Column{Name: fmt.Sprintf("Part %d", i), DataType: semanticmodel.String, Description: strings.Repeat("Part of time. ", 7)})
	}
	for i := range tables {
		t := semanticmodel.Table{Name: fmt.Sprintf("Ledger %d", i), Description: "Accounts and amounts, one row for each posting."}
		for j := range 40 {
			t.Columns = append(t.Columns, semanticmodel.Column{Name: fmt.Sprintf("Account %d", j), DataType: semanticmodel.String, Description: strings.Repeat("Account. ", 10)})
		}
		m.Tables = append(m.Tables, t)
		m.Relationships = append(m.Relationships, semanticmodel.Relationship{FromTable: t.Name, FromColumn: "Account 0", ToTable: "Calendar", ToColumn: "Date"})
	}
	return m
}

func tableNames(m openai.Material) []string {
	var all []string
	for _, t := range m.Tables {
		all = append(all, t.Name)
	}
	return all
}

// Of a model that does not fit, the parts that match the question are sent, with the calendar.
func TestMaterialIsBounded(t *testing.T) {
	t.Parallel()
	m := large(100)
	m.Copilot.Instructions = new("Use [Visitors].")
	for i := range 100 {
		m.Copilot.VerifiedAnswers = append(m.Copilot.VerifiedAnswers, semanticmodel.VerifiedAnswer{
			Folder: fmt.Sprint(i), TriggerPhrases: []string{strings.Repeat("postings ", 60)}, Fields: []semanticmodel.FieldRef{{Table: "Zoo", Name: "Visitors"}},
		})
	}
	m.Copilot.VerifiedAnswers = append(m.Copilot.VerifiedAnswers, semanticmodel.VerifiedAnswer{Folder: "z", TriggerPhrases: []string{"Do penguins pay?"}, Fields: []semanticmodel.FieldRef{{Table: "Zoo", Name: "Visitors"}}})
	e := readiness.Expose(m)
	const question = "How many visitors saw a penguin, and which accounts and amounts were posted?"
	sent, full := answerer.Materials(e, question)
	if n := answerer.Size(sent); n > answerer.MaxMaterial || n < answerer.MaxMaterial/2 || answerer.Size(full) < 2*answerer.MaxMaterial {
		t.Errorf("sent %d bytes of %d", n, answerer.Size(full))
	}
	names := tableNames(sent)
	if !slices.Contains(names, "Zoo") || !slices.Contains(names, "Calendar") || !slices.IsSorted(names) || sent.LeftOut != 102-len(names) || sent.Instructions != "Use [Visitors]." {
		t.Errorf("sent %v, %d left out", names, sent.LeftOut)
	}
	if len(sent.VerifiedAnswers) == 0 || sent.VerifiedAnswers[0].Phrases[0] != "Do penguins pay?" || len(sent.VerifiedAnswers) > 50 {
		t.Errorf("sent %d verified answers", len(sent.VerifiedAnswers))
	}
	if n := len(sent.Tables[0].Columns); n != 41 {
		t.Errorf("sent %d columns of the calendar", n)
	}
	if len(sent.Relationships) == 0 {
		t.Error("sent no relationship")
	}
	for _, r := range sent.Relationships {
		for _, end := range []string{r.From, r.To} {
			if table, _, _ := strings.Cut(strings.TrimPrefix(end, "'"), "'["); !slices.Contains(names, table) {
				t.Errorf("sent %s, whose table is left out", end)
			}
		}
	}
	if again, _ := answerer.Materials(e, question); !cmp.Equal(sent, again) {
		t.Error("sent different material the second time")
	}
	if small, full := answerer.Materials(readiness.Expose(large(2)), "x"); !cmp.Equal(small, full) || small.LeftOut != 0 {
		t.Error("a small model is sent in part")
	}
}

// Of a table that is too large, the fields that match the question are sent.
func TestMaterialOfALargeTable(t *testing.T) {
	t.Parallel()
	table := semanticmodel.Table{Name: "Wide"}
	for i := range 1000 {
		table.Columns = append(table.Columns, semanticmodel.Column{Name: fmt.Sprintf("Account %d", i), Description: strings.Repeat("Account. ", 10)})
	}
	table.Columns[700].Description = "Penguins."
	sent, _ := answerer.Materials(readiness.Expose(&semanticmodel.Model{Tables: []semanticmodel.Table{table}}), "Which penguin?")
	if n := answerer.Size(sent); n > answerer.MaxMaterial || len(sent.Tables) != 1 || len(sent.Tables[0].Columns) < 10 {
		t.Fatalf("sent %d bytes of %d tables", n, len(sent.Tables))
	}
	if !slices.ContainsFunc(sent.Tables[0].Columns, func(f openai.MaterialField) bool { return f.Description == "Penguins." }) {
		t.Error("the requested field is not sent")
	}
}

// For any model, the material keeps the bound.
func TestMaterialOfAnyModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"penguin", strings.Repeat("<&\x00", 8000), strings.Repeat("é", 3000)}))
		m := &semanticmodel.Model{Copilot: semanticmodel.Copilot{Instructions: new(text.Draw(t, "instructions"))}}
		for i := range rapid.IntRange(0, 20).Draw(t, "tables") {
			table := semanticmodel.Table{Name: fmt.Sprint(i) + rapid.StringN(0, 50, -1).Draw(t, "table"), Description: text.Draw(t, "description")}
			for j := range rapid.IntRange(0, 5).Draw(t, "columns") {
				table.Columns = append(table.Columns, semanticmodel.Column{Name: fmt.Sprint(j), Description: text.Draw(t, "column"), Expression: text.Draw(t, "expression")})
			}
			m.Tables = append(m.Tables, table)
		}
		sent, _ := answerer.Materials(readiness.Expose(m), text.Draw(t, "question"))
		if n := answerer.Size(sent); n > 2*answerer.MaxMaterial {
			t.Errorf("sent %d bytes", n)
		}
	})
}
