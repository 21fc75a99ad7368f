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

// The places of the chart, in the units of its view box: a day with its gap, and the days of the week and the dates next to them.
const (
	cell = 20
	left = 32
	top  = 18
	// dated is how many weeks are from one date to the next, which leaves room for its text, and datedWidth is that room.
	dated, datedWidth = 3, 46
)

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
		boxes[i] = Box{Day: d, X: left + (first+i)/7*cell, Y: top + (first+i)%7*cell}
		if d.Value > 0 {
			boxes[i].Level = 1 + 3*d.Value/max(most, 1)
		}
	}
	return boxes
}

// Label is a text next to the days.
type Label struct {
	Text string
	X, Y int
}

// Labels returns the texts next to the days: every second day of the week, and the date of the first day in every third column.
func (c Calendar) Labels() (all []Label) {
	for i := 0; i < 7; i += 2 {
		monday := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
		all = append(all, Label{monday.AddDate(0, 0, i).Format("Mon"), 0, top + i*cell + 13})
	}
	for i, b := range c.Boxes() {
		if column := (b.X - left) / cell; column%dated == 0 && (i == 0 || b.Y == top) {
			all = append(all, Label{b.At.UTC().Format("2 Jan"), b.X, top - 6})
		}
	}
	return all
}

// weekday returns the day of the week, 0 for Monday.
func weekday(at time.Time) int { return (int(at.UTC().Weekday()) + 6) % 7 }

// Width returns the width of the view box.
func (c Calendar) Width() int {
	boxes := c.Boxes()
	if len(boxes) == 0 {
		return 0
	}
	last := boxes[len(boxes)-1].X
	return max(last+cell, left+(last-left)/cell/dated*dated*cell+datedWidth)
}

// Height returns the height of the view box.
func (Calendar) Height() int { return top + 7*cell }

// Total returns the sum of the numbers.
func (c Calendar) Total() (sum int) {
	for _, d := range c.Days {
		sum += d.Value
	}
	return sum
}
