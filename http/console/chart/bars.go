package chart

import "html/template"

// Tone is how a bar is coloured. Its text says the same, so that no one needs to see the colour.
type Tone string

// The tones, from the best to the worst.
const (
	Plain Tone = ""
	Good  Tone = "good"
	Near  Tone = "near"
	Fair  Tone = "fair"
	Poor  Tone = "poor"
)

// Bar is a row of Bars.
type Bar struct {
	Label string
	// Link is where the label leads; "" for nowhere.
	Link  string
	Value float64
	// Text is the value as people read it; "" for the number.
	Text string
	// Note is a further text of the row.
	Note string
	Tone Tone
	// Missing is a row without a value. Its Text says why.
	Missing bool
}

// Bars is a table in which each row shows its number as a bar too.
type Bars struct {
	// Caption is what the table shows. LabelHead, ValueHead and NoteHead are the heads of its columns; without a NoteHead there
	// are no notes.
	Caption, LabelHead, ValueHead, NoteHead string
	// Max is the value of a full bar.
	Max  float64
	Bars []Bar
}

// HTML returns the chart.
func (c Bars) HTML() (template.HTML, error) { return draw("bars", c) }

// Width returns the length of a row's bar, 0 to 100.
func (c Bars) Width(b Bar) string { return coordinate(scaled(b.Value, 0, c.Max, 100)) }
