package http

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/http/api"
	"readiness/http/paging"
	"readiness/http/token"
	"readiness/projections"
)

// retention is how long operations are listed, and how long after the end of its operation a result is readable,
// unless its kind has a different period (docs/decisions.md 5).
const retention = 7 * 24 * time.Hour

// ListOperations handles GET /v1/operations.
func (s *Server) ListOperations(ctx context.Context, r api.ListOperationsRequestObject) (*api.OperationList, error) {
	who := callerOf(ctx)
	q := projections.OperationsQuery{AccountID: who.Account, Since: s.now().Add(-retention)}
	filters := url.Values{}
	if r.Params.Status != nil {
		q.Status = operation.Status(*r.Params.Status)
		filters.Set("status", string(*r.Params.Status))
	}
	p, err := paging.Open[projections.OperationCursor](s.lists, who.Account, "/v1/operations", filters, r.Params.MaxResults,
		r.Params.ContinuationToken)
	if err != nil {
		return nil, err
	}
	q.Before, q.Limit = p.After, p.Limit+1
	found, err := s.views.Operations(ctx, q)
	if err != nil {
		return nil, err
	}
	found, token, uri, err := paging.Of(p, found, func(o projections.Operation) projections.OperationCursor {
		return projections.OperationCursor{CreatedAt: o.CreatedAt, ID: o.ID}
	})
	if err != nil {
		return nil, err
	}
	list := api.OperationList{Value: make([]api.Operation, len(found)), ContinuationToken: token, ContinuationURI: uri}
	for i, o := range found {
		list.Value[i] = state(o)
	}
	return &list, nil
}

// GetOperation handles GET /v1/operations/{operationId}. A read by its owner resumes an operation that waits for the
// owner; a HEAD does not.
func (s *Server) GetOperation(ctx context.Context, r api.GetOperationRequestObject) (api.Response, error) {
	o, err := s.operation(ctx, r.OperationID)
	var needed *operation.SignInNeeded
	if who := callerOf(ctx); err == nil && o.Waits && o.Owner == who.PersonID && !callOf(ctx).head {
		// ResumeOnRead fails when concurrent reads won every attempt. The operation is then as they left it.
		needed, err = s.commands.Operations.ResumeOnRead(ctx, who, o.ID)
		if err == nil || domain.IsRefused(err, domain.OperationInProgress) {
			o, err = s.operation(ctx, o.ID)
		}
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(s.stateFor(o, needed))
	if err != nil {
		return nil, fmt.Errorf("http: operation %s: %w", o.ID, err)
	}
	headers := api.GetOperation200ResponseHeaders{ETag: etag(text), XMsOperationID: o.ID}
	switch {
	case !o.Status.Ended():
		headers.Location, headers.RetryAfter = new(s.operationAddress(o.ID)), new(retryAfter(s.now().Sub(o.CreatedAt)))
	case o.Status == operation.StatusSucceeded:
		headers.Location = new(s.operationAddress(o.ID) + "/result")
	}
	if r.Params.IfNoneMatch != nil && sameTag(*r.Params.IfNoneMatch, headers.ETag) {
		return api.GetOperation304Response{Headers: api.GetOperation304ResponseHeaders(headers)}, nil
	}
	return readState{text, headers}, nil
}

// stateFor is state for the owner, with what they need to sign in.
func (s *Server) stateFor(o projections.Operation, needed *operation.SignInNeeded) api.Operation {
	out := state(o)
	if needed == nil || out.WaitingFor == nil {
		return out
	}
	if needed.Claims != "" {
		out.WaitingFor.Claims = &needed.Claims
	}
	if needed.Code == domain.PlatformConsentRequired {
		permission := cmp.Or(needed.Permission, account.VendorName(item.PermissionPlatform))
		out.WaitingFor.Permission, out.WaitingFor.ConsentURL = &permission, new(s.consentURL(permission))
	}
	return out
}

// readState is a response of GetOperation that writes exactly the bytes that its ETag was computed from.
type readState struct {
	text    []byte
	headers api.GetOperation200ResponseHeaders
}

// Visit implements api.Response.
func (a readState) Visit(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "application/json")
	a.headers.Set(w.Header())
	_, err := w.Write(append(a.text, '\n')) // as all JSON responses end
	return err
}

// GetOperationResult handles GET /v1/operations/{operationId}/result.
func (s *Server) GetOperationResult(ctx context.Context, r api.GetOperationResultRequestObject) (api.Response, error) {
	o, err := s.operation(ctx, r.OperationID)
	if err != nil {
		return nil, err
	}
	switch {
	case !o.Status.Ended():
		wait := time.Duration(retryAfter(s.now().Sub(o.CreatedAt))) * time.Second
		return nil, domain.Refuse(domain.OperationInProgress, "operation %s has not ended; read its state until it has",
			o.ID).About("operationId", o.ID).After(wait)
	case o.Status != operation.StatusSucceeded:
		return nil, domain.Refuse(domain.OperationHasNoResult, "operation %s has no result because it is %s; its state says why", o.ID,
			o.Status).About("operationId", o.ID)
	}
	if err := s.mayReadResult(ctx, o); err != nil {
		return nil, err
	}
	body, err := s.result(ctx, o)
	if err != nil {
		return nil, err
	}
	return api.GetOperationResult200JSONResponse{Body: body, Headers: api.GetOperationResult200ResponseHeaders{XMsOperationID: o.ID}}, nil
}

// result returns the result of an operation that succeeded. Its shape depends on the operation's type.
func (s *Server) result(ctx context.Context, o projections.Operation) (api.OperationResult, error) {
	switch o.Type {
	case operation.AssessSemanticModel, operation.AssessDataAgent:
		return s.assessed(ctx, o)
	case operation.AssessSemanticModels:
		return s.assessedMany(ctx, o)
	case operation.PreviewOptimization:
		return s.preview(ctx, o)
	case operation.ApplyOptimization, operation.RevertOptimization:
		return s.applyRecord(ctx, o)
	case operation.PreviewOptimizations:
		return s.bundlePreview(ctx, o)
	case operation.ApplyOptimizations, operation.RevertOptimizations:
		return s.bundleApply(ctx, o)
	case operation.AddPixies, operation.RemovePixies:
		return s.pixies(ctx, o)
	case operation.RunBenchmark:
		return s.benchmarked(ctx, o)
	case operation.RunAbTest:
		return s.abTested(ctx, o)
	case operation.GenerateBenchmarkQuestions, operation.SaveBenchmarkQuestions:
		return s.questions(ctx, o)
	case operation.ListViewAsOf:
		return s.listedView(ctx, o)
	}
	return nil, fmt.Errorf("http: operation %s is of type %s, whose result has no shape", o.ID, o.Type)
}

// assessed returns the result of the assessment of one model or agent. It does not expire while the assessment is
// pinned (docs/decisions.md 13).
func (s *Server) assessed(ctx context.Context, o projections.Operation) (api.OperationResult, error) {
	a, found, err := s.views.AssessmentOf(ctx, o.AccountID, o.ID)
	if err != nil {
		return nil, err
	}
	if !a.Pinned {
		if err := s.checkExpiry(o, o.UpdatedAt.Add(retention)); err != nil {
			return nil, err
		}
	}
	if !found {
		return nil, domain.Refuse(domain.OperationExpired,
			"the assessment that operation %s made was deleted with the results of its semantic model", o.ID).About("operationId", o.ID)
	}
	if a.DataAgent != nil {
		return s.agentAssessment(ctx, a, true)
	}
	return s.assessment(ctx, a, true)
}

// checkExpiry refuses with OperationExpired when the time until has passed.
func (s *Server) checkExpiry(o projections.Operation, until time.Time) error {
	if !s.now().After(until) {
		return nil
	}
	return domain.Refuse(domain.OperationExpired, "the result of operation %s was kept until %s", o.ID,
		until.UTC().Format(time.RFC3339)).About("operationId", o.ID)
}

// CancelOperation handles POST /v1/operations/{operationId}/cancel.
func (s *Server) CancelOperation(ctx context.Context, r api.CancelOperationRequestObject) (*api.AcceptedJSONResponse, error) {
	return s.accepted(s.commands.Operations.Cancel(ctx, callerOf(ctx), r.OperationID))
}

// operation returns an operation of the caller's account.
func (s *Server) operation(ctx context.Context, id uuid.UUID) (o projections.Operation, err error) {
	c := callOf(ctx)
	var found bool
	if c.operations == nil {
		o, found, err = s.views.Operation(ctx, c.caller.Account, id)
	} else {
		o, found = c.operations[id]
		found = found && o.AccountID == c.caller.Account
		c.operations = nil // a second read must query again
	}
	if err == nil && !found {
		return projections.Operation{}, noOperation(id)
	}
	return o, err
}

// noOperation returns the refusal for an operation that does not exist or is not visible to the caller.
func noOperation(id uuid.UUID) error {
	return domain.Refuse(domain.OperationNotFound, "this account has no operation %s", id).About("operationId", id)
}

// state converts an operation to its API form.
func state(o projections.Operation) api.Operation {
	out := api.Operation{
		ID: o.ID, Status: api.OperationStatus(o.Status), OperationType: new(string(o.Type)),
		CreatedTimeUtc: o.CreatedAt.UTC(), LastUpdatedTimeUtc: o.UpdatedAt.UTC(), PercentComplete: o.Percent,
	}
	if o.Resource.WorkspaceID != uuid.Nil {
		out.Resource = &api.OperationResource{WorkspaceID: new(o.Resource.WorkspaceID.String())}
	}
	if o.Resource.ItemID != nil {
		out.Resource.ItemID = new(o.Resource.ItemID.String())
	}
	if o.Resource.ItemType != "" {
		out.Resource.ItemType = new(string(o.Resource.ItemType))
	}
	if o.Type == operation.AssessSemanticModels && o.Unreadable+o.Unassessed > 0 {
		out.Models = &api.OperationModels{Assessed: o.Assessed, Unreadable: o.Unreadable, Others: o.Unassessed}
	}
	if o.Impact != (operation.Impact{}) {
		out.AllowanceImpact = &o.Impact
	}
	if o.Waits {
		out.WaitingFor = &api.OperationWait{Kind: api.OwnersRead, Scope: token.ScopeReadWrite}
		if o.Failure != nil {
			out.WaitingFor.Kind, out.WaitingFor.ErrorCode = api.OwnersSignIn, new(string(o.Failure.Code))
			out.WaitingFor.Message = &o.Failure.Message
		}
	}
	if o.Status == operation.StatusFailed {
		out.Error = o.Failure
	}
	return out
}

// accepted returns the 202 of a call that started work.
func (s *Server) accepted(a commands.Accepted, err error) (*api.AcceptedJSONResponse, error) {
	if err != nil {
		return nil, err
	}
	at := s.operationAddress(a.OperationID)
	return &api.AcceptedJSONResponse{
		Body:    api.Accepted{OperationID: a.OperationID, Location: at},
		Headers: api.AcceptedResponseHeaders{Location: at, RetryAfter: retryAfter(0), XMsOperationID: a.OperationID},
	}, nil
}

func (s *Server) operationAddress(id uuid.UUID) string {
	return s.address("/v1/operations/" + id.String())
}

// retryAfter returns the seconds to wait before the next read of an operation of that age (docs/decisions.md 2).
func retryAfter(age time.Duration) int {
	switch {
	case age < 5*time.Second:
		return 1
	case age < 20*time.Second:
		return 2
	case age < time.Minute:
		return 5
	case age < 5*time.Minute:
		return 10
	default:
		return 30
	}
}

// etag returns a tag that identifies the body.
func etag(text []byte) string {
	sum := sha256.Sum256(text)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
}

// sameTag reports whether an If-None-Match field contains tag (RFC 9110, 13.1.2: weak comparison).
func sameTag(field, tag string) bool {
	if strings.TrimSpace(field) == "*" {
		return true
	}
	for one := range strings.SplitSeq(field, ",") {
		if strings.TrimPrefix(strings.TrimSpace(one), "W/") == tag {
			return true
		}
	}
	return false
}
