package rulesengine

import (
	"cmp"
	"slices"
	"strings"

	"readiness/ai/rulesengine/wording"
	"readiness/domain"
	"readiness/domain/benchmark/modelquery"
	"readiness/internal/lists"
)

// question is a question during its analysis.
type question struct {
	engine *Engine
	source string // as asked, cut to the length that is read
	words  []word
	// taken reports for each word whether its meaning is settled.
	taken []bool
	// named are the runs of words that are exactly a name of a field, or a term for it in instructions
	// or synonyms.
	named    []run
	times    []timePhrase
	bounds   []bound
	filters  []columnFilter
	mentions []mention
	contexts []context
	// rows are the mentions of a table whose rows are counted, and subjects the columns whose values a filter chooses.
	rows     []mention
	subjects []candidate
	combined combination
}

// run is the words from from up to, but not including, to.
type run struct{ from, to int }

// candidate is a field that a run of words may name.
type candidate struct {
	field      *field
	score      float64
	source     Source
	instructed bool     // the instructions say that these words mean it
	values     []string // the values of the column that the words are, for a value of the data
}

// mention is a run of words that names a field.
type mention struct {
	run
	context context
	// columns and measures are the fields that it may name, best first.
	columns, measures []candidate
	used              bool // by a filter
	isMeasure         bool // the chosen field is a measure
	chosen            *field
}

// context is the role that the words before a mention give it.
type context int

const (
	free      context = iota
	group             // by, per, each
	which             // which, what
	condition         // where, with
	place             // in, for, of
	sorting           // sorted by
)

// columnFilter is a filter whose column and values the question names.
type columnFilter struct {
	run
	column   []candidate
	operator modelquery.Operator
	values   []string
	source   Source
	negated  bool
	columnAt run
	compared bool // the values are compared with each other
}

// read reads the words of a question; with combines those for a combination of measures, nil if there are none.
func (e *Engine) read(text string, combines bool) *question {
	text = domain.FirstCharacters(text, maxQuestion)
	q := &question{engine: e, source: text, words: readWords(text, true)}
	if e.second != nil {
		q.reword()
	}
	if combines && !q.findCombination() {
		return nil
	}
	q.words = e.lexicon.look(q.words)
	q.repeatShared()
	q.taken = make([]bool, len(q.words))
	return q
}

// repeatShared repeats the word that two measures share: "planned vs worked hours" are planned hours and worked hours.
func (q *question) repeatShared() {
	measure := func(words ...word) *field {
		m := &mention{}
		for _, c := range q.engine.lexicon.candidates(words, false) {
			m.add(c)
		}
		m.sort()
		column, score := m.best()
		if score < enough || score < column-0.05 && !m.columns[0].field.summable() {
			return nil
		}
		return m.measures[0].field
	}
	for i := 0; i+3 < len(q.words); i++ {
		first, second, shared := q.words[i], q.words[i+2], q.words[i+3]
		plain := func(w word) bool { return w.kind == plainWord && !w.structural && !w.amount && w.id > 0 }
		if !plain(first) || !plain(second) || !plain(shared) || shared.after != 0 || second.after != 0 ||
			!slices.Contains([]string{"vs", "versus", "and", "or"}, q.words[i+1].lower) || len(q.engine.lexicon.exact[first.stem]) > 0 {
			continue
		}
		a, b := measure(first, shared), measure(second, shared)
		if a == nil || b == nil || a == b {
			continue
		}
		q.words = slices.Insert(q.words, i+1, shared)
		i += 3
	}
}

// word returns a word that has no meaning yet, else the zero word.
func (q *question) word(i int) word {
	if i < 0 || i >= len(q.words) || q.taken[i] {
		return word{}
	}
	return q.words[i]
}

// is reports whether the words from i on are these, in lower case, separated only by blanks; bars
// separate the alternatives for a word.
func (q *question) is(i int, words ...string) bool {
	for n, w := range words {
		at := q.word(i + n)
		if at.kind == quotedWord || at.kind == fieldWord || at.text == "" || n > 0 && at.after != 0 && at.after != ',' ||
			!slices.Contains(strings.Split(w, "|"), at.lower) {
			return false
		}
	}
	return true
}

func (q *question) take(from, to int) {
	for i := from; i < to; i++ {
		q.taken[i] = true
	}
}

func (q *question) anyTaken(from, to int) bool { return slices.Contains(q.taken[from:to], true) }

// findNames finds the runs that are exactly a name, and settles references in brackets.
func (q *question) findNames() {
	l := q.engine.lexicon
	for i := range q.words {
		key := ""
		significant := false
		for j := i; j < len(q.words) && j-i < l.longest && q.words[j].kind != quotedWord && q.words[j].kind != fieldWord; j++ {
			if j > i {
				key += " "
			}
			key += q.words[j].stem
			significant = significant || !q.words[j].structural
			if significant && len(l.exact[key]) > 0 {
				q.named = append(q.named, run{i, j + 1})
			}
		}
	}
}

// isNamed reports whether a longer name includes the run.
func (q *question) isNamed(from, to int) bool {
	for from < to-1 && q.words[from].structural {
		from++
	}
	return slices.ContainsFunc(q.named, func(n run) bool {
		return n.from <= from && to <= n.to && n.to-n.from > to-from
	})
}

// isExactly reports whether the run is a name.
func (q *question) isExactly(r run) bool { return slices.Contains(q.named, r) }

// findOrder settles the first word if it is a command: in "List the brands", "list" is not a name.
func (q *question) findOrder() {
	begins := func(n run) bool { return n.from == 0 && n.to > 1 }
	if q.is(0, "list|name|display|rank|compare|count|break|group|sort|report|chart") && !slices.ContainsFunc(q.named, begins) {
		q.take(0, 1)
	}
}

var cues = map[string]context{
	"by": group, "per": group, "each": group, "every": group, "across": group, "among": group,
	"which": which, "what": which, "who": free, "where": condition, "whose": condition, "with": condition, "having": condition,
	"when": condition, "if": condition,
	"in": place, "for": place, "from": place, "of": place, "at": place, "within": place, "to": place, "on": place, "under": place,
	"over": place,
	"is":   free, "are": free, "was": free, "were": free, "has": free, "have": free, "had": free, "did": free, "do": free, "does": free,
	"show": free, "list": free,
	"give": free, "compare": free, "vs": free, "versus": free, "how": free, "much": free, "many": free,
}

var sorts = wording.SetOf("sorted ordered ranked sort order rank")

// findContexts sets the context of each word from the cue before it. A conjunction keeps the previous
// context.
func (q *question) findContexts() {
	q.contexts = make([]context, len(q.words))
	now := free
	for i, w := range q.words {
		if i > 0 && strings.ContainsRune(".?!;", w.after) && w.after != 0 {
			now = free
		}
		c, isCue := cues[w.lower]
		switch {
		case w.kind != plainWord:
		case w.lower == "by" && i > 0 && (sorts[q.words[i-1].lower] ||
			sorts[q.words[0].lower] && !slices.Contains(q.contexts[:i], sorting)):
			now = sorting
			if sorts[q.words[i-1].lower] && !q.isNamed(i-1, i) {
				q.take(i-1, i)
			}
		case isCue && now == group && (w.lower == "each" || w.lower == "every"):
		case isCue && now == which && (w.lower == "of"):
		case isCue:
			now = c
		case q.is(i, "different|various|individual") && now == place && !q.is(i-2, "number|count", "of"):
			now = group
		}
		q.contexts[i] = now
	}
}

// maxRun is how many words a mention has at most, unless it is exactly a name.
const maxRun = 8

// findMentions determines which runs of the remaining words name fields: those that together explain
// the most words best.
func (q *question) findMentions() {
	n := len(q.words)
	type step struct {
		total   float64
		from    int
		mention *mention
	}
	best := make([]step, n+1)
	ends := make([][]step, n+1) // the mentions that end at a word
	for i := range n {
		broken := false // by the end of a sentence, which only a complete name may span
		for j := i + 1; j <= n && j-i <= max(maxRun, q.engine.lexicon.longest) && !q.taken[j-1]; j++ {
			broken = broken || j > i+1 && q.words[j-1].after != 0 && strings.ContainsRune(".?!;", q.words[j-1].after)
			if broken && !q.isExactly(run{i, j}) {
				continue
			}
			if m, gain, ok := q.mention(run{i, j}); ok {
				ends[j] = append(ends[j], step{gain, i, m})
			}
		}
	}
	for j := 1; j <= n; j++ {
		best[j] = step{total: best[j-1].total - q.cost(j-1), from: j - 1}
		for _, e := range ends[j] {
			if total := best[e.from].total + e.total; total > best[j].total+1e-9 {
				best[j] = step{total, e.from, e.mention}
			}
		}
	}
	for j := n; j > 0; j = best[j].from {
		if m := best[j].mention; m != nil {
			q.mentions = append(q.mentions, *m)
			q.take(m.from, m.to)
		}
	}
	slices.Reverse(q.mentions)
	q.mentions = append(q.mentions, q.rows...)
	slices.SortFunc(q.mentions, func(a, b mention) int { return cmp.Compare(a.from, b.from) })
}

// cost returns the cost of leaving a word without a meaning.
func (q *question) cost(i int) float64 {
	switch w := q.words[i]; {
	case q.taken[i] || w.structural:
		return 0
	case w.kind == plainWord && wording.Fillers[w.lower] || w.kind == signWord:
		return 0.05
	}
	return 0.6
}

// perMention is the cost of one more mention: words more likely belong together than apart.
const perMention = 0.25

// mention returns the fields that a run may name, and the gain.
func (q *question) mention(r run) (m *mention, gain float64, ok bool) {
	head, tail := q.words[r.from], q.words[r.to-1]
	exact := q.isExactly(r)
	if !exact && (r.to-r.from > maxRun || head.kind != fieldWord && (q.loose(head) || q.loose(tail))) {
		return nil, 0, false
	}
	m = &mention{run: r, context: q.contexts[r.from]}
	if _, isCue := cues[head.lower]; isCue { // part of the name
		m.context = free
		if r.from > 0 {
			m.context = q.contexts[r.from-1]
		}
	}
	if head.kind == fieldWord && r.to == r.from+1 {
		for _, f := range q.engine.lexicon.written(head) {
			m.add(candidate{field: f, score: 1.5, source: InName})
		}
	} else {
		for _, c := range q.engine.lexicon.candidates(q.words[r.from:r.to], exact) {
			m.add(c)
		}
		q.timePart(m)
	}
	m.sort()
	c, s := m.best()
	score := max(s, c-0.03)
	if m.context == group || m.context == which {
		score = max(c, s-0.1)
	}
	significant := lists.Count(q.words[r.from:r.to], func(w word) bool { return exact || !w.structural })
	return m, score*float64(significant) - perMention, score > 0
}

// loose reports whether a word cannot start or end a mention that is not a name.
func (q *question) loose(w word) bool {
	return w.kind == quotedWord || w.kind == fieldWord || w.kind == signWord || w.structural
}

func (m *mention) add(c candidate) {
	if c.field.measure {
		m.measures = append(m.measures, c)
	} else {
		m.columns = append(m.columns, c)
	}
}

func (m *mention) sort() {
	for _, list := range [][]candidate{m.columns, m.measures} {
		slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	}
}

// bestOf returns the scores of a mention, if there is one.
func (m *mention) bestOf(ok bool) (column, measure float64) {
	if !ok {
		return 0, 0
	}
	return m.best()
}

// best returns the scores of the best column and measure.
func (m *mention) best() (column, measure float64) {
	if len(m.columns) > 0 {
		column = m.columns[0].score
	}
	if len(m.measures) > 0 {
		measure = m.measures[0].score
	}
	return column, measure
}
