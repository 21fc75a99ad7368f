package http

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/verdict"
	"readiness/http/api"
	"readiness/http/paging"
	"readiness/http/validate"
	"readiness/internal/lists"
	"readiness/internal/optional"
	"readiness/projections"
)

// StartBenchmarkRun handles POST …/aiReadiness/benchmark/runs.
func (s *Server) StartBenchmarkRun(ctx context.Context, r api.StartBenchmarkRunRequestObject) (*api.AcceptedJSONResponse, error) {
	return s.accepted(s.commands.Benchmarks.StartRun(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, answererRequest(r.Body.AnsweredBy),
		r.Body.Repeats))
}

// ImportBenchmarkRun handles POST …/aiReadiness/benchmark/runs/import.
func (s *Server) ImportBenchmarkRun(ctx context.Context, r api.ImportBenchmarkRunRequestObject) (*api.AcceptedJSONResponse, error) {
	files := lists.Map(r.Body.Files, func(f api.AnswersFile) commands.ImportedFile {
		return commands.ImportedFile{Name: f.Name, Text: f.Content}
	})
	return s.accepted(s.commands.Benchmarks.ImportRun(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, files,
		strings.TrimSpace(optional.Text(r.Body.AnsweredBy))))
}

// ListBenchmarkRuns handles GET …/aiReadiness/benchmark/runs.
func (s *Server) ListBenchmarkRuns(ctx context.Context, r api.ListBenchmarkRunsRequestObject) (*api.BenchmarkRunList, error) {
	who := callerOf(ctx)
	path := "/v1/workspaces/" + r.WorkspaceID.String() + "/semanticModels/" + r.SemanticModelID.String() + "/aiReadiness/benchmark/runs"
	p, err := paging.Open[projections.BenchmarkRunCursor](s.lists, who.Account, path, nil, r.Params.MaxResults, r.Params.ContinuationToken)
	if err != nil {
		return nil, err
	}
	if _, err := s.commands.Workspaces.Item(ctx, who, r.WorkspaceID, item.SemanticModel, r.SemanticModelID); err != nil {
		return nil, err
	}
	found, err := s.views.BenchmarkRuns(ctx, projections.BenchmarkRunsQuery{
		AccountID: who.Account, WorkspaceID: r.WorkspaceID, ModelID: r.SemanticModelID, Before: p.After, Limit: p.Limit + 1,
	})
	if err != nil {
		return nil, err
	}
	found, token, uri, err := paging.Of(p, found, func(r projections.BenchmarkRun) projections.BenchmarkRunCursor {
		return projections.BenchmarkRunCursor{AcceptedAt: r.At, RunID: r.RunID}
	})
	if err != nil {
		return nil, err
	}
	list := api.BenchmarkRunList{Value: make([]api.BenchmarkRun, len(found)), ContinuationToken: token, ContinuationURI: uri}
	for i, run := range found {
		list.Value[i] = benchmarkRun(run)
	}
	return &list, nil
}

// GetBenchmarkRun handles GET …/aiReadiness/benchmark/runs/{runId}.
func (s *Server) GetBenchmarkRun(ctx context.Context, r api.GetBenchmarkRunRequestObject) (*api.BenchmarkRun, error) {
	run, err := s.benchmarkRun(ctx, r.WorkspaceID, r.SemanticModelID, r.RunID)
	if err != nil {
		return nil, err
	}
	return new(benchmarkRun(run)), nil
}

// DeleteBenchmarkRun handles DELETE …/aiReadiness/benchmark/runs/{runId}.
func (s *Server) DeleteBenchmarkRun(ctx context.Context, r api.DeleteBenchmarkRunRequestObject) (*api.DeletedBenchmarkRun, error) {
	run, err := s.benchmarkRun(ctx, r.WorkspaceID, r.SemanticModelID, r.RunID)
	if err != nil {
		return nil, err
	}
	if err := s.commands.Benchmarks.DeleteRun(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, r.RunID); err != nil {
		return nil, err
	}
	return &api.DeletedBenchmarkRun{RunID: run.RunID, Deleted: true}, nil
}

// GetBenchmarkRunResult handles GET …/aiReadiness/benchmark/runs/{runId}/result.
func (s *Server) GetBenchmarkRunResult(ctx context.Context, r api.GetBenchmarkRunResultRequestObject) (*api.BenchmarkRunResult, error) {
	run, err := s.benchmarkRunToRead(ctx, r.WorkspaceID, r.SemanticModelID, r.RunID)
	if err != nil {
		return nil, err
	}
	if err := s.hasResult(run.RunID, run.Status, run.At); err != nil {
		return nil, err
	}
	result, err := s.benchmarkResult(ctx, run)
	if err != nil {
		// The run may have been deleted between the two reads; then report that.
		if _, gone := s.benchmarkRunToRead(ctx, r.WorkspaceID, r.SemanticModelID, r.RunID); gone != nil {
			err = gone
		}
		return nil, err
	}
	return &result, nil
}

// OverruleVerdict handles POST …/benchmark/runs/{runId}/questions/{questionId}/verdict.
func (s *Server) OverruleVerdict(ctx context.Context, r api.OverruleVerdictRequestObject) (*api.BenchmarkRun, error) {
	o := benchmark.Overrule{QuestionID: r.QuestionID, Verdict: verdict.Verdict(r.Body.Verdict), Reason: strings.TrimSpace(r.Body.Reason)}
	if r.Body.N != nil {
		o.N = *r.Body.N
	}
	id, err := s.commands.Benchmarks.OverruleVerdict(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, r.RunID, o)
	if err != nil {
		return nil, err
	}
	run, err := s.storedBenchmarkRun(ctx, r.WorkspaceID, r.SemanticModelID, id.String())
	if err != nil {
		return nil, err
	}
	return new(benchmarkRun(run)), nil
}

// benchmarked returns the result of the operation of a benchmark run.
func (s *Server) benchmarked(ctx context.Context, o projections.Operation) (api.OperationResult, error) {
	if err := s.checkExpiry(o, o.UpdatedAt.Add(retention)); err != nil {
		return nil, err
	}
	run, found, err := s.views.BenchmarkRun(ctx, o.AccountID, o.ID)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, domain.Refuse(domain.OperationExpired, "the benchmark run that operation %s made was deleted",
			o.ID).About("operationId", o.ID)
	}
	if err := s.mayRead(ctx, o.Owner, noOperation(o.ID), askedOf(run.Side)...); err != nil {
		return nil, err
	}
	return s.benchmarkResult(ctx, run)
}

func (s *Server) benchmarkResult(ctx context.Context, run projections.BenchmarkRun) (api.BenchmarkRunResult, error) {
	if run.Outcome == nil {
		return api.BenchmarkRunResult{}, errors.New("http: a benchmark run succeeded and has no outcome")
	}
	document, err := s.document(ctx, run.Outcome.DocumentHash)
	if err != nil || run.Outcome.Judge == nil {
		return api.BenchmarkRunResult{Run: benchmarkRun(run), Document: document}, err
	}
	review, err := s.views.JudgeReview(ctx, run.AccountID, *run.Outcome.Judge)
	return api.BenchmarkRunResult{Run: benchmarkRun(run), Document: document, JudgeReview: judgeReview(review)}, err
}

// document returns a stored result unchanged. It refuses with StoreUnavailable when the store does not respond.
func (s *Server) document(ctx context.Context, hash string) (json.RawMessage, error) {
	document, err := s.views.Document(ctx, hash)
	if s.storeAway(ctx, err) {
		s.log.ErrorContext(ctx, "a stored result could not be read", "requestId", callOf(ctx).id, "err", err)
		return nil, domain.Refuse(domain.StoreUnavailable,
			"the store of the account's results does not respond now; call again in a moment")
	}
	return document, err
}

// benchmarkRun returns a benchmark run of a model that the caller can see.
func (s *Server) benchmarkRun(ctx context.Context, workspaceID, modelID uuid.UUID, runID string) (run projections.BenchmarkRun, err error) {
	if _, err := s.commands.Workspaces.Item(ctx, callerOf(ctx), workspaceID, item.SemanticModel, modelID); err != nil {
		return run, err
	}
	return s.storedBenchmarkRun(ctx, workspaceID, modelID, runID)
}

// benchmarkRunToRead returns a benchmark run whose result the caller may read. A caller who cannot see the model gets
// the same refusal as on every route of the model.
func (s *Server) benchmarkRunToRead(ctx context.Context, workspaceID, modelID uuid.UUID, runID string) (run projections.BenchmarkRun,
	err error) {
	run, err = s.storedBenchmarkRun(ctx, workspaceID, modelID, runID)
	var starter item.PersonID
	if err == nil {
		if starter, err = s.starter(ctx, run.OperationID); err != nil {
			return run, err
		}
	}
	if starter == callerOf(ctx).PersonID {
		return run, nil
	}
	if refusal := s.checkVisible(ctx, item.Item{ID: modelID, Type: item.SemanticModel, WorkspaceID: workspaceID}); refusal != nil {
		return run, refusal
	}
	if err == nil {
		err = s.mayRead(ctx, starter, noBenchmarkRun(modelID, runID), askedOf(run.Side)...)
	}
	return run, err
}

// storedBenchmarkRun returns a benchmark run of the model in the caller's account. A malformed id is refused as not
// found (docs/decisions.md 8.12).
func (s *Server) storedBenchmarkRun(ctx context.Context, workspaceID, modelID uuid.UUID, runID string) (run projections.BenchmarkRun,
	err error) {
	found := false
	if id, ok := domain.ParseID(runID); ok {
		if run, found, err = s.views.BenchmarkRun(ctx, callerOf(ctx).Account, id); err != nil {
			return run, err
		}
	}
	if !found || run.Side.SemanticModelID != modelID || run.Side.WorkspaceID != workspaceID {
		return run, noBenchmarkRun(modelID, runID)
	}
	return run, nil
}

func noBenchmarkRun(modelID uuid.UUID, runID string) error {
	return domain.Refuse(domain.RunNotFound, "semantic model %s has no benchmark run %s in this account", modelID,
		validate.Truncated(runID)).About("runId", validate.Truncated(runID))
}

func judgeReview(r projections.JudgeReview) *api.JudgeReview {
	review := &api.JudgeReview{Judged: r.Judged, Overruled: r.Overruled}
	if r.Judged > 0 {
		review.Share = new(float64(r.Overruled) / float64(r.Judged))
	}
	return review
}

// benchmarkRun converts a benchmark run to its API form.
func benchmarkRun(r projections.BenchmarkRun) api.BenchmarkRun {
	out := api.BenchmarkRun{
		RunID: r.RunID.String(), OperationID: r.OperationID.String(), Agent: answeredBy(r.Side.AnsweredBy),
		WorkspaceID: r.Side.WorkspaceID.String(), WorkspaceName: optional.Of(r.Side.WorkspaceName),
		SemanticModelID: r.Side.SemanticModelID.String(), SemanticModelName: optional.Of(r.Side.SemanticModelName),
		Status: api.OperationStatus(r.Status), CreatedAtUtc: r.At.UTC(),
		StartedAtUtc: optional.UTC(r.StartedAt), FinishedAtUtc: optional.UTC(r.EndedAt),
		QuestionSetHash: r.QuestionSetHash, QuestionsCount: r.Count, Repeats: r.Repeats,
		Asks: api.BenchmarkRunAsks{Made: r.Asked, Total: r.Total(), Errors: r.Errors}, Error: r.Failure,
	}
	if o := r.Outcome; o != nil {
		out.Score, out.Verdicts, out.Stable, out.Scored, out.ResponseTime, out.StoredAtUtc = o.Score, &o.Verdicts, &o.Stable, &o.Scored,
			o.ResponseTime, optional.UTC(r.EndedAt)
		out.Usage, out.Cost, out.Answerer = o.Usage, o.Cost, optional.Of(o.Answerer)
		if o.Inconclusive(r.Count) {
			out.Conclusion = new(api.Inconclusive)
		}
		if o.Overruled > 0 {
			out.Overruled = &o.Overruled
		}
	}
	if r.AbTest != nil {
		out.AbTestID, out.AbTestSide = new(r.AbTest.AbTestID.String()), new(api.BenchmarkRunAbTestSide(strings.ToUpper(r.AbTest.Side)))
	}
	return out
}
