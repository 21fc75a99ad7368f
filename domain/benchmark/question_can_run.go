package benchmark

import (
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
	"readiness/domain/comparison"
)

// CanRun reports whether the model has every field that the question's correct
// answer uses; why says in a sentence which is missing, "" when none is. Names are
// compared as answers are: without regard to case, a measure's whatever its table.
// Fields that nobody sees are there. A query's own fields are looked for too, but
// for those that it defines itself.
func (q Question) CanRun(m *semanticmodel.Model) (ok bool, why string) {
	why = namesOf(m).lacking(q)
	return why == "", why
}

// names are what a model has, under fold.
type names struct {
	tables   map[string]bool
	columns  map[[2]string]bool
	measures map[string]bool
}

func namesOf(m *semanticmodel.Model) names {
	has := names{map[string]bool{}, map[[2]string]bool{}, map[string]bool{}}
	for _, t := range m.Tables {
		table := fold(t.Name)
		has.tables[table] = true
		for _, c := range t.Columns {
			if !c.IsRowNumber {
				has.columns[[2]string{table, fold(c.Name)}] = true
			}
		}
		for _, x := range t.Measures {
			has.measures[fold(x.Name)] = true
		}
	}
	return has
}

// lacking says what the question's answer needs and the model has not, "" when
// there is nothing.
func (has names) lacking(q Question) string {
	for _, f := range q.Expected.Fields {
		if why := has.lacks(f); why != "" {
			return why
		}
	}
	return has.lacksAny(q.Expected.DAX)
}

// lacks says that a field is missing, "" when it is not. A filter may be on a
// measure, as that of the top rows is.
func (has names) lacks(f comparison.Field) string {
	column := has.columns[[2]string{fold(f.Table), fold(f.Name)}]
	measure := has.measures[fold(f.Name)]
	switch {
	case f.Role == comparison.MeasureField && !measure:
		return fmt.Sprintf("The model has no measure [%s] any more: it was renamed or deleted.", shown(f.Name))
	case f.Role == comparison.MeasureField, column, f.Role == comparison.FilterField && measure:
		return ""
	case !has.tables[fold(f.Table)]:
		return fmt.Sprintf("The model has no table '%s' any more, of which the answer uses the column [%s]: it was renamed or deleted.", shown(f.Table), shown(f.Name))
	}
	return fmt.Sprintf("The model has no column '%s'[%s] any more: it was renamed or deleted.", shown(f.Table), shown(f.Name))
}

// lacksAny says which field that a query names with its table is missing. Bare
// names may be those of the query's own columns, and where it defines something
// itself any name may be.
func (has names) lacksAny(query string) string {
	if query == "" || dax.Defines(query) {
		return ""
	}
	for _, r := range dax.Read(query).References {
		if !r.Qualified || has.columns[[2]string{fold(r.Table), fold(r.Name)}] || has.tables[fold(r.Table)] && has.measures[fold(r.Name)] {
			continue
		}
		return fmt.Sprintf("The model has no field '%s'[%s] any more, which the query of the answer names: it was renamed or deleted.", shown(r.Table), shown(r.Name))
	}
	return ""
}

// fold is the form in which names compare, as in package comparison.
func fold(s string) string { return strings.ToLower(norm.NFC.String(strings.TrimSpace(s))) }

// shown is a name as sentences say it, however long it is.
func shown(name string) string {
	const most = 100
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return name
}

// Checked is a question with whether it can run on its model as that was when
// somebody looked (decisions 6, BenchmarkQuestions).
type Checked struct {
	Question
	CanRun bool `json:"canRun"`
	// Reason is a sentence: why it cannot run; nil when it can.
	Reason *string `json:"reason"`
}

// Check holds every question of the set against the model.
func (s Set) Check(m *semanticmodel.Model) []Checked {
	has := namesOf(m)
	all := make([]Checked, len(s.Questions))
	for i, q := range s.Questions {
		all[i] = Checked{Question: q, CanRun: true}
		if why := has.lacking(q); why != "" {
			all[i].CanRun, all[i].Reason = false, &why
		}
	}
	return all
}

// Unreadable is the set's questions when the model cannot be read at all: none can
// run.
func (s Set) Unreadable(err error) []Checked {
	why := fmt.Sprintf("The definition of the semantic model cannot be read: %s.", shown(err.Error()))
	all := make([]Checked, len(s.Questions))
	for i, q := range s.Questions {
		all[i] = Checked{q, false, &why}
	}
	return all
}

// Runnable are the questions of the set that the model has everything for, in
// their order.
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
