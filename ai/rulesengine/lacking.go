package rulesengine

import (
	"slices"
	"strings"

	"readiness/domain/benchmark/modelquery"
	"readiness/domain/verdict"
)

// FiltersTexts reports whether an answer filters by values of a text column. An engine that knows the values may then report
// that the column lacks one.
func (e *Engine) FiltersTexts(fields []verdict.Field) bool {
	return slices.ContainsFunc(fields, func(f verdict.Field) bool { return e.filtersTexts(f) != nil })
}

// Lacks reports whether an answer filters by a value that its column does not have, as far as the engine knows values.
func (e *Engine) Lacks(fields []verdict.Field) bool {
	return slices.ContainsFunc(fields, func(f verdict.Field) bool {
		column := e.filtersTexts(f)
		return column != nil && slices.ContainsFunc(f.Values, func(v string) bool { return e.lacks(column, v) })
	})
}

// filtersTexts returns the text column by whose entire values a field of an answer filters, else nil.
func (e *Engine) filtersTexts(f verdict.Field) *field {
	entire := []modelquery.Operator{modelquery.Equal, modelquery.NotEqual, modelquery.In}
	if f.Role != verdict.FilterField || !slices.Contains(entire, f.Operator) {
		return nil
	}
	column := e.lexicon.find(FieldRef{f.Table, f.Name}, false)
	if column == nil || column.dataType != "string" {
		return nil
	}
	return column
}

// lacks reports whether all values of a column are known and the value is not among them.
func (e *Engine) lacks(f *field, value string) bool {
	if e.second == nil || len(e.second.read[f]) == 0 {
		return false
	}
	_, known := e.second.read[f][strings.ToLower(value)]
	return !known
}

// yearAmong returns the only one of a column's values that is the fiscal year, in any spelling: FY26 for 2026.
func yearAmong(values map[string]string, year string) (found string) {
	short := func(s string) string {
		digits := strings.TrimLeft(strings.ToLower(s), "fy -")
		if len(digits) == 4 {
			return strings.TrimPrefix(digits, "20")
		}
		return digits
	}
	for _, v := range values {
		if short(v) != short(year) {
			continue
		}
		if found != "" {
			return ""
		}
		found = v
	}
	return found
}
