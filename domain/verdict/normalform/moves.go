package normalform

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"readiness/definition/dax"
	"readiness/definition/spelling"
)

// moving are the functions that return days, most of them from those of the filter context.
var moving = strings.Fields("DATESYTD DATESQTD DATESMTD SAMEPERIODLASTYEAR DATEADD PARALLELPERIOD PREVIOUSYEAR PREVIOUSQUARTER " +
	"PREVIOUSMONTH PREVIOUSDAY NEXTYEAR NEXTQUARTER NEXTMONTH NEXTDAY LASTDATE FIRSTDATE DATESBETWEEN DATESINPERIOD")

// moves reads a function of time intelligence as a filter; false for any other.
func (r *reader) moves(n *dax.Node, in scope) (change, bool, error) {
	if n.Kind != dax.CallNode || !slices.Contains(moving, n.Text) || len(n.Parts) == 0 {
		return change{}, false, nil
	}
	p := n.Parts[0]
	if p.Kind == dax.CallNode && slices.Contains(moving, p.Text) && n.Text != "DATESBETWEEN" && n.Text != "DATESINPERIOD" {
		return r.movesTwice(n, in)
	}
	if p.Kind != dax.ColumnNode || r.named(p, in) == nil {
		return change{}, false, r.fail(p, "%s is read of a column of days", n.Text)
	}
	c := r.named(p, in)
	switch n.Text {
	case "DATESBETWEEN":
		return r.between(n, c, in)
	case "DATESINPERIOD":
		return r.inPeriod(n, c, in)
	case "DATESYTD", "DATESQTD", "DATESMTD":
		if s, ok := r.toDate(n, c, in); ok {
			return change{limits: []limit{{c, s}}}, true, nil
		}
	}
	text := n.Text + " " + c.String()
	switch n.Text {
	case "SAMEPERIODLASTYEAR":
		text = fmt.Sprintf("DATEADD %s -12 months", c)
	case "DATEADD":
		months, ok := r.months(n, in)
		if !ok {
			return change{}, false, r.fail(n, "DATEADD is read with a constant number of days, months, quarters or years")
		}
		text = "DATEADD " + c.String() + months
	default:
		for _, p := range n.Parts[1:] {
			if p.Kind == dax.NameNode {
				text += " " + spelling.Fold(p.Text)
				continue
			}
			v, err := r.scalar(p, scope{at: in.at, vars: in.vars, level: in.level})
			if err != nil {
				return change{}, false, err
			}
			text += " " + v.key(r.groups)
		}
	}
	return change{step: text, on: c.table}, true, nil
}

// movesTwice reads a function of the days that another one returns.
func (r *reader) movesTwice(n *dax.Node, in scope) (change, bool, error) {
	c, _, err := r.moves(n.Parts[0], in)
	if err != nil {
		return change{}, false, err
	}
	if c.step == "" {
		return change{}, false, r.fail(n, "%s of constant days is not read", n.Text)
	}
	text := n.Text
	switch n.Text {
	case "SAMEPERIODLASTYEAR":
		text = "DATEADD -12 months"
	case "DATEADD":
		months, ok := r.months(n, in)
		if !ok {
			return change{}, false, r.fail(n, "DATEADD is read with a constant number of days, months, quarters or years")
		}
		text += months
	default:
		if len(n.Parts) > 1 {
			return change{}, false, r.fail(n, "%s of other days is read without further arguments", n.Text)
		}
	}
	c.step = text + " of " + c.step
	return c, true, nil
}

// months returns how far DATEADD moves.
func (r *reader) months(n *dax.Node, in scope) (string, bool) {
	if len(n.Parts) != 3 || n.Parts[2].Kind != dax.NameNode {
		return "", false
	}
	v, err := r.scalar(n.Parts[1], scope{at: in.at, vars: in.vars, level: in.level})
	if err != nil || v.op != "number" || v.number != math.Trunc(v.number) {
		return "", false
	}
	unit := strings.ToUpper(n.Parts[2].Text)
	if unit == "DAY" {
		return fmt.Sprintf(" %g days", v.number), true
	}
	times := map[string]float64{"MONTH": 1, "QUARTER": 3, "YEAR": 12}[unit]
	return fmt.Sprintf(" %g months", times*v.number), times > 0
}

// between reads DATESBETWEEN with constant ends; BLANK leaves an end open.
func (r *reader) between(n *dax.Node, c *column, in scope) (change, bool, error) {
	if len(n.Parts) != 3 {
		return change{}, false, r.fail(n, "DATESBETWEEN has three arguments")
	}
	s := span{lowest, highest}
	for i, p := range n.Parts[1:] {
		v, err := r.scalar(p, scope{at: in.at, vars: in.vars, level: in.level})
		if err != nil {
			return change{}, false, err
		}
		switch {
		case v.op == "blank":
		case v.op != "number":
			return change{}, false, r.fail(p, "DATESBETWEEN is read with constant days")
		case i == 0:
			s.from = edge{at: v.number}
		default:
			s.to = edge{v.number, true}
		}
	}
	return change{limits: []limit{{c, spanning(s)}}}, true, nil
}

// spanning is the set of what lies in a span, which may be none.
func spanning(s span) set {
	if s.from.compare(s.to) >= 0 {
		return set{numeric: true}
	}
	return set{numeric: true, spans: []span{s}}
}

// inPeriod reads DATESINPERIOD back from a constant day.
func (r *reader) inPeriod(n *dax.Node, c *column, in scope) (change, bool, error) {
	unread := r.fail(n, "DATESINPERIOD is read back from a constant day")
	if len(n.Parts) != 4 || n.Parts[3].Kind != dax.NameNode {
		return change{}, false, unread
	}
	end, err := r.scalar(n.Parts[1], scope{at: in.at, vars: in.vars, level: in.level})
	if err != nil {
		return change{}, false, err
	}
	back, err := r.scalar(n.Parts[2], scope{at: in.at, vars: in.vars, level: in.level})
	if err != nil {
		return change{}, false, err
	}
	if back.op != "number" || back.number >= 0 || back.number != math.Trunc(back.number) {
		return change{}, false, unread
	}
	unit := strings.ToUpper(n.Parts[3].Text)
	if end.op != "number" {
		text := fmt.Sprintf("DATESINPERIOD %s %s %g %s", c, end.key(r.groups), back.number, unit)
		return change{step: text, on: c.table}, true, nil
	}
	months, known := map[string]int{"MONTH": 1, "QUARTER": 3, "YEAR": 12}[unit]
	last := dayOf(end.number)
	var from float64
	switch monthEnd := last.AddDate(0, 0, 1).Day() == 1; {
	case unit == "DAY":
		from = end.number + back.number + 1
	case known && monthEnd:
		from = serial(last.Year(), int(last.Month())+1+months*int(back.number), 1)
	default:
		return change{}, false, unread
	}
	return change{limits: []limit{{c, spanning(span{edge{at: from}, edge{end.number, true}})}}}, true, nil
}

// toDate returns the days from the start of a year, quarter or month to the last day of the filter context, if that
// is known: no group is on the calendar, and its filters are one span of days.
func (r *reader) toDate(n *dax.Node, c *column, in scope) (set, bool) {
	t := c.table
	if len(n.Parts) > 1 || t.date != c || in.at.on[t] || slices.ContainsFunc(r.groups, func(g *column) bool { return g.table == t }) {
		return set{}, false
	}
	for f := range in.at.filters {
		if f.table == t && f != c && f.part == noPart {
			return set{}, false
		}
	}
	all := in.at.days(t)
	for _, f := range all {
		if f.name != c.String() && !f.all() {
			return set{}, false
		}
	}
	i := slices.IndexFunc(all, func(f named) bool { return f.name == c.String() })
	if i < 0 || len(all[i].spans) != 1 || !bounded(all[i].set) {
		return set{}, false
	}
	end := all[i].spans[0].to
	last := dayOf(end.at - 1)
	from := serial(last.Year(), 1, 1)
	switch n.Text {
	case "DATESQTD":
		from = serial(last.Year(), (int(last.Month())-1)/3*3+1, 1)
	case "DATESMTD":
		from = serial(last.Year(), int(last.Month()), 1)
	}
	if all[i].spans[0].from.at < from { // where the calendar ends decides which year, quarter or month it is
		return set{}, false
	}
	return spanning(span{edge{at: from}, end}), true
}
