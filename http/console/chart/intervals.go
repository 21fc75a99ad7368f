package chart

import "html/template"

// Interval is an estimate with the interval of its confidence.
type Interval struct {
	Label               string
	Low, Estimate, High float64
	// Note is the conclusion from the interval.
	Note string
	Tone Tone
}

// Intervals is a table in which each row shows its interval on a common scale, with a line at Reference.
type Intervals struct {
	Caption, LabelHead, ValueHead string
	// Low and High are the ends of the scale; Reference is the value that means no difference.
	Low, High, Reference float64
	// Unit follows each number, such as " points".
	Unit string
	Rows []Interval
}

// HTML returns the chart.
func (c Intervals) HTML() (template.HTML, error) { return draw("intervals", c) }

// X returns the horizontal coordinate of a value, 0 to 100.
func (c Intervals) X(value float64) string { return coordinate(scaled(value, c.Low, c.High, 100)) }
