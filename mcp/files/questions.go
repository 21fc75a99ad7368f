package files

import (
	"cmp"
	"context"
	"path"
	"strconv"

	"github.com/google/uuid"

	"readiness/ai/answerer"
	"readiness/ai/rules"
	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/verdict"
	"readiness/domain/verdict/normalform"
	"readiness/mcp"
)

// defaultQuestions is how many questions are made unless a call says otherwise.
const defaultQuestions = 20

// Run implements mcp.Models: the embedded engine answers with what Copilot sees of the model. Nothing reads data, so only the
// meaning of queries and values decide.
func (f *Files) Run(ctx context.Context, in mcp.QuestionsInput) (mcp.Run, *mcp.Pending, error) {
	i, err := f.one(ctx, in.Model)
	if err != nil {
		return mcp.Run{}, nil, err
	}
	d, _, err := i.Definition(ctx)
	if err != nil {
		return mcp.Run{}, nil, err
	}
	asker := answerer.New(answerer.Options{
		Definitions: func(context.Context, item.Caller, item.Item) (definition.Definition, error) { return d, nil }, Now: f.Now,
	})
	target, m, ask, err := asker.Open(ctx, item.Caller{}, benchmark.Side{SemanticModelID: uuid.New(), SemanticModelName: i.Name,
		AnsweredBy: benchmark.AnsweredBy{Kind: verdict.PlatformAssistant}})
	if err != nil {
		return mcp.Run{}, nil, err
	}
	set, err := f.questions(m, in)
	if err != nil {
		return mcp.Run{}, nil, err
	}
	r := mcp.Run{ID: newID(), Model: i.Shown, Answerer: target.Transport + " " + target.Model + ", with what Copilot sees of the model"}
	meanings, today, correct, answered := normalform.NewModel(m), f.Now(), 0, 0
	for _, q := range set.Questions {
		reply, err := ask(ctx, q.Text)
		if err != nil {
			return mcp.Run{}, nil, err
		}
		reply.Answer.Read(meanings, today)
		decided := q.Known(m, meanings, today).Decide(reply.Answer, reply.Failure, nil)
		if decided.Verdict != verdict.Errored {
			answered++
		}
		if decided.Verdict == verdict.Correct {
			correct++
		}
		r.Answers = append(r.Answers, mcp.AnswerRow{Question: q.Text, Expected: q.Expected.Text(), Verdict: string(decided.Verdict),
			Reason: decided.Reason, Answer: reply.Answer.Text, Query: reply.Answer.Query})
	}
	if answered > 0 {
		r.Score = new(correct * 100 / answered)
	}
	f.runs.Add(r.ID, r)
	return r, nil, nil
}

// questions returns the questions of a call, or some that are made from the model.
func (f *Files) questions(m *semanticmodel.Model, in mcp.QuestionsInput) (benchmark.Set, error) {
	if len(in.Questions) > 0 {
		set := benchmark.Set{Repeats: 1}
		for _, q := range in.Questions {
			set.Questions = append(set.Questions, benchmark.Question{Text: q.Question, Expected: benchmark.Expected{DAX: q.DAX,
				Value: q.Value}})
		}
		return set.Admit()
	}
	count := in.Count
	count = cmp.Or(count, defaultQuestions)
	if err := benchmark.CheckCount(count); err != nil {
		return benchmark.Set{}, err
	}
	return rules.QuestionSet(m, f.Now().UTC().Year()-1, count)
}

// RunOf implements mcp.Models.
func (f *Files) RunOf(_ context.Context, model, runID string) (mcp.Run, error) {
	r, known := f.runs.Get(runID)
	if !known || r.Model != path.Clean(model) {
		return mcp.Run{}, problem("There is no such run of this model. The server keeps the last " + strconv.Itoa(kept) +
			"; call run_questions for a new one.")
	}
	return r, nil
}
