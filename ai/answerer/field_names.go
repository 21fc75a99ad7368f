package answerer

import (
	"fmt"
	"slices"
	"strings"

	"readiness/ai/openai"
	"readiness/definition/dax"
	"readiness/definition/spelling"
	"readiness/domain/benchmark/modelquery"
	"readiness/domain/readiness"
	"readiness/domain/verdict"
)

// fieldNames has the fields that a model was given. Names compare as in DAX.
type fieldNames struct {
	columns  map[[2]string]name
	measures map[string]name
	// joins are the columns of relationships, which a query may use in addition to columns.
	joins map[[2]string]bool
}

type name struct{ table, field string }

func newFieldNames(e readiness.Exposure) *fieldNames {
	s := &fieldNames{map[[2]string]name{}, map[string]name{}, map[[2]string]bool{}}
	for _, t := range e.Tables {
		for _, c := range t.Columns {
			s.columns[spelling.Field(t.Name, c.Name)] = name{t.Name, c.Name}
		}
		for _, m := range t.Measures {
			s.measures[spelling.Fold(m.Name)] = name{t.Name, m.Name}
		}
	}
	for _, r := range e.Relationships {
		s.joins[spelling.Field(r.FromTable, r.FromColumn)] = true
		s.joins[spelling.Field(r.ToTable, r.ToColumn)] = true
	}
	return s
}

// bare returns a name without DAX quotes or brackets.
func bare(s, open, closing string) string {
	s = strings.TrimSpace(s)
	if inner, ok := strings.CutPrefix(s, open); ok {
		if inner, ok = strings.CutSuffix(inner, closing); ok {
			return strings.ReplaceAll(inner, closing+closing, closing)
		}
	}
	return s
}

// find returns a field as the model spells it.
func (s *fieldNames) find(role verdict.Role, table, field string) (name, bool) {
	for _, f := range []string{field, bare(field, "[", "]")} {
		for _, t := range []string{table, bare(table, "'", "'")} {
			if found, ok := s.columns[spelling.Field(t, f)]; ok {
				return found, true
			}
		}
		if found, ok := s.measures[spelling.Fold(f)]; ok && role != verdict.GroupingField {
			return found, true
		}
	}
	return name{}, false
}

// answer returns a model's answer, checked against the fields that it was given. If it uses others, they
// are listed and the answer has no fields: the remaining ones would misrepresent its query.
func (s *fieldNames) answer(given openai.ModelAnswer) verdict.Answer {
	a := verdict.Answer{Text: given.Text, CannotAnswer: given.CannotAnswer}
	if given.CannotAnswer {
		return a
	}
	a.Query = strings.TrimSpace(dax.WithoutComments(given.DAX))
	miss := func(table, field string) {
		if text := fmt.Sprintf("'%s'[%s]", table, field); !slices.Contains(a.Unknown, text) {
			a.Unknown = append(a.Unknown, text)
		}
	}
	for _, f := range given.Fields {
		found, ok := s.find(f.Role, f.Table, f.Name)
		if !ok {
			miss(f.Table, f.Name)
			continue
		}
		f.Table, f.Name = found.table, found.field
		if f.Role == verdict.FilterField {
			if f, ok = filter(f); !ok {
				continue
			}
		}
		a.Fields = append(a.Fields, f)
	}
	if !dax.Defines(a.Query) {
		for _, r := range dax.Read(a.Query).References {
			key := spelling.Field(r.Table, r.Name)
			if _, known := s.find(verdict.FilterField, r.Table, r.Name); r.Qualified && !known && !s.joins[key] {
				miss(r.Table, r.Name)
			}
		}
	}
	if len(a.Unknown) > 0 {
		a.Fields = nil
	}
	return a
}

// filter returns a filter in the form in which answers are compared, and false when it filters
// nothing.
func filter(f verdict.Field) (verdict.Field, bool) {
	switch {
	case len(f.Values) == 0:
		return f, false
	case f.Operator == modelquery.In && len(f.Values) == 1:
		f.Operator = modelquery.Equal
	case (f.Operator == modelquery.Equal || f.Operator == "") && len(f.Values) > 1:
		f.Operator = modelquery.In
	case f.Operator == "":
		f.Operator = modelquery.Equal
	}
	return f, true
}
