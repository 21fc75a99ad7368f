package asking

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"readiness/ai/openai"
	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
)

// Bounds of what a language model is told at once: of one text in characters, of
// all in bytes (regime F.3 (6)).
const (
	maxDescription  = 2000
	maxInstructions = 10_000
	maxExpression   = 1500
	maxPhrase       = 500
	maxMaterial     = 60_000
	// maxTable is what one table may take of it where not everything fits.
	maxTable = maxMaterial / 4
	// maxPrepared is what verified answers may take of it, and maxJoins what is kept
	// for relationships.
	maxPrepared = maxMaterial / 4
	maxJoins    = maxMaterial / 10
)

// material is what a language model may be told of a semantic model. It is read,
// never changed, once it is made.
type material struct {
	whole openai.Material
	// fits is that the whole may be told at once.
	fits bool
	// joins are those of whole.Relationships.
	joins []*semanticmodel.Relationship
	// tables and answers are the words of each one's texts, in the order of whole.
	tables, answers []map[string]bool
	// rarity of a word is the greater the fewer tables have it.
	rarity map[string]float64
}

// newMaterial tells everything that is seen, measures and columns without their
// expressions where the provider is not to have them.
func newMaterial(seen sight, withoutDAX bool) *material {
	m := &material{whole: openai.Material{Instructions: firstRunes(seen.Instructions, maxInstructions)}, rarity: map[string]float64{}}
	expression := func(text string) string {
		if withoutDAX {
			return ""
		}
		// What lies far behind the bound is not worth reading for comments.
		return firstRunes(strings.TrimSpace(dax.WithoutComments(text[:min(len(text), 16*maxExpression)])), maxExpression)
	}
	describe := func(text string) string { return firstRunes(seen.description(text), maxDescription) }
	for _, t := range seen.Tables {
		table := openai.MaterialTable{Name: t.Name, Description: describe(t.Description), Synonyms: t.Terms, IsCalendar: t.IsDate}
		for _, c := range t.Columns {
			table.Columns = append(table.Columns, openai.MaterialField{
				Name: c.Name, DataType: string(c.DataType), Description: describe(c.Description), Synonyms: c.Terms, Folder: c.DisplayFolder, DAX: expression(c.Expression),
			})
		}
		for _, f := range t.Measures {
			table.Measures = append(table.Measures, openai.MaterialField{
				Name: f.Name, Description: describe(f.Description), Synonyms: f.Terms, Folder: f.DisplayFolder, Format: f.FormatString, DAX: expression(f.Expression),
			})
		}
		m.whole.Tables = append(m.whole.Tables, table)
	}
	m.joins = seen.Relationships
	for _, r := range m.joins {
		m.whole.Relationships = append(m.whole.Relationships, openai.MaterialRelation{
			From: reference(r.FromTable, r.FromColumn), To: reference(r.ToTable, r.ToColumn),
			Kind: fmt.Sprintf("%s-to-%s", r.FromCardinality, r.ToCardinality), Inactive: !r.IsActive,
		})
	}
	for _, answer := range seen.Answers {
		var told openai.MaterialAnswer
		for _, p := range answer.Phrases {
			told.Phrases = append(told.Phrases, firstRunes(p, maxPhrase))
		}
		for _, f := range answer.Fields {
			told.Fields = append(told.Fields, reference(f.Table, f.Name))
		}
		m.whole.VerifiedAnswers = append(m.whole.VerifiedAnswers, told)
	}
	if m.fits = size(m.whole) <= maxMaterial; !m.fits {
		m.index()
	}
	return m
}

// reference is a field as DAX writes it.
func reference(table, field string) string {
	return "'" + strings.ReplaceAll(table, "'", "''") + "'[" + strings.ReplaceAll(field, "]", "]]") + "]"
}

// size is how much something takes in a question, in bytes.
func size(v any) int {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain values
	}
	return len(text)
}

// index notes the words of tables and verified answers.
func (m *material) index() {
	for _, t := range m.whole.Tables {
		words := map[string]bool{}
		add(words, t.Name, t.Description)
		add(words, t.Synonyms...)
		for _, f := range slices.Concat(t.Columns, t.Measures) {
			add(words, f.Name, f.Description, f.Folder)
			add(words, f.Synonyms...)
		}
		m.tables = append(m.tables, words)
		for w := range words {
			m.rarity[w]++
		}
	}
	for w, n := range m.rarity {
		m.rarity[w] = math.Log(1 + float64(len(m.tables))/n)
	}
	for _, a := range m.whole.VerifiedAnswers {
		words := map[string]bool{}
		add(words, a.Phrases...)
		m.answers = append(m.answers, words)
	}
}

func add(words map[string]bool, texts ...string) {
	for _, text := range texts {
		for _, w := range wordsOf(text) {
			words[w] = true
		}
	}
}

// about is what is told for a question: everything where that fits, else what the
// question has most words in common with: verified answers, tables, and of large
// tables the fields.
func (m *material) about(question string) openai.Material {
	if m.fits {
		return m.whole
	}
	asked := map[string]bool{}
	add(asked, question)
	told := openai.Material{Instructions: m.whole.Instructions}
	left := maxMaterial - maxJoins - size(told) - marks
	room := min(left, maxPrepared)
	for _, i := range ranked(len(m.answers), func(i int) float64 { return m.shared(asked, m.answers[i]) }) {
		if n := size(m.whole.VerifiedAnswers[i]) + 1; n <= room {
			told.VerifiedAnswers = append(told.VerifiedAnswers, m.whole.VerifiedAnswers[i])
			room, left = room-n, left-n
		}
	}
	chosen := map[string]openai.MaterialTable{}
	for _, i := range ranked(len(m.tables), func(i int) float64 {
		if m.whole.Tables[i].IsCalendar {
			return math.Inf(1) // most questions have a time
		}
		return m.shared(asked, m.tables[i])
	}) {
		t := m.part(m.whole.Tables[i], asked, min(left, maxTable))
		if n := size(t) + 1; n <= left && len(t.Columns)+len(t.Measures) > 0 {
			chosen[t.Name] = t
			left -= n
		}
	}
	for _, t := range m.whole.Tables {
		if part, ok := chosen[t.Name]; ok {
			told.Tables = append(told.Tables, part)
		}
	}
	told.LeftOut = len(m.whole.Tables) - len(told.Tables)
	left += maxJoins
	for i, r := range m.joins {
		_, from := chosen[r.FromTable]
		_, to := chosen[r.ToTable]
		if n := size(m.whole.Relationships[i]) + 1; from && to && n <= left {
			told.Relationships = append(told.Relationships, m.whole.Relationships[i])
			left -= n
		}
	}
	return told
}

// marks is what the members of a material take beside what is in them.
const marks = 200

// part is a table with the fields that fit into room, those first that have the
// question's words.
func (m *material) part(t openai.MaterialTable, asked map[string]bool, room int) openai.MaterialTable {
	if size(t) <= room {
		return t
	}
	columns, measures := t.Columns, t.Measures
	t.Columns, t.Measures = nil, nil
	room -= size(t) + marks
	fields := slices.Concat(measures, columns)
	kept := map[int]bool{}
	for _, i := range ranked(len(fields), func(i int) float64 {
		words := map[string]bool{}
		add(words, fields[i].Name, fields[i].Description)
		add(words, fields[i].Synonyms...)
		return m.shared(asked, words)
	}) {
		if n := size(fields[i]) + 1; n <= room {
			kept[i] = true
			room -= n
		}
	}
	for i, f := range fields {
		switch {
		case !kept[i]:
		case i < len(measures):
			t.Measures = append(t.Measures, f)
		default:
			t.Columns = append(t.Columns, f)
		}
	}
	return t
}

// shared weighs the words that a question has in common with a text.
func (m *material) shared(asked, words map[string]bool) float64 {
	var common []float64
	for w := range asked {
		if words[w] {
			common = append(common, m.rarity[w])
		}
	}
	slices.Sort(common) // so that the sum does not hang on the order of a map
	sum := 0.0
	for _, r := range common {
		sum += r
	}
	return sum
}

// ranked are the numbers below n, those with the highest score first.
func ranked(n int, score func(int) float64) []int {
	scores, order := make([]float64, n), make([]int, n)
	for i := range n {
		scores[i], order[i] = score(i), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}

var caseBreak = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// wordsOf are the words of a text, in lower case and without the s of a plural.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(caseBreak.ReplaceAllString(text, "$1 $2")), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range words {
		if len(w) > 3 {
			words[i] = strings.TrimSuffix(w, "s")
		}
	}
	return words
}
