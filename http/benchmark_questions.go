package http

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"readiness/domain/benchmark"
	"readiness/domain/benchmark/goldenset"
	"readiness/http/api"
	"readiness/internal/lists"
	"readiness/projections"
)

// GetBenchmarkQuestions handles GET …/aiReadiness/benchmark/questions.
func (s *Server) GetBenchmarkQuestions(ctx context.Context, r api.GetBenchmarkQuestionsRequestObject) (api.Response, error) {
	saved, err := s.commands.Benchmarks.SavedQuestions(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID)
	if err != nil {
		return nil, err
	}
	if f := r.Params.Format; f != nil && *f != "json" {
		return newQuestionsFile(goldenset.Format(*f), saved)
	}
	return api.OK{Body: saved}, nil
}

// questionsFile is a response with saved questions as a file.
type questionsFile struct {
	format goldenset.Format
	text   []byte
}

func newQuestionsFile(f goldenset.Format, saved benchmark.QuestionsResult) (questionsFile, error) {
	all := lists.Map(saved.Value, func(q benchmark.Checked) benchmark.Question { return q.Question })
	text, err := goldenset.Write(f, all)
	return questionsFile{f, text}, err
}

// Visit implements api.Response.
func (f questionsFile) Visit(w http.ResponseWriter) error {
	h := w.Header()
	h.Set("Content-Type", f.format.MediaType()+"; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="questions.`+string(f.format)+`"`)
	_, err := w.Write(f.text)
	return err
}

// GenerateBenchmarkQuestions handles POST …/aiReadiness/benchmark/questions/generate.
func (s *Server) GenerateBenchmarkQuestions(ctx context.Context,
	r api.GenerateBenchmarkQuestionsRequestObject) (*api.AcceptedJSONResponse, error) {
	count := benchmark.DefaultGenerated
	if r.Body != nil && r.Body.Count != nil {
		count = *r.Body.Count
	}
	return s.accepted(s.commands.Benchmarks.GenerateQuestions(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, count))
}

// SaveBenchmarkQuestions handles POST …/aiReadiness/benchmark/questions/save.
func (s *Server) SaveBenchmarkQuestions(ctx context.Context, r api.SaveBenchmarkQuestionsRequestObject) (*api.AcceptedJSONResponse, error) {
	set := benchmark.Set{Questions: r.Body.Questions, Repeats: benchmark.DefaultRepeats}
	if r.Body.Repeats != nil {
		set.Repeats = *r.Body.Repeats
	}
	return s.accepted(s.commands.Benchmarks.SaveQuestions(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, set, r.Body.Runnable != nil))
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
