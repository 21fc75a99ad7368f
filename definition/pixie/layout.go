package pixie

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/report"
)

// layout is a report in one of the formats, with methods that change its Pixies.
type layout interface {
	pages() []*page
	// add adds a Pixie to the page.
	add(p *page, name string, z float64, l look) (*visual, error)
	// update makes a Pixie conform to look and reports whether that changed it.
	update(v *visual, l look) bool
	// remove removes a visual.
	remove(v *visual)
	// unname removes what other places of the report say about a removed visual.
	// everywhere is true if no other visual of the report has its name.
	unname(p *page, name string, everywhere bool) error
	// definition returns the report in its current state. Unchanged parts share
	// their bytes with the original ones.
	definition() definition.Definition
}

// open reads the complete report, so that a report that cannot be read is not
// changed.
func open(d definition.Definition) (layout, error) {
	for _, p := range d.Parts {
		if strings.HasPrefix(p.Path, "definition/") && path.Clean(p.Path) != p.Path {
			return nil, &jsonpart.Error{File: p.Path, Message: "the path is not that of a part"}
		}
	}
	r, err := report.Read(d)
	if err != nil {
		return nil, err
	}
	switch r.Format {
	case report.PBIR:
		return openPBIR(d, r)
	case report.Legacy:
		return openLegacy(d)
	case report.Paginated:
		i := slices.IndexFunc(d.Parts, func(p definition.Part) bool { return strings.EqualFold(path.Ext(p.Path), ".rdl") })
		return nil, &jsonpart.Error{File: d.Parts[i].Path, Message: "this is a paginated report, which has no pages for Pixies"}
	default:
		return nil, &jsonpart.Error{File: "definition/", Message: "the report has neither this folder nor a report.json, and so no pages"}
	}
}

// sizes sets the page's width and height from the members of v.
func (p *page) sizes(v *jsonpart.Value) {
	p.width, p.height = cmp.Or(number(at(v, "width")), newPageWidth), cmp.Or(number(at(v, "height")), newPageHeight)
}
