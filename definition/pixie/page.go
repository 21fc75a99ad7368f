package pixie

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

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

// own is how many visuals are neither groups nor any of the Pixies.
func (p *page) own(pixies []*visual) (n int) {
	for _, v := range p.visuals {
		if !v.group && !slices.Contains(pixies, v) {
			n++
		}
	}
	return n
}

// pixies are the visuals that are ours.
func (p *page) pixies(reportID string) (all []*visual) {
	for _, v := range p.visuals {
		if v.noted == "" && v.addressed == "" {
			continue
		}
		if v.noted != "" && v.noted == v.addressed || p.named(reportID, v) {
			all = append(all, v)
		}
	}
	return all
}

// named says whether the visual has a name that a Pixie of the page has.
func (p *page) named(reportID string, v *visual) bool {
	return slices.Contains(Names(reportID, p.name), v.name)
}

// Names are the names that the Pixie of a page of a report may have, for ever: the
// first one that no other visual of the page has. Each is 20 hexadecimal digits,
// as the platform's editor names visuals. reportID is the report's id in any
// letter case.
func Names(reportID, page string) []string {
	names := make([]string, 4)
	for i := range names {
		sum := sha256.Sum256(fmt.Appendf(nil, "readiness.pixie\n%s\n%s\n%d", strings.ToLower(reportID), page, i))
		names[i] = hex.EncodeToString(sum[:10])
	}
	return names
}

// add puts a Pixie on the page, behind all that is there.
func (p *page) add(l layout, reportID string, look look) (*visual, error) {
	z, alone := 0.0, true
	for _, v := range p.visuals {
		if below := math.Floor(v.z) - 1; !v.gone && (alone || below < z) {
			z, alone = below, false
		}
	}
	for _, name := range Names(reportID, p.name) {
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
