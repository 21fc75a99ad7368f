package model

import (
	"slices"

	"readiness/definition/semanticmodel"
)

// What a model must offer to ask about before it is judged by that alone: two thirds of what people may ask about, or
// enoughOffered of them. fewestAskable is from how many on this is judged.
const (
	enoughOffered = 30
	fewestAskable = 4
)

// Offer is how much of what people may ask about an AI sees: measures, and texts and dates of dimensions that are no keys
// and sort no other column.
type Offer struct{ Shown, All int }

// Wanted returns how many of them an AI should see at least.
func (o Offer) Wanted() int { return min((2*o.All+2)/3, enoughOffered) }

// Short reports whether an AI sees too few of them.
func (o Offer) Short() bool { return o.All >= fewestAskable && o.Shown < o.Wanted() }

// Judged returns what is judged of a model: what an AI sees of it or, if that is too little of what people may ask about,
// all of that too, so that hiding it earns nothing.
func (s *Snapshot) Judged(exposed []bool) ([]bool, Offer) {
	var offer Offer
	var withheld []*Object
	count := func(o *Object) {
		offer.All++
		if exposed[o.Index] {
			offer.Shown++
		} else {
			withheld = append(withheld, o)
		}
	}
	needed := map[int]bool{}
	for _, m := range s.Measures {
		for _, o := range m.Refs {
			needed[o.Index] = true
		}
	}
	for _, m := range s.Measures {
		if exposed[m.Index] || !needed[m.Index] && m.Name != "" && m.Name[0] != '_' {
			count(&m.Object)
		}
	}
	for _, t := range s.Tables {
		if !t.Dimension() || t.Date {
			continue
		}
		for _, c := range t.Columns {
			if c.Is(semanticmodel.String, semanticmodel.DateTime) && !c.Key && !needed[c.Index] && !sorts(t, c) {
				count(&c.Object)
			}
		}
	}
	if !offer.Short() {
		return exposed, offer
	}
	judged := slices.Clone(exposed)
	for _, o := range withheld {
		judged[o.Index], judged[o.Table.Index] = true, true
	}
	return judged, offer
}

// sorts reports whether another column of the table is sorted by c.
func sorts(t *Table, c *Column) bool {
	return slices.ContainsFunc(t.Columns, func(other *Column) bool { return other.Src.SortByColumn == c.Name })
}
