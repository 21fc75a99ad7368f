package rules

import (
	"slices"
	"strconv"
	"strings"

	"readiness/ai/rules/prose"
	"readiness/definition/dax"
	"readiness/domain/proposal"
	"readiness/domain/readiness/wording"
)

// describeTable says what the definition says about a table beyond its name: what makes its rows, what one of
// them is, what it filters. It returns "" when that is nothing.
func (f *facts) describeTable(t *table) string {
	switch t.role {
	case calculationGroup:
		return describeGroup(t)
	case fieldParameter:
		return f.describeParameter(t)
	case measureTable:
		return ""
	case dimension: // its names and relationships say what one of its rows is
		return f.describeFixed(t)
	case dateTable:
		return f.describeCalendar(t)
	case fact:
		return f.describeFact(t)
	default:
		return f.describePlain(t)
	}
}

func itemNames(t *table) []string {
	var names []string
	for _, i := range t.src.CalculationGroup.Items {
		names = append(names, i.Name)
	}
	return names
}

func describeGroup(t *table) string {
	if t.mixed() {
		return ""
	}
	items := prose.Mentions(itemNames(t))
	if len(items) == 0 {
		return "Calculation group: each of its items changes how the chosen measure is calculated."
	}
	if !t.modifies() {
		return prose.First(proposal.MaxDescription,
			"Calculation group: shows one of "+prose.List(items, 4)+" in place of the measure that is asked for.",
			"Calculation group: shows "+items[0]+" or another item in place of the measure that is asked for.")
	}
	return prose.First(proposal.MaxDescription,
		"Calculation group: applies "+prose.List(items, 4)+" to whichever measure is asked for.",
		"Calculation group: applies "+items[0]+" and others to whichever measure is asked for.")
}

// modifies reports whether an item of a calculation group uses the measure that is asked for.
func (t *table) modifies() bool { return len(t.replacing()) < len(t.src.CalculationGroup.Items) }

// replacing returns the items of a calculation group that show something else in place of the measure that is asked for.
func (t *table) replacing() []string {
	var names []string
	for _, i := range t.src.CalculationGroup.Items {
		if !strings.Contains(strings.ToUpper(i.Expression), "SELECTEDMEASURE") {
			names = append(names, i.Name)
		}
	}
	return names
}

// mixed reports whether some items of a calculation group replace the measure and others change it: a person has to say what for.
func (t *table) mixed() bool {
	n := len(t.replacing())
	return n > 0 && n < len(t.src.CalculationGroup.Items)
}

func (f *facts) describeParameter(t *table) string {
	var names []string
	for _, p := range t.src.Partitions {
		for _, r := range dax.Read(p.Expression).References {
			if x := f.resolve(r, t); x != nil && prose.Mentionable(x.name) {
				name := x.name
				if x.measure != nil {
					name = prose.MeasureRef(name)
				}
				if !strings.EqualFold(x.name, "blank") && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	const lead = "Field parameter: lets the reader of a report choose what a visual shows"
	if len(names) == 0 {
		return lead + "; it holds no data to ask about."
	}
	return prose.First(proposal.MaxDescription, lead+", among "+prose.List(names, 3)+".", lead+", such as "+names[0]+".",
		lead+"; it holds no data to ask about.")
}

// describeCalendar says which days a date table has, and by which dates it filters.
func (f *facts) describeCalendar(t *table) string {
	var active, inactive []string
	for _, r := range f.relations {
		other := r.from
		if r.from.table == t {
			other = r.to
		}
		if r.from.table != t && r.to.table != t || other.table == t || !prose.Mentionable(other.table.src.Name) ||
			!prose.Mentionable(other.name) {
			continue
		}
		if name := other.table.src.Name + " by " + other.name; r.src.IsActive {
			active = append(active, name)
		} else {
			inactive = append(inactive, name)
		}
	}
	var texts []string
	if len(active) > 0 && len(inactive) > 0 {
		texts = append(texts, "Filters "+prose.List(active, 0)+"; "+prose.List(inactive, 0)+onRequest)
	}
	days := calendarDays(t)
	for _, s := range texts {
		if days != "" {
			s = days + ". " + s
		}
		if wording.Length(s+".") <= proposal.MaxDescription {
			return s + "."
		}
	}
	if days != "" {
		return days + "."
	}
	return ""
}

// onRequest is what a text states of the dates of inactive relationships.
const onRequest = " only where a measure asks for it"

// calendarDays says which days CALENDAR makes, "" for other tables.
func calendarDays(t *table) string {
	for _, p := range t.src.Partitions {
		n, ok := dax.Parse(p.Expression)
		if p.SourceType != "calculated" || !ok {
			continue
		}
		if n.Kind == dax.CallNode && (n.Text == "ADDCOLUMNS" || n.Text == "SELECTCOLUMNS") && len(n.Parts) > 0 {
			n = n.Parts[0]
		}
		if n.Kind == dax.CallNode && n.Text == "CALENDAR" && len(n.Parts) == 2 {
			from, to := dayOf(n.Parts[0]), dayOf(n.Parts[1])
			if from != "" && to != "" && from != to {
				return "Every day from " + from + " to " + to
			}
		}
	}
	return ""
}

// dayOf returns the day of DATE(y, m, d), or today, "" for anything else.
func dayOf(n *dax.Node) string {
	if n.Kind != dax.CallNode || n.Variables != nil {
		return ""
	}
	if n.Text == "TODAY" {
		return "today"
	}
	if n.Text != "DATE" || len(n.Parts) != 3 {
		return ""
	}
	var parts [3]int
	for i, p := range n.Parts {
		v, err := strconv.Atoi(p.Text)
		if p.Kind != dax.NumberNode || err != nil {
			return ""
		}
		parts[i] = v
	}
	if parts[0] < 1900 || parts[1] < 1 || parts[1] > 12 || parts[2] < 1 || parts[2] > 31 {
		return ""
	}
	pad := func(n int) string {
		s := strconv.Itoa(n)
		if len(s) < 2 {
			return "0" + s
		}
		return s
	}
	return strconv.Itoa(parts[0]) + "-" + pad(parts[1]) + "-" + pad(parts[2])
}

// describeFact says which of several dates counts by default.
func (f *facts) describeFact(t *table) string {
	var active, inactive []string
	measure := ""
	for _, x := range t.columns {
		for _, r := range x.relations {
			other := r.to
			if r.to == x {
				other = r.from
			}
			switch {
			case other.table.role != dateTable || !prose.Mentionable(x.name):
			case r.src.IsActive && noPeriod.Meets(x.words):
				return "" // it says when rows were loaded, and a person whether that is meant
			case r.src.IsActive:
				active = append(active, x.name)
			default:
				inactive = append(inactive, x.name)
				if measure == "" {
					measure = f.activating(x)
				}
			}
		}
	}
	if len(active) != 1 || len(inactive) == 0 {
		return ""
	}
	text := "Dated by " + active[0] + " by default, and by " + prose.List(inactive, 3)
	if measure != "" {
		return prose.First(proposal.MaxDescription, text+onRequest+", as "+measure+" does.", text+onRequest+".")
	}
	return prose.First(proposal.MaxDescription, text+onRequest+".")
}

// mostListed is how many columns a table has whose list describes nothing that a reader does not see.
const mostListed = 3

// few lists the first columns.
func few(attributes []string) string {
	if len(attributes) == 0 || strings.Contains(strings.Join(attributes, ""), ",") {
		return ""
	}
	return ", with " + prose.List(attributes, 4)
}

// identifying are words of keys that do not say what they identify.
var identifying = prose.SetOf("key id code nr no number sk skey pk uid guid uuid etag name hash hkey hub dim fact row")

// grain reports whether the name of a key says more about a row than the name of the table: "One row for each ProductKey" does not
// of Product.
func grain(t *table, key string) bool {
	k := told{known: prose.Set{}, implied: []prose.Set{idle, identifying}}
	for _, w := range prose.Words(t.src.Name) {
		k.known[meaningOf(w)] = true
	}
	var said []string
	for _, w := range prose.Words(key) {
		if !identifying[w] {
			said = append(said, w)
		}
	}
	own := squashed(strings.Join(said, ""))
	for w := range identifying {
		if rest, cut := strings.CutSuffix(own, w); cut && len(said) == 1 && rest != "" && strings.HasPrefix(squashed(t.src.Name), rest) {
			return false // storekey of Stores
		}
	}
	return k.lacks(key) && own != squashed(t.src.Name) && !strings.Contains(key, ",")
}

// attributes returns the names of columns that describe a row: no keys, numbers, dates and sort orders.
func (f *facts) attributes(t *table) []string {
	var names []string
	for _, x := range t.columns {
		if f.wantedThen(x) && !x.key && !x.technical() &&
			(len(x.words) == 0 || !keyWords[x.words[len(x.words)-1]]) && x.orders == nil && !x.isDate() && !x.isNumber() {
			names = append(names, x.name)
		}
	}
	return prose.Mentions(names)
}

// describePlain says what an expression makes the rows of, or what identifies a row.
func (f *facts) describePlain(t *table) string {
	if t.series != nil {
		if t.related {
			return "The " + t.series.text() + ", one row each."
		}
		lead, user := "What-if parameter: "+t.series.text()+" to choose from", ""
		for _, x := range t.columns {
			for _, m := range x.usedBy {
				switch {
				case !f.wantedThen(m) || !prose.Mentionable(m.name):
				case outermostCall(m.measure.Expression) == "SELECTEDVALUE":
					return lead + "; " + prose.MeasureRef(m.name) + " returns the chosen one."
				default:
					user = m.name
				}
			}
		}
		if user != "" {
			return prose.First(proposal.MaxDescription, lead+"; "+prose.MeasureRef(user)+" uses the chosen one.", lead+".")
		}
		return lead + "."
	}
	if fixed := f.describeFixed(t); fixed != "" {
		return fixed
	}
	attributes := f.attributes(t)
	key := slices.IndexFunc(t.columns, func(x *field) bool { return x.column.IsKey && prose.Mentionable(x.name) })
	if key < 0 || len(attributes) == 0 || !grain(t, t.columns[key].name) || len(t.columns) <= mostListed {
		return ""
	}
	lead := "One row for each " + t.columns[key].name
	return prose.First(proposal.MaxDescription, lead+few(attributes)+".", lead+".")
}

// describeFixed says which rows are written in the model.
func (f *facts) describeFixed(t *table) string {
	for _, x := range t.columns {
		if values := t.values(x); len(values) > 0 && !x.isNumber() && prose.Mentionable(x.name) {
			n := strconv.Itoa(len(t.fixed.Parts))
			return prose.First(proposal.MaxDescription, n+" fixed rows that are written in the model, by "+x.name+": "+prose.List(values,
				0)+".",
				n+" fixed rows that are written in the model, by "+x.name+": "+prose.List(values, 3)+".")
		}
	}
	return ""
}
