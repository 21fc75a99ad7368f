package benchmark

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
	"readiness/domain"
	"readiness/domain/verdict"
	"readiness/domain/verdict/normalform"
	"readiness/internal/lists"
)

// CanRun reports whether the model has every field that the question's correct answer
// uses; if not, why is a sentence that names a missing one. Names compare without
// regard to case, and a measure's without its table. Hidden fields count as present.
// Fields of the expected query are checked too, except those that the query defines
// itself.
func (q Question) CanRun(m *semanticmodel.Model) (ok bool, why string) {
	why = namesOf(m).lacking(q)
	return why == "", why
}

// names holds the folded names of a model.
type names struct {
	tables   map[string]bool
	columns  map[[2]string]bool
	measures map[string]bool
	named    map[string]bool // columns of any table
}

func namesOf(m *semanticmodel.Model) names {
	has := names{map[string]bool{}, map[[2]string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, t := range m.Tables {
		table := spelling.Fold(t.Name)
		has.tables[table] = true
		for _, c := range t.Columns {
			if !c.IsRowNumber {
				has.columns[[2]string{table, spelling.Fold(c.Name)}] = true
				has.named[spelling.Fold(c.Name)] = true
			}
		}
		for _, x := range t.Measures {
			has.measures[spelling.Fold(x.Name)] = true
		}
	}
	return has
}

// lacking returns a sentence about a field that the question's answer needs and the
// model lacks; "" when it lacks none.
func (has names) lacking(q Question) string {
	for _, f := range q.Expected.Fields {
		if why := has.lacks(f); why != "" {
			return why
		}
	}
	return has.lacksAny(q.Expected.DAX)
}

// lacks returns a sentence when the field is missing, else "". A filter may be on a
// measure, as the filter for top rows is.
func (has names) lacks(f verdict.Field) string {
	column := has.columns[spelling.Field(f.Table, f.Name)]
	measure := has.measures[spelling.Fold(f.Name)]
	switch {
	case f.Role == verdict.MeasureField && !measure:
		return fmt.Sprintf("The model has no measure [%s] any more: it was renamed or deleted.", domain.Excerpt(f.Name))
	case f.Role == verdict.MeasureField, column, f.Role == verdict.FilterField && measure:
		return ""
	case !has.tables[spelling.Fold(f.Table)]:
		return fmt.Sprintf("The model has no table '%s' any more: it was renamed or deleted. The answer uses its column [%s].",
			domain.Excerpt(f.Table), domain.Excerpt(f.Name))
	}
	return fmt.Sprintf("The model has no column '%s'[%s] any more: it was renamed or deleted.", domain.Excerpt(f.Table),
		domain.Excerpt(f.Name))
}

// ownColumn matches the columns that DAX names itself: those of table constructors, GENERATESERIES and CALENDAR.
var ownColumn = regexp.MustCompile(`(?i)^(value\d*|date)$`)

// bare reports whether a name without a table is a measure's or a column's.
func (has names) bare(name string) bool {
	folded := spelling.Fold(name)
	return has.measures[folded] || has.named[folded]
}

// lacksAny returns a sentence about a missing field that a query names. A name without a table may be one of the query's
// own columns, which it names in a text. A query that defines anything is not checked.
func (has names) lacksAny(query string) string {
	if query == "" || dax.Defines(query) {
		return ""
	}
	for _, r := range dax.Read(query).References {
		if !r.Qualified {
			if !has.bare(r.Name) && !ownColumn.MatchString(r.Name) && !strings.Contains(spelling.Fold(query), `"`+spelling.Fold(r.Name)+`"`) {
				return fmt.Sprintf("The model has no measure [%s], which the expected query names: it was renamed or deleted, or is misspelled.",
					domain.Excerpt(r.Name))
			}
			continue
		}
		if has.columns[spelling.Field(r.Table, r.Name)] ||
			has.tables[spelling.Fold(r.Table)] && has.measures[spelling.Fold(r.Name)] {
			continue
		}
		return fmt.Sprintf("The model has no field '%s'[%s] any more, which the expected query names: it was renamed or deleted.",
			domain.Excerpt(r.Table), domain.Excerpt(r.Name))
	}
	return ""
}

// Checked is a question and whether it could run on its model when the model was last
// read (docs/decisions.md 6, BenchmarkQuestions).
type Checked struct {
	Question
	CanRun bool `json:"canRun"`
	// Reason is a sentence that says why it cannot run; nil when it can.
	Reason *string `json:"reason"`
	// Warning is a sentence that says why and where its expected query is not read in full; nil if it is.
	Warning *string `json:"warning,omitempty"`
}

// Check checks every question of the set against the model.
func (s Set) Check(m *semanticmodel.Model, today time.Time) []Checked {
	has, read := namesOf(m), normalform.NewModel(m)
	all := make([]Checked, len(s.Questions))
	for i, q := range s.Questions {
		all[i] = Checked{Question: q, CanRun: true}
		if why := has.lacking(q); why != "" {
			all[i].CanRun, all[i].Reason = false, &why
		} else if why := q.unread(read, today); why != "" {
			all[i].Warning = &why
		}
	}
	return all
}

// maxCannotRun bounds the message of CheckRunnable, in bytes.
const maxCannotRun = 900

// CheckRunnable refuses questions of which some cannot run. It names as many as fit by their place, and none by its text, which the log
// does not contain.
func CheckRunnable(all []Checked) error {
	cannot, named, text := 0, 0, ""
	for i, q := range all {
		if q.CanRun {
			continue
		}
		cannot++
		if one := fmt.Sprintf(" Question %d: %s", i+1, *q.Reason); named == cannot-1 && (text == "" || len(text)+len(one) <= maxCannotRun) {
			named, text = cannot, text+one
		}
	}
	if cannot == 0 {
		return nil
	}
	return domain.Refuse(domain.InvalidRequest, "%d of %d questions cannot run, and none is saved. The first %d:%s", cannot, len(all), named, text)
}

// place is how CheckRunnable names a question.
var place = regexp.MustCompile(` Question (\d+): `)

// Cannot returns the reasons of a message of CheckRunnable, by the place of the question from 0, and what precedes them.
func Cannot(message string) (reasons map[int]string, head string) {
	found := place.FindAllStringSubmatchIndex(message, -1)
	if found == nil {
		return nil, message
	}
	reasons = map[int]string{}
	for i, at := range found {
		end := len(message)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		n, _ := strconv.Atoi(message[at[2]:at[3]])
		reasons[n-1] = message[at[1]:end]
	}
	return reasons, message[:found[0][0]]
}

// Unreadable returns the set's questions for a model that cannot be read: none can run.
func (s Set) Unreadable(err error) []Checked {
	why := fmt.Sprintf("The definition of the semantic model cannot be read: %s.", domain.Excerpt(err.Error()))
	return lists.Map(s.Questions, func(q Question) Checked { return Checked{Question: q, Reason: &why} })
}

// Runnable returns the set with only the questions that can run on the model, in order.
func (s Set) Runnable(m *semanticmodel.Model) Set {
	has := namesOf(m)
	can := Set{Questions: []Question{}, Repeats: s.Repeats}
	for _, q := range s.Questions {
		if has.lacking(q) == "" {
			can.Questions = append(can.Questions, q)
		}
	}
	return can
}
