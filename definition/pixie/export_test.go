package pixie

import "readiness/definition"

// Page is a page of a report, tooltip, drillthrough and hidden pages included.
type Page struct {
	Name, DisplayName string
	// Visuals is how many visuals the page has without Pixies.
	Visuals int
	// Pixies are the owner's; more than one if a Pixie was copied.
	Pixies []Placed
}

// Read returns the pages of the report and the owner's Pixies on them.
func Read(d definition.Definition, reportID string, of Owner) ([]Page, error) {
	l, err := open(d)
	if err != nil {
		return nil, err
	}
	owner, err := of.in(reportID)
	if err != nil {
		return nil, err
	}
	var all []Page
	for _, p := range l.pages() {
		read := Page{Name: p.name, DisplayName: p.displayName, Visuals: p.own(owner.reportID)}
		for _, v := range p.pixies(owner) {
			read.Pixies = append(read.Pixies, p.placed(v, v.id()))
		}
		all = append(all, read)
	}
	return all, nil
}

// Names returns the names that the owner's Pixie on a page may have.
func Names(reportID string, of Owner, page string) []string {
	owner, err := of.in(reportID)
	if err != nil {
		panic(err)
	}
	return owner.names(page)
}
