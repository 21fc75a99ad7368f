package rules

import (
	"slices"
	"strings"

	"readiness/ai/rules/prose"
	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
	"readiness/domain/readiness/wording"
)

// section is a part of AI instructions under its heading.
type section struct {
	heading string
	lines   []string
}

// instruct proposes AI instructions from the definition that satisfy rules INS-01 to INS-06 and INS-11
// as far as the definition says what they need. A person's text stays unchanged, byte for
// byte, and the missing parts follow it; if nothing is missing, nothing is proposed.
func (f *facts) instruct(a *answers) {
	model := proposal.Object{Type: proposal.Model}
	if len(f.tables) == 0 {
		a.skip(model, "The model has no tables to give instructions about.")
		return
	}
	current := f.currentInstructions()
	if !f.checked().English() {
		f.askAboutModel(a)
		a.skip(model, "The model is in another language than English, in which the embedded rules write: write the AI instructions by hand.")
		return
	}
	if wording.Length(current) == 0 {
		f.instructAnew(a)
		return
	}
	missing := f.missing(current)
	if len(missing) == 0 {
		a.skip(model, f.complete(current))
		return
	}
	d := document{left: proposal.MaxInstructions - wording.Length(current) - 2, newline: "\n"}
	if strings.Contains(current, "\r\n") {
		d.newline = "\r\n"
	}
	var headings []string
	fits := true
	for _, s := range f.sections(current) {
		if missing[s.heading] && len(s.lines) > 0 {
			if d.add(s) {
				headings = append(headings, s.heading)
			} else {
				fits = false
			}
		}
	}
	f.askAboutModel(a)
	switch {
	case len(headings) == 0 && fits:
		a.skip(model, "The definition does not say what the AI instructions leave out: add it by hand.")
		return
	case len(headings) == 0:
		a.skip(model, "What the AI instructions leave out does not fit in 10,000 characters: shorten them by hand.")
		return
	}
	gap := d.newline + d.newline
	switch {
	case strings.HasSuffix(current, gap):
		gap = ""
	case strings.HasSuffix(current, d.newline):
		gap = d.newline
	}
	a.propose(model, current+gap+strings.TrimPrefix(d.text.String(), d.newline),
		"Adds what the AI instructions leave out, under "+prose.List(headings, 0)+"; the text that is there stays as it is.")
}

// instructAnew proposes instructions for a model without any.
func (f *facts) instructAnew(a *answers) {
	model := proposal.Object{Type: proposal.Model}
	d := document{left: proposal.MaxInstructions, newline: "\n"}
	added := false
	if all := f.sections(""); !onlyObvious(all) {
		for _, s := range all {
			added = d.add(s) || added
		}
	}
	f.askAboutModel(a)
	if !added {
		a.skip(model, "The definition says nothing that AI instructions should: write them by hand.")
		return
	}
	a.propose(model, strings.TrimPrefix(d.text.String(), d.newline), "The model has no AI instructions; these state what its "+
		"definition says about time, measures, defaults and terms.")
}

// onlyObvious reports whether all that can be said is which columns the only calendar has, as its names do.
func onlyObvious(all []section) bool {
	for _, s := range all {
		if s.heading != timeHeading && len(s.lines) > 0 || len(s.lines) > 1 {
			return false
		}
		for _, line := range s.lines {
			if !strings.HasPrefix(line, "Use ") && !strings.HasPrefix(line, "Take the ") && !strings.HasPrefix(line, "Group ") {
				return false
			}
		}
	}
	return true
}

// document is a text within a limit, which leaves out complete lines that do not fit.
type document struct {
	text    strings.Builder
	left    int // runes
	newline string
}

func (d *document) line(s string) bool {
	n := len([]rune(s)) + len(d.newline)
	if n > d.left {
		return false
	}
	d.left -= n
	d.text.WriteString(s)
	d.text.WriteString(d.newline)
	return true
}

// add writes a section with the lines that fit, or nothing when none does.
func (d *document) add(s section) bool {
	if len(s.lines) == 0 || len([]rune(s.lines[0]))+len(s.heading)+3*len(d.newline)+3 > d.left {
		return false
	}
	d.line("")
	d.line("## " + s.heading)
	for _, l := range s.lines {
		d.line("- " + l)
	}
	return true
}

// currentInstructions returns the instructions in use.
func (f *facts) currentInstructions() string {
	if f.src.Copilot.Instructions != nil {
		return *f.src.Copilot.Instructions
	}
	var first *semanticmodel.Culture
	for i := range f.src.Cultures {
		switch c := &f.src.Cultures[i]; {
		case c.CustomInstructions == nil:
		case c.Name == f.src.Culture:
			return *c.CustomInstructions
		case first == nil || c.Name < first.Name:
			first = c
		}
	}
	if first == nil {
		return ""
	}
	return *first.CustomInstructions
}

// The headings, which missing uses too.
const (
	timeHeading    = "Time"
	measureHeading = "Key measures"
	defaultHeading = "Defaults"
	termHeading    = "Terms"
	groupHeading   = "Calculation groups and parameters"
)

// sections returns what can be added to a text: no line that it has, and none that contradicts it.
func (f *facts) sections(current string) []section {
	time := f.aboutTime(current)
	if timePattern.MatchString(current) {
		time = f.defaultDates(current)
	}
	all := []section{
		{timeHeading, time},
		{measureHeading, f.aboutMeasures()},
		{defaultHeading, f.aboutDefaults()},
		{termHeading, f.aboutTerms()},
		{groupHeading, f.aboutGroups()},
	}
	c := f.newConsistency(current)
	for i := range all {
		all[i].lines = slices.DeleteFunc(all[i].lines, func(line string) bool { return !c.takes(line) })
	}
	return all
}

// reached returns the tables that filter a table along relationships from one to many, by name.
func (t *table) reached() []*table {
	if t.further != nil {
		return t.further
	}
	all := slices.Clone(t.around)
	for at := 0; at < len(all); at++ {
		for _, next := range all[at].around {
			if next != t && !slices.Contains(all, next) {
				all = append(all, next)
			}
		}
	}
	slices.SortFunc(all, func(a, b *table) int { return strings.Compare(a.src.Name, b.src.Name) })
	t.further = append([]*table{}, all...)
	return all
}

// written returns a column as instructions name it, "" when rule INS-03 would read the name as another
// one, and for a column that an AI should not see. A field that it should see and does not see yet is named without a
// reference, which would need it to be shown (rule VIS-07).
func (f *facts) written(x *field) string {
	switch {
	case !prose.Mentionable(x.name) || !prose.Mentionable(x.table.src.Name) || strings.Contains(x.table.src.Name, "'") || !f.worthNaming(x):
		return ""
	case !x.exposed:
		return x.name + " of " + x.table.src.Name
	}
	return "'" + x.table.src.Name + "'[" + x.name + "]"
}

// worthNaming reports whether people ask about a field: an AI should see it, not only because a measure is
// computed from it, and it is not made for display (rule VIS-03).
func (f *facts) worthNaming(x *field) bool {
	return !x.hidden && f.wantedThen(x) && f.hideViolations()[violationKey{rule: "VIS-03", field: x}] == 0
}

// bracketed returns a measure as instructions name it, as written does.
func (f *facts) bracketed(x *field) string {
	switch {
	case !prose.Mentionable(x.name) || !f.worthNaming(x):
		return ""
	case !x.exposed:
		return "the measure " + x.name
	}
	return prose.MeasureRef(x.name)
}
