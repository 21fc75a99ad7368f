package evaluate

import (
	"strconv"
	"strings"

	"readiness/definition/dax"
)

// dateParts are the parts of date formats that are known, the longest first, with their
// layouts.
var dateParts = []struct{ part, layout string }{
	{"yyyy", "2006"}, {"mmmm", "January"}, {"dddd", "Monday"}, {"mmm", "Jan"}, {"ddd", "Mon"}, {"yy", "06"}, {"mm", "01"}, {"dd", "02"},
	{"m", "1"}, {"d", "2"},
}

// format knows English dates of years, months, days and separators, and for numbers
// "0", "0.00" and "0%".
func (s *session) format(n *dax.Node, v []Value) Value {
	if !s.model.english {
		s.refuse(n, "FORMAT depends on the language, which is not English")
	}
	switch {
	case v[1].kind != Text:
	case v[0].kind == DateTime:
		if layout, ok := layoutOf(v[1].text); ok {
			return Value{kind: Text, text: v[0].Time().Format(layout)}
		}
	case v[0].kind == Number:
		if text, ok := s.formatNumber(n, v[0].number, v[1].text); ok {
			return Value{kind: Text, text: text}
		}
	}
	s.refuse(n, "FORMAT of %q as %.40q is not known", v[0].String(), v[1].String())
	return Value{}
}

// layoutOf returns the layout of package time for a format of dates.
func layoutOf(format string) (layout string, ok bool) {
	rest := strings.ToLower(format)
next:
	for rest != "" {
		for _, p := range dateParts {
			if strings.HasPrefix(rest, p.part) && !strings.HasPrefix(rest, p.part+p.part[:1]) {
				layout, rest = layout+p.layout, rest[len(p.part):]
				continue next
			}
		}
		if !strings.ContainsRune("- .,", rune(rest[0])) {
			return "", false
		}
		layout, rest = layout+rest[:1], rest[1:]
	}
	return layout, layout != ""
}

// formatNumber knows 0 with decimals, and percentages.
func (s *session) formatNumber(n *dax.Node, x float64, format string) (string, bool) {
	digits, percent := strings.CutSuffix(format, "%")
	whole, decimals, _ := strings.Cut(digits, ".")
	if whole != "0" || strings.Trim(decimals, "0") != "" || strings.HasSuffix(digits, ".") || len(decimals) > 10 {
		return "", false
	}
	after := ""
	if percent {
		x, after = x*100, "%"
	}
	rounded := s.round(n, []Value{OfNumber(x), OfNumber(float64(len(decimals)))})
	return strconv.FormatFloat(rounded.number, 'f', len(decimals), 64) + after, true
}
