package normalform

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// set is the values of a column that a filter lets through. Numbers and days are in spans, days as serial numbers;
// other values are in a list, or everything but a list. The zero set is empty.
type set struct {
	spans []span
	// texts are sorted; but is true if the set is everything but them. Truth values are texts too.
	texts []string
	but   bool
	// numeric is true if spans count, and false if texts do.
	numeric bool
	// blank is true if BLANK is in the set.
	blank bool
	// more are conditions that have no form here, sorted; a value meets all of them.
	more []string
}

// edge is a place next to a value: before it, or after it.
type edge struct {
	at    float64
	after bool
}

func (e edge) compare(f edge) int {
	if c := cmp.Compare(e.at, f.at); c != 0 || e.after == f.after {
		return c
	}
	if f.after {
		return -1
	}
	return 1
}

// span is what lies between two edges.
type span struct{ from, to edge }

var (
	lowest  = edge{at: math.Inf(-1)}
	highest = edge{at: math.Inf(1), after: true}
)

// everything is the set of all values, BLANK among them.
func everything(numeric bool) set {
	return set{spans: []span{{lowest, highest}}, but: true, numeric: numeric, blank: true}
}

// compared is the set of numbers x with `x operator at`. BLANK compares as 0 (learn.microsoft.com/dax/best-practices/dax-understand-orderby
// and the comparison operators: only == distinguishes BLANK from 0).
func compared(operator string, at float64) set {
	before, after := edge{at: at}, edge{at, true}
	s := set{numeric: true}
	switch operator {
	case "=", "==":
		s.spans = []span{{before, after}}
	case "<>":
		s.spans = []span{{lowest, before}, {after, highest}}
	case "<":
		s.spans = []span{{lowest, before}}
	case "<=":
		s.spans = []span{{lowest, after}}
	case ">":
		s.spans = []span{{after, highest}}
	case ">=":
		s.spans = []span{{before, highest}}
	}
	s.blank = operator != "==" && s.holds(0)
	return s
}

func (s set) holds(x float64) bool {
	at := edge{at: x}
	return slices.ContainsFunc(s.spans, func(p span) bool { return p.from.compare(at) <= 0 && at.compare(p.to) < 0 })
}

// listed is the set of texts, or everything but them.
func listed(but bool, texts ...string) set {
	slices.Sort(texts)
	return set{texts: slices.Compact(texts), but: but}
}

// not is the complement; ok is false if the set has conditions without a form.
func (s set) not() (set, bool) {
	n := set{numeric: s.numeric, texts: s.texts, but: !s.but, blank: !s.blank}
	at := lowest
	for _, p := range s.spans {
		if at.compare(p.from) < 0 {
			n.spans = append(n.spans, span{at, p.from})
		}
		at = p.to
	}
	if s.numeric && at.compare(highest) < 0 {
		n.spans = append(n.spans, span{at, highest})
	}
	return n, len(s.more) == 0
}

// and is what is in both sets.
func (s set) and(t set) set {
	both := set{numeric: s.numeric, blank: s.blank && t.blank, more: union(s.more, t.more)}
	if s.numeric {
		for _, p := range s.spans {
			for _, q := range t.spans {
				from, to := p.from, p.to
				if from.compare(q.from) < 0 {
					from = q.from
				}
				if q.to.compare(to) < 0 {
					to = q.to
				}
				if from.compare(to) < 0 {
					both.spans = append(both.spans, span{from, to})
				}
			}
		}
		slices.SortFunc(both.spans, func(p, q span) int { return p.from.compare(q.from) })
		return both
	}
	switch {
	case s.but && t.but:
		both.texts, both.but = union(s.texts, t.texts), true
	case s.but:
		both.texts = without(t.texts, s.texts)
	case t.but:
		both.texts = without(s.texts, t.texts)
	default:
		both.texts = slices.DeleteFunc(slices.Clone(s.texts), func(x string) bool { return !slices.Contains(t.texts, x) })
	}
	return both
}

// or is what is in either set; ok is false if one has conditions without a form.
func (s set) or(t set) (either set, ok bool) {
	a, okA := s.not()
	b, okB := t.not()
	either, ok = a.and(b).not()
	return either, ok && okA && okB
}

// empty reports whether no value can be in the set.
func (s set) empty() bool {
	if s.numeric {
		return len(s.spans) == 0 && !s.blank
	}
	return !s.but && len(s.texts) == 0 && !s.blank
}

// disjoint reports that no value is in both sets, whatever the data.
func (s set) disjoint(t set) bool { return s.numeric == t.numeric && s.and(t).empty() }

// all reports whether every value is in the set.
func (s set) all() bool {
	return s.blank && len(s.more) == 0 && (s.numeric && len(s.spans) == 1 && s.spans[0] == span{lowest, highest} ||
		!s.numeric && s.but && len(s.texts) == 0)
}

// integers moves the edges of spans, so that sets of the same integers are equal.
func (s set) integers() set {
	if !s.numeric {
		return s
	}
	move := func(e edge) edge {
		if math.IsInf(e.at, 0) {
			return e
		}
		up := math.Ceil(e.at)
		if e.after && up == e.at {
			up++
		}
		return edge{at: up}
	}
	var spans []span
	for _, p := range s.spans {
		q := span{move(p.from), move(p.to)}
		switch n := len(spans); {
		case q.from.compare(q.to) >= 0:
		case n > 0 && spans[n-1].to == q.from:
			spans[n-1].to = q.to
		default:
			spans = append(spans, q)
		}
	}
	s.spans = spans
	return s
}

// String is the same text for equal sets.
func (s set) String() string {
	var b strings.Builder
	if s.numeric {
		for _, p := range s.spans {
			b.WriteString(p.from.text(true) + ".." + p.to.text(false) + ";")
		}
	} else {
		if s.but {
			b.WriteString("but ")
		}
		fmt.Fprintf(&b, "%q", s.texts)
	}
	if s.blank {
		b.WriteString(" or BLANK")
	}
	for _, m := range s.more {
		b.WriteString(" and " + m)
	}
	return b.String()
}

func (e edge) text(from bool) string {
	if math.IsInf(e.at, 0) {
		return ""
	}
	text := strconv.FormatFloat(e.at, 'g', -1, 64)
	if e.after == from {
		return text + "!" // the value itself is outside below, and inside above
	}
	return text
}

func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return slices.Contains(b, x) })
}
