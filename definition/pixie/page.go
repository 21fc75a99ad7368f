package pixie

import (
	"fmt"
	"math"
	"regexp"
	"slices"

	"readiness/definition/jsonpart"
)

// page is a page while its Pixies are changed.
type page struct {
	name, displayName string
	// width and height are those of a new page where the report has none.
	width, height float64
	visuals       []*visual // groups of visuals included
	// remnant is true for visuals whose page is gone.
	remnant bool
	// folder is where a PBIR report keeps the page, and folders its visuals' own,
	// in small letters; section is where the other keeps it.
	folder  string
	folders map[string]bool
	section *jsonpart.Value
}

// The size of a new page in the platform's editor, in pixels.
const (
	newPageWidth  = 1280
	newPageHeight = 720
)

// readable is the page's name as people read it.
func (p *page) readable() string {
	if p.displayName == "" {
		return p.name
	}
	return p.displayName
}

func (p *page) placed(v *visual, id string) Placed {
	return Placed{Page: p.name, PageName: p.readable(), Visual: v.name, ID: id}
}

// own is how many visuals are neither groups nor Pixies, of whatever account.
func (p *page) own(reportID string) (n int) {
	for _, v := range p.visuals {
		if !v.group && !p.isPixie(reportID, v) {
			n++
		}
	}
	return n
}

// pixies are the visuals that are the owner's Pixies.
func (p *page) pixies(of owner) (all []*visual) {
	for _, v := range p.visuals {
		if p.owned(of, v) {
			all = append(all, v)
		}
	}
	return all
}

// owned says whether the visual is a Pixie of the owner's: it has a name that the
// owner's have and one more sign, or it is a Pixie whose id is the owner's. One
// whose name says that it is another account's must have the id twice, as what was
// put with another key has.
func (p *page) owned(of owner, v *visual) bool {
	switch {
	case v.id() != "" && slices.Contains(of.names(p.name), v.name):
		return true
	case !p.isPixie(of.reportID, v) || !of.ids[v.id()]:
		return false
	}
	return v.noted == v.addressed || !isMarked(of.reportID, p.name, v.name)
}

// isPixie says whether the visual is a Pixie of any account.
func (p *page) isPixie(reportID string, v *visual) bool {
	return v.id() != "" && (v.noted == v.addressed || isMarked(reportID, p.name, v.name) || isUnmarked(reportID, p.name, v.name))
}

// named says whether the owner's Pixie of this page has the visual's name.
func (p *page) named(of owner, v *visual) bool {
	return slices.Contains(of.names(p.name), v.name) || isUnmarked(of.reportID, p.name, v.name)
}

// add puts a Pixie on the page, behind all that is there.
func (p *page) add(l layout, of owner, look look) (*visual, error) {
	z, alone := 0.0, true
	for _, v := range p.visuals {
		if below := math.Floor(v.z) - 1; !v.gone && (alone || below < z) {
			z, alone = below, false
		}
	}
	for _, name := range of.names(p.name) {
		taken := slices.ContainsFunc(p.visuals, func(v *visual) bool { return v.name == name && !v.gone })
		if !taken && !p.folders[name] {
			return l.add(p, name, z, look)
		}
	}
	return nil, fmt.Errorf("every name that the Pixie of page %q may have is another visual's", p.name)
}

var idPattern = regexp.MustCompile(`^[0-9A-Za-z_-]{16,64}$`)

// CheckID says what is wrong with the id of a Pixie, "" when nothing is: it has 16
// to 64 letters, digits, - and _.
func CheckID(id string) (problem string) {
	if !idPattern.MatchString(id) {
		return fmt.Sprintf("%.70q is no id of a Pixie; it must have 16 to 64 letters, digits, - and _", id)
	}
	return ""
}
