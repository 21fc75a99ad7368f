package rules

import (
	"slices"
	"strings"
	"unicode"

	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
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

// describe proposes descriptions that satisfy rules DSC-01 to DSC-07: 15 to 200 characters on one
// line, more than the name, and no text twice in the model.
func (f *facts) describe(objects []proposal.Object, a *answers) {
	all := map[proposal.Object]described{}
	var order []described
	note := func(d described) {
		if _, twice := all[d.object]; !twice {
			all[d.object] = d
			order = append(order, d)
		}
	}
	for _, t := range f.tables {
		note(described{t.object(), t, nil})
		for _, x := range t.fields() {
			note(described{x.object(), t, x})
		}
	}
	held := map[string]int{} // how many objects have a text
	for _, d := range order {
		held[norm(d.current())]++
	}
	asked := map[proposal.Object]bool{}
	for _, o := range objects {
		asked[o] = true
	}
	// Texts are assigned in the order of the model, whatever the order of objects.
	taken := map[string]bool{}
	given := map[proposal.Object]string{}
	why := map[proposal.Object]string{}
	for _, d := range order {
		if !asked[d.object] {
			continue
		}
		if f.serves(d) && held[norm(d.current())] == 1 {
			why[d.object] = "It has a description that says more than its name."
			continue
		}
		text := f.textFor(d, held[norm(d.current())] > 1, func(s string) bool { return held[norm(s)] == 0 && !taken[norm(s)] })
		if text == "" {
			why[d.object] = "The definition says nothing about it beyond its name: describe it by hand."
			continue
		}
		taken[norm(text)] = true
		given[d.object] = text
	}
	for _, o := range distinct(objects) {
		switch d, known := all[o]; {
		case !known:
			a.skip(o, unknownObject)
		case given[o] == "":
			a.skip(o, why[o])
		default:
			a.propose(o, given[o], lacking(d))
		}
	}
}

// lacking returns what is wrong with an object's current description.
func lacking(d described) string {
	switch current := strings.TrimSpace(d.current()); {
	case current == "":
		return "It has no description; this one states what the definition says about it."
	case !saysMore(current, d.name()):
		return "Its description has only words of its name."
	case length(current) < proposal.MinDescription:
		return "Its description is shorter than 15 characters."
	case length(current) > proposal.MaxDescription:
		return "Its description is longer than the 200 characters that an AI reads."
	case len(unnamedItems(d, current)) > 0:
		return "Its description leaves out items of the calculation group."
	}
	return "Another object has the same description."
}

// serves reports whether the description of an object satisfies every rule, except that no other
// object may have it.
func (f *facts) serves(d described) bool {
	text := strings.TrimSpace(d.current())
	return meaningful(text, d.name()) && length(text) <= proposal.MaxDescription && len(unnamedItems(d, text)) == 0
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

// textFor returns the first unused text within the limits, "" for none. A person's text, repaired if
// necessary, comes before a generated one.
func (f *facts) textFor(d described, shared bool, free func(string) bool) string {
	var candidates []string
	if current := oneLine(d.current()); meaningful(current, d.name()) && len(unnamedItems(d, current)) == 0 {
		if shared {
			candidates = append(candidates, compose(proposal.MaxDescription, finished(current), f.place(d)))
		}
		candidates = append(candidates, sentences(current, proposal.MaxDescription))
	}
	if current, missing := oneLine(d.current()), unnamedItems(d, oneLine(d.current())); len(missing) > 0 && meaningful(current, d.name()) {
		named := compose(proposal.MaxDescription, finished(current), "Its items are "+list(mentions(itemNames(d.table)), 0)+".")
		if len(unnamedItems(d, named)) == 0 {
			candidates = append(candidates, named)
		}
	}
	made := f.made(d)
	if current := oneLine(d.current()); made != "" && length(current) < proposal.MinDescription && saysMore(current, d.name()) {
		candidates = append(candidates, compose(proposal.MaxDescription, finished(current), made)) // too short, but written by a person
	}
	if made != "" {
		candidates = append(candidates, made, compose(proposal.MaxDescription, made, f.place(d)), f.apart(d, made))
	}
	for _, c := range candidates {
		if meaningful(c, d.name()) && length(c) <= proposal.MaxDescription && mentionableLine(c) && free(c) &&
			len(unnamedItems(d, c)) <= unnamedAtBest(d) {
			return c
		}
	}
	return ""
}

// made returns the description generated from the definition, "" for none.
func (f *facts) made(d described) string {
	if d.field == nil {
		return f.describeTable(d.table)
	}
	if d.field.column != nil {
		return f.describeColumn(d.field)
	}
	return f.describeMeasure(d.field)
}

// unnamedAtBest returns how many items the generated text of a group leaves out because they do not
// fit in 200 characters.
func unnamedAtBest(d described) int {
	if d.field == nil || d.field != d.table.itemColumn() {
		return 0
	}
	return len(d.table.src.CalculationGroup.Items)
}

// place returns a sentence that distinguishes an object from one in another table with the same
// description.
func (f *facts) place(d described) string {
	if d.field == nil || !mentionable(d.table.src.Name) {
		return ""
	}
	return "Belongs to " + d.table.src.Name + "."
}

// apart returns the generated text with the object's name, to distinguish it from objects of the same
// table.
func (f *facts) apart(d described, made string) string {
	if !mentionable(d.name()) {
		return ""
	}
	return capital(d.name()) + ": " + lowerStart(made)
}

// meaningful reports whether a description satisfies rule DSC-04.
func meaningful(text, name string) bool {
	return length(text) >= proposal.MinDescription && saysMore(text, name)
}

// saysMore reports whether a text has words that the name does not have.
func saysMore(text, name string) bool {
	if norm(strings.TrimSuffix(text, ".")) == norm(name) {
		return false
	}
	of := words(name)
	return slices.ContainsFunc(words(text), func(w string) bool { return !fillers[w] && !slices.Contains(of, w) })
}

var fillers = setOf("the a an of for this is column table measure field contains")

// mentionableLine reports whether a text is one line without control characters.
func mentionableLine(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)
	})
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func finished(s string) string {
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

// sentences returns as many complete sentences from the start of a text as fit, "" if not even the
// first does.
func sentences(text string, limit int) string {
	if length(text) <= limit {
		return text
	}
	end := 0
	for i := range text {
		if i > 0 && text[i] == ' ' && strings.IndexByte(".!?", text[i-1]) >= 0 && length(text[:i]) <= limit {
			end = i
		}
	}
	return text[:end]
}

// lowerStart makes the first letter lower case, unless the text starts with a reference or an acronym.
func lowerStart(s string) string {
	if len(s) < 2 || !unicode.IsLower(rune(s[1])) {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
