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

// layout is a report in one of the formats while its Pixies are changed.
type layout interface {
	pages() []*page
	// add puts a Pixie on the page.
	add(p *page, name string, z float64, l look) (*visual, error)
	// update makes a Pixie what it should be, and says whether it was not.
	update(v *visual, l look) bool
	// remove takes a visual out.
	remove(v *visual)
	// unname takes out what is written elsewhere about a visual that is gone.
	// everywhere is true when no other visual of the report has its name.
	unname(p *page, name string, everywhere bool) error
	// definition is the report as it is now. Parts that are as they were share
	// their bytes with the old ones.
	definition() definition.Definition
}

// open reads a report, all of it, so that none is changed that cannot be read.
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
		return nil, &jsonpart.Error{File: d.Parts[i].Path, Message: "this is a paginated report, which has no pages that a Pixie could stand on"}
	default:
		return nil, &jsonpart.Error{File: "definition/", Message: "the report has neither this folder nor a report.json, and so no pages"}
	}
}

// sizes are the page's, as the members of v say.
func (p *page) sizes(v *jsonpart.Value) {
	p.width, p.height = cmp.Or(number(at(v, "width")), newPageWidth), cmp.Or(number(at(v, "height")), newPageHeight)
}
