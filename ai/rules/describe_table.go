package rules

import (
	"strings"

	"readiness/definition/dax"
	"readiness/domain/proposal"
)

// describeTable describes what a table is for: its content, the identifier of a row, what it filters
// or is filtered by. It returns "" when its name and its relationships say nothing.
func (f *facts) describeTable(t *table) string {
	switch t.role {
	case calculationGroup:
		return describeGroup(t)
	case fieldParameter:
		return f.describeParameter(t)
	case measureTable:
		if names := measureNames(t.measures); len(names) > 0 {
			return first(proposal.MaxDescription,
				"Home of measures such as "+list(names[:min(3, len(names))], 0)+"; it holds no columns to group or filter by.",
				"Home of measures; it holds no columns to group or filter by.")
		}
		return ""
	case dateTable:
		return f.describeCalendar(t)
	case fact:
		return describeFact(t)
	case dimension:
		return describeDimension(t)
	default:
		return describePlain(t)
	}
}

// first returns the first of the texts within the limit, "" for none.
func first(limit int, texts ...string) string {
	for _, s := range texts {
		if s != "" && length(s) <= limit {
			return s
		}
	}
	return ""
}

func itemNames(t *table) []string {
	var names []string
	for _, i := range t.src.CalculationGroup.Items {
		names = append(names, i.Name)
	}
	return names
}

func describeGroup(t *table) string {
	items := mentions(itemNames(t))
	if len(items) == 0 {
		return "Calculation group: each of its items changes how the chosen measure is calculated."
	}
	return first(proposal.MaxDescription,
		"Calculation group: applies "+list(items, 4)+" to whichever measure is asked for.",
		"Calculation group: applies "+items[0]+" and others to whichever measure is asked for.")
}

func (f *facts) describeParameter(t *table) string {
	var names []string
	for _, p := range t.src.Partitions {
		for _, r := range dax.Read(p.Expression).References {
			if x := f.resolve(r, t); x != nil && mentionable(x.name) {
				if x.measure != nil {
					names = append(names, measureRef(x.name))
				} else {
					names = append(names, x.name)
				}
			}
		}
	}
	const lead = "Field parameter: lets the reader of a report choose what a visual shows"
	if len(names) == 0 {
		return lead + "; it holds no data to ask about."
	}
	return first(proposal.MaxDescription, lead+", among "+list(names, 3)+".", lead+", such as "+names[0]+".",
		lead+"; it holds no data to ask about.")
}

func (f *facts) describeCalendar(t *table) string {
	lead := "Calendar of dates"
	if filtered := tableNames(t.facts); len(filtered) > 0 {
		lead = first(120, "Calendar by which "+list(filtered, 3)+are(len(filtered))+"filtered and grouped",
			"Calendar by which "+filtered[0]+" is filtered and grouped", lead)
	}
	var parts []string
	for _, x := range t.columns {
		if !x.hidden && !x.isDate() && x.orders == nil && periodWords.meets(x.words) {
			parts = append(parts, x.name)
		}
	}
	parts = mentions(parts)
	if len(parts) > 0 {
		return first(proposal.MaxDescription, lead+", with "+list(parts, 5)+" of each date.",
			lead+", with "+list(parts, 2)+" of each date.", lead+", with its periods for each date.")
	}
	return lead + ", one row for each date."
}

func are(n int) string {
	if n == 1 {
		return " is "
	}
	return " are "
}

var periodWords = setOf("year quarter month week weekday day period season half semester fiscal holiday")

func describeFact(t *table) string {
	what := phraseOf(bare(t.src.Name))
	lead := "Fact table"
	if informative(what) && !generic(t.src.Name) {
		lead = "Facts about " + what
	}
	var amounts, dates []string
	for _, x := range t.columns {
		switch {
		case x.end || x.technical():
		case x.isDate():
			dates = append(dates, x.name)
		case x.isNumber() && !keyWords.meets(x.words):
			amounts = append(amounts, x.name)
		}
	}
	amounts, dates = mentions(amounts), mentions(dates)
	by := tableNames(t.around)
	groups := ""
	if len(by) > 0 {
		groups = "to be grouped and filtered by " + list(by, 4)
	}
	var texts []string
	if len(amounts) > 0 && groups != "" {
		texts = append(texts, lead+" with "+list(amounts, 3)+" of each row, "+groups+".",
			lead+" with "+list(amounts, 1)+", to be grouped and filtered by "+list(by, 1)+".")
	}
	if groups != "" {
		texts = append(texts, lead+", "+groups+".", lead+", to be grouped and filtered by "+list(by, 1)+".")
	}
	text := first(proposal.MaxDescription, append(texts, lead+", in one row each.")...)
	if len(dates) > 0 {
		text = compose(proposal.MaxDescription, text, "Dated by "+list(dates, 2)+".")
	}
	return text
}

func describeDimension(t *table) string {
	lead := "Each row is " + article(t.noun())
	if t.noun() == "row" {
		lead = "Look-up table"
	}
	for _, x := range t.columns {
		if x.end && !x.manySide && mentionable(x.name) && length(lead+x.name) < 120 {
			lead += ", identified by " + x.name
			break
		}
	}
	var attributes []string
	for _, x := range t.columns {
		if !x.hidden && !x.key && !x.technical() && x.orders == nil && !x.isDate() && !x.isNumber() {
			attributes = append(attributes, x.name)
		}
	}
	attributes = mentions(attributes)
	facts := tableNames(t.facts)
	var use []string
	if len(facts) > 0 && len(attributes) > 0 {
		use = append(use, "used to group and filter "+list(facts, 3)+" by "+list(attributes, 4),
			"used to group and filter "+list(facts, 1)+" by "+list(attributes, 2))
	}
	if len(facts) > 0 {
		use = append(use, "used to group and filter "+list(facts, 2), "used to group and filter "+facts[0])
	}
	for _, u := range append(use, "used to group and filter what refers to it") {
		if s := lead + "; " + u + "."; length(s) <= proposal.MaxDescription {
			if up := tableNames(t.around); len(up) > 0 {
				s = compose(proposal.MaxDescription, s, "Itself grouped by "+list(up, 2)+".")
			}
			return s
		}
	}
	return lead + "."
}

func describePlain(t *table) string {
	var holds []string
	for _, x := range t.columns {
		if !x.hidden && !x.key && !x.technical() && x.orders == nil {
			holds = append(holds, x.name)
		}
	}
	holds = mentions(holds)
	what := phraseOf(bare(t.src.Name))
	if !informative(what) || generic(t.src.Name) {
		what = ""
	}
	switch {
	case len(t.columns) == 1 && len(holds) == 1 && strings.Contains(strings.ToUpper(partitionText(t)), "GENERATESERIES"):
		return first(proposal.MaxDescription, "What-if parameter: the values of "+holds[0]+" to choose from; related to no other table.")
	case len(holds) == 0 && what == "":
		return ""
	case len(holds) == 0:
		return "Table about " + what + " without columns that are shown."
	}
	lead := "Each row gives "
	if what != "" {
		lead = "Data about " + what + ": each row gives "
	}
	alone := ""
	if !t.related {
		alone = "Related to no other table."
	}
	return compose(proposal.MaxDescription, first(proposal.MaxDescription, lead+list(holds, 5)+".", lead+list(holds, 2)+".",
		lead+list(holds, 1)+"."), alone)
}

func partitionText(t *table) string {
	text := ""
	for _, p := range t.src.Partitions {
		text += p.Expression
	}
	return text
}
