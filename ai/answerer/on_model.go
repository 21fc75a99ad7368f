package answerer

import (
	"context"
	"encoding/json"
	"fmt"

	"readiness/ai/openai"
	"readiness/definition/semanticmodel"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/readiness"
	"readiness/domain/verdict"
)

// OnModel returns who answers, and a function to ask about a model that is at hand, with what Copilot sees of it: the rules
// engine, or a language model by its settings.
func (a *Asker) OnModel(m *semanticmodel.Model, by aiprovider.Settings) (verdict.Target, Ask, error) {
	v := view{sight: sight{readiness.Expose(m), seenOfDescriptions}, model: m, by: by}
	if by.IsEmbedded() {
		about, ask := a.embedded(item.Caller{}, v)
		return about, ask, nil
	}
	return a.languageModel(v)
}

// byProgram is the transport of programs.
const byProgram = "command"

// OfProgram returns who answers, and a function to ask a program about a model, with what Copilot sees of it. The program is
// given one line of JSON a question, {"question": …, "model": …}, and answers with one, {"answer": …, "dax": …}; either may be
// absent, and "error" says why there is none.
func OfProgram(name string, m *semanticmodel.Model, call func(ctx context.Context, line []byte) ([]byte, error)) (verdict.Target, Ask) {
	seen := newMaterial(sight{readiness.Expose(m), seenOfDescriptions}, false)
	about := verdict.Target{Transport: byProgram, Model: name}
	about.ConfigHash = configHash(struct {
		Program  string
		Material openai.Material
	}{name, seen.full})
	return about, func(ctx context.Context, question string) (benchmark.Reply, error) {
		line, err := json.Marshal(struct {
			Question string          `json:"question"`
			Model    openai.Material `json:"model"`
		}{question, seen.full})
		if err != nil {
			return benchmark.Reply{}, err
		}
		answered, err := call(ctx, line)
		if err != nil {
			return benchmark.Reply{}, err
		}
		var said struct{ Answer, DAX, Error string }
		if err := json.Unmarshal(answered, &said); err != nil {
			return benchmark.Reply{}, fmt.Errorf("%s answered with a line that is no JSON object with answer and dax: %w", name, err)
		}
		reply := benchmark.Reply{Attempts: 1}
		switch {
		case said.Error != "":
			reply.Failure = &verdict.Failure{Code: "ProgramFailed", Message: said.Error}
		case said.Answer == "" && said.DAX == "":
			reply.Answer = verdict.Answer{CannotAnswer: true}
		default:
			reply.Answer = verdict.Answer{Text: said.Answer, Query: said.DAX}
		}
		return reply, nil
	}
}
