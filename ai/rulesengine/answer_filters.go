package rulesengine

import (
	"fmt"
	"slices"
	"strings"

	"readiness/ai/rulesengine/wording"
	"readiness/domain/benchmark/modelquery"
)

// attachBounds finds the mention that each comparison with a number limits: the one before it, else
// the one after it.
func (q *question) attachBounds(d *draft) string {
	for _, b := range q.bounds {
		m := q.mentionNear(b.run)
		if m == nil {
			return fmt.Sprintf("I do not know what should be %q", q.text(b.run))
		}
		column, measure := m.best()
		list := m.columns
		if measure >= column-0.05 {
			list = m.measures
		}
		c, why := q.choose(list, m.run, d)
		if why != "" {
			return why
		}
		f := modelquery.Filter{Field: c.field.named(), Operator: b.operator, Values: b.values, Type: modelquery.NumberValue}
		from := reason{q.text(run{min(m.from, b.from), max(m.to, b.to)}), c.source, c.score}
		if c.field.measure {
			d.use(c.field, reason{q.text(m.run), c.source, c.score})
		} else if modelquery.ValueTypeOf(c.field.dataType) != modelquery.NumberValue &&
			!slices.Contains([]modelquery.Operator{modelquery.Equal, modelquery.NotEqual}, b.operator) {
			return fmt.Sprintf("%s is no number", shorten(c.field.String()))
		} else if modelquery.ValueTypeOf(c.field.dataType) != modelquery.NumberValue {
			f.Type = modelquery.TextValue
		}
		m.used = true
		d.filter(f, fmt.Sprintf("%s %s %s", shorten(c.field.String()), spoken(f.Operator), strings.Join(f.Values, " and ")), from)
	}
	return ""
}

// links are words that may be between a field and the value it is compared with.
var links = wording.SetOf("of is are was were be being a an the that which in")

// mentionNear returns the mention that follows a number directly as its unit ("more than 100 units"), else the one right before a
// comparison, else the one right after it.
func (q *question) mentionNear(b run) *mention {
	for k := range q.mentions {
		if m := &q.mentions[k]; m.from == b.to && q.words[m.from].after == 0 && (k == 0 || !q.mentions[k-1].isExactMeasure()) {
			return m
		}
	}
	for _, backwards := range []bool{true, false} {
		for k := range q.mentions {
			m := &q.mentions[k]
			from, to := m.to, b.from
			if !backwards {
				from, to = b.to, m.from
			}
			if from > to {
				continue
			}
			near := true
			for i := from; i < to; i++ {
				near = near && !q.taken[i] && links[q.words[i].lower]
			}
			if near {
				return m
			}
		}
	}
	return nil
}

// isExactMeasure reports whether the words are the entire name of a measure.
func (m *mention) isExactMeasure() bool {
	column, measure := m.best()
	return measure > completeName && measure >= column && m.to > m.from+1
}

// valuesOf adds the filters on values that the question names.
func (q *question) valuesOf(d *draft) string {
	for _, f := range q.filters {
		if f.source == InValues {
			q.valueColumn(&f, d)
		}
		c, why := q.choose(f.column, f.columnAt, d)
		if why != "" {
			return why
		}
		kind := modelquery.ValueTypeOf(c.field.dataType)
		values := slices.Concat(f.values, c.values)
		for i, v := range values {
			typed, ok := typedValue(kind, v)
			if !ok {
				return fmt.Sprintf("%q is no value of %s", shorten(v), shorten(c.field.String()))
			}
			if f.operator != modelquery.Contains && q.engine.lacks(c.field, typed) {
				return fmt.Sprintf("%q is no value of %s", shorten(typed), shorten(c.field.String()))
			}
			values[i] = typed
		}
		if f.operator == modelquery.Contains {
			kind = modelquery.TextValue
		}
		operator := f.operator
		one := [][]string{values}
		switch {
		case f.negated && operator == modelquery.Contains:
			return fmt.Sprintf("I cannot leave out what contains %q", shorten(f.values[0]))
		case f.negated:
			operator, one = modelquery.NotEqual, nil
			for _, v := range values {
				one = append(one, []string{v})
			}
		case operator == modelquery.Equal && len(values) > 1:
			operator = modelquery.In
			slices.Sort(values)
		}
		for _, values := range one {
			if f.compared {
				d.use(c.field, reason{q.text(f.run), f.source, c.score})
			}
			d.filter(modelquery.Filter{Field: c.field.named(), Operator: operator, Values: values, Type: kind},
				fmt.Sprintf("%s %s %s", shorten(c.field.String()), spoken(operator), shorten(strings.Join(values, ", "))),
				reason{q.text(f.run), f.source, c.score})
		}
	}
	return ""
}

// typedValue returns a value in the form of a filter on a column of its kind.
func typedValue(kind modelquery.ValueType, v string) (string, bool) {
	switch kind {
	case modelquery.NumberValue:
		words := readWords(v, true)
		n, used, ok := amount(words)
		return n, ok && used == len(words)
	case modelquery.BooleanValue:
		switch strings.ToLower(v) {
		case "true", "yes":
			return "true", true
		case "false", "no":
			return "false", true
		}
		return "", false
	case modelquery.DateValue:
		return "", false // a time finds its own column
	case modelquery.TextValue:
	}
	return v, true
}
