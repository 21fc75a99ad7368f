package ai

import (
	"context"
	"time"

	"readiness/ai/openai"
	"readiness/ai/rules"
	"readiness/definition/semanticmodel"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark/modelquery"
)

// phraseTimeout bounds how long a provider may take to phrase the questions of one generation.
const phraseTimeout = 2 * time.Minute

// Phrase turns queries about a model into questions as people would ask them. It returns one text per
// query, in their order: a question for each of the first count queries that the embedded rules can
// phrase, "" for the others. Where the settings' language model returns a usable text, that text
// replaces the rules' question. A provider that does not answer prevents no question. The error is the
// context's.
func (p *Proposer) Phrase(ctx context.Context, s aiprovider.Settings, m *semanticmodel.Model, queries []modelquery.Query,
	count int) ([]string, error) {
	texts := rules.Questions(m, queries, count)
	s = withDefaults(s)
	if s.IsEmbedded() || s.IsDataAgent() {
		return texts, nil
	}
	c, err := p.client(s)
	if err != nil {
		p.options.Log.Warn("AI provider phrased no questions", "provider", s.Name, "error", err)
		return texts, nil
	}
	var drafts []openai.Draft
	var at []int
	for i, text := range texts {
		if text != "" {
			drafts, at = append(drafts, openai.Draft{Query: queries[i], Text: text}), append(at, i)
		}
	}
	bounded, cancel := context.WithTimeout(ctx, phraseTimeout)
	defer cancel()
	better, err := c.PhraseQuestions(bounded, m, drafts)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		p.options.Log.Warn("AI provider phrased no questions in time", "provider", s.Name)
	}
	for j, text := range better {
		if text != "" {
			texts[at[j]] = text
		}
	}
	return texts, nil
}
