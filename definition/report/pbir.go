package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"readiness/definition"
	"readiness/definition/jsonpart"
)

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
			err = r.readFilters(part)
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

// readFilters reads the filters of the report itself.
func (r *Report) readFilters(part definition.Part) error {
	j, err := jsonpart.New(part.Path, part.Data)
	if err != nil {
		return err
	}
	var w walk
	w.value(j)
	r.References, r.Filtered = w.sorted(), w.filtered
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
	p.References, p.Filtered = w.sorted(), w.filtered
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
					w.visual(r, member)
				}
			}
		case "visualGroup":
			group = true
			w.value(r)
		default:
			w.value(r)
		}
	}
	v.shown(&w)
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
