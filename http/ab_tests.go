package http

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/benchmark"
	"readiness/domain/verdict"
	"readiness/http/api"
	"readiness/internal/optional"
	"readiness/projections"
)

// runsWithTest is how many runs GetAbTest returns at most.
const runsWithTest = 50

// CreateAbTest handles POST /v1/aiReadiness/abTests.
func (s *Server) CreateAbTest(ctx context.Context, r api.CreateAbTestRequestObject) (*api.AcceptedJSONResponse, error) {
	b := r.Body
	create := abtest.CreateRequest{
		Words: abtest.Words{
			Name: b.Name, Description: b.Description, LabelA: b.SideA.Label, LabelB: b.SideB.Label,
			SideADescription: b.SideA.Description, SideBDescription: b.SideB.Description,
		},
		SideA: sideRequest(b.SideA), SideB: sideRequest(b.SideB),
		Source:  abtest.SourceRequest{Kind: b.Source.Kind, RunID: b.Source.RunID},
		Repeats: b.Repeats, CorrectAnswers: b.CorrectAnswers, ReuseSideA: b.ReuseSideA != nil && *b.ReuseSideA,
	}
	if b.Hypothesis != nil {
		create.Hypothesis = &abtest.Hypothesis{Text: b.Hypothesis.Text, Kind: b.Hypothesis.Kind}
	}
	return s.accepted(s.commands.ABTests.Create(ctx, callerOf(ctx), create))
}

func sideRequest(s api.AbTestSideRequest) abtest.SideRequest {
	return abtest.SideRequest{SemanticModelID: s.SemanticModelID, WorkspaceID: s.WorkspaceID, AnsweredBy: answererRequest(s.AnsweredBy)}
}

func answererRequest(a api.AnsweredByRequest) abtest.AnswererRequest {
	return abtest.AnswererRequest{Kind: a.Kind, DataAgentID: a.DataAgentID, WorkspaceID: a.WorkspaceID, ProviderID: a.ProviderID,
		RunID: a.RunID}
}

// GetAbTest handles GET /v1/aiReadiness/abTests/{abTestId}.
func (s *Server) GetAbTest(ctx context.Context, r api.GetAbTestRequestObject) (api.Response, error) {
	t, err := s.abTest(ctx, r.AbTestID)
	if err != nil {
		return nil, err
	}
	body, tag, err := s.withRuns(ctx, t)
	if err != nil {
		return nil, err
	}
	if r.Params.IfNoneMatch != nil && sameTag(*r.Params.IfNoneMatch, tag) {
		return api.GetAbTest304Response{Headers: api.GetAbTest304ResponseHeaders{ETag: tag}}, nil
	}
	return api.GetAbTest200JSONResponse{Body: body, Headers: api.GetAbTest200ResponseHeaders{ETag: tag}}, nil
}

// withRuns returns a test with its newest runs, and the ETag of that body. The ETag begins with the version of the
// test itself.
func (s *Server) withRuns(ctx context.Context, t projections.AbTest) (body api.AbTest, tag string, err error) {
	runs, err := s.views.AbRuns(ctx, projections.AbRunsQuery{AccountID: callerOf(ctx).Account, AbTestID: t.AbTestID, Limit: runsWithTest})
	if err != nil {
		return body, "", err
	}
	body = abTest(t)
	body.Runs = new(s.abRuns(runs))
	body.MinimumDetectableEffect = new(questionsOf(t).NextDetectable(t.Standing.Aggregate))
	text, err := json.Marshal(body)
	return body, fmt.Sprintf(`"%d-%s`, t.Version, strings.TrimPrefix(etag(text), `"`)), err
}

// UpdateAbTest handles PATCH /v1/aiReadiness/abTests/{abTestId}.
func (s *Server) UpdateAbTest(ctx context.Context, r api.UpdateAbTestRequestObject) (api.Response, error) {
	change, err := rewording(*r.Body)
	if err != nil {
		return nil, err
	}
	// Report errors that do not depend on the test before looking it up.
	if err := change(abtest.Words{Name: "a test"}).Trimmed().Check(); err != nil {
		return nil, err
	}
	before, err := s.abTest(ctx, r.AbTestID)
	if err != nil {
		return nil, err
	}
	var version *int64
	if r.Params.IfMatch != nil {
		version = versionOf(*r.Params.IfMatch, before.Version)
	}
	if err := s.commands.ABTests.Reword(ctx, callerOf(ctx), r.AbTestID, version, change); err != nil {
		return nil, err
	}
	t, err := s.abTest(ctx, r.AbTestID)
	if err != nil {
		return nil, err
	}
	body, tag, err := s.withRuns(ctx, t)
	if err != nil {
		return nil, err
	}
	body.Runs = nil
	return api.UpdateAbTest200JSONResponse{Body: body, Headers: api.UpdateAbTest200ResponseHeaders{ETag: tag}}, nil
}

// sideWords are the members of a side in the body of a PATCH.
type sideWords struct{ Label, Description json.RawMessage }

// rewording returns a function that applies the body of a PATCH to a test's words. Absent members stay unchanged;
// null clears one.
func rewording(b api.UpdateAbTestRequest) (func(abtest.Words) abtest.Words, error) {
	var changes []func(*abtest.Words)
	if b.Name != nil {
		changes = append(changes, func(w *abtest.Words) { w.Name = *b.Name })
	}
	clearable := func(member string, raw json.RawMessage, of func(*abtest.Words) **string) error {
		value, there, err := memberOf[string](member, raw)
		if there {
			changes = append(changes, func(w *abtest.Words) { *of(w) = value })
		}
		return err
	}
	if err := clearable("description", b.Description, func(w *abtest.Words) **string { return &w.Description }); err != nil {
		return nil, err
	}
	hypothesis, there, err := memberOf[abtest.Hypothesis]("hypothesis", b.Hypothesis)
	if err != nil {
		return nil, err
	}
	if there {
		changes = append(changes, func(w *abtest.Words) { w.Hypothesis = hypothesis })
	}
	for _, side := range []struct {
		member             string
		raw                json.RawMessage
		label, description func(*abtest.Words) **string
	}{
		{"sideA", b.SideA, func(w *abtest.Words) **string { return &w.LabelA },
			func(w *abtest.Words) **string { return &w.SideADescription }},
		{"sideB", b.SideB, func(w *abtest.Words) **string { return &w.LabelB },
			func(w *abtest.Words) **string { return &w.SideBDescription }},
	} {
		words, there, err := memberOf[sideWords](side.member, side.raw)
		if err != nil {
			return nil, err
		}
		if there && words == nil { // null clears both words of the side
			words = &sideWords{Label: json.RawMessage("null"), Description: json.RawMessage("null")}
		}
		if words == nil {
			continue
		}
		if err := clearable(side.member+".label", words.Label, side.label); err != nil {
			return nil, err
		}
		if err := clearable(side.member+".description", words.Description, side.description); err != nil {
			return nil, err
		}
	}
	return func(w abtest.Words) abtest.Words {
		for _, change := range changes {
			change(&w)
		}
		return w
	}, nil
}

// DeleteAbTest handles DELETE /v1/aiReadiness/abTests/{abTestId}.
func (s *Server) DeleteAbTest(ctx context.Context, r api.DeleteAbTestRequestObject) (*api.DeletedAbTest, error) {
	id, ok := domain.ParseID(r.AbTestID)
	if !ok {
		return nil, abtest.NotFound(r.AbTestID)
	}
	runs, err := s.commands.ABTests.Delete(ctx, callerOf(ctx), r.AbTestID)
	if err != nil {
		return nil, err
	}
	return &api.DeletedAbTest{AbTestID: id, DeletedRuns: runs}, nil
}

// abTest returns a test of the caller's account. A malformed id is refused as not found (docs/decisions.md 8.12).
func (s *Server) abTest(ctx context.Context, text string) (t projections.AbTest, err error) {
	id, ok := domain.ParseID(text)
	if !ok {
		return t, abtest.NotFound(text)
	}
	t, found, err := s.views.AbTest(ctx, callerOf(ctx).Account, id)
	if err == nil && !found {
		err = abtest.NotFound(text)
	}
	return t, err
}

// versionOf returns the version of the test that an If-Match field requires, or nil for any. It compares only the
// version part of each tag (RFC 9110, 13.1.1: strong comparison), because the progress of a run changes the tag but
// not the words. If the field lists several versions and now is among them, it returns now.
func versionOf(field string, now int64) *int64 {
	if strings.TrimSpace(field) == "*" {
		return nil
	}
	demanded := []int64{-1} // no test has this version
	for one := range strings.SplitSeq(field, ",") {
		text, _, tagged := strings.Cut(strings.TrimPrefix(strings.TrimSpace(one), `"`), "-")
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && tagged && strings.HasPrefix(strings.TrimSpace(one), `"`) {
			demanded = append(demanded, n)
		}
	}
	if slices.Contains(demanded, now) {
		return &now
	}
	return &demanded[len(demanded)-1]
}

// questionsOf returns the questions that the test froze or, before that, those of its first run.
func questionsOf(t projections.AbTest) abtest.Questions {
	if t.Frozen != nil {
		return *t.Frozen
	}
	return t.Questions
}

// abTest converts a test, without its runs, to its API form.
func abTest(t projections.AbTest) api.AbTest {
	out := api.AbTest{
		AbTestID: t.AbTestID.String(), Name: t.Name, CreatedAtUtc: new(t.At.UTC()), Description: t.Description,
		SideA: abTestSide(t.SideA, t.LabelA, t.SideADescription), SideB: abTestSide(t.SideB, t.LabelB, t.SideBDescription),
		Questions: api.AbTestQuestions{
			Count: questionsOf(t).Count, CorrectAnswers: api.AbTestQuestionsCorrectAnswers(t.CorrectAnswers),
			Source: api.AbTestSource{Kind: api.AbTestSourceKind(t.Source.Kind)},
		},
		Repeats: &t.Repeats, RunCount: t.Standing.Runs, RunGaps: listed(t.Standing.Gaps),
		LatestSucceededRunID: optional.ID(t.Standing.Succeeded), LatestSucceededRunAggregate: t.Standing.Aggregate,
	}
	if t.Frozen != nil {
		out.Questions.QuestionSetHash = &t.Frozen.SetHash
	}
	if t.SourceHeld {
		out.Questions.Source.RunID, out.Questions.Source.RunStoredAtUtc = optional.ID(t.Source.RunID), optional.UTC(t.Source.RunStoredAt)
	}
	if t.Hypothesis != nil {
		out.Hypothesis = &api.AbTestHypothesis{Text: t.Hypothesis.Text, Kind: t.Hypothesis.Kind}
	}
	if r := t.Latest; r != nil {
		out.LatestRun = &api.AbLatestRun{
			RunID: r.RunID.String(), Status: new(api.AbLatestRunStatus(r.Operation.Status)), Stage: new(api.AbLatestRunStage(r.Stage())),
			StartedAtUtc: new(r.At.UTC()), FinishedAtUtc: optional.UTC(r.FinishedAt), Error: r.Operation.Failure,
		}
		if r.Compared != nil {
			out.LatestRun.Aggregate = &r.Compared.Aggregate
		}
	}
	return out
}

func abTestSide(s benchmark.Side, label, description *string) api.AbTestSide {
	return api.AbTestSide{
		SemanticModelID: new(s.SemanticModelID.String()), SemanticModelName: optional.Of(s.SemanticModelName),
		WorkspaceID: new(s.WorkspaceID.String()), WorkspaceName: optional.Of(s.WorkspaceName),
		Label: label, Description: description, AnsweredBy: answeredBy(s.AnsweredBy),
	}
}

// answeredBy converts what answers for a side to its API form. It includes a data agent or a provider only for the
// kinds that have one.
func answeredBy(a benchmark.AnsweredBy) api.AnsweredBy {
	out := api.AnsweredBy{Kind: new(string(a.Kind))}
	switch a.Kind {
	case verdict.DataAgent, verdict.ServiceTestAgent:
		out.DataAgentID, out.DataAgentName = optional.ID(a.DataAgentID), optional.Of(a.DataAgentName)
		out.DataAgentWorkspaceID, out.DataAgentWorkspaceName = optional.ID(a.DataAgentWorkspaceID), optional.Of(a.DataAgentWorkspaceName)
	case verdict.GenericAgent:
		out.ProviderID, out.ProviderName = optional.Of(a.ProviderID), optional.Of(a.ProviderName)
	case verdict.Imported:
		out.RunID, out.Who = optional.ID(a.RunID), optional.Of(a.Who)
	case verdict.PlatformAssistant:
	}
	return out
}

// memberOf decodes a member that may be absent, null or a value. present is false when it is absent; value is nil
// when it is null. The body must have been validated against its schema.
func memberOf[T any](member string, raw json.RawMessage) (value *T, present bool, err error) {
	if raw == nil {
		return nil, false, nil
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, true, fmt.Errorf("http: %s: %w", member, err)
	}
	return value, true, nil
}
