package rulesengine

import (
	"fmt"
	"slices"
	"strings"

	"readiness/ai/rulesengine/wording"
	"readiness/domain"
	"readiness/internal/lists"
)

// Source is the place where the words of a question were found to name a field.
type Source string

// The sources.
const (
	InName         Source = "name"
	InSynonym      Source = "synonym"
	InDescription  Source = "description"
	InInstructions Source = "instructions"
	InAnswer       Source = "verified answer"
	// InCalendar means that the words are a time and the field is the calendar's column for it.
	InCalendar Source = "calendar"
	// InValues means that the words are a value of the column.
	InValues Source = "value"
)

// The weights of matches, by their source.
const (
	nameWeight        = 1.0
	termWeight        = 1.06 // instructions say what a term means, even if something else has that name
	synonymWeight     = 0.97
	tableNameWeight   = 0.98 // the field's name with its table's name
	labelWeight       = 0.95 // instructions name the label of a thing, unless the question is more specific
	tableTermWeight   = 0.94 // the same with a synonym
	leadWeight        = 0.86 // the start of a description
	descriptionWeight = 0.55
)

// phrase is one way to name a field.
type phrase struct {
	source Source
	weight float64
	words  []term
	// own reports for each word whether it belongs to the field's name rather than to its table's.
	own []bool
	all float64 // the weight of all words
}

// term is a word of a phrase.
type term struct {
	lower, stem string
	id          int // of the stem
	weight      float64
}

// field is a column or a measure as the engine looks it up.
type field struct {
	ref         FieldRef
	measure     bool
	dataType    string
	key         bool
	dates       bool     // of a calendar
	over        []string // of a measure: the tables whose rows it reads
	stock       *Stock   // of a measure
	phrases     []phrase
	description []int   // ids of stems, 0 between texts
	worth       float64 // 1, or less if the instructions say not to use it
	expression  string  // of a measure that the model does not have
	summarized  string  // how visuals summarize a column, as in the definition
}

// String returns the field in DAX syntax.
func (f *field) String() string {
	name := "[" + strings.ReplaceAll(f.ref.Name, "]", "]]") + "]"
	if f.measure {
		return name
	}
	return "'" + strings.ReplaceAll(f.ref.Table, "'", "''") + "'" + name
}

// lexicon has all meanings of words in a catalog.
type lexicon struct {
	fields  []*field       // by table, measures last, name
	ids     map[string]int // of stems, from 1
	byStem  [][]int        // by id, the fields in which a stem occurs, each once, in order
	byName  map[string][]*field
	byTable map[string][]*field
	exact   map[string][]int  // the fields that have a phrase of exactly these stems
	longest int               // words in a phrase
	spelt   map[byte][]string // the words of names, by their first byte
	aliases map[string]string
	met     stems
	named   wording.Set // the stems of the names, without those of descriptions
}

// Bounds for generated catalogs: the indexed fields, the synonyms of each, and the verified answers.
const (
	maxFields   = 20_000
	maxSynonyms = 100
	maxAnswers  = 1000
)

func newLexicon(tables []Table, given instructions) *lexicon {
	l := &lexicon{ids: map[string]int{}, byStem: [][]int{nil}, byName: map[string][]*field{}, byTable: map[string][]*field{},
		exact: map[string][]int{}, aliases: given.aliases, met: stems{}, spelt: map[byte][]string{}, named: wording.Set{}}
	for _, t := range tables {
		for _, c := range t.Columns {
			l.add(t, &field{ref: FieldRef{t.Name, c.Name}, dataType: c.DataType, key: c.Key, dates: t.Dates,
				summarized: c.SummarizeBy, worth: 1}, c.Description,
				c.Synonyms, given)
		}
		for _, m := range t.Measures {
			f := &field{ref: FieldRef{t.Name, m.Name}, measure: true, over: m.Over, stock: m.Stock, worth: 1}
			l.add(t, f, m.Description, m.Synonyms, given)
		}
	}
	for i, f := range l.fields {
		note := func(id int) {
			if n := len(l.byStem[id]); id > 0 && (n == 0 || l.byStem[id][n-1] != i) {
				l.byStem[id] = append(l.byStem[id], i)
			}
		}
		exact := map[string]bool{}
		for _, p := range f.phrases {
			stems := make([]string, len(p.words))
			for j, w := range p.words {
				stems[j] = w.stem
				note(w.id)
			}
			if key := strings.Join(stems, " "); !exact[key] {
				exact[key] = true
				l.exact[key] = append(l.exact[key], i)
			}
			l.longest = max(l.longest, len(p.words))
		}
		for _, id := range f.description {
			note(id)
		}
	}
	l.spell()
	return l
}

func (l *lexicon) add(t Table, f *field, description string, synonyms []string, given instructions) {
	if len(l.fields) == maxFields {
		return
	}
	l.fields = append(l.fields, f)
	name := strings.ToLower(f.ref.Name)
	l.byName[name] = append(l.byName[name], f)
	l.byTable[strings.ToLower(t.Name)] = append(l.byTable[strings.ToLower(t.Name)], f)
	if given.hidden[f.ref.key(false)] || f.measure && given.hidden[f.ref.key(true)] {
		f.worth = 0.8
	}
	named := l.met.read(domain.FirstCharacters(f.ref.Name, maxName), false)
	l.phrase(f, InName, nameWeight, named, nil)
	if full := l.spelled(named); full != nil {
		l.phrase(f, InInstructions, synonymWeight, full, nil)
	}
	l.phrase(f, InName, tableNameWeight, named, l.met.read(domain.FirstCharacters(t.Name, maxName), false))
	for _, s := range t.Synonyms[:min(maxSynonyms, len(t.Synonyms))] {
		l.phrase(f, InSynonym, tableTermWeight, named, l.met.read(domain.FirstCharacters(s, maxName), false))
	}
	for _, s := range synonyms[:min(maxSynonyms, len(synonyms))] {
		l.phrase(f, InSynonym, synonymWeight, l.met.read(domain.FirstCharacters(s, maxName), false), nil)
	}
	for _, s := range of(given.terms, f.ref, f.measure) {
		l.phrase(f, InInstructions, termWeight, l.met.read(domain.FirstCharacters(s, maxName), false), nil)
	}
	for _, s := range of(given.labels, f.ref, f.measure) {
		l.phrase(f, InInstructions, labelWeight, l.met.read(domain.FirstCharacters(s, maxName), false), nil)
	}
	for _, text := range append([]string{description}, of(given.explained, f.ref, f.measure)...) {
		text = domain.FirstCharacters(text, maxText)
		source := InDescription
		if text != description {
			source = InInstructions
		}
		for _, s := range defaultFor(text) {
			l.phrase(f, source, synonymWeight, l.met.read(s, false), nil)
		}
		all := l.met.read(text, false)
		if lead := leadOf(all); len(lead) > 0 {
			l.phrase(f, source, leadWeight, lead, nil)
		}
		if slices.ContainsFunc(all, func(w word) bool { return modifiers[w.lower] }) {
			continue // "revenue less operating costs" is not about operating costs
		}
		for _, w := range all {
			f.description = append(f.description, l.id(w.stem))
		}
		f.description = append(f.description, 0)
	}
}

// phrase adds a way to name the field; the words of its table may precede it.
func (l *lexicon) phrase(f *field, source Source, weight float64, words, table []word) {
	p := phrase{source: source, weight: weight}
	has := lists.SetOf(words, func(w word) string { return w.stem })
	for _, w := range table {
		if !has[w.stem] {
			p.words, p.own = append(p.words, l.newTerm(w)), append(p.own, false)
		}
	}
	if table != nil && len(p.words) == 0 {
		return // adds nothing to the name alone
	}
	for _, w := range words {
		p.words, p.own = append(p.words, l.newTerm(w)), append(p.own, true)
	}
	if len(p.words) == 0 || len(p.words) > 30 {
		return
	}
	isRatio := slices.ContainsFunc(p.words, func(t term) bool { return wording.RatioWords[t.lower] })
	for i := range p.words {
		if weight > leadWeight && p.own[i] {
			l.named[p.words[i].stem] = true
		}
		if isRatio && p.words[i].lower == "percent" {
			p.words[i].weight = 0.1
		}
		p.all += p.words[i].weight
	}
	f.phrases = append(f.phrases, p)
}

// id returns the id of a stem, and adds the stem if it is new.
func (l *lexicon) id(stem string) int {
	id := l.ids[stem]
	if id == 0 {
		id = len(l.byStem)
		l.ids[stem] = id
		l.byStem = append(l.byStem, nil)
	}
	return id
}

func (l *lexicon) newTerm(w word) term {
	t := term{w.lower, w.stem, l.id(w.stem), 1}
	if wording.Vague[w.lower] {
		t.weight = 0.25
	}
	return t
}

// spelled returns a name with the abbreviations expanded that the instructions explain, nil if there
// are none.
func (l *lexicon) spelled(name []word) []word {
	var out []word
	found := false
	for _, w := range name {
		if full := l.aliases[w.lower]; full != "" {
			out, found = append(out, l.met.read(full, false)...), true
		} else {
			out = append(out, w)
		}
	}
	if !found {
		return nil
	}
	return out
}

// leadEnds are words that end the first part of a description.
var leadEnds = wording.SetOf("over across per which that who whose where when as by after before without with less than " +
	"in on at from to and or is are was were under since until if for during")

// restricts are words after which a description says which of the things before them are meant.
var restricts = wording.SetOf("that which who whose without")

// extremes are words that rank in a question, and pick a value in a description.
var extremes = wording.SetOf("highest lowest")

// modifiers are words that change the meaning of the words before them.
var modifiers = wording.SetOf("divided minus plus times less where limited rather same start share change compares")

// leadOf returns the first part of a description, which names the field, up to a word that starts an
// addition. It is nil when the sentence changes the meaning: "revenue less cost" is not revenue.
func leadOf(all []word) []word {
	for len(all) > 0 && (all[0].lower == "the" || all[0].lower == "a" || all[0].lower == "an") {
		all = all[1:]
	}
	for i, w := range all[:min(len(all), 10)] { // a name in words, before its kind
		if i > 0 && w.after == ':' {
			return all[:i]
		}
	}
	end := len(all)
	for i, w := range all {
		ofEach := w.lower == "of" && i+1 < len(all) && (all[i+1].lower == "each" || all[i+1].lower == "the" || all[i+1].lower == "every")
		if i > 0 && w.after == 0 && restricts[w.lower] {
			return nil // "tickets that are not closed" are not the tickets
		}
		if w.lower == "over" && w.after == 0 && extremes[all[0].lower] {
			return nil // "highest revenue over the values of Day" is not what "the stores with the highest revenue" are ranked by
		}
		if i > 0 && (w.after != 0 || leadEnds[w.lower] || ofEach) {
			end = i
			break
		}
	}
	if end > 8 {
		return nil
	}
	for i, w := range all {
		if i > 0 && (w.after == '.' || w.after == ';') {
			break
		}
		if modifiers[w.lower] {
			return nil
		}
	}
	counts := end > 1 && countWords[all[0].lower+" "+all[1].lower]
	if counts && end < len(all) && all[end].after == 0 && (all[end].lower == "and" || all[end].lower == "or") {
		return nil // "number of product and warehouse pairs" counts no products
	}
	return all[:end]
}

// countWords begin the description of a count.
var countWords = map[string]bool{"how many": true, "number of": true, "count of": true}

// key returns the key of a field in maps. A measure's key has no table.
func (r FieldRef) key(measure bool) string {
	if measure {
		return "\x00" + strings.ToLower(r.Name)
	}
	return strings.ToLower(r.Table) + "\x00" + strings.ToLower(r.Name)
}

// find returns the column, or with measure the measure, of that name.
func (l *lexicon) find(r FieldRef, measure bool) *field {
	for _, f := range l.byName[strings.ToLower(r.Name)] {
		if f.measure == measure && (measure || strings.EqualFold(f.ref.Table, r.Table)) {
			return f
		}
	}
	return nil
}

// written returns the fields that a reference in brackets may name: with a table its column or
// measure; without one any measure, or else the columns of that name.
func (l *lexicon) written(w word) []*field {
	var measures, columns []*field
	for _, f := range l.byName[strings.ToLower(w.text)] {
		switch {
		case w.table != "" && !strings.EqualFold(w.table, f.ref.Table):
		case f.measure:
			measures = append(measures, f)
		default:
			columns = append(columns, f)
		}
	}
	if len(measures) > 0 && w.table == "" {
		return measures
	}
	return append(columns, measures...)
}

// canonical returns the catalog's tables in an order that does not depend on theirs.
func canonical(tables []Table) []Table {
	out := make([]Table, len(tables))
	for i, t := range tables {
		t.Columns, t.Measures, t.Synonyms = slices.Clone(t.Columns), slices.Clone(t.Measures), ordered(t.Synonyms)
		for j := range t.Columns {
			t.Columns[j].Synonyms = ordered(t.Columns[j].Synonyms)
		}
		for j := range t.Measures {
			t.Measures[j].Synonyms = ordered(t.Measures[j].Synonyms)
		}
		slices.SortFunc(t.Columns, func(a, b Column) int { return byName(a.Name, b.Name, a, b) })
		slices.SortFunc(t.Measures, func(a, b Measure) int { return byName(a.Name, b.Name, a, b) })
		out[i] = t
	}
	slices.SortFunc(out, func(a, b Table) int { return byName(a.Name, b.Name, a, b) })
	return out
}

func byName(a, b string, x, y any) int {
	if a != b {
		return strings.Compare(a, b)
	}
	return byText(x, y)
}

// byText orders entries with equal names, which a model does not have.
func byText(a, b any) int { return strings.Compare(fmt.Sprintf("%q", a), fmt.Sprintf("%q", b)) }

func ordered(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return slices.Compact(s)
}
