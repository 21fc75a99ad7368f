package chart

import (
	"html/template"
	"time"
)

// Day is the number of a day.
type Day struct {
	At    time.Time
	Value int
}

// Calendar shows the numbers of days in columns of weeks, which begin on Monday.
type Calendar struct {
	// Caption is what the chart shows; Head is the head of the numbers in its table.
	Caption, Head string
	// Days are consecutive, oldest first.
	Days []Day
}

// cell is the size of a day with its gap, in the units of the view box.
const cell = 14

// Box is a day as it is drawn.
type Box struct {
	Day
	X, Y  int
	Level int // 0 for no number, up to 4 for the largest
}

// HTML returns the chart.
func (c Calendar) HTML() (template.HTML, error) { return draw("calendar", c) }

// Boxes returns the days with their places.
func (c Calendar) Boxes() []Box {
	if len(c.Days) == 0 {
		return nil
	}
	most := 0
	for _, d := range c.Days {
		most = max(most, d.Value)
	}
	first := weekday(c.Days[0].At)
	boxes := make([]Box, len(c.Days))
	for i, d := range c.Days {
		boxes[i] = Box{Day: d, X: (first + i) / 7 * cell, Y: (first + i) % 7 * cell}
		if d.Value > 0 {
			boxes[i].Level = 1 + 3*d.Value/max(most, 1)
		}
	}
	return boxes
}

// weekday returns the day of the week, 0 for Monday.
func weekday(at time.Time) int { return (int(at.UTC().Weekday()) + 6) % 7 }

// Width returns the width of the view box.
func (c Calendar) Width() int {
	boxes := c.Boxes()
	if len(boxes) == 0 {
		return 0
	}
	return boxes[len(boxes)-1].X + cell
}

// Total returns the sum of the numbers.
func (c Calendar) Total() (sum int) {
	for _, d := range c.Days {
		sum += d.Value
	}
	return sum
}
