package rules

import (
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
)

// section is a part of AI instructions under its heading.
type section struct {
	heading string
	lines   []string
}

// instruct proposes AI instructions from what the definition says, so that rules
// INS-01 to INS-06 hold. A person's own text stays as it is, byte for byte, and
// is followed by what it leaves out; when it leaves nothing out, nothing is
// proposed.
func (f *facts) instruct(a *answers) {
	model := proposal.Object{Type: proposal.Model}
	if len(f.tables) == 0 {
		a.skip(model, "The model has no tables to give instructions about.")
		return
	}
	current := f.currentInstructions()
	if length(current) == 0 {
		d := document{left: proposal.MaxInstructions, newline: "\n"}
		d.line(f.purpose())
		for _, s := range f.sections() {
			d.add(s)
		}
		a.propose(model, d.text.String(), "The model has no AI instructions; these say what its definition tells about time, measures, defaults and terms.")
		return
	}
	missing := f.missing(current)
	if len(missing) == 0 {
		a.skip(model, f.complete(current))
		return
	}
	d := document{left: proposal.MaxInstructions - length(current) - 2, newline: "\n"}
	if strings.Contains(current, "\r\n") {
		d.newline = "\r\n"
	}
	var headings []string
	for _, s := range f.sections() {
		if missing[s.heading] && d.add(s) {
			headings = append(headings, s.heading)
		}
	}
	if len(headings) == 0 {
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
	a.propose(model, current+gap+strings.TrimPrefix(d.text.String(), d.newline), "Adds what the AI instructions leave out, under "+list(headings, 0)+"; the text that is there stays as it is.")
}

// document is a text within a limit: what does not fit is left out, in whole lines.
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

// add writes a section with the lines that fit, nothing when none does.
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

// currentInstructions are those in use (regime C.9 (5)).
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

// The headings, which missing names too.
const (
	timeHeading     = "Time"
	measureHeading  = "Key measures"
	defaultHeading  = "Defaults"
	termHeading     = "Terms"
	groupHeading    = "Calculation groups and parameters"
	avoidingHeading = "What not to use"
)

func (f *facts) sections() []section {
	return []section{
		{timeHeading, f.aboutTime()},
		{measureHeading, f.aboutMeasures()},
		{defaultHeading, f.aboutDefaults()},
		{termHeading, f.aboutTerms()},
		{groupHeading, f.aboutGroups()},
		{avoidingHeading, f.aboutAvoiding()},
	}
}

func (f *facts) purpose() string {
	var about []string
	var by []*table
	for _, t := range f.tables {
		if t.role == fact && sayable(phraseOf(bare(t.src.Name))) {
			about = append(about, phraseOf(bare(t.src.Name)))
		}
		if t.role == dimension || t.role == dateTable {
			by = append(by, t)
		}
	}
	if len(about) == 0 {
		for _, t := range f.tables {
			if p := phraseOf(bare(t.src.Name)); t.role == plain && sayable(p) && !generic(t.src.Name) {
				about = append(about, p)
			}
		}
	}
	text := "This model answers questions about its data"
	if about = mentions(about); len(about) > 0 {
		text = "This model answers questions about " + list(about, 6)
	}
	if names := tableNames(by); len(names) > 0 {
		text += ", by " + list(names, 8)
	}
	return text + "."
}

// written is a column as instructions name it, "" when rule INS-03 would read the
// name as another one.
func (x *field) written() string {
	if !mentionable(x.name) || !mentionable(x.table.src.Name) || strings.Contains(x.table.src.Name, "'") {
		return ""
	}
	return "'" + x.table.src.Name + "'[" + x.name + "]"
}

// bracketed is a measure as instructions name it, "" as for written.
func (x *field) bracketed() string {
	if !mentionable(x.name) {
		return ""
	}
	return measureRef(x.name)
}

func (f *facts) calendars() []*table {
	var all []*table
	for _, t := range f.tables {
		if t.role == dateTable {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b *table) int { return len(b.facts) - len(a.facts) })
	return all
}

var fiscalWords = setOf("fiscal fy financial")

func (f *facts) aboutTime() []string {
	var lines []string
	calendars := f.calendars()
	if len(calendars) > 0 {
		t := calendars[0]
		day := ""
		for _, x := range t.columns {
			if x.isDate() && (x.key || day == "") {
				day = x.written()
			}
		}
		if day != "" {
			lines = append(lines, "Use "+day+" for every question about a day, month or other period.")
		} else {
			lines = append(lines, "Use the calendar table for every question about a period.")
		}
		lines = append(lines, yearLine(t)...)
	}
	lines = append(lines, f.ambiguousDates()...)
	if len(calendars) == 0 && len(lines) == 0 {
		for _, t := range f.tables {
			for _, x := range t.columns {
				if x.isDate() && x.written() != "" && len(lines) < 5 && !x.technical() {
					lines = append(lines, "For a period filter "+x.written()+"; there is no calendar table.")
				}
			}
		}
	}
	if dated := slices.ContainsFunc(f.allFields(), (*field).isDate); dated && len(lines) == 0 {
		lines = append(lines, "There is no calendar table: filter periods on the date of the table that a question is about.")
	}
	if len(lines) == 0 {
		return []string{"The model has no dates: say so when a question names a period or year."}
	}
	return append(lines, "When a question names no period, answer for all dates and say so.")
}

// yearLine says which year is meant when there are two kinds.
func yearLine(t *table) []string {
	var calendar, fiscal string
	for _, x := range t.columns {
		w := x.written()
		switch {
		case w == "" || !slices.Contains(x.words, "year") && !slices.Contains(x.words, "fy"):
		case fiscalWords.meets(x.words) && fiscal == "":
			fiscal = w
		case calendar == "" && len(x.words) <= 2 && !fiscalWords.meets(x.words):
			calendar = w
		}
	}
	switch {
	case calendar != "" && fiscal != "":
		return []string{"A year is the calendar year " + calendar + " unless the question says fiscal; then use " + fiscal + "."}
	case fiscal != "":
		return []string{"A year is the fiscal year " + fiscal + "."}
	case calendar != "":
		return []string{"A year is the calendar year " + calendar + "."}
	}
	return nil
}

// ambiguousDates says which of several dates of a fact is meant (rule INS-05).
func (f *facts) ambiguousDates() []string {
	var lines []string
	for _, t := range f.tables {
		if t.role == dateTable && !t.many || t.one || !t.many {
			continue
		}
		var dates []*field
		for _, x := range t.columns {
			if x.dateEnd || x.isDate() {
				dates = append(dates, x)
			}
		}
		if len(dates) < 2 {
			continue
		}
		chosen := dates[0]
		active := map[*field]bool{}
		for _, r := range f.relations {
			for _, end := range []*field{r.from, r.to} {
				if r.src.IsActive && end.table == t && end.dateEnd {
					active[end] = true
				}
			}
		}
		for _, x := range dates {
			if active[x] {
				chosen = x
				break
			}
		}
		lines = append(lines, f.dateLine(t, chosen, dates))
	}
	return lines
}

func (f *facts) dateLine(t *table, chosen *field, dates []*field) string {
	name := chosen.written()
	if name == "" {
		name = oneLine(strings.NewReplacer("[", " ", "]", " ").Replace(chosen.name)) // rule INS-05 looks for its words
	}
	line := "By default the date of " + article(t.noun()) + " is " + name + "."
	for _, x := range dates {
		said := x.phrase()
		if x == chosen || x.written() == "" || !sayable(said) || x.technical() {
			continue
		}
		line += " Use " + x.written() + " only when the question is about the " + said
		if m := f.activatingMeasure(x); m != "" {
			line += ", as " + m + " does"
		}
		line += "."
		if len(line) > 600 {
			break
		}
	}
	return line
}

func (f *facts) activatingMeasure(x *field) string {
	for _, m := range x.usedBy {
		if m.calls(activations) && !m.hidden && m.bracketed() != "" {
			return m.bracketed()
		}
	}
	return ""
}

// keyMeasures is how many measures the instructions explain.
const keyMeasures = 12

// key are the measures to explain: shown, not helpers, no two the same.
func (f *facts) keyMeasureFields() []*field {
	var out []*field
	seen := map[string]bool{}
	for _, x := range f.allMeasures() {
		text := squeezed(x.measure.Expression)
		if len(out) == keyMeasures {
			break
		}
		if x.exposed && !x.helper() && x.bracketed() != "" && (text == "" || !seen[text]) {
			seen[text] = true
			out = append(out, x)
		}
	}
	return out
}

// unaddable are words of numbers that make no sense added up (rule TYP-02).
var unaddable = setOf("id key sk pk fk guid code no nr nbr number year yr month mth week wk day dow quarter qtr zip postal postcode latitude longitude lat lon rank index " +
	"rate ratio percent pct age is has flag flg version")

func (f *facts) aboutMeasures() []string {
	var lines []string
	for _, x := range f.keyMeasureFields() {
		said := phrase(x.name)
		if !sayable(said) {
			said = "what its name says"
		}
		lines = append(lines, "Use "+x.bracketed()+" for "+said+f.explained(x)+".")
	}
	if len(lines) > 0 {
		return lines
	}
	for _, t := range f.tables {
		if !t.many && t.role != plain {
			continue
		}
		for _, x := range t.columns {
			if x.exposed && x.isNumber() && !x.key && !unaddable.meets(x.words) && x.column.SummarizeBy != "none" && x.written() != "" && len(lines) < keyMeasures {
				lines = append(lines, "Use the sum of "+x.written()+", as no measure computes it.")
			}
		}
	}
	if len(lines) > 0 {
		return lines
	}
	lines = []string{"Use counts of rows, as the model has no measures."}
	for _, t := range f.tables {
		for _, x := range t.columns {
			if x.exposed && !x.key && x.written() != "" && len(lines) < 6 {
				lines = append(lines, "Use "+x.written()+" to group and filter.")
			}
		}
	}
	return lines
}

// explained says after a colon what a measure is, where a text without
// references does: those of a person may name what is not there.
func (f *facts) explained(x *field) string {
	said := strings.TrimSuffix(sentences(oneLine(x.description), 120), ".")
	if meaningful(said, x.name) && mentionableLine(said) && !strings.ContainsAny(said, "[]'") {
		return ": " + lowerStart(said)
	}
	made := strings.TrimPrefix(strings.TrimSuffix(f.measureLead(x), "."), capital(phrase(x.name))+": ")
	if made != "" && length(made) <= 160 {
		return ": " + lowerStart(made)
	}
	return ""
}

func (f *facts) aboutDefaults() []string {
	lines := []string{"Unless the question says otherwise, answer with the measures of the model rather than with sums of columns."}
	if !slices.ContainsFunc(f.allMeasures(), func(x *field) bool { return x.exposed }) {
		lines = []string{"Unless the question says otherwise, add up amounts and count rows over everything there is."}
	}
	for _, t := range f.tables {
		if t.role != dimension || !sayable(t.noun()) || t.noun() == "row" || len(lines) > 8 {
			continue
		}
		if label := labelOf(t); label != nil && label.written() != "" {
			lines = append(lines, "By default show "+article(t.noun())+" by "+label.written()+".")
		}
	}
	var ratios []string
	for _, x := range f.allMeasures() {
		if x.exposed && strings.Contains(x.measure.FormatString, "%") && x.bracketed() != "" && len(ratios) < 4 {
			ratios = append(ratios, x.bracketed())
		}
	}
	if len(ratios) > 0 {
		lines = append(lines, "Never add up or average percentages such as "+list(ratios, 0)+": let the measure compute them for the group asked about.")
	}
	return lines
}

// labelOf is the column that stands for a row of a dimension: the one marked, else
// one whose name says that it is a name.
func labelOf(t *table) *field {
	for _, x := range t.columns {
		if x.column.IsDefaultLabel && x.exposed {
			return x
		}
	}
	for _, x := range t.columns {
		if x.column.DataType == semanticmodel.String && x.exposed && !x.key && (slices.Contains(x.words, "name") || strings.EqualFold(phrase(x.name), t.noun())) {
			return x
		}
	}
	return nil
}

func (f *facts) aboutTerms() []string {
	lines := f.synonyms()
	var short []string
	for _, x := range f.allFields() {
		if !x.exposed {
			continue
		}
		for _, w := range x.words {
			full := abbreviations[w]
			if full == "" || slices.Contains(ordinaryWords, w) {
				continue
			}
			if line := strings.ToUpper(w) + " means " + full; !slices.Contains(short, line) && len(short) < 8 {
				short = append(short, line)
			}
		}
	}
	for _, s := range short {
		lines = append(lines, s+".")
	}
	for _, t := range f.tables {
		if len(lines) > 12 || !t.exposed || t.role != fact && t.role != dimension && (t.role != plain || len(lines) > 4) || !sayable(t.noun()) || t.noun() == "row" || !mentionable(t.src.Name) {
			continue
		}
		one := article(t.noun())
		if key := identifying(t); key != "" {
			lines = append(lines, capital(one)+" means one row of "+t.src.Name+", identified by "+key+".")
		} else {
			lines = append(lines, capital(one)+" means one row of "+t.src.Name+".")
		}
	}
	if len(lines) == 0 {
		lines = append(lines, "A record means one row of the table that a question is about.")
	}
	return lines
}

// ordinaryWords are abbreviations that need no explaining.
var ordinaryWords = []string{"id", "max", "min", "num", "desc", "date", "dt"}

func identifying(t *table) string {
	for _, x := range t.columns {
		if x.end && !x.manySide && x.written() != "" {
			return x.written()
		}
	}
	return ""
}

// synonyms are the terms that people gave to fields (regime C.9 (15)).
func (f *facts) synonyms() []string {
	var lines []string
	note := func(table, name, term string) {
		x := f.find(table, name)
		if x == nil || !x.exposed || !mentionable(term) || strings.ContainsAny(term, "[]'\"") || norm(term) == norm(name) || len(lines) >= 12 {
			return
		}
		written := x.written()
		if x.measure != nil {
			written = x.bracketed()
		}
		if line := "\"" + term + "\" means " + written + "."; written != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if s := f.src.Copilot.Schema; s != nil {
		for _, t := range s.Tables {
			for _, x := range slices.Concat(t.Columns, t.Measures) {
				for _, term := range x.Synonyms {
					note(t.Name, x.Name, term)
				}
			}
		}
	}
	for _, c := range f.src.Cultures {
		for _, e := range c.Entities {
			for _, t := range e.Terms {
				if !e.OfHierarchy && (t.State == "" || t.State == "Authored" || t.State == "User") {
					note(e.Table, e.Property, t.Text)
				}
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// aboutGroups names every calculation group and field parameter (rule INS-06).
func (f *facts) aboutGroups() []string {
	var lines []string
	for _, t := range f.tables {
		if !t.exposed || t.role != calculationGroup && t.role != fieldParameter || strings.ContainsAny(t.src.Name, "[]") {
			continue
		}
		name := oneLine(t.src.Name) // of any length, as the rule looks for it
		if t.role == fieldParameter {
			lines = append(lines, name+" is a field parameter for visuals of reports; do not use it in a query.")
			continue
		}
		line := name + " is a calculation group"
		if x := t.itemColumn(); x != nil && x.written() != "" {
			line += ": filter " + x.written() + " to one item to apply it to a measure"
		}
		if items := mentions(itemNames(t)); len(items) > 0 {
			line += "; its items are " + list(items, 10)
		}
		lines = append(lines, line+".")
	}
	return lines
}

func (f *facts) aboutAvoiding() []string {
	var keys, technical, helpers []string
	for _, x := range f.allFields() {
		switch {
		case !x.exposed:
		case x.manySide && !x.isDate() && x.written() != "":
			keys = append(keys, x.written())
		case x.technical() && x.written() != "":
			technical = append(technical, x.written())
		case x.helper() && x.bracketed() != "":
			helpers = append(helpers, x.bracketed())
		}
	}
	var lines []string
	if len(keys) > 0 {
		lines = append(lines, "Do not show key columns such as "+list(keys[:min(4, len(keys))], 0)+"; group by the attributes of the tables they lead to.")
	}
	if len(technical) > 0 {
		lines = append(lines, "Do not use record-keeping columns such as "+list(technical[:min(4, len(technical))], 0)+".")
	}
	if len(helpers) > 0 {
		lines = append(lines, "Do not answer with "+list(helpers[:min(6, len(helpers))], 0)+": such measures only serve the look of reports.")
	}
	return append(lines, f.repeated()...)
}

// repeated says of measures with one expression which to prefer (rule MEA-05).
func (f *facts) repeated() []string {
	var lines []string
	all := f.allMeasures()
	slices.SortStableFunc(all, func(a, b *field) int { return strings.Compare(a.name, b.name) })
	first := map[string]*field{}
	for _, x := range all {
		text := squeezed(x.measure.Expression)
		if text == "" || !x.exposed || x.bracketed() == "" || len(lines) == 5 {
			continue
		}
		if same := first[text]; same != nil {
			lines = append(lines, x.bracketed()+" equals "+same.bracketed()+": prefer the latter.")
		} else {
			first[text] = x
		}
	}
	return lines
}
