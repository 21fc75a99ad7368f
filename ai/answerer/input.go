package answerer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"readiness/ai/rulesengine"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/readiness"
)

// seenOfDescriptions is how much of a description the platform's AI reads, in characters.
const seenOfDescriptions = 200

// sight is the part of a semantic model that a kind of AI sees.
type sight struct {
	readiness.Exposure
	// descriptions is how many characters of each description are seen; 0 means all.
	descriptions int
}

// description returns the part of a description that is seen.
func (s sight) description(text string) string {
	text = strings.TrimSpace(text)
	if s.descriptions > 0 {
		text = domain.FirstCharacters(text, s.descriptions)
	}
	return text
}

// catalog returns the input of the embedded engine.
func (s sight) catalog(r benchmark.Reach) rulesengine.Catalog {
	c := rulesengine.Catalog{Instructions: s.Instructions}
	for _, t := range s.Tables {
		table := rulesengine.Table{Name: t.Name, Description: s.description(t.Description), Synonyms: t.Terms, Dates: t.IsDate,
			FilteredBy: r.FilteredBy(t.Name), CountedOn: r.CountedOn(t.Name)}
		for _, f := range t.Columns {
			table.Columns = append(table.Columns, rulesengine.Column{
				Name: f.Name, Description: s.description(f.Description), Synonyms: f.Terms, DataType: string(f.DataType), Key: f.IsEnd,
				SummarizeBy: f.SummarizeBy, Dated: s.dated(t.Name, f.Name),
			})
		}
		for _, f := range t.Measures {
			var stock *rulesengine.Stock
			if of, is := r.Of(f.Name); is {
				stock = &rulesengine.Stock{Table: of.Table, Date: of.Date, Sums: of.Sums}
			}
			table.Measures = append(table.Measures, rulesengine.Measure{
				Name: f.Name, Description: s.description(f.Description), Synonyms: f.Terms, DisplayFolder: f.DisplayFolder,
				Over: r.Over(f.Name), Stock: stock,
			})
		}
		c.Tables = append(c.Tables, table)
	}
	for _, answer := range s.Answers {
		verified := rulesengine.VerifiedAnswer{Phrases: answer.Phrases}
		for _, f := range answer.Fields {
			verified.Fields = append(verified.Fields, rulesengine.FieldRef(f))
		}
		c.Answers = append(c.Answers, verified)
	}
	return c
}

// dated reports whether the calendar filters a table by this column.
func (s sight) dated(table, column string) bool {
	return slices.ContainsFunc(s.Relationships, func(r *semanticmodel.Relationship) bool {
		return r.IsActive && r.FromTable == table && r.FromColumn == column &&
			slices.ContainsFunc(s.Tables, func(t readiness.ExposedTable) bool { return t.IsDate && t.Name == r.ToTable })
	})
}

// configHash returns a hash of everything but the questions that an AI was given, to detect changes
// between two runs.
func configHash(given any) string {
	text, err := json.Marshal(given)
	if err != nil {
		panic(err) // plain values
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}
