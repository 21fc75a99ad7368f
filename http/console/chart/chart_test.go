package chart_test

import (
	"encoding/xml"
	"html/template"
	"io"
	"strings"
	"testing"
	"time"

	"readiness/http/console/chart"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const hostile = `<script>alert(1)</script>"'&`

// Every chart is well formed, contains its numbers as text, no inline style, and no name as markup.
func TestCharts(t *testing.T) {
	t.Parallel()
	at := func(days int) time.Time { return noon.AddDate(0, 0, days) }
	for name, row := range map[string]struct {
		chart interface{ HTML() (template.HTML, error) }
		want  []string
	}{
		"bars": {chart.Bars{Caption: hostile, LabelHead: "Dimension", ValueHead: "Score", NoteHead: "Lost", Max: 100, Bars: []chart.Bar{
			{Label: hostile, Value: 40, Note: "3 points", Tone: chart.Poor}, {Label: "None", Missing: true, Text: "no rule applies"},
			{Label: "Over", Value: 400, Link: "javascript:alert(1)"},
		}}, []string{`width="40"`, `width="100"`, "3 points", "no rule applies", `href="#ZgotmplZ"`}},
		"line": {chart.Line{Caption: hostile, Head: "Score", High: 100, Points: []chart.Point{
			{At: at(0), Value: 50, Note: hostile}, {At: at(1), Value: 60}, {At: at(2), Missing: true}, {At: at(3), Value: 70}, {At: at(4), Value: 80, Break: true},
		}, Marks: []chart.Mark{{At: at(2), Label: "apply of " + hostile}, {At: at(3), Label: "revert"}, {At: at(4), Label: "revert"}}},
			[]string{"M50 92L154 76.4M362 60.8M466 45.2", "21 Nov 2026", "25 Nov 2026", "none", "apply of", "&amp;, revert</small>"}},
		"spread": {chart.Spread{Caption: hostile, LabelHead: "Workspace", Rows: []chart.SpreadRow{
			{Label: hostile, Link: "/?workspaceId=1", Counts: [10]int{0, 1, 0, 0, 0, 0, 0, 0, 0, 2}, Middle: 90}, {Label: "none"},
		}}, []string{`x="10.75" y="10" width="8.5" height="10"`, `y="0" width="8.5" height="20"`, "1 from 10, 2 from 90", `href="/?workspaceId=1"`}},
		"one point":         {chart.Line{High: 100, Points: []chart.Point{{At: at(0), Value: 50}}}, []string{`cx="258"`}},
		"no point":          {chart.Line{High: 100}, []string{"nothing to draw"}},
		"spark":             {chart.Spark{What: "Scores", High: 100, Values: []float64{10, 20.5, 100}}, []string{`aria-label="Scores: 10, 20.5, 100"`, `cx="78" cy="2"`}},
		"spark of one":      {chart.Spark{What: "Scores", High: 100, Values: []float64{50}}, []string{`cx="2" cy="10"`}},
		"spark of none":     {chart.Spark{}, nil},
		"intervals":         {chart.Intervals{Caption: hostile, LabelHead: "Measure", ValueHead: "Difference", Low: -50, High: 50, Unit: " points", Rows: []chart.Interval{{Label: hostile, Low: -5, Estimate: 7.25, High: 20, Note: "no difference is shown"}}}, []string{"7.25 points", "(−5 to 20)", `x1="45" x2="70"`, `x1="50" x2="50"`}},
		"calendar":          {chart.Calendar{Caption: hostile, Head: "Views", Days: []chart.Day{{noon, 0}, {at(1), 5}, {at(2), 10}}}, []string{": 15", "level0", "level2", "level4", `x="32" y="118"`, `x="52" y="18"`, `<text x="0" y="31">Mon</text>`, `<text x="32" y="12">21 Nov</text>`}},
		"calendar of none":  {chart.Calendar{Caption: "Views"}, []string{"nothing to draw"}},
		"calendar of zeros": {chart.Calendar{Days: []chart.Day{{noon, 0}}}, []string{"level0"}},
	} {
		got, err := row.chart.HTML()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text := string(got)
		for _, want := range row.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q:\n%s", name, want, text)
			}
		}
		if strings.Contains(text, "<script") || strings.Contains(text, "style=") {
			t.Errorf("%s has a script or an inline style:\n%s", name, text)
		}
		decoder := xml.NewDecoder(strings.NewReader("<x>" + text + "</x>"))
		decoder.Entity = xml.HTMLEntity
		for {
			if _, err := decoder.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s is not well formed: %v\n%s", name, err, text)
			}
		}
	}
}

// Numbers are written without needless digits.
func TestDecimal(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{0: "0", 1: "1", 1.5: "1.5", 1.005: "1", 100: "100", -2.25: "−2.25", -0.001: "0", 1e6: "1000000", 10.10: "10.1"} {
		if got := chart.Decimal(v); got != want {
			t.Errorf("%v: got %q, want %q", v, got, want)
		}
	}
}
