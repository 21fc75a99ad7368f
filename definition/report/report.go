// Package report reads a report's definition: its semantic model, its pages and
// visuals, and the fields they query. It reads PBIR and the older layout that stores
// everything in one report.json. Of a paginated report it only reads that it is one.
// It does not change definitions.
package report

import (
	"path"
	"slices"
	"strings"

	"readiness/definition"
	"readiness/definition/jsonpart"
)

// Format is how a report stores its pages.
type Format string

// The formats. Empty is a report without pages.
const (
	PBIR      Format = "PBIR"
	Legacy    Format = "PBIR-Legacy"
	Paginated Format = "Paginated"
	Empty     Format = ""
)

// Report is what the service needs to know about a report.
type Report struct {
	Format Format
	Model  Model // zero for a paginated report, whose sources are not models
	Pages  []Page
	// References are those of the report's own filters.
	References References
	// Filtered is true if a filter of the report leaves rows out of all its pages.
	Filtered bool
	// Measures are those that the report defines itself. Its visuals name them as if
	// the model contained them.
	Measures []Measure
}

// Page is a page, including tooltip and drillthrough pages, in the report's order.
type Page struct {
	// Path is the part that describes the page; "" in a legacy report, and if the
	// part is missing.
	Path        string
	Name        string // unique in the report
	DisplayName string
	// Type is "Tooltip" or "Drillthrough"; "" for an ordinary page.
	Type   string
	Hidden bool
	// References are those of the page's own filters and drillthrough fields.
	References References
	Filtered   bool // as Report.Filtered
	Visuals    []Visual
}

// Visual is a visual of a page, but not a group of visuals.
type Visual struct {
	Path       string // as Page.Path
	Name       string // unique in the page
	Type       string // "barChart", "image", …
	References References
	Filtered   bool // as Report.Filtered
	Aggregated bool // shows a column by another aggregation than its sum
	// Title is what the visual's author wrote; "" if none is shown.
	Title string
	// Captions are the texts that the visual shows instead of the names of its fields.
	Captions []Caption
}

// All returns the references of the complete report, each once.
func (r Report) All() References {
	all := []References{r.References}
	for _, p := range r.Pages {
		all = append(all, p.All())
	}
	return union(all...)
}

// All returns the references of the page and its visuals, each once.
func (p Page) All() References {
	all := []References{p.References}
	for _, v := range p.Visuals {
		all = append(all, v.References)
	}
	return union(all...)
}

// Read reads a report's definition. A member of an unexpected kind counts as absent.
// Invalid JSON and a missing part are a *jsonpart.Error that names part and line.
func Read(d definition.Definition) (Report, error) {
	pbir, bound := d.Part("definition.pbir")
	if !bound {
		if slices.ContainsFunc(d.Parts, func(p definition.Part) bool { return strings.EqualFold(path.Ext(p.Path), ".rdl") }) {
			return Report{Format: Paginated}, nil
		}
		return Report{}, &jsonpart.Error{File: "definition.pbir", Message: "the part is missing, and with it the report's semantic model"}
	}
	model, err := ReadModel(pbir)
	if err != nil {
		return Report{}, err
	}
	r := Report{Model: model}
	legacy, isLegacy := d.Part("report.json")
	switch {
	case slices.ContainsFunc(d.Parts, func(p definition.Part) bool { return strings.HasPrefix(p.Path, "definition/") }):
		r.Format = PBIR
		err = r.readPBIR(d)
	case isLegacy:
		r.Format = Legacy
		err = r.readLegacy(legacy)
	}
	if err != nil {
		return Report{}, err
	}
	return r, nil
}
