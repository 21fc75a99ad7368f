// Package chart draws charts as SVG by templates. Each has a table of the same numbers. The charts contain no text that scales,
// no inline style and no script: style.css of package page gives them colours in both themes and in print.
package chart

import (
	"embed"
	"html/template"
	"strconv"
	"strings"
	"time"
)

//go:embed *.html
var files embed.FS

var charts = template.Must(template.New("charts").Funcs(template.FuncMap{
	"day":     func(t time.Time) string { return t.UTC().Format("2 Jan 2006") },
	"stamp":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"decimal": Decimal,
}).ParseFS(files, "*.html"))

// draw returns the chart that the template makes of data.
func draw(name string, data any) (template.HTML, error) {
	var b strings.Builder
	err := charts.ExecuteTemplate(&b, name, data)
	return template.HTML(b.String()), err //nolint:gosec // a template of this package escaped it
}

// Decimal returns a number as charts write it: with at most two decimals, and a true minus sign.
func Decimal(v float64) string {
	text := strconv.FormatFloat(v, 'f', 2, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		return "0"
	}
	return strings.Replace(text, "-", "−", 1)
}

// coordinate returns a coordinate with at most two decimals.
func coordinate(v float64) string { return strings.Replace(Decimal(v), "−", "-", 1) }

// scaled returns where value is on a scale from low to high of the given length; outside of it, its nearest end.
func scaled(value, low, high, length float64) float64 {
	if high <= low {
		return 0
	}
	return min(max((value-low)/(high-low), 0), 1) * length
}
