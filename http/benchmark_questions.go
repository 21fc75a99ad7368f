package http

import (
	"context"
	"encoding/json"
	"fmt"

	"readiness/domain/benchmark"
	"readiness/http/api"
	"readiness/projections"
)

// GetBenchmarkQuestions handles GET …/aiReadiness/benchmark/questions.
func (s *Server) GetBenchmarkQuestions(ctx context.Context,
	r api.GetBenchmarkQuestionsRequestObject) (api.GetBenchmarkQuestionsResponseObject, error) {
	saved, err := s.commands.Benchmarks.SavedQuestions(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID)
	if err != nil {
		return nil, err
	}
	return api.GetBenchmarkQuestions200JSONResponse(saved), nil
}

// GenerateBenchmarkQuestions handles POST …/aiReadiness/benchmark/questions/generate.
func (s *Server) GenerateBenchmarkQuestions(ctx context.Context,
	r api.GenerateBenchmarkQuestionsRequestObject) (api.GenerateBenchmarkQuestionsResponseObject, error) {
	count := benchmark.DefaultGenerated
	if r.Body != nil && r.Body.Count != nil {
		count = *r.Body.Count
	}
	done, err := s.commands.Benchmarks.GenerateQuestions(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, count)
	if err != nil {
		return nil, err
	}
	return api.GenerateBenchmarkQuestions202JSONResponse{AcceptedJSONResponse: s.accepted(done)}, nil
}

// SaveBenchmarkQuestions handles POST …/aiReadiness/benchmark/questions/save.
func (s *Server) SaveBenchmarkQuestions(ctx context.Context,
	r api.SaveBenchmarkQuestionsRequestObject) (api.SaveBenchmarkQuestionsResponseObject, error) {
	set := benchmark.Set{Questions: r.Body.Questions, Repeats: benchmark.DefaultRepeats}
	if r.Body.Repeats != nil {
		set.Repeats = *r.Body.Repeats
	}
	done, err := s.commands.Benchmarks.SaveQuestions(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, set)
	if err != nil {
		return nil, err
	}
	return api.SaveBenchmarkQuestions202JSONResponse{AcceptedJSONResponse: s.accepted(done)}, nil
}

// questions returns the result of an operation that generated or saved benchmark questions.
func (s *Server) questions(ctx context.Context, o projections.Operation) (api.OperationResult, error) {
	if err := s.checkExpiry(o, o.UpdatedAt.Add(benchmark.ResultLife)); err != nil {
		return nil, err
	}
	work, err := s.views.QuestionWork(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	if work.Made == nil {
		return nil, fmt.Errorf("http: operation %s succeeded without questions", o.ID)
	}
	document, err := s.views.Document(ctx, work.Made.DocumentHash)
	if err != nil {
		return nil, err
	}
	var out benchmark.QuestionsResult
	if err := json.Unmarshal(document, &out); err != nil {
		return nil, fmt.Errorf("http: the questions of operation %s: %w", o.ID, err)
	}
	return out, nil
}
