package evaluate

import (
	"errors"
	"strings"
	"time"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
)

// calculate evaluates calculated tables and columns without rows, those that others refer
// to first. What cannot be evaluated keeps its reason. Once relationships are read,
// columns may use RELATED, and tables are no longer evaluated.
func (m *Model) calculate(o Options, related bool) error {
	if m.relations == nil {
		m.relations = newRelations(m, nil)
	}
	for more := true; more; {
		more = false
		for _, t := range m.tables {
			if t.missing != "" && t.calculated != "" && !related {
				done, err := m.calculateTable(t, o)
				if err != nil {
					return err
				}
				more = more || done
			}
			for _, c := range t.columns {
				if t.missing != "" || c.missing == "" || c.expression == "" {
					continue
				}
				done, err := m.calculateColumn(c, o, related)
				if err != nil {
					return err
				}
				more = more || done
			}
		}
	}
	return nil
}

// evaluated calls f with a session for an expression. Its error is one of Options.Stop, or
// of a limit; reason says why the expression is refused.
func (m *Model) evaluated(o Options, related bool, from source, f func(s *session, n *dax.Node)) (reason string, err error) {
	s := newSession(m, o)
	s.simple, s.related, s.sources = true, related, []source{from}
	defer s.caught(&err, func() {
		if refusal, ok := errors.AsType[*Refusal](err); ok && !refusal.Limit {
			reason, err = refusal.Error(), nil
		}
	})
	n, ok := dax.Parse(from.text)
	if !ok {
		s.refuse(nil, "the expression cannot be read")
	}
	f(s, n)
	return "", nil
}

func (m *Model) calculateTable(t *table, o Options) (done bool, err error) {
	reason, err := m.evaluated(o, false, source{"table '" + t.name + "'", t.calculated}, func(s *session, n *dax.Node) {
		g := s.table(scope{context: &context{relations: m.relations}}, n)
		for i, of := range g.columns {
			c := t.from(of.name)
			if c == nil {
				continue
			}
			values := make([]Value, g.len())
			for row := range values {
				values[row] = g.value(row, i)
			}
			c.fill(values)
		}
		t.n = g.len()
	})
	if reason != "" || err != nil {
		t.missing = reason
		return false, err
	}
	t.missing = ""
	return true, nil
}

// from returns the column of a calculated table that has the name in its expression.
func (t *table) from(name string) *column {
	for _, c := range t.columns {
		source := c.source[strings.LastIndexByte(c.source, '[')+1:]
		if strings.EqualFold(strings.TrimSuffix(source, "]"), name) {
			return c
		}
	}
	return t.byName[folded(name)]
}

func (m *Model) calculateColumn(c *column, o Options, related bool) (done bool, err error) {
	t := c.table
	reason, err := m.evaluated(o, related, source{c.String(), c.expression}, func(s *session, n *dax.Node) {
		ids := make([]int32, t.n)
		for row := range ids {
			ids[row] = int32(row)
		}
		g := t.of(ids)
		sc := scope{context: &context{relations: m.relations}}
		values := make([]Value, t.n)
		for row := range values {
			values[row] = s.scalar(sc.at(g, row), n)
		}
		c.fill(values)
	})
	if reason != "" || err != nil {
		c.missing = reason
		return false, err
	}
	return true, nil
}

// calendar returns every day between two.
func (s *session) calendar(sc scope, n *dax.Node) *grid {
	from, to := s.day(n, s.scalar(sc, n.Parts[0])), s.day(n, s.scalar(sc, n.Parts[1]))
	if to.Before(from) {
		s.refuse(n, "CALENDAR to a day before its first one")
	}
	return s.everyDay(n, from, to)
}

func (s *session) everyDay(n *dax.Node, from, to time.Time) *grid {
	g := &grid{columns: []gridColumn{{name: "Date"}}}
	s.fits(n, int(dayNumber(to)-dayNumber(from))+1, 1)
	for t := from; !t.After(to); t = t.AddDate(0, 0, 1) {
		g.values = append(g.values, []Value{OfTime(t)})
	}
	return g
}

// calendarAuto returns every day of the years that columns of dates have, except those of
// calculated tables and columns.
func (s *session) calendarAuto(_ scope, n *dax.Node) *grid {
	var first, last time.Time
	for _, t := range s.model.tables {
		for _, c := range t.columns {
			if t.calculated != "" || c.expression != "" || c.dataType != semanticmodel.DateTime {
				continue
			}
			if c.missing != "" {
				s.refuse(n, "%s", c.missing)
			}
			for _, v := range c.values[1:] {
				d := v.Time()
				if first.IsZero() || d.Before(first) {
					first = d
				}
				if d.After(last) {
					last = d
				}
			}
		}
	}
	if first.IsZero() {
		s.refuse(n, "CALENDARAUTO finds no dates")
	}
	return s.everyDay(n, start(first, "YEAR"), time.Date(last.Year(), 12, 31, 0, 0, 0, 0, time.UTC))
}
