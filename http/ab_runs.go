package http

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/http/api"
	"readiness/http/paging"
	"readiness/internal/lists"
	"readiness/internal/optional"
	"readiness/projections"
)

// stalledAfter is how long a running side may make no progress before the run reports it as stalled.
const stalledAfter = 2 * time.Minute

// ListAbTestRuns handles GET /v1/aiReadiness/abTests/{abTestId}/runs.
func (s *Server) ListAbTestRuns(ctx context.Context, r api.ListAbTestRunsRequestObject) (*api.AbTestRunList, error) {
	who := callerOf(ctx)
	p, err := paging.Open[projections.AbRunCursor](s.lists, who.Account, abTestsPath+"/"+url.PathEscape(r.AbTestID)+"/runs", nil,
		r.Params.MaxResults, r.Params.ContinuationToken)
	if err != nil {
		return nil, err
	}
	t, err := s.abTest(ctx, r.AbTestID)
	if err != nil {
		return nil, err
	}
	found, err := s.views.AbRuns(ctx, projections.AbRunsQuery{AccountID: who.Account, AbTestID: t.AbTestID, Before: p.After,
		Limit: p.Limit + 1})
	if err != nil {
		return nil, err
	}
	found, token, uri, err := paging.Of(p, found, func(r projections.AbRun) projections.AbRunCursor {
		return projections.AbRunCursor{StartedAt: r.At, RunID: r.RunID}
	})
	if err != nil {
		return nil, err
	}
	return &api.AbTestRunList{Value: s.abRuns(found), ContinuationToken: token, ContinuationURI: uri}, nil
}

// RunAbTestAgain handles POST /v1/aiReadiness/abTests/{abTestId}/runs.
func (s *Server) RunAbTestAgain(ctx context.Context, r api.RunAbTestAgainRequestObject) (*api.AcceptedJSONResponse, error) {
	var again abtest.RunAgain
	if r.Body != nil {
		again = abtest.RunAgain{QuestionSet: r.Body.QuestionSet, ReuseRunID: r.Body.ReuseRunID}
	}
	return s.accepted(s.commands.ABTests.RunAgain(ctx, callerOf(ctx), r.AbTestID, again))
}

// GetAbTestRun handles GET /v1/aiReadiness/abTests/{abTestId}/runs/{runId}.
func (s *Server) GetAbTestRun(ctx context.Context, r api.GetAbTestRunRequestObject) (*api.AbTestRun, error) {
	run, err := s.abRun(ctx, r.AbTestID, r.RunID)
	if err != nil {
		return nil, err
	}
	return new(s.run(run)), nil
}

// DeleteAbTestRun handles DELETE /v1/aiReadiness/abTests/{abTestId}/runs/{runId}.
func (s *Server) DeleteAbTestRun(ctx context.Context, r api.DeleteAbTestRunRequestObject) (*api.DeletedAbTestRun, error) {
	run, err := s.abRun(ctx, r.AbTestID, r.RunID)
	if err != nil {
		return nil, err
	}
	if err := s.commands.ABTests.DeleteRun(ctx, callerOf(ctx), r.AbTestID, r.RunID); err != nil {
		return nil, err
	}
	return &api.DeletedAbTestRun{AbTestID: run.AbTestID, RunID: run.RunID, Deleted: true}, nil
}

// GetAbTestRunResult handles GET /v1/aiReadiness/abTests/{abTestId}/runs/{runId}/result.
func (s *Server) GetAbTestRunResult(ctx context.Context, r api.GetAbTestRunResultRequestObject) (*api.AbTestResult, error) {
	run, err := s.abRun(ctx, r.AbTestID, r.RunID)
	if err != nil {
		return nil, err
	}
	if err := s.hasResult(run.RunID, run.Operation.Status, run.At); err != nil {
		return nil, err
	}
	starter, err := s.starter(ctx, run.RunID)
	if err != nil {
		return nil, err
	}
	if err := s.mayRead(ctx, starter, abtest.RunNotFound(r.RunID), askedOf(run.SideA, run.SideB)...); err != nil {
		return nil, err
	}
	result, err := s.abTestResult(ctx, run, starter)
	if err != nil {
		// The run may have been deleted between the two reads; then report that.
		if _, gone := s.abRun(ctx, r.AbTestID, r.RunID); gone != nil {
			err = gone
		}
		return nil, err
	}
	return &result, nil
}

// hasResult returns a refusal unless a run with the status has a result. since is when the run started.
func (s *Server) hasResult(runID uuid.UUID, status operation.Status, since time.Time) error {
	switch {
	case !status.Ended():
		wait := time.Duration(retryAfter(s.now().Sub(since))) * time.Second
		return domain.Refuse(domain.ResultNotReady, "run %s has not ended; read it until it has", runID).About("runId", runID).After(wait)
	case status != operation.StatusSucceeded:
		return domain.Refuse(domain.OperationHasNoResult, "run %s has no result because it is %s; the run says why", runID,
			status).About("runId", runID)
	}
	return nil
}

// abTested returns the result of the operation of an A/B test run.
func (s *Server) abTested(ctx context.Context, o projections.Operation) (api.OperationResult, error) {
	if err := s.checkExpiry(o, o.UpdatedAt.Add(retention)); err != nil {
		return nil, err
	}
	run, found, err := s.views.AbRun(ctx, o.AccountID, o.ID)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, domain.Refuse(domain.OperationExpired, "the run of an A/B test that operation %s made was deleted",
			o.ID).About("operationId", o.ID)
	}
	if err := s.mayRead(ctx, o.Owner, noOperation(o.ID), askedOf(run.SideA, run.SideB)...); err != nil {
		return nil, err
	}
	return s.abTestResult(ctx, run, o.Owner)
}

// abTestResult returns the comparison of a run that succeeded and that starter started.
func (s *Server) abTestResult(ctx context.Context, run projections.AbRun, starter item.PersonID) (out api.AbTestResult, err error) {
	if run.Compared == nil {
		return out, fmt.Errorf("http: run %s of an A/B test succeeded and there is no comparison", run.RunID)
	}
	document, err := s.document(ctx, run.Compared.Document)
	if err != nil {
		return out, err
	}
	if document, err = s.named(ctx, document, "requestedBy", starter); err != nil {
		return out, err
	}
	var sides struct{ A, B json.RawMessage }
	if err := json.Unmarshal(document, &sides); err != nil {
		return out, fmt.Errorf("http: the document of run %s of an A/B test: %w", run.RunID, err)
	}
	return api.AbTestResult{
		AbTestID: run.AbTestID.String(), RunID: run.RunID.String(), StoredAtUtc: optional.UTC(run.FinishedAt),
		SideA: &sides.A, SideB: &sides.B, Aggregate: &run.Compared.Aggregate, Agreement: &run.Compared.Agreement,
		CorrectAnswers: &api.AbCorrectAnswers{Mode: new(api.AbCorrectAnswersMode(run.CorrectAnswers)),
			ComputedAtUtc: optional.UTC(run.ComputedAt)},
		Document: document,
	}, nil
}

// abRun returns a run of a test of the caller's account. A malformed id is refused as not found (docs/decisions.md
// 8.12).
func (s *Server) abRun(ctx context.Context, abTestID, runID string) (run projections.AbRun, err error) {
	t, err := s.abTest(ctx, abTestID)
	if err != nil {
		return run, err
	}
	id, ok := domain.ParseID(runID)
	if !ok {
		return run, abtest.RunNotFound(runID)
	}
	run, found, err := s.views.AbRun(ctx, callerOf(ctx).Account, id)
	if err == nil && (!found || run.AbTestID != t.AbTestID) {
		err = abtest.RunNotFound(runID)
	}
	return run, err
}

func (s *Server) abRuns(found []projections.AbRun) []api.AbTestRun {
	return lists.Map(found, s.run)
}

// run converts a run to its API form.
func (s *Server) run(r projections.AbRun) api.AbTestRun {
	out := api.AbTestRun{
		RunID: r.RunID.String(), AbTestID: r.AbTestID.String(), Status: new(api.AbTestRunStatus(r.Operation.Status)),
		Stage:        new(api.AbTestRunStage(r.Stage())),
		StartedAtUtc: new(r.At.UTC()), FinishedAtUtc: optional.UTC(r.FinishedAt),
		SideA: s.runSide(r, abtest.A), SideB: s.runSide(r, abtest.B),
		QuestionSetHash: &r.Questions.SetHash, QuestionsCount: &r.Questions.Count, Counted: counted(r), Asks: asks(r),
		Error: r.Operation.Failure,
	}
	if r.Compared != nil {
		out.Aggregate, out.Agreement = &r.Compared.Aggregate, &r.Compared.Agreement
	}
	if c := r.Stopped; c != nil {
		out.Cancel = &api.AbTestRunCancel{Counted: c.Counted, Asked: c.Asked, Total: c.Total}
		if c.Side != nil {
			out.Cancel.Side = new(api.AbTestRunCancelSide(strings.ToUpper(string(*c.Side))))
		}
	}
	return out
}

// counted reports whether a run counts against the benchmark runs. For a run in progress, it reports whether it would
// count if it were cancelled now. It returns nil when that is not known.
func counted(r projections.AbRun) *bool {
	switch {
	case r.Stopped != nil:
		return &r.Stopped.Counted
	case r.Operation.Status == operation.StatusSucceeded:
		return new(true)
	case r.Operation.Status.Ended():
		if r.Operation.Impact.BenchmarkRuns == nil {
			return nil
		}
		return new(*r.Operation.Impact.BenchmarkRuns > 0)
	}
	made, _ := asksMade(r)
	return new(made > 0)
}

// asksMade returns how many asks the sides have made in this run. known is false when the benchmark run of a side was
// deleted.
func asksMade(r projections.AbRun) (n int, known bool) {
	if r.Stopped != nil {
		return r.Stopped.Asked, true
	}
	for _, name := range []abtest.SideName{abtest.A, abtest.B} {
		side, asked := r.Side(name), r.Asked(name)
		switch {
		case side.Status == abtest.SideReused || side.Status == abtest.SideWaiting:
		case side.Status == abtest.SideDone:
			n += r.Questions.Count * r.Repeats
		case asked == nil:
			return n, false
		default:
			n += asked.Asked
		}
	}
	return n, true
}

func asks(r projections.AbRun) *api.AbTestRunAsks {
	n, known := asksMade(r)
	if !known {
		return nil
	}
	return &api.AbTestRunAsks{Made: n, Total: r.Total()}
}

// runSide converts a side of a run to its API form.
func (s *Server) runSide(r projections.AbRun, name abtest.SideName) api.AbTestRunSide {
	side, asked := r.Side(name), r.Asked(name)
	out := api.AbTestRunSide{Status: api.AbTestRunSideStatus(side.Status)}
	if side.Status == abtest.SideReused {
		out.ReusedFromRunID = optional.ID(side.BenchmarkRunID)
	} else {
		out.BenchmarkRunID = optional.ID(side.BenchmarkRunID)
	}
	if side.Failure != nil {
		out.ErrorCode, out.CapacityWorkspaceID = new(string(side.Failure.Failure.Code)), optional.ID(side.Failure.CapacityWorkspaceID)
	}
	if asked == nil {
		return out
	}
	out.Total = &asked.Count
	if asked.Outcome != nil {
		out.Stable, out.Scored, out.ResponseTime, out.StoredAtUtc = &asked.Outcome.Stable, &asked.Outcome.Scored,
			asked.Outcome.ResponseTime, optional.UTC(asked.EndedAt)
		out.Answerer = optional.Of(asked.Outcome.Answerer)
	}
	if side.Status != abtest.SideReused {
		out.Progress = &api.AbTestRunProgress{
			Answered: asked.Asked, Total: asked.Total(),
			Stalled: side.Status == abtest.SideRunning && !r.Operation.Status.Ended() && s.now().Sub(asked.UpdatedAt) > stalledAfter,
		}
	}
	return out
}
