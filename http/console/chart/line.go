package chart

import (
	"html/template"
	"slices"
	"strings"
	"time"
)

// Point is a value at a time.
type Point struct {
	At    time.Time
	Value float64
	// Missing is a point without a value; the line breaks there.
	Missing bool
	// Break is a point that is not comparable with the previous one: no line joins them.
	Break bool
	// Note is the table's text about the point.
	Note string
	Link string
}

// Mark is an event between the points, such as an apply.
type Mark struct {
	At    time.Time
	Label string
	Link  string
}

// Line is a value over time, with marks.
type Line struct {
	// Caption is what the chart shows; Head is the head of the values in its table.
	Caption, Head string
	// Low and High are the ends of the scale of values.
	Low, High float64
	// Points and Marks are oldest first.
	Points []Point
	Marks  []Mark
}

// The chart's field, in the units of its view box.
const (
	lineWidth  = 480.0
	lineHeight = 200.0
	lineLeft   = 50.0
	lineRight  = 14.0
	lineTop    = 14.0
	lineBottom = 30.0
)

// HTML returns the chart.
func (c Line) HTML() (template.HTML, error) { return draw("line", c) }

// span returns the first and the last time of the chart.
func (c Line) span() (first, last time.Time) {
	for i, p := range c.Points {
		if i == 0 || p.At.Before(first) {
			first = p.At
		}
		if i == 0 || p.At.After(last) {
			last = p.At
		}
	}
	for _, m := range c.Marks {
		if m.At.After(last) {
			last = m.At
		}
	}
	return first, last
}

func (c Line) x(at time.Time) float64 {
	first, last := c.span()
	width := lineWidth - lineLeft - lineRight
	if !last.After(first) {
		return lineLeft + width/2
	}
	return lineLeft + scaled(at.Sub(first).Seconds(), 0, last.Sub(first).Seconds(), width)
}

func (c Line) y(value float64) float64 {
	height := lineHeight - lineTop - lineBottom
	return lineTop + height - scaled(value, c.Low, c.High, height)
}

// X returns the horizontal coordinate of a time.
func (c Line) X(at time.Time) string { return coordinate(c.x(at)) }

// Y returns the vertical coordinate of a value.
func (c Line) Y(value float64) string { return coordinate(c.y(value)) }

// Path returns the lines between comparable points.
func (c Line) Path() string {
	var b strings.Builder
	pen := false
	for _, p := range c.Points {
		if p.Missing {
			pen = false
			continue
		}
		step := "L"
		if !pen || p.Break {
			step = "M"
		}
		b.WriteString(step + c.X(p.At) + " " + c.Y(p.Value))
		pen = true
	}
	return b.String()
}

// Marked returns what the marks are, each name once.
func (c Line) Marked() string {
	var names []string
	for _, m := range c.Marks {
		if !slices.Contains(names, m.Label) {
			names = append(names, m.Label)
		}
	}
	return strings.Join(names, ", ")
}

// Ticks returns the values of the horizontal lines.
func (c Line) Ticks() []float64 {
	ticks := make([]float64, 5)
	for i := range ticks {
		ticks[i] = c.Low + (c.High-c.Low)*float64(i)/4
	}
	return ticks
}

// Days returns the times that the horizontal axis names: its ends, or its only one.
func (c Line) Days() []time.Time {
	first, last := c.span()
	switch {
	case first.IsZero():
		return nil
	case last.Sub(first) < 24*time.Hour:
		return []time.Time{first}
	}
	return []time.Time{first, last}
}

// Anchor returns how the label of a day is aligned.
func (c Line) Anchor(i int) string {
	days := c.Days()
	switch {
	case len(days) < 2:
		return "middle"
	case i == 0:
		return "start"
	}
	return "end"
}
