package ai

import (
	"context"

	"readiness/ai/openai"
	"readiness/ai/rules"
	"readiness/definition/semanticmodel"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
)

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
	better, err := c.PhraseQuestions(ctx, m, drafts)
	if err != nil {
		return nil, err
	}
	for j, text := range better {
		if text != "" {
			texts[at[j]] = text
		}
	}
	return texts, nil
}
