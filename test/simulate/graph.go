//go:build unix

package main

import (
	"fmt"
	"math"
	"strings"
)

// panel is a chart of the graph: lines over the time of the run.
type panel struct {
	title string
	log   bool // whether the scale is logarithmic, from 1
	lines []string
}

// panels are the charts, from the top down. Each line is the column of that name.
var panels = []panel{
	{"Page views a second", false, []string{"views asked/s", "views answered/s", "views counted/s", "views dropped/s"}},
	{"Assessments a second", false, []string{"assessments asked/s", "assessments answered/s", "assessed/s"}},
	{"Reads and portfolios a second", false, []string{"reads asked/s", "reads answered/s", "portfolios answered/s"}},
	{"99% of the calls took at most, ms", true, []string{"views p99 ms", "reads p99 ms", "portfolios p99 ms", "assessments p99 ms"}},
	{"Processors in use", false, []string{"program cores", "PostgreSQL cores", "sender cores"}},
	{"Steps in the queue, and events that a view lacks", true, []string{"steps waiting", "view lag events"}},
	{"Age of the oldest step, s", false, []string{"oldest step s"}},
	{"Memory of the program, MiB", false, []string{"program MiB"}},
}

// colours are readable on white and on black, in the order of the lines.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#b5579a"}

// Sizes of the graph, in pixels.
const (
	width, height    = 900, 150 // of a chart
	left, right, top = 70, 20, 40
	between          = 60
)

// graphOf draws the rows, as SVG without scripts.
func graphOf(rows []row) string {
	var b strings.Builder
	total := top + len(panels)*(height+between)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n",
		left+width+right, total)
	fmt.Fprintf(&b, "<title>A simulated day</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", left+width+right, total)
	end := 1.0
	if len(rows) > 0 {
		end = rows[len(rows)-1].at.Minutes()
	}
	for i, p := range panels {
		p.draw(&b, rows, top+i*(height+between), end)
	}
	return b.String() + "</svg>\n"
}

func (p panel) draw(b *strings.Builder, rows []row, y int, end float64) {
	most := 1.0
	for _, name := range p.lines {
		c := named(name)
		for _, r := range rows {
			most = max(most, c.of(r))
		}
	}
	most = p.round(most)
	fmt.Fprintf(b, `<text x="%d" y="%d" font-weight="bold">%s</text>`+"\n", left, y-20, p.title)
	for _, part := range []float64{0, .5, 1} {
		value, at := part*most, y+height-int(part*height)
		if p.log {
			value = math.Pow(most, part)
		}
		fmt.Fprintf(b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#ccc"/>`, left, at, left+width, at)
		fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", left-6, at+4, short(value))
	}
	for minute := 0.0; minute <= end; minute += max(1, math.Ceil(end/12)) {
		x := left + int(minute/end*width)
		fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle" fill="#555">%s min</text>`+"\n", x, y+height+16, short(minute))
	}
	legend := left + width
	for i := len(p.lines) - 1; i >= 0; i-- {
		legend -= 7*len(p.lines[i]) + 24
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="12" height="4" fill="%s"/><text x="%d" y="%d">%s</text>`+"\n", legend, y-25, colours[i],
			legend+16, y-20, p.lines[i])
	}
	for i, name := range p.lines {
		c := named(name)
		fmt.Fprintf(b, `<polyline fill="none" stroke="%s" stroke-width="1.5" points="`, colours[i])
		for _, r := range rows {
			fmt.Fprintf(b, "%.1f,%.1f ", left+r.at.Minutes()/end*width, float64(y+height)-p.part(c.of(r), most)*height)
		}
		fmt.Fprintln(b, `"/>`)
	}
}

// round returns the end of a scale that has room for most.
func (p panel) round(most float64) float64 {
	step := math.Pow(10, math.Floor(math.Log10(most)))
	if p.log {
		return max(10, math.Pow(10, math.Ceil(math.Log10(most))))
	}
	return math.Ceil(most/step) * step
}

// part is where a value is on a scale from 0 to 1.
func (p panel) part(v, most float64) float64 {
	if p.log {
		return math.Log10(max(1, v)) / math.Log10(most)
	}
	return v / most
}
