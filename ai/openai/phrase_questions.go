package openai

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
	"readiness/domain"
	"readiness/domain/benchmark/modelquery"
	"readiness/domain/proposal"
)

const phraseTask = `You write questions that business people ask about their figures. For each key you are given a query as a draft question with the fields that answer it. Write the draft as such a person would ask it.
- One line of at most 300 characters in English, one question, without Markdown.
- Ask exactly what the draft asks: the same figures, the same breakdown, the same count, the same time. Add nothing and leave nothing out.
- Use the words of the business that the descriptions use. Never write a field's technical name, brackets, or the syntax of a query.
- No two questions are the same. Where you can do no better than the draft, give null.`

// maxPhrase is the maximum length of a question, in characters.
const maxPhrase = 300

// Draft is a query with its question so far.
type Draft struct {
	Query modelquery.Query
	Text  string
}

// draftFacts are the facts about a draft.
type draftFacts struct {
	Key       string       `json:"key"`
	Draft     string       `json:"draft"`
	Measures  []fieldFacts `json:"figures"`
	Groupings []fieldFacts `json:"brokenDownBy,omitempty"`
	Filters   []string     `json:"filters,omitempty"`
}

// PhraseQuestions asks the model to phrase the drafts better. It returns one text per draft, in their
// order; "" where there is no usable text. The error is the context's.
func (c *Client) PhraseQuestions(ctx context.Context, m *semanticmodel.Model, drafts []Draft) ([]string, error) {
	texts := make([]string, len(drafts))
	var wg sync.WaitGroup
	for from := 0; from < len(drafts); from += maxBatch {
		part := drafts[from:min(from+maxBatch, len(drafts))]
		wg.Go(func() { c.phrase(ctx, m, part, texts[from:]) })
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, d := range drafts {
		seen[spelling.FoldSpace(d.Text)] = true // another query's draft may be needed unchanged
	}
	for i, text := range texts {
		if text != "" && seen[spelling.FoldSpace(text)] {
			texts[i] = ""
		}
		seen[spelling.FoldSpace(text)] = true
	}
	return texts, nil
}

// phrase asks about one batch and sets the usable texts.
func (c *Client) phrase(ctx context.Context, m *semanticmodel.Model, drafts []Draft, texts []string) {
	keys := make([]string, len(drafts))
	about := make([]draftFacts, len(drafts))
	for i, d := range drafts {
		keys[i] = "q" + strconv.Itoa(i+1)
		about[i] = c.draft(m, keys[i], d)
	}
	f := &form{keys: keys}
	q := question{
		system: phraseTask + "\n\n" + untrusted,
		turns:  []string{data(about) + "\n\nGive one item for each of the keys " + strings.Join(keys, ", ") + ". " + f.described()},
		form:   f,
	}
	answer, err := c.ask(ctx, q)
	if err != nil { // the request logged it; the drafts stay
		return
	}
	list, _ := itemsOf[given](answer)
	used, unusable := 0, 0
	for _, g := range list {
		i := slices.Index(keys, g.Key)
		if i < 0 || g.Text == nil || texts[i] != "" {
			continue
		}
		if text := strings.TrimSpace(*g.Text); checkPhrase(text, drafts[i].Text) == "" {
			texts[i], used = text, used+1
		} else {
			unusable++
		}
	}
	if used > 0 {
		c.answers.keep(q, answer)
	}
	if unusable > 0 {
		c.options.Log.Info("AI provider returned unusable questions", "provider", c.name, "unusable", unusable)
	}
}

func (c *Client) draft(m *semanticmodel.Model, key string, d Draft) draftFacts {
	about := draftFacts{Key: key, Draft: domain.Shortened(d.Text, maxPhrase)}
	fields := func(of []modelquery.Field, t proposal.ObjectType) (all []fieldFacts) {
		for _, x := range of {
			one, _ := c.facts(m).object(proposal.Object{Table: x.Table, Name: x.Name, Type: t})
			one.Key = ""
			all = append(all, one)
		}
		return all
	}
	about.Measures, about.Groupings = fields(d.Query.Measures, proposal.Measure), fields(d.Query.Groupings, proposal.Column)
	for _, f := range d.Query.Filters {
		about.Filters = append(about.Filters, shortText(fmt.Sprintf("%s %s %s", f.Name, f.Operator, strings.Join(f.Values, ", "))))
	}
	return about
}

// checkPhrase returns what keeps a text from being the draft in other words; "" when no check fails.
// The text must have the draft's numbers.
func checkPhrase(text, draft string) string {
	switch {
	case text == "":
		return "is empty"
	case oneLine(text) != "":
		return oneLine(text)
	case utf8.RuneCountInString(text) > maxPhrase:
		return "is too long"
	case strings.ContainsAny(text, "[]{}`_|<>=\\"):
		return "holds the syntax of a query"
	}
	if !slices.Equal(figures(text), figures(draft)) {
		return "names other figures than the draft"
	}
	return ""
}

// numerals are numbers written as words.
var numerals = map[string]string{"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
	"ten": "10", "twelve": "12"}

// figures returns the numbers in a text, including those written as words, sorted.
func figures(text string) []string {
	var all []string
	for _, w := range words(text) {
		if n, ok := numerals[w]; ok {
			w = n
		}
		if strings.ContainsAny(w, "0123456789") {
			all = append(all, strings.Trim(w, "abcdefghijklmnopqrstuvwxyz"))
		}
	}
	slices.Sort(all)
	return all
}
