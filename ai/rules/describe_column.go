package rules

import (
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
)

// describeColumn describes the column: its value for each row, its unit and its use. It returns ""
// when only a name that says nothing is known.
func (f *facts) describeColumn(x *field) string {
	lead := f.columnLead(x)
	more := f.columnUse(x)
	if lead == "" {
		if len(more) == 0 {
			return ""
		}
		lead, more = more[0], more[1:]
	}
	return compose(proposal.MaxDescription, lead, more...)
}

func (f *facts) columnLead(x *field) string {
	t := x.table
	each := " of each " + t.noun()
	switch {
	case t.role == calculationGroup && x == t.itemColumn():
		return itemsLead(t)
	case t.role == calculationGroup:
		return "Order in which the items of the calculation group are shown."
	case t.role == fieldParameter:
		return parameterLead(x)
	case x.isDate() && t.role == dateTable && x.end:
		return "The day itself; filter periods on it, as it is the key of the calendar."
	case x.isDate():
		return f.dateLead(x)
	case x.manySide:
		return f.foreignKeyLead(x)
	case x.key:
		return "Identifies each " + t.noun() + f.referring(x) + "."
	case x.orders != nil:
		if mentionable(x.orders.name) {
			return "Gives the order in which " + x.orders.name + " is sorted; a number for display, not for analysis."
		}
		return "Gives the order in which another column is sorted; not for analysis."
	case x.technical():
		return "Record-keeping value of each " + t.noun() + ", from loading the data; not for analysis."
	case generic(x.name):
		return ""
	}
	phrased := x.phrase()
	if !informative(phrased) {
		return ""
	}
	verb, state, _ := strings.Cut(phrased, " ")
	switch {
	case phrased == t.noun() && t.role != dimension:
		each = " of each row"
	case phrased == t.noun():
		phrased = "name or code"
		each = " that distinguishes one " + t.noun() + " from another"
	case x.column.DataType == semanticmodel.Boolean && statesOf[verb] && state != "":
		return "True when the " + t.noun() + " " + phrased + "."
	case x.column.DataType == semanticmodel.Boolean:
		return "True or false for each " + t.noun() + ": " + phrased + "."
	case statesOf[verb] && state != "":
		return "Shows whether the " + t.noun() + " " + phrased + "."
	}
	switch {
	case x.isNumber():
		return capital(phrased) + each + unit(x.column.FormatString) + "."
	}
	groups := tableNames(t.facts)
	if t.role == fact || t.role == plain {
		return capital(phrased) + each + ", to group and filter by."
	}
	if len(groups) > 0 {
		return first(proposal.MaxDescription, capital(phrased)+each+", to group and filter "+list(groups, 2)+" by.",
			capital(phrased)+each+", to group and filter by.")
	}
	return capital(phrased) + each + ", to group and filter by."
}

// phrase returns a column's name in words, without the words of its table: "name" for Customer Name in
// Customers.
func (x *field) phrase() string {
	parts := cut(x.name, true)
	of := strings.Fields(x.table.noun())
	n := len(of)
	if len(parts) > n && strings.EqualFold(strings.Join(parts[:n], " "), strings.Join(of, " ")) && phraseOf(parts[n:]) != "" {
		return phraseOf(parts[n:])
	}
	return phraseOf(parts)
}

func itemsLead(t *table) string {
	// Rule DSC-07 looks for the items' names as written, so as many as fit are named.
	lead := "Changes how a measure is calculated: "
	var fit []string
	for _, n := range mentions(itemNames(t)) {
		if length(lead+strings.Join(append(fit, n), ", ")+".") <= proposal.MaxDescription {
			fit = append(fit, n)
		}
	}
	if len(fit) == 0 {
		return "Changes how a measure is calculated, by the item chosen."
	}
	return lead + strings.Join(fit, ", ") + "."
}

func parameterLead(x *field) string {
	if _, ok := x.column.ExtendedProperties["ParameterMetadata"]; ok {
		return "Names the field that each choice of the parameter shows; a helper for report visuals."
	}
	if x.isNumber() {
		return "Order of the choices of the parameter; a helper for report visuals."
	}
	return "Label of each choice of the parameter, as the reader of a report sees it."
}

func (f *facts) dateLead(x *field) string {
	phrased := x.phrase()
	if phrased == x.table.noun() {
		return "The day itself, as a point in time to filter periods on."
	}
	if !informative(phrased) || generic(x.name) {
		phrased = "date"
	}
	lead := capital(phrased) + " of each " + x.table.noun()
	for _, r := range f.relations {
		if r.from != x && r.to != x {
			continue
		}
		other := r.to
		if r.to == x {
			other = r.from
		}
		if !mentionable(other.table.src.Name) {
			continue
		}
		if r.src.IsActive {
			return lead + "; the date by which " + other.table.src.Name + " filters it by default."
		}
		if m := f.activating(x); m != "" {
			return lead + "; related to " + other.table.src.Name + " only where a measure asks for it, as " + m + " does."
		}
		return lead + "; its relationship with " + other.table.src.Name + " is inactive."
	}
	return lead + ", as a point in time."
}

// activating returns a measure that activates the column's relationship, "" for none.
func (f *facts) activating(x *field) string {
	for _, m := range x.usedBy {
		if m.calls(activations) && mentionable(m.name) {
			return measureRef(m.name)
		}
	}
	return ""
}

func (f *facts) foreignKeyLead(x *field) string {
	var to []string
	for _, r := range f.relations {
		switch x {
		case r.from:
			to = append(to, r.to.table.src.Name)
		case r.to:
			to = append(to, r.from.table.src.Name)
		}
	}
	if to = mentions(to); len(to) == 0 {
		return "Key that ties each " + x.table.noun() + " to a row of another table; not for display."
	}
	return "Key that ties each " + x.table.noun() + " to its row of " + list(to, 2) + "; not for display."
}

// referring returns the names of tables whose columns refer to a key.
func (f *facts) referring(x *field) string {
	var from []string
	for _, r := range f.relations {
		if r.to == x {
			from = append(from, r.from.table.src.Name)
		}
	}
	if from = mentions(from); len(from) > 0 {
		return "; " + list(from, 3) + map[bool]string{true: " refers", false: " refer"}[len(from) == 1] + " to it"
	}
	return ""
}

// statesOf are verbs that start the names of flags.
var statesOf = setOf("is has was can should are needs allows")

// unit returns the unit that a format string implies for a number.
func unit(format string) string {
	switch {
	case strings.Contains(format, "%"):
		return ", as a percentage"
	case strings.Contains(format, "€"):
		return ", in euro"
	case strings.Contains(format, "£"):
		return ", in pounds"
	case strings.Contains(format, "¥"):
		return ", in yen or yuan"
	case strings.Contains(format, "$"):
		return ", in dollars"
	}
	return ""
}

var dataCategories = map[string]string{
	"weburl": "Holds a web address.", "imageurl": "Holds the address of an image.", "image": "Holds an image.",
	"barcode":  "Holds a bar code.",
	"latitude": "Holds degrees of latitude.", "longitude": "Holds degrees of longitude.", "country": "Holds a country.",
	"city":            "Holds a city.",
	"stateorprovince": "Holds a state or province.", "county": "Holds a county.", "continent": "Holds a continent.",
	"postalcode": "Holds a postal code.",
	"address":    "Holds an address.", "place": "Holds a place.",
}

// columnUse returns sentences about what a column is computed from and used for, the most informative
// first.
func (f *facts) columnUse(x *field) []string {
	var out []string
	if x.table.role == calculationGroup || x.table.role == fieldParameter {
		return nil
	}
	if from := fieldNames(x.refs); strings.TrimSpace(x.column.Expression) != "" && len(from) > 0 {
		out = append(out, "Calculated from "+list(from, 3)+".")
	}
	if s, ok := dataCategories[strings.ToLower(x.column.DataCategory)]; ok {
		out = append(out, s)
	}
	if used := measureNames(x.usedBy); x.isNumber() && !x.key && len(used) > 0 {
		out = append(out, "Used by "+list(used, 2)+".")
	} else if x.isNumber() && !x.key && x.orders == nil && x.column.SummarizeBy == "none" && x.table.role != dateTable {
		out = append(out, "A value to group and filter by, not to add up.")
	}
	for _, h := range x.table.src.Hierarchies {
		at := slices.IndexFunc(h.Levels, func(l semanticmodel.Level) bool { return strings.EqualFold(l.Column, x.name) })
		if at > 0 && mentionable(h.Name) && mentionable(h.Levels[at-1].Name) {
			out = append(out, "In the hierarchy "+h.Name+" below "+h.Levels[at-1].Name+".")
			break
		}
		if at == 0 && len(h.Levels) > 1 && mentionable(h.Name) {
			out = append(out, "Top level of the hierarchy "+h.Name+".")
			break
		}
	}
	if x.column.IsDefaultLabel && x.table.noun() != "row" {
		out = append(out, "The label to show for "+article(x.table.noun())+".")
	}
	if s := x.column.SortByColumn; s != "" && mentionable(s) && f.find(x.table.src.Name, s) != nil {
		out = append(out, "Sorted by "+s+".")
	}
	return out
}
