package ai

import (
	"context"
	"time"

	"readiness/ai/openai"
	"readiness/ai/rules"
	"readiness/definition/semanticmodel"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
)

// phraseTimeout is how long a provider may phrase the questions of one generation.
const phraseTimeout = 2 * time.Minute

// Phrase puts queries about a model into questions that people would ask: one text
// for each of the first so many that can be said, in their order, "" for the
// others. The embedded rules say each; a language model of the settings says it
// better, where what it writes can be used. A provider that does not answer keeps
// no question from being made. The error is the context's.
func (p *Proposer) Phrase(ctx context.Context, s aiprovider.Settings, m *semanticmodel.Model, queries []benchmark.Query, count int) ([]string, error) {
	texts := rules.Questions(m, queries, count)
	s = whole(s)
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
