package rulesengine

import (
	"slices"
	"strings"
	"time"

	"readiness/ai/rulesengine/wording"
)

// Values are values of a column that were read from the model's data.
type Values struct {
	FieldRef
	Texts []string
	// Now and Before are the values on the day of the question and a year before it, of a column of fiscal years.
	Now, Before string
}

// secondPass is what an engine knows in addition to the names of a catalog.
type secondPass struct {
	today time.Time
	// fiscalYear is the fiscal year of the day of the question, fiscalYearBefore the one before; "" if not known.
	fiscalYear, fiscalYearBefore string
	// values are the columns that have a value, by the stems of its words; people by one word of the
	// name of a person, a company or another thing.
	values, people map[string][]known
	longest        int // words in a value
	// read has all values of the columns where they are known, by the value in lower case.
	read map[*field]map[string]string
	// months and days of the week are values of the calendar, whatever form they have.
	months, weekdays map[int][]known
	// rows is the measure that counts the rows of a table, by the stem of what each row is.
	rows map[string]*field
}

// known is a value of a column.
type known struct {
	field *field
	text  string
}

// maxValueWords is the number of words of a value that a question is searched for.
const maxValueWords = 8

// WithValues returns an engine for the same catalog that knows values of columns and the day of the question. It reads light verbs,
// synonyms, shares and differences, and adds what the question omits if there is only one choice.
func (e *Engine) WithValues(values []Values, today time.Time) *Engine {
	w := New(e.catalog)
	w.second = &secondPass{today: today, values: map[string][]known{}, people: map[string][]known{}, months: map[int][]known{},
		weekdays: map[int][]known{}, rows: map[string]*field{}, read: map[*field]map[string]string{}}
	for _, v := range values {
		f := w.lexicon.find(v.FieldRef, false)
		if f == nil {
			continue
		}
		if v.Now != "" {
			w.second.fiscalYear, w.second.fiscalYearBefore = v.Now, v.Before
		}
		w.second.read[f] = map[string]string{}
		calendar := isCalendar(v.Texts)
		for _, text := range v.Texts {
			w.second.read[f][strings.ToLower(text)] = text
			w.second.know(f, text, calendar, f.namesSomeone())
		}
	}
	w.countRows()
	return w
}

// isCalendar reports whether all texts are names of months, or of days of the week.
func isCalendar(texts []string) bool {
	months, days := 0, 0
	for _, text := range texts {
		words := readWords(text, false)
		if len(words) == 1 && words[0].month() > 0 {
			months++
		}
		if len(words) == 1 && wording.Weekdays[words[0].lower] > 0 {
			days++
		}
	}
	return len(texts) > 2 && max(months, days) == len(texts)
}

// know adds a value.
func (w *secondPass) know(f *field, text string, calendar, named bool) {
	words := readWords(text, false)
	if len(words) == 0 || len(words) > maxValueWords {
		return
	}
	one := known{f, text}
	if calendar {
		month, day := words[0].month(), wording.Weekdays[words[0].lower]
		w.months[month], w.weekdays[day] = append(w.months[month], one), append(w.weekdays[day], one)
		return
	}
	first := words[0].lower
	if f.dates || len(words) == 1 && (wording.Structural[first] || wording.Fillers[first]) {
		return
	}
	add := func(index map[string][]known, key string) {
		if !slices.ContainsFunc(index[key], func(k known) bool { return k.field == f }) {
			index[key] = append(index[key], one)
		} else if !slices.Contains(index[key], one) {
			index[key] = append(index[key], known{f, ""}) // several values: none is meant
		}
	}
	add(w.values, wordsKey(words))
	w.longest = max(w.longest, len(words))
	if (named || f.isName()) && len(words) > 1 {
		for _, part := range words {
			long := named && len(part.lower) > 3 || len(part.lower) > 4
			if long && part.month() == 0 && !wording.Structural[part.lower] && !wording.Ordinary[part.lower] {
				add(w.people, part.lower)
			}
		}
	}
}

// unique returns the values of an index that are the only ones of their columns.
func unique(all []known) []known {
	return slices.DeleteFunc(slices.Clone(all), func(k known) bool {
		return k.text == "" || slices.Contains(all, known{k.field, ""})
	})
}

// wordsKey returns words in the singular. Values compare by it, not by stems: "who resolves tickets" does not ask for resolved ones.
func wordsKey(words []word) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = w.lower
		switch {
		case !w.plural():
		case strings.HasSuffix(w.lower, "ies"):
			all[i] = w.lower[:len(w.lower)-3] + "y"
		case strings.HasSuffix(w.lower, "shes"), strings.HasSuffix(w.lower, "ches"), strings.HasSuffix(w.lower, "xes"):
			all[i] = w.lower[:len(w.lower)-2]
		default:
			all[i] = w.lower[:len(w.lower)-1]
		}
	}
	return strings.Join(all, " ")
}

// findValues finds the runs that are values of columns, longer ones first.
func (q *question) findValues() {
	w := q.engine.second
	for i := 0; i < len(q.words); i++ {
		for j := min(len(q.words), i+max(1, w.longest)); j > i; j-- {
			if f, ok := q.calendarValue(i); ok && j == i+1 {
				q.addValue(f)
				break
			}
			if q.anyTaken(i, j) || q.isNamed(i, j) || q.isExactly(run{i, j}) {
				continue
			}
			found := unique(w.values[q.valueKey(run{i, j})])
			if j == i+1 && len(found) == 0 && q.words[i].id == 0 {
				found = unique(w.people[q.words[i].lower])
			}
			if len(found) == 0 || j == i+1 && q.words[i].kind == plainWord && q.engine.lexicon.named[q.words[i].stem] {
				continue
			}
			q.addValue(columnFilter{run: run{i, j}, column: candidatesOf(found)})
			i = j - 1
			break
		}
	}
}

// valueKey returns the stems of a run, or of what it quotes.
func (q *question) valueKey(r run) string {
	if w := q.words[r.from]; w.kind == quotedWord && r.to == r.from+1 {
		return wordsKey(readWords(w.text, false))
	}
	words := slices.Clone(q.words[r.from:r.to])
	for i := range words {
		if other := wording.OtherNames[words[i].text]; other != "" && !words[i].structural { // as written: US is a country, us are we
			return wordsKey(slices.Concat(words[:i], readWords(other, false), words[i+1:]))
		}
	}
	return wordsKey(words)
}

func candidatesOf(all []known) []candidate {
	var list []candidate
	for _, k := range all {
		list = append(list, candidate{field: k.field, score: 1, source: InValues, values: []string{k.text}})
	}
	return list
}

// calendarValue reads a season, a day of the week or the weekend, of every year.
func (q *question) calendarValue(i int) (f columnFilter, ok bool) {
	word := q.word(i)
	if word.kind != plainWord || word.text == "" {
		return f, false
	}
	if m, isMoment := q.moment(i); isMoment && m.unclear == "" || q.is(i-1, "last|this|next|since|after|before|until|through|to") {
		return f, false
	}
	introduced := q.is(i-1, "in|during|for|of|every|each|the|on")
	lower := strings.TrimSuffix(word.lower, "s")
	second := q.engine.second
	var all [][]known
	switch {
	case wording.Weekdays[lower] > 0 && len(lower) > 5:
		all = append(all, second.weekdays[wording.Weekdays[lower]])
	case lower == "weekend":
		all = append(all, second.weekdays[6], second.weekdays[7])
	case wording.Seasons[word.lower] != nil && introduced:
		if _, dated := year(q.word(i + 1)); dated && word.lower == "winter" {
			return f, false
		}
		for _, month := range wording.Seasons[word.lower] {
			all = append(all, second.months[month])
		}
	}
	if len(all) == 0 || len(all[0]) == 0 {
		return f, false
	}
	list := candidatesOf(all[0])
	for _, more := range all[1:] {
		for k := range list {
			at := slices.IndexFunc(more, func(o known) bool { return o.field == list[k].field })
			if at < 0 {
				return f, false
			}
			list[k].values = append(list[k].values, more[at].text)
		}
	}
	return columnFilter{run: run{i, i + 1}, column: list}, true
}

// addValue adds a filter on a value, or adds the value to the filter right before it: "Boston and Chicago".
func (q *question) addValue(f columnFilter) {
	f.operator, f.source, f.columnAt = "=", InValues, f.run
	f.negated = q.excludes(f.run)
	q.take(f.from, f.to)
	if n := len(q.filters); n > 0 && q.filters[n-1].source == InValues {
		last := &q.filters[n-1]
		between := q.words[last.to:f.from]
		joined := len(between) == 0 && q.words[f.from].after == ',' || len(between) == 1 && wording.Alternatives[between[0].lower] ||
			len(between) == 2 && wording.Alternatives[between[0].lower] && wording.Structural[between[1].lower]
		if joined && (f.negated == last.negated || !f.negated) {
			if both := merged(last.column, f.column); len(both) > 0 {
				last.compared = last.compared || len(between) > 0 && strings.HasPrefix(between[0].lower, "v") || q.comparesBefore(last.from)
				last.column, last.to = both, f.to
				q.take(last.from, f.to)
				return
			}
		}
	}
	q.filters = append(q.filters, f)
}

// merged returns the columns that have the values of both.
func merged(a, b []candidate) (both []candidate) {
	for _, c := range a {
		if at := slices.IndexFunc(b, func(o candidate) bool { return o.field == c.field }); at >= 0 {
			c.values = slices.Concat(c.values, b[at].values)
			both = append(both, c)
		}
	}
	return both
}

// excludes reports whether the words before a value exclude it, and settles them.
func (q *question) excludes(r run) bool {
	at := r.from - 1
	for at > 0 && (q.is(at, "the|from|in|for|of|on|at|those")) {
		at--
	}
	switch {
	case q.is(at, "excluding|except|without|exclude|excludes|not|outside|besides|ignoring|excl"):
		q.take(at, at+1)
	case q.is(at-1, "other|apart", "than|from"), q.is(at-1, "except", "for"):
		q.take(at-1, at+1)
	case q.is(at-1, "leaving|leave", "out"):
		q.take(at-1, at+1)
	default:
		return false
	}
	return true
}

// isValue reports whether a column can have the values: it has them, if all of its values are known, and they are no words for a time.
func (q *question) isValue(columns []candidate, values []string) bool {
	if q.engine.second == nil || len(columns) == 0 {
		return true
	}
	for _, v := range values {
		words := readWords(v, false)
		known := slices.ContainsFunc(q.engine.second.values[wordsKey(words)], func(k known) bool { return k.field == columns[0].field })
		if len(q.engine.second.read[columns[0].field]) > 0 && !known || len(words) > 0 && wording.Relatives[words[0].lower] {
			return false
		}
	}
	return true
}

// valueColumn keeps the columns of a value that fit the rest of the question.
func (q *question) valueColumn(f *columnFilter, d *draft) {
	kept := func(holds func(*field) bool) {
		list := slices.DeleteFunc(slices.Clone(f.column), func(c candidate) bool { return !holds(c.field) })
		if len(list) > 0 {
			f.column = list
		}
	}
	kept(func(x *field) bool {
		for _, m := range d.query.Measures {
			if measure := q.engine.lexicon.find(FieldRef(m), true); measure != nil && !q.engine.filters(x.ref.Table, measure.over) {
				return false
			}
		}
		return true
	})
	if len(f.column) < 2 {
		return
	}
	if m := q.nextTo(f.run); m != nil {
		kept(func(x *field) bool {
			return slices.ContainsFunc(m.columns, func(c candidate) bool { return c.field == x })
		})
		kept(func(x *field) bool { return len(m.columns) > 0 && m.columns[0].field.ref.Table == x.ref.Table })
	}
	all := f.column
	kept(func(x *field) bool { // Country rather than Home Country
		return !slices.ContainsFunc(all, func(o candidate) bool { return o.field != x && !x.namedWithin(o.field) })
	})
	all = f.column
	kept(func(x *field) bool {
		return x.isName() && !slices.ContainsFunc(all, func(o candidate) bool { return o.field.ref.Table != x.ref.Table })
	})
}

// namedWithin reports whether the words of a column's name are all in the other's.
func (f *field) namedWithin(other *field) bool {
	of := readWords(other.ref.Name, false)
	return !slices.ContainsFunc(readWords(f.ref.Name, false), func(w word) bool {
		return !slices.ContainsFunc(of, func(o word) bool { return o.stem == w.stem })
	})
}

// isName reports whether a column has the names of its table's rows: Store[Store Name], Agents[Agent].
func (f *field) isName() bool {
	if !f.isLabel() {
		return false
	}
	of := readWords(f.ref.Table, false)
	return !slices.ContainsFunc(readWords(f.ref.Name, false), func(w word) bool {
		return w.lower != "name" && !slices.ContainsFunc(of, func(o word) bool { return o.stem == w.stem })
	})
}

// nextTo returns the mention right before or after a value: "customers in Germany", "the garden category".
func (q *question) nextTo(r run) (nearest *mention) {
	for k := range q.mentions {
		m := &q.mentions[k]
		if m.from == r.to && q.words[m.from].after == 0 {
			return m
		}
		if m.to > r.from {
			continue
		}
		near := true
		for i := m.to; i < r.from; i++ {
			near = near && (q.is(i, "in|from|of|at|is|are|the|named|called|for|on|with|not") || q.taken[i])
		}
		if near && r.from-m.to <= 3 {
			nearest = m
		}
	}
	return nearest
}
