// Package report reads a report's definition: its semantic model, its pages and
// visuals, and the fields they query. It reads PBIR and the older layout that stores
// everything in one report.json. Of a paginated report it only reads that it is one.
// It does not change definitions.
package report

import (
	"cmp"
	"fmt"
	"maps"
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
	Visuals    []Visual
}

// Visual is a visual of a page, but not a group of visuals.
type Visual struct {
	Path       string // as Page.Path
	Name       string // unique in the page
	Type       string // "barChart", "image", …
	References References
}

// Measure is a measure that a report adds to a table of its model.
type Measure struct{ Table, Name, Expression string }

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

func (r *Report) readPBIR(d definition.Definition) error {
	var order map[string]int
	pages := map[string]*Page{} // by folder
	page := func(folder string) *Page {
		if pages[folder] == nil {
			pages[folder] = &Page{Name: folder}
		}
		return pages[folder]
	}
	for _, part := range d.Parts {
		rest, ok := strings.CutPrefix(part.Path, "definition/")
		if !ok {
			continue
		}
		var err error
		switch at := strings.Split(rest, "/"); {
		case rest == "report.json":
			r.References, err = ReadReferences(part.Path, part.Data)
		case rest == "reportExtensions.json":
			r.Measures, err = readMeasures(part)
		case rest == "pages/pages.json":
			order, err = readOrder(part)
		case len(at) == 3 && at[0] == "pages" && at[2] == "page.json":
			err = page(at[1]).read(part)
		case len(at) == 5 && at[0] == "pages" && at[2] == "visuals" && at[4] == "visual.json":
			var v Visual
			var group bool
			if v, group, err = readVisual(part, at[3]); err == nil && !group {
				p := page(at[1])
				p.Visuals = append(p.Visuals, v)
			}
		}
		if err != nil {
			return err
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(pages)) {
		r.Pages = append(r.Pages, *pages[folder])
	}
	place := func(p Page) int {
		if i, ok := order[p.Name]; ok {
			return i
		}
		return len(order)
	}
	slices.SortFunc(r.Pages, func(a, b Page) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.DisplayName, b.DisplayName), cmp.Compare(a.Path, b.Path))
	})
	return nil
}

func (p *Page) read(part definition.Part) error {
	r, err := jsonpart.New(part.Path, part.Data)
	if err != nil {
		return err
	}
	p.Path = part.Path
	var w walk
	for member := range r.Object() {
		switch member {
		case "name":
			if name, _ := r.Text(); name != "" {
				p.Name = name
			}
		case "displayName":
			p.DisplayName, _ = r.Text()
		case "type":
			p.Type, _ = r.Text()
		case "visibility":
			p.Hidden = hidden(r)
		case "pageBinding":
			binding := w.binding(r)
			// Before page schema 1.3.0 only the binding has a page's type.
			if p.Type == "" && binding != "Default" {
				p.Type = binding
			}
		default:
			w.value(r)
		}
	}
	p.References = w.sorted()
	return nil
}

// hidden reads a page's visibility: a word, or a number in the earliest versions.
func hidden(r *jsonpart.Reader) bool {
	if r.Kind() != '"' {
		return r.Int() == 1
	}
	visibility, _ := r.Text()
	return visibility == "HiddenInViewMode"
}

// binding walks a pageBinding and returns its type.
func (w *walk) binding(r *jsonpart.Reader) (kind string) {
	for member := range r.Object() {
		if member == "type" {
			kind, _ = r.Text()
		} else {
			w.value(r)
		}
	}
	return kind
}

func readVisual(part definition.Part, folder string) (v Visual, group bool, err error) {
	r, err := jsonpart.New(part.Path, part.Data)
	if err != nil {
		return Visual{}, false, err
	}
	v = Visual{Path: part.Path, Name: folder}
	var w walk
	for member := range r.Object() {
		switch member {
		case "name":
			if name, _ := r.Text(); name != "" {
				v.Name = name
			}
		case "visual":
			for member := range r.Object() {
				if member == "visualType" {
					v.Type, _ = r.Text()
				} else {
					w.value(r)
				}
			}
		case "visualGroup":
			group = true
			w.value(r)
		default:
			w.value(r)
		}
	}
	v.References = w.sorted()
	return v, group, nil
}

// readOrder reads pages.json: the position of every page it names.
func readOrder(part definition.Part) (map[string]int, error) {
	r, err := jsonpart.New(part.Path, part.Data)
	if err != nil {
		return nil, err
	}
	order := map[string]int{}
	for member := range r.Object() {
		if member == "pageOrder" {
			for i, name := range r.Texts() {
				order[name] = i
			}
		}
	}
	return order, nil
}

// readMeasures reads reportExtensions.json: entities[].measures[].
func readMeasures(part definition.Part) ([]Measure, error) {
	r, err := jsonpart.New(part.Path, part.Data)
	if err != nil {
		return nil, err
	}
	return readExtension(r), nil
}

// measuresInText reads a legacy report's measures from its config:
// modelExtensions[], each in the form of reportExtensions.json. Nothing else of the
// config is read, so a config that is not JSON has no measures.
func measuresInText(j *jsonpart.Reader) (measures []Measure) {
	text, _ := j.Text()
	r, err := jsonpart.New("report.json", []byte(text))
	if err != nil {
		return nil
	}
	for member := range r.Object() {
		if member == "modelExtensions" {
			for range r.Array() {
				measures = append(measures, readExtension(r)...)
			}
		}
	}
	return measures
}

func readExtension(r *jsonpart.Reader) (measures []Measure) {
	for member := range r.Object() {
		if member != "entities" {
			continue
		}
		for range r.Array() {
			first, table := len(measures), ""
			for member := range r.Object() {
				switch member {
				case "name":
					table, _ = r.Text()
				case "measures":
					for range r.Array() {
						measures = append(measures, readMeasure(r))
					}
				}
			}
			for i := range measures[first:] {
				measures[first+i].Table = table
			}
		}
	}
	return measures
}

func readMeasure(r *jsonpart.Reader) (m Measure) {
	for member := range r.Object() {
		switch member {
		case "name":
			m.Name, _ = r.Text()
		case "expression":
			m.Expression = r.Lines()
		}
	}
	return m
}

// readLegacy reads report.json. Its pages and visuals are objects whose config,
// filters and query are JSON in a string.
func (r *Report) readLegacy(data []byte) error {
	j, err := jsonpart.New("report.json", data)
	if err != nil {
		return err
	}
	var w walk
	for member := range j.Object() {
		switch member {
		case "config":
			r.Measures = measuresInText(j)
		case "filters":
			if _, err := w.inText(j, "the report's filters"); err != nil {
				return err
			}
		case "sections":
			for i := range j.Array() {
				p, err := readSection(j, i)
				if err != nil {
					return err
				}
				r.Pages = append(r.Pages, p)
			}
		}
	}
	r.References = w.sorted()
	return nil
}

func readSection(j *jsonpart.Reader, i int) (p Page, err error) {
	var w walk
	at := func(part string) string { return fmt.Sprintf("%s of page %d", part, i+1) }
	for member := range j.Object() {
		switch member {
		case "name":
			p.Name, _ = j.Text()
		case "displayName":
			p.DisplayName, _ = j.Text()
		case "filters":
			if _, err = w.inText(j, at("the filters")); err != nil {
				return p, err
			}
		case "config":
			var c config
			if c, err = w.inText(j, at("the config")); err != nil {
				return p, err
			}
			p.Hidden = c.hidden
			if c.kind == 1 {
				p.Type = "Tooltip"
			}
		case "visualContainers":
			for n := range j.Array() {
				v, group, err := readContainer(j, at(fmt.Sprintf("visual %d", n+1)))
				if err != nil {
					return p, err
				}
				if !group {
					p.Visuals = append(p.Visuals, v)
				}
			}
		}
	}
	p.References = w.sorted()
	return p, nil
}

func readContainer(j *jsonpart.Reader, at string) (v Visual, group bool, err error) {
	var w walk
	for member := range j.Object() {
		switch member {
		case "config":
			var c config
			if c, err = w.inText(j, "the config of "+at); err != nil {
				return v, false, err
			}
			v.Name, v.Type, group = c.name, c.visualType, c.group
		case "filters", "query":
			if _, err = w.inText(j, "the "+member+" of "+at); err != nil {
				return v, false, err
			}
		}
	}
	v.References = w.sorted()
	return v, group, nil
}

// config is what is read from the config strings of a legacy report.
type config struct {
	name, visualType string
	kind             int
	hidden, group    bool
}

// inText reads the JSON in the string that j reads next.
func (w *walk) inText(j *jsonpart.Reader, what string) (c config, err error) {
	line := j.Line()
	text, ok := j.Text()
	if !ok || text == "" {
		return config{}, nil
	}
	r, err := jsonpart.New("report.json", []byte(text))
	if err != nil {
		return config{}, &jsonpart.Error{File: "report.json", Line: line, Column: 1, Message: what + " hold no JSON: " + err.Error()}
	}
	if r.Kind() != '{' {
		w.value(r)
		return config{}, nil
	}
	for member := range r.Object() {
		switch member {
		case "name":
			c.name, _ = r.Text()
		case "visibility":
			c.hidden = hidden(r)
		case "type":
			c.kind = r.Int()
		case "singleVisual":
			for member := range r.Object() {
				if member == "visualType" {
					c.visualType, _ = r.Text()
				} else {
					w.value(r)
				}
			}
		case "singleVisualGroup":
			c.group = true
		default:
			w.value(r)
		}
	}
	return c, nil
}
