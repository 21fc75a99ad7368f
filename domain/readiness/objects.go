package readiness

import (
	"fmt"
	"strings"
)

// MaxDescribed is how many characters of a description are read when a query is written.
const MaxDescribed = 200

// ExposedObject is one object of an Exposure, in words.
type ExposedObject struct {
	// Type is table, column, measure, relationship or verified answer.
	Type string
	// Table is the object's table; for a relationship the one it begins at, "" for a verified answer.
	Table string
	// Name is "" for a table; a relationship's says what it connects, a verified answer's names its fields.
	Name string
	// Description has at most MaxDescribed characters.
	Description string
	// Terms are synonyms, or the phrases that a verified answer answers.
	Terms []string
}

// Objects returns all that an AI is given but the instructions: each table with its columns and measures, then the
// relationships and the verified answers.
func (e Exposure) Objects() (all []ExposedObject) {
	for _, t := range e.Tables {
		all = append(all, ExposedObject{"table", t.Name, "", described(t.Description), t.Terms})
		for _, c := range t.Columns {
			all = append(all, ExposedObject{"column", t.Name, c.Name, described(c.Description), c.Terms})
		}
		for _, m := range t.Measures {
			all = append(all, ExposedObject{"measure", t.Name, m.Name, described(m.Description), m.Terms})
		}
	}
	for _, r := range e.Relationships {
		all = append(all, ExposedObject{Type: "relationship", Table: r.FromTable,
			Name: fmt.Sprintf("%s[%s] -> %s[%s]", r.FromTable, r.FromColumn, r.ToTable, r.ToColumn)})
	}
	for _, a := range e.Answers {
		fields := make([]string, len(a.Fields))
		for i, f := range a.Fields {
			fields[i] = f.Table + "[" + f.Name + "]"
		}
		all = append(all, ExposedObject{Type: "verified answer", Name: strings.Join(fields, ", "), Terms: a.Phrases})
	}
	return all
}

// described returns what is read of a description.
func described(text string) string {
	n := 0
	for i := range text {
		if n++; n > MaxDescribed {
			return text[:i]
		}
	}
	return text
}
