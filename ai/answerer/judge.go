package answerer

import (
	"context"
	"errors"

	"readiness/ai/openai"
	"readiness/domain"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/verdict"
)

// Judge asks a language model to judge an answer when nothing else decides the verdict. It uses the
// account's oldest provider for judging that is not in sides, the ids of the providers that were
// asked. judged is false when the verdict needs no judge, when there is no expected answer, and when no judge
// exists or answers; the verdict is then made without one. An error is the context's or internal.
func (a *Asker) Judge(ctx context.Context, accountID string, sides []string, of benchmark.Case) (j verdict.Judgement,
	by verdict.Judge, judged bool, err error) {
	expected, known := of.Expected, verdict.Expected{Value: of.Expected.Value}
	if known.Decide(of.Answer, nil, nil).Method != "" ||
		len(expected.Fields) == 0 && expected.DAX == "" && expected.Value == "" && expected.Answer == "" {
		return j, by, false, nil
	}
	settings, found, err := a.Providers.ForPurpose(ctx, accountID, aiprovider.Judge, sides...)
	if _, refused := domain.Refused(err); refused { // its key cannot be decrypted
		a.Log.Warn("no judge is available", "error", err)
		return j, by, false, nil
	}
	if err != nil || !found {
		return j, by, false, err
	}
	return a.JudgeBy(ctx, settings, of)
}

// JudgeBy asks a language model to judge an answer. judged is false when it does not answer.
func (a *Asker) JudgeBy(ctx context.Context, settings aiprovider.Settings, of benchmark.Case) (j verdict.Judgement, by verdict.Judge, judged bool,
	err error) {
	model, err := a.Models.LanguageModel(settings)
	if err != nil {
		a.Log.Warn("no judge is available", "providerId", settings.ProviderID, "error", err)
		return j, by, false, nil
	}
	j, e, err := model.Judge(ctx, of)
	if none, unanswered := errors.AsType[*openai.NoAnswer](err); unanswered {
		a.Log.Warn("the judge did not answer", "providerId", settings.ProviderID, "what", none.What)
		return verdict.Judgement{}, by, false, nil
	}
	if err != nil {
		return j, by, false, err
	}
	return j, verdict.Judge{ProviderID: settings.ProviderID, Model: settings.Model, PromptVersion: openai.JudgePrompt,
		Temperature: e.Temperature}, true, nil
}
