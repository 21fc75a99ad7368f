package service

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/domain/benchmark"
	"readiness/domain/verdict"
	"readiness/internal/optional"
	"readiness/mcp"
)

// runType is the type of the operation that asks.
const runType = "RunBenchmark"

// Run implements mcp.Models: it asks the saved questions as the platform's assistant, or takes answers to them.
func (m models) Run(ctx context.Context, in mcp.QuestionsInput) (mcp.Run, *mcp.Pending, error) {
	workspaceID, modelID, err := parsed(in.Model)
	if err != nil {
		return mcp.Run{}, nil, err
	}
	id, err := started(in.OperationID, func() (*client.Accepted, error) {
		if in.Answers != "" {
			got, err := m.ImportBenchmarkRunWithResponse(ctx, workspaceID, modelID, nil, client.ImportBenchmarkRunRequest{
				AnsweredBy: optional.Of(in.AnsweredBy), Files: []client.AnswersFile{{Name: "answers", Content: in.Answers}}})
			if err != nil {
				return nil, err
			}
			return got.JSON202, nil
		}
		got, err := m.StartBenchmarkRunWithResponse(ctx, workspaceID, modelID, nil,
			client.StartBenchmarkRunRequest{AnsweredBy: client.AnsweredByRequest{Kind: string(verdict.PlatformAssistant)}})
		if err != nil {
			return nil, err
		}
		return got.JSON202, nil
	})
	if err != nil {
		return mcp.Run{}, nil, err
	}
	_, pending, err := finish[json.RawMessage](ctx, m, id, runType)
	if err != nil || pending != nil {
		return mcp.Run{}, pending, err
	}
	r, err := m.RunOf(ctx, in.Model, id.String())
	return r, nil, err
}

// RunOf implements mcp.Models.
func (m models) RunOf(ctx context.Context, model, runID string) (mcp.Run, error) {
	workspaceID, modelID, err := parsed(model)
	if err != nil {
		return mcp.Run{}, err
	}
	id, err := uuid.Parse(runID)
	if err != nil {
		return mcp.Run{}, problem("runId must be one that run_questions returned.")
	}
	got, err := m.GetBenchmarkRunResultWithResponse(ctx, workspaceID, modelID, id.String())
	if err != nil {
		return mcp.Run{}, refused(err)
	}
	var document benchmark.RunDocument
	if err := json.Unmarshal(got.JSON200.Document, &document); err != nil {
		return mcp.Run{}, err
	}
	r := mcp.Run{ID: runID, Model: model, Answerer: optional.Text(got.JSON200.Run.Answerer), Score: got.JSON200.Run.Score}
	for _, q := range document.Questions {
		row := mcp.AnswerRow{Question: q.Text, Expected: q.Expected.Text(), Verdict: string(q.Verdict), Reason: "It was not answered."}
		if len(q.Asks) > 0 { // the first of its repeats
			row.Reason, row.Answer, row.Query = q.Asks[0].Reason, q.Asks[0].Answer.Text, q.Asks[0].Query
		}
		r.Answers = append(r.Answers, row)
	}
	return r, nil
}
