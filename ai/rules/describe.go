package rules

import (
	"strings"

	"readiness/ai/rules/prose"
	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
	"readiness/domain/proposal"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/informing"
	"readiness/domain/readiness/wording"
)

// described is an object that can have a description.
type described struct {
	object proposal.Object
	table  *table
	field  *field // nil for the table itself
}

func (d described) name() string {
	if d.field == nil {
		return d.table.src.Name
	}
	return d.field.name
}

func (d described) current() string {
	if d.field == nil {
		return d.table.src.Description
	}
	return d.field.description
}

func (d described) subject() finding.Subject {
	types := map[proposal.ObjectType]finding.ObjectType{
		proposal.Table: finding.TableObject, proposal.Column: finding.ColumnObject, proposal.Measure: finding.MeasureObject,
	}
	return finding.Subject{Type: types[d.object.Type], Table: d.object.Table, Name: d.object.Name}
}

// describer proposes descriptions that satisfy the rules about them: 15 to 200 characters on one line, something that names do
// not say, and no text twice in the model.
type describer struct {
	*facts
	order []described
	known map[proposal.Object]described
	held  map[string][]described // the objects with a text, in order
}

func (f *facts) newDescriber() *describer {
	d := &describer{facts: f, known: map[proposal.Object]described{}, held: map[string][]described{}}
	note := func(one described) {
		if _, twice := d.known[one.object]; !twice {
			d.known[one.object] = one
			d.order = append(d.order, one)
		}
	}
	for _, t := range f.tables {
		note(described{t.object(), t, nil})
		for _, x := range t.fields() {
			note(described{x.object(), t, x})
		}
	}
	for _, one := range d.order {
		text := spelling.FoldSpace(one.current())
		d.held[text] = append(d.held[text], one)
	}
	return d
}

// leftOut reports whether an AI should not see a field, so that it needs no description.
func (d *describer) leftOut(one described) bool {
	return one.field != nil && (!d.wantedThen(one.field) || d.displays(one))
}

// displays reports whether a measure is made for display (rule VIS-03).
func (d *describer) displays(one described) bool {
	return one.field != nil && d.hideViolations()[violationKey{rule: "VIS-03", field: one.field}] > 0
}

// describe answers for the objects, the first of them within the limit.
func (f *facts) describe(objects []proposal.Object, limit int, a *answers) {
	d := f.newDescriber()
	asked := make(map[proposal.Object]bool, len(objects))
	for _, o := range objects {
		asked[o] = true
	}
	// Texts are assigned in the order of the model, whatever the order of objects.
	taken := map[string]bool{}
	given := map[proposal.Object]string{}
	for _, one := range d.order {
		if !asked[one.object] || d.serves(one) || d.displays(one) {
			continue
		}
		text := d.textFor(one, func(s string) bool { return len(d.held[spelling.FoldSpace(s)]) == 0 && !taken[spelling.FoldSpace(s)] })
		if text != "" {
			taken[spelling.FoldSpace(text)] = true
			given[one.object] = text
		}
	}
	for _, o := range distinct(objects) {
		one, known := d.known[o]
		switch {
		case !known:
			a.skip(o, unknownObject)
		case given[o] != "" && limit > 0 && len(a.Proposals) == limit:
			a.More++
		case given[o] != "":
			a.propose(o, given[o], d.lacking(one))
		case d.serves(one):
			a.skip(o, "It has a description that says more than its name.")
		case d.leftOut(one):
			a.skip(o, "An AI has no use for it: leave it out of the AI data schema rather than describe it.")
		default:
			a.skip(o, "The definition says nothing about it beyond its name: describe it by hand.")
			a.ask(o, d.question(one))
		}
	}
}

func (d *describer) shared(one described) bool {
	return len(d.held[spelling.FoldSpace(one.current())]) > 1
}

// adds reports whether a text says something about an object that names do not say .
func (f *facts) adds(one described, text string) bool {
	if f.informing == nil {
		f.informing = informing.JudgeOf(f.src)
	}
	return f.informing.Informs(one.subject(), text)
}

// restates reports whether a text is blank or only restates the object's own names, so that nothing of a person's is lost with it: one that
// names other objects says how it differs from its like.
func (d *describer) restates(one described, text string) bool {
	switch d.informing.Fault(one.subject(), text) {
	case informing.Absent, informing.Short:
		return true
	case informing.Names:
		k := told{known: prose.Set{}, implied: []prose.Set{idle, arithmetic}}
		for _, w := range prose.Words(one.name() + " " + one.table.src.Name + " this these") {
			k.known[meaningOf(w)] = true
		}
		return !k.lacks(text)
	case informing.Informs, informing.Filler, informing.Unrelated, informing.Repeated:
	}
	return false
}

// exceeds reports whether a text says more of an object than the one that a person wrote and its name.
func (f *facts) exceeds(one described, text, current string) bool {
	k := told{known: prose.Set{}, implied: []prose.Set{idle, arithmetic}}
	for _, w := range prose.Words(one.name() + " " + current) {
		k.known[meaningOf(w)] = true
	}
	if strings.ContainsRune(one.name(), '%') {
		k.known["percentage"] = true
	}
	return k.lacks(text)
}

// lacking returns what is wrong with an object's current description.
func (d *describer) lacking(one described) string {
	switch current := strings.TrimSpace(one.current()); {
	case current == "":
		return "It has no description; this one states what the definition says about it."
	case !d.adds(one, current):
		return "Its description says no more than names do."
	case len(unnamedItems(one, current)) > 0:
		return "Its description leaves out items of the calculation group."
	}
	return "Another object has the same description."
}

// serves reports whether the description of an object satisfies every rule.
func (d *describer) serves(one described) bool {
	text := strings.TrimSpace(one.current())
	return d.adds(one, text) && wording.Length(text) <= proposal.MaxDescription && len(unnamedItems(one, text)) == 0 && !d.shared(one)
}

// unnamedItems returns the items of a calculation group that the description of its column does not
// name (rule DSC-07).
func unnamedItems(d described, text string) []string {
	if d.field == nil || d.field != d.table.itemColumn() {
		return nil
	}
	var missing []string
	for _, item := range d.table.src.CalculationGroup.Items {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(item.Name)) {
			missing = append(missing, item.Name)
		}
	}
	return missing
}

// itemColumn returns the column with the names of a calculation group's items, nil for other tables.
func (t *table) itemColumn() *field {
	if t.src.CalculationGroup == nil {
		return nil
	}
	var text []*field
	for _, x := range t.columns {
		if x.column.SourceColumn == "Name" {
			return x
		}
		if x.column.DataType == semanticmodel.String {
			text = append(text, x)
		}
	}
	if len(text) == 1 {
		return text[0]
	}
	return nil
}

// textFor returns the first unused text within the limits, "" for none. A person's text is only added to: nothing of it is cut or
// changed, unless it says no more than the name.
func (d *describer) textFor(one described, free func(string) bool) string {
	var candidates []string
	made := ""
	if !d.leftOut(one) {
		made = d.made(one)
	}
	if current := strings.TrimSpace(one.current()); d.adds(one, current) {
		switch missing := unnamedItems(one, current); {
		case len(missing) > 0:
			named := prose.Finished(current) + " Its items are " + prose.List(prose.Mentions(itemNames(one.table)), 0) + "."
			if len(unnamedItems(one, named)) == 0 {
				candidates = append(candidates, named)
			}
		case d.shared(one) && made != "":
			candidates = append(candidates, prose.Finished(current)+" "+made)
		}
	} else if d.restates(one, current) && d.exceeds(one, made, current) {
		candidates = append(candidates, made)
	}
	for _, c := range candidates {
		if n := wording.Length(c); n >= proposal.MinDescription && n <= proposal.MaxDescription && prose.MentionableLine(c) && free(c) &&
			d.adds(one, c) {
			return c
		}
	}
	return ""
}

// made returns the description generated from the definition, "" for none, and in a model that is not in English.
func (f *facts) made(d described) string {
	if !f.checked().English() {
		return ""
	}
	if d.field == nil {
		return f.describeTable(d.table)
	}
	if d.field.column != nil {
		return f.describeColumn(d.field)
	}
	return f.describeMeasure(d.field)
}
