package chart

import (
	"html/template"
	"strings"

	"readiness/internal/lists"
)

// Spark is a small line without axes, for the cell of a table. Screen readers get its values as text.
type Spark struct {
	// What names the values, such as "Scores".
	What      string
	Low, High float64
	// Values are oldest first.
	Values []float64
}

// HTML returns the chart.
func (c Spark) HTML() (template.HTML, error) { return draw("spark", c) }

func (c Spark) at(i int) (x, y string) {
	return coordinate(2 + scaled(float64(i), 0, float64(len(c.Values)-1), 76)), coordinate(18 - scaled(c.Values[i], c.Low, c.High, 16))
}

// Points returns the line's points.
func (c Spark) Points() string {
	points := make([]string, len(c.Values))
	for i := range c.Values {
		x, y := c.at(i)
		points[i] = x + "," + y
	}
	return strings.Join(points, " ")
}

// LastX and LastY return where the newest value is.
func (c Spark) LastX() string { x, _ := c.at(len(c.Values) - 1); return x }

// LastY returns the height of the newest value.
func (c Spark) LastY() string { _, y := c.at(len(c.Values) - 1); return y }

// Text returns the values as people read them.
func (c Spark) Text() string {
	values := lists.Map(c.Values, Decimal)
	return c.What + ": " + strings.Join(values, ", ")
}
