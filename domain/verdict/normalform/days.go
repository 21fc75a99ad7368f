package normalform

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// epoch is day 0 of DAX.
var epoch = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)

// serial is the number of a day.
func serial(year, month, day int) float64 {
	return math.Round(time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Sub(epoch).Hours() / 24)
}

func dayOf(x float64) time.Time { return epoch.AddDate(0, 0, int(x)) }

// mostYears bounds the years that are cut into months.
const mostYears = 200

// days returns the filters on a calendar as filters on its days, and on the months of any year if the days have no
// bounds. A filter that cannot be read as days stays on its column.
func (p *place) days(t *table) []named {
	s := everything(true)
	months := everything(true)
	var rest []named
	for c, f := range p.filters {
		if c.table != t || c != t.date && c.part == noPart {
			continue
		}
		switch of, kind, ok := f.asDays(c); {
		case !ok:
			rest = append(rest, named{c.String(), f})
		case kind == monthPart:
			months = months.and(of)
		default:
			s = s.and(of)
		}
	}
	if !months.all() && s.numeric && bounded(s) {
		s, months = s.inMonths(months), everything(true)
	}
	return append(rest, named{t.date.String(), s.integers()}, named{t.date.String() + " month", months.integers()})
}

func bounded(s set) bool {
	n := len(s.spans)
	return n > 0 && !math.IsInf(s.spans[0].from.at, 0) && !math.IsInf(s.spans[n-1].to.at, 0) &&
		s.spans[n-1].to.at-s.spans[0].from.at < mostYears*366 && s.spans[0].from.at > 0
}

// inMonths are the days of the set that are in the months.
func (s set) inMonths(months set) set {
	in := set{numeric: true}
	end := s.spans[len(s.spans)-1].to.at
	for from := dayOf(s.spans[0].from.at); serial(from.Year(), int(from.Month()), 1) <= end; from = from.AddDate(0, 1, 0) {
		from = time.Date(from.Year(), from.Month(), 1, 0, 0, 0, 0, time.UTC)
		if months.holds(float64(from.Month())) {
			first := edge{at: serial(from.Year(), int(from.Month()), 1)}
			in.spans = append(in.spans, span{first, edge{at: serial(from.Year(), int(from.Month())+1, 1)}})
		}
	}
	in.blank = s.blank && months.blank
	both := s.integers().and(set{numeric: true, spans: in.spans, blank: in.blank})
	return both.integers()
}

// asDays reads a filter on a column of a calendar as days, or as months of any year.
func (s set) asDays(c *column) (days set, kind part, ok bool) {
	if len(s.more) > 0 {
		return set{}, noPart, false
	}
	if c.table.date == c {
		return s, noPart, s.numeric
	}
	if c.part >= monthLabel {
		return s.labels(c.part)
	}
	if !s.numeric {
		return set{}, noPart, false
	}
	s = s.integers()
	out := set{numeric: true, blank: s.blank}
	for _, p := range s.spans {
		from, okFrom := c.part.edge(p.from)
		to, okTo := c.part.edge(p.to)
		if !okFrom || !okTo {
			return set{}, noPart, false
		}
		if from.compare(to) < 0 {
			out.spans = append(out.spans, span{from, to})
		}
	}
	switch c.part {
	case quarterPart, monthPart:
		return out, monthPart, true
	default:
		return out, noPart, true
	}
}

// edge returns the edge in days, or in months for a part of any year.
func (p part) edge(e edge) (edge, bool) {
	if math.IsInf(e.at, 0) {
		return e, true
	}
	n := int(e.at)
	switch p {
	case yearPart:
		return edge{at: serial(n, 1, 1)}, 1900 <= n && n <= 9999
	case yearMonthPart:
		year, month := n/100, n%100
		if month == 13 {
			year, month = year+1, 1
		}
		return edge{at: serial(year, month, 1)}, 1900 <= year && year <= 9999 && 1 <= month && month <= 12
	case quarterPart:
		return edge{at: float64(3*(n-1) + 1)}, 1 <= n && n <= 5
	case monthPart:
		return edge{at: float64(n)}, 1 <= n && n <= 13
	default:
		return edge{}, false
	}
}

// labels reads the names of months and quarters, which the model sorts by their numbers.
func (s set) labels(p part) (set, part, bool) {
	if s.numeric || s.but {
		return set{}, noPart, false
	}
	out, kind := set{numeric: true}, monthPart
	for _, text := range s.texts {
		var from, to float64
		ok := false
		switch p {
		case monthLabel:
			var month int
			if month, ok = monthOf(text); ok {
				from, to = float64(month), float64(month+1)
			}
		case quarterLabel:
			if n, err := strconv.Atoi(strings.TrimPrefix(text, "q")); err == nil && 1 <= n && n <= 4 {
				from, to, ok = float64(3*n-2), float64(3*n+1), true
			}
		case yearMonthLabel:
			var year, month int
			if year, month, ok = yearMonthOf(text); ok {
				from, to, kind = serial(year, month, 1), serial(year, month+1, 1), noPart
			}
		default:
		}
		if !ok {
			return set{}, noPart, false
		}
		out.spans = append(out.spans, span{edge{at: from}, edge{at: to}})
	}
	slices.SortFunc(out.spans, func(a, b span) int { return a.from.compare(b.from) })
	out.blank = s.blank
	return out.integers(), kind, true
}

// monthOf returns the number of an English name of a month, or of its first three letters.
func monthOf(text string) (int, bool) {
	for m := time.January; m <= time.December; m++ {
		if name := strings.ToLower(m.String()); text == name || text == name[:3] {
			return int(m), true
		}
	}
	return 0, false
}

// yearMonthOf reads March 2025, Mar 2025, 2025 March, 2025-03 and 03/2025.
func yearMonthOf(text string) (year, month int, ok bool) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '-' || r == '/' || r == ',' })
	if len(words) != 2 {
		return 0, 0, false
	}
	for i, w := range words {
		other := words[1-i]
		if n, err := strconv.Atoi(w); err == nil && len(w) == 4 {
			year = n
			if m, named := monthOf(other); named {
				month = m
			} else if m, err := strconv.Atoi(other); err == nil && len(other) <= 2 {
				month = m
			}
		}
	}
	return year, month, 1900 <= year && 1 <= month && month <= 12
}
