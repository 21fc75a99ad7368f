package rules

import (
	"slices"

	"readiness/ai/rules/prose"
	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
	"readiness/domain/proposal"
)

func (s *selection) answer(a *answers) {
	for _, t := range s.facts.tables {
		s.answerTable(t, a)
	}
	chosen := s.configured || len(a.Proposals) > 0
	for _, t := range s.autoDate {
		if chosen && !t.IsHidden && !t.IsPrivate && !s.listed(t, proposal.Hidden) {
			s.change(a, proposal.Object{Table: t.Name, Type: proposal.Table}, proposal.Hidden, true,
				"It is an automatic date table, which an AI is better off without (rule TIM-03).")
		}
	}
}

func (s *selection) answerTable(t *table, a *answers) {
	var wanted []*field
	for _, x := range t.fields() {
		if s.wanted(x) {
			wanted = append(wanted, x)
		}
	}
	visibility := t.visibility // what the table's entry will say
	hides := false             // as is recommended, so that its fields need no entries
	d, decided := s.tables[t]
	switch {
	case len(wanted) == 0 && decided && t.visibility != proposal.Hidden:
		visibility, hides = proposal.Hidden, d.clear
		s.change(a, t.object(), visibility, hides, d.reason)
	case len(wanted) == 0 && t.exposed && t.visibility != proposal.Hidden && len(t.fields()) > 0:
		visibility, hides = proposal.Hidden, s.allClear(t)
		s.change(a, t.object(), visibility, hides, "Nothing of it is left to ask about.")
	case len(wanted) > 0 && t.visibility == proposal.Hidden:
		visibility = proposal.Visible
		s.change(a, t.object(), visibility, true, "A measure that is shown is computed from it (rule VIS-04).")
	case t.role == plain && !t.related && !slices.ContainsFunc(wanted, func(x *field) bool { return x.measure != nil || !prose.Generic(x.name) }):
	case len(wanted) > 0 && !s.configured && !t.src.IsHidden && t.visibility != proposal.Visible:
		visibility = proposal.Visible
		s.change(a, t.object(), visibility, false, s.whyTable(t))
	}
	for _, x := range t.fields() {
		s.answerField(x, visibility, hides, a)
	}
}

func (s *selection) answerField(x *field, table string, hides bool, a *answers) {
	want := s.wanted(x)
	asIs := schemaShows(table, x.visibility, x.hidden)
	switch {
	case want && (!asIs || !s.configured && !x.hidden && x.visibility != proposal.Visible):
		reason := s.whyField(x)
		if m := s.need[x]; m != nil && !x.exposed {
			measure := "A measure"
			if prose.Mentionable(m.name) {
				measure = "The measure " + prose.MeasureRef(m.name)
			}
			reason = measure + " that AI sees is computed from it, and Microsoft asks for everything that such measures depend on (rule VIS-04)."
			if x.hidden {
				reason += " People still do not see it."
			}
		} else if s.violated[violationKey{rule: "VIS-07", field: x}] > 0 {
			reason = "The AI instructions or a verified answer name it (rule VIS-07)."
		}
		s.change(a, x.object(), proposal.Visible, !asIs, reason)
	case !want && s.stays(x):
	case !want && (asIs || !s.configured && !hides && !x.hidden && x.visibility != proposal.Hidden):
		d, decided := s.fields[x]
		if !decided {
			// It was hidden only because its table was.
			d = decision{clear: true, reason: "It is not in view now, and nothing asks for it."}
		}
		s.change(a, x.object(), proposal.Hidden, d.clear, d.reason)
	}
}

// allClear reports whether a rule requires hiding every field of a table.
func (s *selection) allClear(t *table) bool {
	return !slices.ContainsFunc(t.fields(), func(x *field) bool { return x.exposed && !s.fields[x].clear })
}

func (s *selection) whyTable(t *table) string {
	switch t.role {
	case fact:
		return "It holds facts to be counted and added up."
	case dimension:
		return "It is what facts are grouped and filtered by."
	case dateTable:
		return "It is the calendar that questions about time need."
	case measureTable:
		return "It holds measures."
	case fieldParameter:
		return "It chooses what visuals show; show it to an AI only if people ask by it."
	case calculationGroup:
		return "Its items change how measures are calculated."
	default:
		return "It holds data that questions can be about."
	}
}

func (s *selection) whyField(x *field) string {
	switch {
	case x.table.role == fieldParameter:
		return s.whyTable(x.table)
	case x.measure != nil:
		return "It is a number that people ask for."
	case len(x.usedBy) > 0:
		return "Measures are computed from it."
	case x.table.role == dateTable:
		return "It is a period or date to group and filter by."
	case x.isNumber():
		return "It is a value that questions can be about."
	}
	return "It is an attribute to group and filter by."
}

func (s *selection) change(a *answers, o proposal.Object, value string, recommended bool, reason string) {
	a.Proposals = append(a.Proposals, proposal.Proposal{Object: o, Value: value, Reason: reason, Recommended: recommended})
}

// listed reports whether the schema gives this visibility to a table that the rules do not consider.
func (s *selection) listed(t *semanticmodel.Table, visibility string) bool {
	schema := s.src.Copilot.Schema
	return schema != nil && slices.ContainsFunc(schema.Tables, func(e semanticmodel.AITable) bool {
		return spelling.FoldSpace(e.Name) == spelling.FoldSpace(t.Name) && e.Visibility == visibility
	})
}
