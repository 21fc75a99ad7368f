package rules

import (
	"cmp"
	"slices"
	"strings"

	"readiness/ai/rules/prose"
	"readiness/definition/dax"
	"readiness/domain/proposal"
)

// decision is the proposed visibility of an object, and its reason.
type decision struct {
	hide   bool
	clear  bool // a rule requires it
	reason string
}

// choose proposes an AI data schema. It shows what an AI is asked about and what shown measures are
// computed from, and hides what the rules want hidden (VIS-02, VIS-03, VIS-05, MEA-05,
// REL-01). What instructions or verified answers name stays. A schema that is chosen already changes
// only where a rule clearly requires it.
func (f *facts) choose(a *answers) {
	if len(f.tables) == 0 {
		a.skip(proposal.Object{Type: proposal.Model}, "The model has no tables to choose from.")
		return
	}
	a.Proposals = slices.Clone(f.selected()) // which later asks share
	if len(a.Proposals) == 0 {
		a.skip(proposal.Object{Type: proposal.Model}, "The AI data schema shows what these rules would show, or the model has nothing "+
			"else to show.")
	}
}

type selection struct {
	*facts
	fields   map[*field]decision // for hidden fields
	tables   map[*table]decision
	need     map[*field]*field // the fields that shown measures need, with the measure
	keep     map[*field]bool   // the fields that are not hidden
	violated map[violationKey]float64
}

func (s *selection) hide(x *field, clear bool, reason string) {
	// The person who chose the schema decides what is not clear.
	if d, decided := s.fields[x]; (!decided || clear && !d.clear) && x.exposed && !s.stays(x) && (clear || !s.configured) {
		s.fields[x] = decision{true, clear, reason}
	}
}

// stays reports whether a field must not be hidden: something names it or would miss it, or only a person knows what it is for.
func (s *selection) stays(x *field) bool {
	return s.keep[x] || s.mentioned()[x] || x.table.role == fieldParameter
}

func (s *selection) hideTable(t *table, clear bool, reason string) {
	if d, decided := s.tables[t]; (!decided || clear && !d.clear) && t.exposed &&
		!slices.ContainsFunc(t.fields(), s.stays) && (clear || !s.configured) {
		s.tables[t] = decision{true, clear, reason}
		for _, x := range t.fields() {
			s.hide(x, clear, reason)
		}
	}
}

// shown reports whether a measure stays visible.
func (s *selection) shown(x *field) bool { return x.exposed && !s.fields[x].hide }

// measures hides helpers and duplicates, unless no measure would be left.
func (s *selection) measures() {
	var exposed []*field // including hidden measures that exposed ones are computed from
	for _, x := range s.allMeasures() {
		if x.exposed {
			exposed = append(exposed, x)
		}
	}
	s.follow(slices.Clone(exposed), func(to, _ *field) {
		if to.measure != nil && !to.exposed {
			exposed = append(exposed, to)
		}
	})
	slices.SortStableFunc(exposed, func(a, b *field) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.table.src.Name, b.table.src.Name))
	})
	// Of measures with one expression, the one that others are computed from stays, else the first by
	// name, whose name does not say that it is for one group or one visual.
	kept := map[string][]*field{} // by expression, one for each format
	for _, x := range exposed {
		if s.helps(x) {
			continue
		}
		text := x.sameness()
		switch first := like(kept[text], x); {
		case first < 0:
			kept[text] = append(kept[text], x)
		case len(kept[text][first].usedBy) == 0 && (len(x.usedBy) > 0 || narrowing.Meets(kept[text][first].words) && !narrowing.Meets(x.words)),
			kept[text][first].views < x.views && len(x.usedBy) >= len(kept[text][first].usedBy):
			kept[text][first] = x
		}
	}
	hidden := map[*field]string{}
	for _, x := range exposed {
		text := x.sameness()
		same := like(kept[text], x)
		name, bare := dax.BareReference(x.measure.Expression)
		original := s.facts.measures[strings.ToLower(name)]
		switch {
		case s.stays(x):
		case s.helps(x):
			hidden[x] = "It is made for display in reports, not for answers (rule VIS-03)."
		case text != "" && same >= 0 && kept[text][same] != x:
			hidden[x] = "It has the same expression as another measure that is shown (rule MEA-05)."
		case bare && original != nil && !strings.EqualFold(original.name, x.name):
			hidden[x] = "It only repeats another measure under a second name (rule MEA-05)."
		}
	}
	if len(hidden) == len(exposed) {
		return
	}
	for _, x := range exposed {
		if reason := hidden[x]; reason != "" {
			s.hide(x, true, reason)
		}
	}
}

// narrowing are words of a measure that is for one group or one visual.
var narrowing = prose.SetOf("by por per para pro je nach selon card display gauge funnel chart visual tooltip filtered title kpi")

// helps reports whether a measure is made for display (rule VIS-03).
func (s *selection) helps(x *field) bool {
	return s.violated[violationKey{rule: "VIS-03", field: x}] > 0
}

// like returns the first of the measures that does not differ from x in its format, -1 for none.
func like(measures []*field, x *field) int {
	format := func(m *field) string { return strings.TrimSpace(m.measure.FormatString) }
	return slices.IndexFunc(measures, func(m *field) bool { return format(m) == format(x) || format(m) == "" || format(x) == "" })
}

// sameness returns what measures that repeat each other have in common (rule MEA-05): the expression, and the
// table if its own columns are named without it.
func (x *field) sameness() string {
	text := squeezed(x.measure.Expression)
	if text == "" {
		return ""
	}
	if slices.ContainsFunc(x.dax.References, func(r dax.Reference) bool {
		return !r.Qualified && slices.ContainsFunc(x.table.columns, func(c *field) bool { return strings.EqualFold(c.name, r.Name) })
	}) {
		text = x.table.src.Name + "\x00" + text
	}
	return text
}

func squeezed(expression string) string {
	return strings.ToLower(strings.Join(strings.Fields(expression), ""))
}

// unusedTables hides tables that no question is about.
func (s *selection) unusedTables() {
	star := slices.ContainsFunc(s.facts.tables, func(t *table) bool { return t.role == fact && t.exposed })
	for _, t := range s.facts.tables {
		switch {
		case slices.ContainsFunc(t.measures, s.shown):
		case star && s.violated[violationKey{rule: "REL-01", table: t}] > 0 && t.role == plain && !slices.ContainsFunc(t.columns,
			func(x *field) bool { return x.views > 0 || len(x.usedBy) > 0 }):
			s.hideTable(t, false, "No active relationship and no measure uses it, so an AI cannot join it to anything (rule REL-01).")
		}
	}
}

// mistyped reports whether every relationship of a foreign key is to a column of another type (rule REL-04).
func (x *field) mistyped() bool {
	return !slices.ContainsFunc(x.relations, func(r relation) bool {
		return r.from == x && r.from.column.DataType == r.to.column.DataType
	})
}

// named reports whether something other than its key says which row of a table is meant.
func (t *table) named() bool {
	return slices.ContainsFunc(t.columns, func(x *field) bool {
		return x.isText() && !x.key && !x.hidden && (len(x.words) == 0 || !keyWords[x.words[len(x.words)-1]]) &&
			(nameWords.Meets(x.words) || x.column.IsDefaultLabel || len(t.columns) <= mostListed || !informs(t.src.Name, t, x.name))
	})
}

// refersToItself reports whether another column of the table names rows of it by their key, as the employee whom one reports to.
func (t *table) refersToItself(key *field) bool {
	return slices.ContainsFunc(t.columns, func(x *field) bool {
		return x != key && !x.end && x.column.DataType == key.column.DataType && superiors.Meets(x.words)
	})
}

var superiors = prose.SetOf("parent manager supervisor superior boss reports leader head")

var nameWords = prose.SetOf("name names title label description nome nombre nom naam bezeichnung descrição descripción descricao descripcion titulo")

// bridges reports whether a table holds nothing but which rows of other tables belong together: who asks which do has to count its rows.
func (t *table) bridges() bool {
	keys := 0
	for _, x := range t.columns {
		if x.manySide {
			keys++
		}
	}
	return keys > 1 && keys == len(t.columns) && len(t.measures) == 0
}

// columns hides keys, record-keeping columns and unused columns.
func (s *selection) columns() {
	for _, t := range s.facts.tables {
		if t.bridges() {
			continue
		}
		for _, x := range t.columns {
			violation := s.violated[violationKey{rule: "VIS-02", field: x}]
			switch {
			case x.end && !x.active: // no relationship does its work unless a measure asks for it
			case violation > 0 && x.manySide && (!x.oneOwns || len(s.allMeasures()) == 0): // people may ask by it, or count it
			case violation > 0 && x.manySide && x.mistyped(): // hidden, it leaves only a relationship that may match nothing
			case violation > 0 && x.manySide:
				s.hide(x, violation == 1, "It is a foreign key: the relationship does its work (rule VIS-02).")
			case violation > 0:
				s.hide(x, violation == 1, "It is a technical or record-keeping column (rule VIS-02).")
			case x.end && t.refersToItself(x): // who reports to whom is asked by it
			case x.end && t.role != dateTable && t.named() && keyWords.Meets(x.words) && len(x.usedBy) == 0 && !dateWords.Meets(x.words):
				s.hide(x, !x.isText(), "It is the key that relationships go by; if people ask by it, leave it.")
			case t.role == calculationGroup && x != t.itemColumn():
				s.hide(x, true, "It only puts the items of the calculation group in order.")
			case s.violated[violationKey{rule: "VIS-06", field: x}] > 0 && t.role != calculationGroup:
				s.hide(x, false, "No viewed report shows it and nothing refers to it (rule VIS-06).")
			}
		}
	}
}

// mostLeftOut is how many tables are left out without a person who says what questions are about.
const mostLeftOut = 10

// fewTables keeps the 25 tables that matter most (rule VIS-05) and the measures that need no others. Tables without rows to ask for
// stay. To leave out a table that relates to others is recommended only if nobody views it. Where more than mostLeftOut tables would
// go, all stay: somebody has to say which questions the model should answer.
func (s *selection) fewTables() {
	if len(s.facts.tables) <= proposal.MaxSchemaTables {
		return
	}
	var kept []*table
	for _, t := range s.facts.tables {
		if s.visible(t) || slices.ContainsFunc(t.fields(), s.unclear) {
			kept = append(kept, t)
		}
	}
	reaches := map[*table]int{} // shown measures computed from the table
	shown := s.shownMeasures()
	for _, x := range shown {
		for t := range tablesOf(s.closure(x), x) {
			reaches[t]++
		}
	}
	for _, t := range s.facts.tables {
		if reaches[t] > 0 && !slices.Contains(kept, t) {
			kept = append(kept, t)
		}
	}
	most := proposal.MaxSchemaTables
	certain := 0 // tables that stay even if all is accepted
	kept = slices.DeleteFunc(kept, func(t *table) bool {
		stays := t.role == calculationGroup || t.role == fieldParameter || t.role == measureTable
		if stays {
			most = max(0, most-1)
		} else if s.visible(t) || reaches[t] > 0 {
			certain++
		}
		return stays
	})
	many := len(kept)
	if certain > most {
		many = certain
	}
	if len(kept) <= most || many > most+mostLeftOut {
		return
	}
	slices.SortFunc(kept, func(a, b *table) int {
		return cmp.Or(
			cmp.Compare(importance(b, reaches), importance(a, reaches)),
			cmp.Compare(viewsOf(b), viewsOf(a)),
			cmp.Compare(reaches[b], reaches[a]),
			cmp.Compare(len(b.facts), len(a.facts)),
			strings.Compare(a.src.Name, b.src.Name),
		)
	})
	in := map[*table]bool{}
	for _, t := range kept[:most] {
		in[t] = true
	}
	const reason = "Of more than 25 tables it is among the least related and used: an AI cannot distinguish more of them (rule VIS-05)."
	for _, t := range kept {
		if !in[t] {
			// A table that others relate to may be what people group by: only its views say that they do not.
			s.hideTable(t, !t.related || len(s.facts.views) > 0 && viewsOf(t) == 0, reason)
		}
	}
	for _, x := range shown {
		for t := range tablesOf(s.closure(x), x) {
			if slices.Contains(kept, t) && !in[t] {
				s.hide(x, s.tables[t].clear, "It is computed from a table that is left out, as there are more than 25 (rules VIS-04, VIS-05).")
			}
		}
	}
}

func viewsOf(t *table) (most int64) {
	for _, x := range t.fields() {
		most = max(most, x.views)
	}
	return most
}

// importance ranks tables by how many answers depend on them: those that measures are computed from
// and the calendar, then tables in use, facts and dimensions.
func importance(t *table, reaches map[*table]int) int {
	switch {
	case t.role == dateTable, reaches[t] > 0:
		return 4
	case viewsOf(t) > 0:
		return 3
	case t.role == fact:
		return 2
	case t.role == dimension:
		return 1
	}
	return 0
}

// unclear reports whether hiding a field is not recommended, so that it still counts as shown.
func (s *selection) unclear(x *field) bool {
	return x.exposed && s.fields[x].hide && !s.fields[x].clear
}

// visible reports whether a field of the table stays visible.
func (s *selection) visible(t *table) bool { return slices.ContainsFunc(t.fields(), s.shown) }

func (s *selection) shownMeasures() []*field {
	return slices.DeleteFunc(s.allMeasures(), func(x *field) bool { return !s.shown(x) })
}

// follow visits each field that the measures name, directly or through measures, once, with the first
// measure that leads to it.
func (s *selection) follow(measures []*field, visit func(to, from *field)) {
	expanded, visited := map[*field]bool{}, map[*field]bool{}
	for _, x := range measures {
		for queue := []*field{x}; len(queue) > 0; queue = queue[1:] {
			at := queue[0]
			if expanded[at] {
				continue
			}
			expanded[at] = true
			for _, to := range at.refs {
				if to != x && !visited[to] {
					visited[to] = true
					visit(to, x)
				}
				if to.measure != nil {
					queue = append(queue, to)
				}
			}
		}
	}
}

// closure returns the fields that a measure names, directly or through measures.
func (s *selection) closure(x *field) []*field {
	seen := map[*field]bool{x: true}
	queue := []*field{x}
	var out []*field
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if at.measure == nil {
			continue
		}
		for _, to := range at.refs {
			if !seen[to] {
				seen[to] = true
				out = append(out, to)
				queue = append(queue, to)
			}
		}
	}
	return out
}

func tablesOf(fields []*field, also ...*field) map[*table]bool {
	all := map[*table]bool{}
	for _, x := range append(also, fields...) {
		all[x.table] = true
	}
	return all
}

// require keeps what shown measures need and what instructions and verified answers name (rules VIS-04,
// VIS-07). A measure hidden only as a helper or a duplicate becomes visible again when another one is
// computed from it.
func (s *selection) require() {
	s.follow(s.shownMeasures(), func(to, from *field) {
		// A key that a person left out stays out: rule VIS-02 requires that as much as rule VIS-04
		// requires the opposite, and a relationship works without it being visible.
		switches := to.end && !to.valued && !to.exposed // it only switches a relationship, which works without it
		if !switches && (!s.configured || to.exposed || !to.manySide && !to.technical()) {
			s.need[to] = from
		}
	})
	for x := range s.mentioned() {
		if x.exposed {
			delete(s.fields, x)
		}
	}
}

// wanted reports whether a field is visible in the end.
func (s *selection) wanted(x *field) bool {
	return s.need[x] != nil || s.shown(x) || s.violated[violationKey{rule: "VIS-07", field: x}] > 0
}
