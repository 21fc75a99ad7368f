// Package pixie puts Pixies into the definition of a report and takes them out
// again. A Pixie is a small image, one on every page, whose address is the
// collector's: who looks at the page asks for the image, and so is counted.
//
// What is a Pixie is decided so that nobody's visual is touched: an image that
// shows two of these three signs.
//
//   - A name that the Pixies on this page of this report have.
//   - The annotation readiness.pixie, whose value is an id.
//   - An address that ends in /p/<id>.gif, with the annotation's id if it has one.
//
// So a Pixie stays one when an editor rewrites it, drops its annotation or has
// another address typed in, and a copy of it, which has another name or stands on
// another page or in another report, is one by annotation and address. A visual
// with one of the signs is not.
//
// Several accounts may have Pixies in one report. The name says whose a Pixie is;
// where it does not, because the Pixie is a copy or older than such names, it is
// the account's whose id its address holds. Nothing is written to, counted of or
// told about those of another account.
//
// PBIR and the older layout with all in report.json are both changed so that
// every byte that need not change stays: Remove after Put gives the report back.
package pixie

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"readiness/definition"
)

// Placed is a Pixie in a report.
type Placed struct {
	Page     string // the page's name, unique in the report
	PageName string // the page's name as people read it
	Visual   string // the visual's name, unique on the page
	ID       string // what its address asks the collector for
}

// Counts says what is tracked: the pages that have a Pixie, and the report's own
// visuals on them (spec 2.10, pagesTracked and visualsTracked).
type Counts struct{ Pages, Visuals int }

// IDs returns the ids of the Pixies in the report, of whatever account, each once.
// A report that cannot be read, or is a paginated one, is a *jsonpart.Error that
// names part and line. That holds of Put and Remove too.
func IDs(d definition.Definition, reportID string) ([]string, error) {
	l, err := open(d)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, p := range l.pages() {
		for _, v := range p.visuals {
			if p.isPixie(strings.ToLower(reportID), v) {
				seen[v.id()] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen)), nil
}

// Put brings the owner's Pixies in the report to the setup. Every page that is not excluded gets its
// Pixie if it has none; the address, size and corner of one that is there are
// written where they differ (within half a pixel; one in a group of visuals stays
// where it is); Pixies on excluded pages and copies of Pixies go, as Remove takes
// them. All else stays as it is.
//
// A Pixie has the id that known has for its page, else the one it has already if
// that is the owner's, else one of newID, which makes ids that CheckID accepts. No
// two pages share one, but for pages with one name, which a report should not have.
// placed are all Pixies of the owner in the report, in the order of its pages. When changed is
// false the definition is returned as it came.
func Put(d definition.Definition, reportID string, of Owner, s Setup, known map[string]string, newID func() string) (_ definition.Definition, placed []Placed, c Counts, changed bool, err error) {
	none := definition.Definition{}
	s, err = s.complete()
	if err != nil {
		return none, nil, Counts{}, false, err
	}
	owner, err := of.in(reportID)
	if err != nil {
		return none, nil, Counts{}, false, err
	}
	l, err := open(d)
	if err != nil {
		return none, nil, Counts{}, false, err
	}
	ids, err := newClaims(known, newID)
	if err != nil {
		return none, nil, Counts{}, false, err
	}
	for _, p := range l.pages() {
		own := p.own(owner.reportID)
		var kept *visual
		for _, v := range p.pixies(owner) {
			if kept == nil && !s.excludes(p) && p.named(owner, v) {
				kept = v
				continue
			}
			if err := forget(l, p, v); err != nil {
				return none, nil, Counts{}, false, err
			}
			changed = true
		}
		if s.excludes(p) {
			continue
		}
		c.Pages++
		c.Visuals += own
		current := ""
		if kept != nil && owner.ids[kept.id()] {
			current = kept.id()
		}
		id, err := ids.of(p.name, current)
		if err != nil {
			return none, nil, Counts{}, false, err
		}
		look := s.look(p, id)
		if kept == nil {
			if kept, err = p.add(l, owner, look); err != nil {
				return none, nil, Counts{}, false, err
			}
			changed = true
		} else if l.update(kept, look) {
			changed = true
		}
		placed = append(placed, p.placed(kept, id))
	}
	if !changed {
		return d, placed, c, false, nil
	}
	return l.definition(), placed, c, true, nil
}

// Remove takes every Pixie of the owner's out of the report, and what the platform's
// editor has written about them elsewhere: what is under the visual's folder, the
// page's visual interactions and automatic page layout, and bookmarks' states and
// target lists. It leaves every other byte.
func Remove(d definition.Definition, reportID string, of Owner) (_ definition.Definition, removed int, err error) {
	owner, err := of.in(reportID)
	if err != nil {
		return definition.Definition{}, 0, err
	}
	l, err := open(d)
	if err != nil {
		return definition.Definition{}, 0, err
	}
	for _, p := range l.pages() {
		for _, v := range p.pixies(owner) {
			if err := forget(l, p, v); err != nil {
				return definition.Definition{}, 0, err
			}
			removed++
		}
	}
	if removed == 0 {
		return d, 0, nil
	}
	return l.definition(), removed, nil
}

// forget takes the visual out of the report with what is written about it.
func forget(l layout, p *page, v *visual) error {
	v.gone = true
	l.remove(v)
	if v.name == "" {
		return nil
	}
	return l.unname(p, v.name, !stillNamed(l.pages(), v.name))
}

// stillNamed says whether a visual of the report has the name. Names are unique
// on a page only, and some lists do not say the page.
func stillNamed(pages []*page, name string) bool {
	for _, p := range pages {
		for _, v := range p.visuals {
			if v.name == name && !v.gone {
				return true
			}
		}
	}
	return false
}

// claims says which page has which id.
type claims struct {
	known map[string]string // by page
	pages map[string]string // by id
	newID func() string
}

func newClaims(known map[string]string, newID func() string) (*claims, error) {
	c := &claims{known: make(map[string]string, len(known)), pages: make(map[string]string, len(known)), newID: newID}
	for page, id := range known {
		if problem := CheckID(id); problem != "" {
			return nil, fmt.Errorf("the known id of page %q: %s", page, problem)
		}
		if other, taken := c.pages[id]; taken {
			return nil, fmt.Errorf("the pages %q and %q are known by the same id", min(page, other), max(page, other))
		}
		c.known[page], c.pages[id] = id, page
	}
	return c, nil
}

// of is the id of the page, whose Pixie has the current one, "" without.
func (c *claims) of(page, current string) (string, error) {
	if id, ok := c.known[page]; ok {
		return id, nil
	}
	id := current
	if owner, taken := c.pages[id]; id == "" || taken && owner != page {
		id = c.newID()
		if problem := CheckID(id); problem != "" {
			return "", fmt.Errorf("the new id of page %q: %s", page, problem)
		}
		if owner, taken := c.pages[id]; taken && owner != page {
			return "", fmt.Errorf("the new id of page %q is that of page %q", page, owner)
		}
	}
	c.known[page], c.pages[id] = id, page
	return id, nil
}
