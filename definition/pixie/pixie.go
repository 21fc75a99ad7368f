// Package pixie adds Pixies to the definition of a report and removes them. A Pixie
// is a small image on every page, whose address is the collector's. Viewers of the
// page request the image, which counts the view.
//
// To leave other visuals untouched, a visual is a Pixie only if it is an image with
// two of these three signs:
//
//   - A name that the Pixies on this page of this report have.
//   - The annotation readiness.pixie, whose value is an id.
//   - An address that ends in /p/<id>.gif, with the annotation's id if it has one.
//
// So a Pixie remains one if an editor rewrites it, drops its annotation or changes
// its address. A copy has another name, or is on another page or in another report;
// it is a Pixie by annotation and address. A visual with a single sign is not.
//
// Several accounts may have Pixies in one report. The name identifies the owner. If
// it does not, because the Pixie is a copy or older than such names, the owner is
// the account whose id is in the address. Pixies of other accounts are not changed,
// counted or reported.
//
// PBIR and the older layout with everything in report.json are edited so that every
// byte that need not change stays: Remove after Put restores the report.
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
	PageName string // the page's display name
	Visual   string // the visual's name, unique on the page
	ID       string // the id in its address
}

// Counts says what is tracked: the pages that have a Pixie, and the report's own
// visuals on those pages (pagesTracked and visualsTracked).
type Counts struct{ Pages, Visuals int }

// IDs returns the ids of the Pixies of any account in the report, each once. If the
// report cannot be read, or is a paginated one, the error is a *jsonpart.Error that
// names part and line. The same holds for Put and Remove.
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

// Put makes the owner's Pixies in the report conform to the setup. Every page that
// is not excluded gets a Pixie if it has none. The address, size and corner of an
// existing one are changed if they differ (by more than half a pixel; a Pixie in a
// group of visuals keeps its place). Pixies on excluded pages and copies of Pixies
// are removed, as Remove does. Everything else stays unchanged.
//
// A Pixie gets the id that known has for its page; else it keeps its own if that is
// the owner's; else it gets one of newID, which must return ids that CheckID
// accepts. No two pages share an id, except pages with the same name, which a report
// should not have. placed lists all Pixies of the owner in the report, in page
// order. If changed is false, the definition is returned unchanged.
func Put(d definition.Definition, reportID string, of Owner, s Setup, known map[string]string,
	newID func() string) (_ definition.Definition, placed []Placed, c Counts, changed bool, err error) {
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

// Remove removes every Pixie of the owner from the report, and what the platform's
// editor has written about it elsewhere: the visual's folder, the page's visual
// interactions and automatic page layout, and states and target lists of bookmarks.
// It leaves every other byte.
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

// forget removes the visual from the report, with what is written about it.
func forget(l layout, p *page, v *visual) error {
	v.gone = true
	l.remove(v)
	if v.name == "" {
		return nil
	}
	return l.unname(p, v.name, !stillNamed(l.pages(), v.name))
}

// stillNamed reports whether a visual of the report has the name. Names are unique
// only within a page, and some lists do not name the page.
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

// claims records which page has which id.
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
			return nil, fmt.Errorf("the pages %q and %q have the same known id", min(page, other), max(page, other))
		}
		c.known[page], c.pages[id] = id, page
	}
	return c, nil
}

// of returns the id for the page, whose Pixie has the id current, "" if it has none.
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
