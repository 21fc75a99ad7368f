package chart

import "html/template"

// SpreadRow is the distribution of one group.
type SpreadRow struct {
	Label, Link string
	// Counts are how many values are in 0 to 9, 10 to 19, up to 90 to 100.
	Counts [10]int
	Middle int
	Tone   Tone
}

// Spread is a table in which each row shows how the values of a group, 0 to 100, are distributed.
type Spread struct {
	Caption, LabelHead, CountHead, MiddleHead string
	Rows                                      []SpreadRow
}

// HTML returns the chart.
func (c Spread) HTML() (template.HTML, error) { return draw("spread", c) }

// Total returns the number of a row's values.
func (r SpreadRow) Total() (sum int) {
	for _, n := range r.Counts {
		sum += n
	}
	return sum
}

// Column is a bar of a row.
type Column struct{ X, Y, Height string }

// Columns returns the bars of a row. The highest of the chart fills the row.
func (c Spread) Columns(r SpreadRow) (columns []Column) {
	most := 1
	for _, row := range c.Rows {
		for _, n := range row.Counts {
			most = max(most, n)
		}
	}
	for i, n := range r.Counts {
		if n > 0 {
			height := max(scaled(float64(n), 0, float64(most), 20), 3)
			columns = append(columns, Column{coordinate(float64(i)*10 + .75), coordinate(20 - height), coordinate(height)})
		}
	}
	return columns
}

// Text returns the counts as people read them.
func (r SpreadRow) Text() string {
	text := ""
	for i, n := range r.Counts {
		if n > 0 {
			if text != "" {
				text += ", "
			}
			text += Decimal(float64(n)) + " from " + Decimal(float64(i*10))
		}
	}
	return text
}
