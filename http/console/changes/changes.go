// Package changes shows a change of a semantic model on screens: the names of its object and property, and both texts
// with their differences.
package changes

import (
	"embed"
	"html/template"
	"strings"

	"readiness/client"
	"readiness/http/console/words"
	"readiness/internal/optional"
)

//go:embed sides.html
var files embed.FS

var views = template.Must(template.New("changes").ParseFS(files, "sides.html"))

// KindName returns what people call a kind of optimization.
func KindName(kind client.OptimizationKind) string {
	switch kind {
	case client.OptimizationKindAiInstructions:
		return "AI instructions"
	case client.OptimizationKindDescriptions:
		return "Descriptions"
	case client.OptimizationKindProperties:
		return "Properties"
	case client.OptimizationKindAiDataSchema:
		return "AI data schema"
	}
	return string(kind)
}

// properties are what people call a property that is written.
var properties = map[string]string{
	"instructions": "AI instructions", "aiInstructions": "AI instructions", "displayFolder": "display folder", "summarizeBy": "summarization",
	"qnaEnabled": "Q&A", "visibility": "visibility for AI",
}

// PropertyName returns what people call a property.
func PropertyName(property string) string {
	if name, ok := properties[property]; ok {
		return name
	}
	return property
}

// Sides are the texts before and after a change.
type Sides struct {
	// BeforeHead and AfterHead are the heads of the two.
	BeforeHead, AfterHead string
	all                   []words.Part
	none, removed         bool
}

// Compare returns both sides of a change. A missing text is nil.
func Compare(before, after *string) Sides {
	s := Sides{BeforeHead: "Before", AfterHead: "After", none: before == nil || *before == "", removed: after == nil || *after == ""}
	s.all = words.Diff(lines(before), lines(after))
	return s
}

// lines returns a text with the line ends of Unix; "" if it is missing.
func lines(text *string) string { return strings.ReplaceAll(optional.Text(text), "\r\n", "\n") }

// None reports whether there is no text before, Removed whether there is none after.
func (s Sides) None() bool { return s.none }

// Removed reports whether there is no text after.
func (s Sides) Removed() bool { return s.removed }

// Before returns the text before, with removed parts marked.
func (s Sides) Before() []words.Part { return words.Before(s.all) }

// After returns the text after, with added parts marked.
func (s Sides) After() []words.Part { return words.After(s.all) }

// HTML returns both sides, next to each other where there is room.
func (s Sides) HTML() (template.HTML, error) {
	var b strings.Builder
	err := views.ExecuteTemplate(&b, "sides", s)
	return template.HTML(b.String()), err //nolint:gosec // a template of this package escaped it
}
