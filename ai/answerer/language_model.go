package answerer

import (
	"context"
	"errors"
	"fmt"

	"readiness/ai/openai"
	"readiness/domain"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/verdict"
)

// byChat is the transport of language models.
const byChat = "chat_completions"

// languageModel returns a function that answers with a saved language model from the view.
func (a *Asker) languageModel(v view) (verdict.Target, Ask, error) {
	about, settings := v.about, v.by
	model, err := a.Models.LanguageModel(settings)
	if err != nil {
		return about, nil, cannotAsk(err, settings)
	}
	m := newMaterial(v.sight, settings.WithoutDAX)
	about.Transport, about.Model = byChat, settings.Model
	if p := settings.Prices; p != nil {
		about.Prices = new(verdict.Prices(*p))
	}
	about.ConfigHash = configHash(struct {
		Prompt, BaseURL, Model, APIVersion string
		Kind                               aiprovider.Kind
		Material                           openai.Material
	}{openai.AnswerPrompt, settings.BaseURL, settings.Model, settings.APIVersion, settings.Kind, m.full})
	names := newFieldNames(v.Exposure)
	return about, func(ctx context.Context, question string) (benchmark.Reply, error) {
		answer, e, err := model.AnswerQuestion(ctx, m.about(question), question)
		reply := benchmark.Reply{DurationMS: e.Duration.Milliseconds(), Attempts: e.Attempts}
		if e.RequestID != "" {
			reply.Remote = &verdict.Remote{RequestID: e.RequestID}
		}
		if e.InputTokens+e.OutputTokens > 0 {
			reply.Usage = &verdict.TokenUsage{InputTokens: e.InputTokens, OutputTokens: e.OutputTokens}
		}
		none, unanswered := errors.AsType[*openai.NoAnswer](err)
		switch {
		case err == nil:
			reply.Answer = names.answer(answer)
		case !unanswered:
			return benchmark.Reply{Attempts: e.Attempts}, err
		case none.Lasting:
			return benchmark.Reply{}, domain.Refuse(domain.BenchmarkRunFailed,
				"The AI provider %s cannot be asked: %s. Change it, then run again.", settings.Name, none.What).
				About("providerId", settings.ProviderID)
		case none.Declined:
			reply.Answer = verdict.Answer{Text: fmt.Sprintf("The AI provider does not answer this: %s.", none.What), CannotAnswer: true}
		default:
			reply.Failure = &verdict.Failure{Code: string(none.Code),
				Message: fmt.Sprintf("The AI provider %s did not answer: %s.", settings.Name, none.What)}
		}
		return reply, nil
	}, nil
}

// cannotAsk returns the refusal for a provider whose settings cannot be used.
func cannotAsk(err error, settings aiprovider.Settings) error {
	if refusal, refused := domain.Refused(err); refused {
		return domain.Refuse(domain.BenchmarkRunFailed, "%s", refusal.Message).About("providerId", settings.ProviderID)
	}
	return err
}
