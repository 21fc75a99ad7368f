package pixie

import (
	"fmt"
	"math"
	"regexp"
	"slices"

	"readiness/definition/jsonpart"
)

// page is a page whose Pixies are being changed.
type page struct {
	name, displayName string
	// width and height are those of a new page if the report has none.
	width, height float64
	visuals       []*visual // including groups of visuals
	// remnant is true for visuals whose page no longer exists.
	remnant bool
	// folder is the page's folder in a PBIR report, and folders are those of its
	// visuals, in lower case. section is the page in a legacy report.
	folder  string
	folders map[string]bool
	section *jsonpart.Value
}

// newPageWidth and newPageHeight are the size of a new page in the platform's editor, in
// pixels.
const (
	newPageWidth  = 1280
	newPageHeight = 720
)

// readable returns the page's display name.
func (p *page) readable() string {
	if p.displayName == "" {
		return p.name
	}
	return p.displayName
}

func (p *page) placed(v *visual, id string) Placed {
	return Placed{Page: p.name, PageName: p.readable(), Visual: v.name, ID: id}
}

// own returns how many visuals are neither groups nor Pixies of any account.
func (p *page) own(reportID string) (n int) {
	for _, v := range p.visuals {
		if !v.group && !p.isPixie(reportID, v) {
			n++
		}
	}
	return n
}

// pixies returns the visuals that are the owner's Pixies.
func (p *page) pixies(of owner) (all []*visual) {
	for _, v := range p.visuals {
		if p.owned(of, v) {
			all = append(all, v)
		}
	}
	return all
}

// owned reports whether the visual is a Pixie of the owner: it has one of the
// owner's names and one more sign, or it is a Pixie with one of the owner's ids. If
// its name belongs to another account, it must have the id twice, as a Pixie from
// before a change of key does.
func (p *page) owned(of owner, v *visual) bool {
	switch {
	case v.id() != "" && slices.Contains(of.names(p.name), v.name):
		return true
	case !p.isPixie(of.reportID, v) || !of.ids[v.id()]:
		return false
	}
	return v.noted == v.addressed || !isMarked(of.reportID, p.name, v.name)
}

// isPixie reports whether the visual is a Pixie of any account.
func (p *page) isPixie(reportID string, v *visual) bool {
	return v.id() != "" && (v.noted == v.addressed || isMarked(reportID, p.name, v.name) || isUnmarked(reportID, p.name, v.name))
}

// named reports whether the visual has a name of the owner's Pixie on this page.
func (p *page) named(of owner, v *visual) bool {
	return slices.Contains(of.names(p.name), v.name) || isUnmarked(of.reportID, p.name, v.name)
}

// add adds a Pixie to the page, behind all other visuals.
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
	return nil, fmt.Errorf("other visuals have every name that the Pixie of page %q may have", p.name)
}

var idPattern = regexp.MustCompile(`^[0-9A-Za-z_-]{16,64}$`)

// CheckID returns what is wrong with the id of a Pixie, "" if it is valid: 16 to 64
// letters, digits, - and _.
func CheckID(id string) (problem string) {
	if !idPattern.MatchString(id) {
		return fmt.Sprintf("%.70q is not an id of a Pixie; it must have 16 to 64 letters, digits, - and _", id)
	}
	return ""
}
