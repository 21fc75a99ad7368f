package rules

import (
	"slices"
	"strings"

	"readiness/domain/proposal"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/rules/meanings"
)

// selected returns the proposals for an AI data schema. Hiding something is proposed only if no object
// gains a violation of VIS-04 or VIS-07, and nothing is proposed unless what is recommended raises the
// score of visibility.
func (f *facts) selected() []proposal.Proposal {
	if f.choice != nil {
		return *f.choice
	}
	f.choice = new([]proposal.Proposal)
	before := f.asItIs().Violations("VIS-04", "VIS-07")
	keep := map[*field]bool{}
	for {
		proposals := f.proposed(keep)
		if len(proposals) == 0 {
			return nil
		}
		all := f.shown(proposals)
		chosen, some := recommended(proposals), all
		if len(chosen) < len(proposals) {
			some = f.shown(chosen)
		}
		gained := append(f.gained(before, all), f.gained(before, some)...)
		if len(gained) == 0 {
			if f.addViolations(all) {
				continue
			}
			if len(chosen) > 0 && visibility(some) > visibility(*f.asItIs()) {
				*f.choice = proposals
			}
			return *f.choice
		}
		known := len(keep)
		for _, x := range gained {
			keep[x] = true
		}
		if len(keep) == known {
			return nil // these violations do not come from hiding
		}
	}
}

// asItIs returns the model without proposals.
func (f *facts) asItIs() *readiness.Reading {
	if f.reading == nil {
		f.reading = new(readiness.Current().Read(f.src, readiness.Options{Usage: f.views}))
	}
	return f.reading
}

// shown returns the model with proposals for the AI data schema.
func (f *facts) shown(proposals []proposal.Proposal) readiness.Reading {
	return readiness.Current().Read(proposal.Show(f.src, proposals), readiness.Options{Usage: f.views})
}

// proposed returns the proposals that hide none of the fields to keep. It notes what an AI should see.
func (f *facts) proposed(keep map[*field]bool) []proposal.Proposal {
	s := &selection{facts: f, fields: map[*field]decision{}, tables: map[*table]decision{}, need: map[*field]*field{}, keep: keep,
		violated: f.hideViolations()}
	s.measures()
	s.unusedTables()
	s.columns()
	s.fewTables()
	s.require()
	a := &answers{}
	f.staying = map[*field]bool{}
	for _, x := range f.allFields() {
		if s.wanted(x) || s.unclear(x) {
			f.staying[x] = true
		}
	}
	if slices.ContainsFunc(f.allFields(), s.wanted) {
		s.answer(a)
	}
	return a.Proposals
}

// violationKey identifies a rule and the field or table that violates it.
type violationKey struct {
	rule  string
	field *field
	table *table
}

// hideViolations returns the violations that hiding an object fixes.
func (f *facts) hideViolations() map[violationKey]float64 {
	if f.violated != nil {
		return f.violated
	}
	f.violated = map[violationKey]float64{}
	for v, n := range f.asItIs().Violations("VIS-02", "VIS-03", "VIS-06", "VIS-07", "REL-01") {
		one := violationKey{rule: v.Rule}
		if one.table = f.named[strings.ToLower(v.Table)]; v.Type != finding.TableObject {
			one.field, one.table = f.find(v.Table, v.ObjectName), nil
		}
		f.violated[one] = n
	}
	return f.violated
}

// isUnsound reports whether a measure adds up what has no sum (rule MEA-10).
func (f *facts) isUnsound(x *field) bool {
	if f.unsound == nil {
		f.unsound = map[*field]bool{}
		for v := range f.asItIs().Violations("MEA-10") {
			f.unsound[f.find(v.Table, v.ObjectName)] = true
		}
	}
	return f.unsound[x]
}

// addViolations adds the fields that violate VIS-02 and VIS-03 once proposals are applied: for example fields that only a
// hidden measure uses. It reports whether there are more than before.
func (f *facts) addViolations(applied readiness.Reading) bool {
	known := len(f.hideViolations())
	for v, n := range applied.Violations("VIS-02", "VIS-03") {
		one := violationKey{rule: v.Rule, field: f.find(v.Table, v.ObjectName)}
		if _, was := f.violated[one]; !was && one.field != nil {
			f.violated[one] = n
		}
	}
	return len(f.violated) > known
}

func recommended(proposals []proposal.Proposal) []proposal.Proposal {
	return slices.DeleteFunc(slices.Clone(proposals), func(p proposal.Proposal) bool { return !p.Recommended })
}

// gained returns the hidden fields for which an object violates VIS-04 or VIS-07 more than before once proposals are applied.
func (f *facts) gained(before map[readiness.Violation]float64, applied readiness.Reading) []*field {
	var all []*field
	for v, n := range applied.Violations("VIS-04", "VIS-07") {
		if n <= before[v]+1e-9 {
			continue
		}
		x := f.find(v.Table, v.ObjectName)
		if x == nil {
			continue
		}
		all = append(all, x)
		if v.Rule == "VIS-04" {
			for _, m := range f.reached(x) {
				all = append(all, m.refs...)
			}
		}
	}
	return all
}

// visibility returns the score of visibility. Proposals for the AI data schema should raise it. The other dimensions do not count: what
// they say of newly shown fields depends on texts that other proposals bring.
func visibility(m readiness.Reading) float64 {
	if score := m.DimensionScore("visibility"); score != nil {
		return *score
	}
	return 100
}

// wantedThen reports whether an AI should see a field, whether or not it does now.
func (f *facts) wantedThen(x *field) bool {
	f.selected()
	return f.staying[x]
}

// wantedTables returns the tables with something that an AI should see.
func (f *facts) wantedTables(tables []*table) []*table {
	return slices.DeleteFunc(slices.Clone(tables), func(t *table) bool { return !slices.ContainsFunc(t.fields(), f.wantedThen) })
}

// mentioned returns the fields that the AI instructions and verified answers name.
func (f *facts) mentioned() map[*field]bool {
	if f.mentions == nil {
		f.mentions = map[*field]bool{}
		for _, s := range meanings.Named(f.src) {
			if x := f.find(s.Table, s.Name); x != nil {
				f.mentions[x] = true
			}
		}
	}
	return f.mentions
}
