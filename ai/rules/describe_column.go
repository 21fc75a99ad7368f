package rules

import (
	"slices"
	"strings"

	"readiness/ai/rules/prose"
	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
	"readiness/domain/readiness/wording"
)

// describeColumn says what the definition says about a column beyond its name: what it is computed from, what it
// identifies and joins, its unit, its order and range. It returns "" when that is nothing.
func (f *facts) describeColumn(x *field) string {
	lead := f.columnLead(x)
	more := f.columnUse(x)
	if lead == "" {
		if len(more) == 0 {
			return ""
		}
		lead, more = more[0], more[1:]
	}
	if !informs(x.name, x.table, lead) {
		return ""
	}
	return prose.Compose(proposal.MaxDescription, lead, more...)
}

func (f *facts) columnLead(x *field) string {
	t := x.table
	switch {
	case t.role == calculationGroup && x == t.itemColumn():
		return itemsLead(t)
	case t.role == calculationGroup:
		return "Order in which the items of the calculation group are shown."
	case t.role == fieldParameter:
		return parameterLead(x)
	case strings.TrimSpace(x.column.Expression) != "":
		return f.calculated(x)
	case t.series != nil:
		return prose.Capital(t.series.text()) + "."
	}
	if values := t.fixedValues(x); values != "" {
		return values
	}
	switch {
	case x.manySide:
		return f.foreignKeyLead(x)
	case x.key && x.end:
		return f.keyLead(x)
	case x.orders != nil:
		return f.orderLead(x)
	case t.role == dateTable:
		return partLead(x)
	}
	return ""
}

// calculated says what the expression of a calculated column computes.
func (f *facts) calculated(x *field) string {
	if s := f.explain(x); s.text != "" {
		return prose.First(proposal.MaxDescription, prose.Capital(s.full())+unit(x.column.FormatString)+".", prose.Capital(s.full())+".")
	}
	return ""
}

// itemsLead names as many items of a calculation group as fit, as written, as rule DSC-07 looks for them.
func itemsLead(t *table) string {
	lead := "Changes how a measure is calculated: "
	var fit []string
	for _, n := range prose.Mentions(itemNames(t)) {
		if wording.Length(lead+strings.Join(append(fit, n), ", ")+".") <= proposal.MaxDescription {
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

// foreignKeyLead says which table a foreign key joins, and when.
func (f *facts) foreignKeyLead(x *field) string {
	var texts []string
	for _, r := range x.relations {
		other := r.to
		if r.to == x {
			other = r.from
		}
		if !prose.Mentionable(other.table.src.Name) || !prose.Mentionable(other.name) || !prose.Mentionable(x.table.src.Name) {
			continue
		}
		to := "the row of " + other.table.src.Name
		if !strings.EqualFold(other.name, x.name) {
			to += " with the same " + other.name
		}
		switch {
		case r.src.IsActive:
			texts = append(texts, "Joins each row of "+x.table.src.Name+" to "+to+".")
		case f.activating(x) != "":
			texts = append(texts, "Joins "+x.table.src.Name+" to "+to+" only where a measure asks for it, as "+f.activating(x)+" does.")
		default:
			texts = append(texts, "Could join "+x.table.src.Name+" to "+to+", by a relationship that is inactive.")
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return prose.Compose(proposal.MaxDescription, texts[0], texts[1:]...)
}

// activating returns a measure that activates the column's relationship, "" for none.
func (f *facts) activating(x *field) string {
	for _, m := range x.usedBy {
		if m.calls(activations) && prose.Mentionable(m.name) && f.wantedThen(m) {
			return prose.MeasureRef(m.name)
		}
	}
	return ""
}

// keyLead says what a key identifies, and which tables refer to it.
func (f *facts) keyLead(x *field) string {
	if !prose.Mentionable(x.table.src.Name) {
		return ""
	}
	var from []string
	for _, r := range x.relations {
		other := r.from
		if r.from == x {
			other = r.to
		}
		if r.src.IsActive {
			from = append(from, other.table.src.Name)
		}
	}
	lead := "Identifies one row of " + x.table.src.Name
	if x.isDay() {
		lead = "Identifies one day of " + x.table.src.Name
	}
	if from = prose.Mentions(from); len(from) > 0 {
		return lead + "; " + prose.List(from, 3) + map[bool]string{true: " refers", false: " refer"}[len(from) == 1] + " to it."
	}
	return lead + "."
}

// orderLead says which column a column puts in order, and the range of its numbers if their meaning is certain.
func (f *facts) orderLead(x *field) string {
	if !prose.Mentionable(x.orders.name) {
		return ""
	}
	lead := "Puts " + x.orders.name + " in order; not a value to analyze."
	if r := rangeOf(x); r != "" && x.table.role == dateTable && !slices.Contains(x.orders.words, "year") {
		lead = "Puts " + x.orders.name + " in order, as a number " + r + "."
	}
	return lead
}

// ranges are parts of dates whose names say that they are numbered within the next larger part.
var ranges = map[string]string{
	"month number": "from 1 to 12", "month no": "from 1 to 12", "month num": "from 1 to 12", "month nr": "from 1 to 12",
	"month of year":        "from 1 to 12",
	"month number of year": "from 1 to 12", "quarter number": "from 1 to 4", "quarter no": "from 1 to 4", "quarter num": "from 1 to 4",
	"quarter of year": "from 1 to 4", "day of month": "from 1 to 31", "day number of month": "from 1 to 31", "day of year": "from 1 to 366",
	"day number of year": "from 1 to 366", "hour of day": "from 0 to 23",
}

func rangeOf(x *field) string {
	if x.column.DataType != semanticmodel.Int64 {
		return ""
	}
	return ranges[strings.Join(x.words, " ")]
}

// partLead says the range of a part of dates.
func partLead(x *field) string {
	if r := rangeOf(x); r != "" {
		within := "year"
		if strings.HasSuffix(strings.Join(x.words, " "), "of month") {
			within = "month"
		}
		return "A number " + r + " within each " + within + "."
	}
	return ""
}

var dataCategories = map[string]string{
	"weburl": "A web address that a reader can open.", "imageurl": "The address of an image to show.", "image": "An image to show.",
	"barcode": "A bar code.",
}

// columnUse returns sentences about the unit, the measures, the order and the hierarchies of a column, the most
// informative first.
func (f *facts) columnUse(x *field) []string {
	var out []string
	if x.table.role == calculationGroup || x.table.role == fieldParameter {
		return nil
	}
	summed := f.summing(x)
	if in := unit(x.column.FormatString); in != "" && x.isNumber() && !x.key {
		in = "Given" + strings.TrimPrefix(in, ",")
		if summed != "" {
			in += "; " + prose.LowerStart(summed)
		} else if x.column.SummarizeBy == "none" {
			in += "; not added up by default"
		}
		out = append(out, in+".")
	} else if summed != "" {
		out = append(out, summed+".")
	}
	if s, ok := dataCategories[strings.ToLower(x.column.DataCategory)]; ok {
		out = append(out, s)
	}
	if s := x.column.SortByColumn; s != "" && prose.Mentionable(s) && f.find(x.table.src.Name, s) != nil && !strings.EqualFold(s, x.name) {
		out = append(out, "Sorted by "+s+", not by the alphabet.")
	}
	if len(out) == 0 && strings.TrimSpace(x.column.Expression) == "" && !x.key {
		return nil // the rest alone says too little
	}
	return append(out, f.levels(x)...)
}

// summing says which measures to use for a column: those that are only its sum, average or distinct count.
func (f *facts) summing(x *field) string {
	var texts []string
	for _, by := range []struct{ function, text string }{
		{"SUM", "its sum"}, {"AVERAGE", "its average"}, {"DISTINCTCOUNT", "the number of its different values"},
	} {
		for _, m := range x.usedBy {
			if f.wantedThen(m) && prose.Mentionable(m.name) && len(m.refs) == 1 && len(m.dax.Calls) == 1 &&
				strings.EqualFold(m.dax.Calls[0].Name, by.function) &&
				isOneCall(m.measure.Expression) {
				texts = append(texts, prose.MeasureRef(m.name)+" for "+by.text)
				break
			}
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return "Use " + prose.List(texts, 0)
}

// isOneCall reports whether an expression is a call of a function and nothing else.
func isOneCall(expression string) bool {
	n, ok := dax.Parse(expression)
	return ok && n.Kind == dax.CallNode && len(n.Parts) == 1 && n.Parts[0].Kind == dax.ColumnNode && n.Variables == nil
}

// levels says the place of a column in a hierarchy.
func (f *facts) levels(x *field) []string {
	for _, h := range x.table.src.Hierarchies {
		at := slices.IndexFunc(h.Levels, func(l semanticmodel.Level) bool { return strings.EqualFold(l.Column, x.name) })
		if at > 0 && prose.Mentionable(h.Name) && prose.Mentionable(h.Levels[at-1].Name) {
			return []string{"In the hierarchy " + h.Name + " below " + h.Levels[at-1].Name + "."}
		}
		if at == 0 && len(h.Levels) > 1 && prose.Mentionable(h.Name) {
			return []string{"Top level of the hierarchy " + h.Name + "."}
		}
	}
	return nil
}
