package answerer

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
	"readiness/domain"
)

// Bounds of the data in one request to a language model: of one text in characters, of all data in
// bytes.
const (
	maxDescription  = 2000
	maxInstructions = 10_000
	maxExpression   = 1500
	maxPhrase       = 500
	maxMaterial     = 60_000
	// maxTable bounds one table if not everything fits.
	maxTable = maxMaterial / 4
	// maxPrepared bounds verified answers; maxJoins is reserved for relationships.
	maxPrepared = maxMaterial / 4
	maxJoins    = maxMaterial / 10
)

// material is what a language model may be given of a semantic model. It is not changed after
// newMaterial.
type material struct {
	full openai.Material
	// fits reports whether full fits into one request.
	fits bool
	// joins are the relationships of full.Relationships.
	joins []*semanticmodel.Relationship
	// tables and answers are the words of each table's and verified answer's texts, in the order of
	// full.
	tables, answers []map[string]bool
	// rarity is higher for a word that fewer tables have.
	rarity map[string]float64
}

// newMaterial returns the material of everything that is seen. withoutDAX leaves out the expressions
// of measures and columns.
func newMaterial(seen sight, withoutDAX bool) *material {
	m := &material{
		full:   openai.Material{Instructions: domain.FirstCharacters(seen.Instructions, maxInstructions)},
		rarity: map[string]float64{},
	}
	expression := func(text string) string {
		if withoutDAX {
			return ""
		}
		// Text far behind the bound is not worth searching for comments.
		return domain.FirstCharacters(strings.TrimSpace(dax.WithoutComments(text[:min(len(text), 16*maxExpression)])), maxExpression)
	}
	describe := func(text string) string { return domain.FirstCharacters(seen.description(text), maxDescription) }
	for _, t := range seen.Tables {
		table := openai.MaterialTable{Name: t.Name, Description: describe(t.Description), Synonyms: t.Terms, IsCalendar: t.IsDate}
		for _, c := range t.Columns {
			table.Columns = append(table.Columns, openai.MaterialField{
				Name: c.Name, DataType: string(c.DataType), Description: describe(c.Description), Synonyms: c.Terms,
				Folder: c.DisplayFolder, DAX: expression(c.Expression),
			})
		}
		for _, f := range t.Measures {
			table.Measures = append(table.Measures, openai.MaterialField{
				Name: f.Name, Description: describe(f.Description), Synonyms: f.Terms, Folder: f.DisplayFolder, Format: f.FormatString,
				DAX: expression(f.Expression),
			})
		}
		m.full.Tables = append(m.full.Tables, table)
	}
	m.joins = seen.Relationships
	for _, r := range m.joins {
		m.full.Relationships = append(m.full.Relationships, openai.MaterialRelation{
			From: reference(r.FromTable, r.FromColumn), To: reference(r.ToTable, r.ToColumn),
			Kind: fmt.Sprintf("%s-to-%s", r.FromCardinality, r.ToCardinality), Inactive: !r.IsActive,
		})
	}
	for _, answer := range seen.Answers {
		var given openai.MaterialAnswer
		for _, p := range answer.Phrases {
			given.Phrases = append(given.Phrases, domain.FirstCharacters(p, maxPhrase))
		}
		for _, f := range answer.Fields {
			given.Fields = append(given.Fields, reference(f.Table, f.Name))
		}
		m.full.VerifiedAnswers = append(m.full.VerifiedAnswers, given)
	}
	if m.fits = size(m.full) <= maxMaterial; !m.fits {
		m.index()
	}
	return m
}

// reference returns a field in DAX syntax.
func reference(table, field string) string {
	return "'" + strings.ReplaceAll(table, "'", "''") + "'[" + strings.ReplaceAll(field, "]", "]]") + "]"
}

// size returns the length of v in a request, in bytes.
func size(v any) int {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain values
	}
	return len(text)
}

// index collects the words of tables and verified answers.
func (m *material) index() {
	for _, t := range m.full.Tables {
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
	for _, a := range m.full.VerifiedAnswers {
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

// about returns the material for a question: all of it if it fits, else the verified answers, tables
// and, of large tables, fields that share the most words with the question.
func (m *material) about(question string) openai.Material {
	if m.fits {
		return m.full
	}
	asked := map[string]bool{}
	add(asked, question)
	given := openai.Material{Instructions: m.full.Instructions}
	left := maxMaterial - maxJoins - size(given) - marks
	room := min(left, maxPrepared)
	for _, i := range ranked(len(m.answers), func(i int) float64 { return m.shared(asked, m.answers[i]) }) {
		if n := size(m.full.VerifiedAnswers[i]) + 1; n <= room {
			given.VerifiedAnswers = append(given.VerifiedAnswers, m.full.VerifiedAnswers[i])
			room, left = room-n, left-n
		}
	}
	chosen := map[string]openai.MaterialTable{}
	for _, i := range ranked(len(m.tables), func(i int) float64 {
		if m.full.Tables[i].IsCalendar {
			return math.Inf(1) // most questions have a time
		}
		return m.shared(asked, m.tables[i])
	}) {
		t := m.part(m.full.Tables[i], asked, min(left, maxTable))
		if n := size(t) + 1; n <= left && len(t.Columns)+len(t.Measures) > 0 {
			chosen[t.Name] = t
			left -= n
		}
	}
	for _, t := range m.full.Tables {
		if part, ok := chosen[t.Name]; ok {
			given.Tables = append(given.Tables, part)
		}
	}
	given.LeftOut = len(m.full.Tables) - len(given.Tables)
	left += maxJoins
	for i, r := range m.joins {
		_, from := chosen[r.FromTable]
		_, to := chosen[r.ToTable]
		if n := size(m.full.Relationships[i]) + 1; from && to && n <= left {
			given.Relationships = append(given.Relationships, m.full.Relationships[i])
			left -= n
		}
	}
	return given
}

// marks bounds the length of a material's member names and punctuation, in bytes.
const marks = 200

// part returns the table with as many fields as fit into room bytes, preferring those that share words
// with the question.
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

// shared returns the weight of the words that a question shares with a text.
func (m *material) shared(asked, words map[string]bool) float64 {
	var common []float64
	for w := range asked {
		if words[w] {
			common = append(common, m.rarity[w])
		}
	}
	slices.Sort(common) // so that the sum does not depend on the map's order
	sum := 0.0
	for _, r := range common {
		sum += r
	}
	return sum
}

// ranked returns the numbers below n, highest score first.
func ranked(n int, score func(int) float64) []int {
	scores, order := make([]float64, n), make([]int, n)
	for i := range n {
		scores[i], order[i] = score(i), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}

var caseBreak = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// wordsOf returns the words of a text, in lower case and without a plural s.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(caseBreak.ReplaceAllString(text, "$1 $2")),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range words {
		if len(w) > 3 {
			words[i] = strings.TrimSuffix(w, "s")
		}
	}
	return words
}
