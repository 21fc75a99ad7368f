package http

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/http/api"
	"readiness/internal/database"
)

// statuses holds the HTTP status of every code of a refusal (decisions 1).
var statuses = map[domain.Code]int{
	domain.InvalidRequest:               http.StatusBadRequest,
	domain.InvalidPreview:               http.StatusBadRequest,
	domain.BenchmarkQuestionsMissing:    http.StatusBadRequest,
	domain.OperationNotSupportedForItem: http.StatusBadRequest,

	domain.PayloadTooLarge: http.StatusRequestEntityTooLarge,

	domain.Unauthorized: http.StatusUnauthorized,
	domain.TokenExpired: http.StatusUnauthorized,

	domain.InsufficientScopes:             http.StatusForbidden,
	domain.AppOnlyTokenNotSupported:       http.StatusForbidden,
	domain.UserNotRegistered:              http.StatusForbidden,
	domain.AccountNotActive:               http.StatusForbidden,
	domain.AdminRoleRequired:              http.StatusForbidden,
	domain.FeatureNotInPlan:               http.StatusForbidden,
	domain.FeatureTurnedOff:               http.StatusForbidden,
	domain.LicenseNotYours:                http.StatusForbidden,
	domain.TrackedItemLimitReached:        http.StatusForbidden,
	domain.LicenseTrackedItemLimitReached: http.StatusForbidden,
	domain.PlatformConsentRequired:        http.StatusForbidden,
	domain.PlatformAccessDenied:           http.StatusForbidden,

	domain.WorkspaceNotFound:    http.StatusNotFound,
	domain.ItemNotFound:         http.StatusNotFound,
	domain.AssessmentNotFound:   http.StatusNotFound,
	domain.RunNotFound:          http.StatusNotFound,
	domain.AbTestNotFound:       http.StatusNotFound,
	domain.OperationNotFound:    http.StatusNotFound,
	domain.ScheduleNotFound:     http.StatusNotFound,
	domain.AiProviderNotFound:   http.StatusNotFound,
	domain.AiCredentialNotFound: http.StatusNotFound,

	domain.OperationInProgress:  http.StatusConflict,
	domain.OperationHasNoResult: http.StatusConflict,
	domain.ResultNotReady:       http.StatusConflict,
	domain.ScheduleConflict:     http.StatusConflict,
	domain.AiProviderConflict:   http.StatusConflict,
	domain.ItemChanged:          http.StatusConflict,
	domain.CapacityPaused:       http.StatusConflict,
	domain.RegionNotReady:       http.StatusConflict,
	domain.CapacityRequired:     http.StatusConflict,
	domain.CapacityUnpaid:       http.StatusConflict,
	domain.StoreNotConnected:    http.StatusConflict,

	domain.OperationExpired: http.StatusGone,

	domain.RequestBlocked:                     http.StatusTooManyRequests,
	domain.AssessmentDailyLimitReached:        http.StatusTooManyRequests,
	domain.BenchmarkRunsExhausted:             http.StatusTooManyRequests,
	domain.OptimizationApplyDailyLimitReached: http.StatusTooManyRequests,
	domain.FirstLookLimitReached:              http.StatusTooManyRequests,
	domain.BenchmarkBuildLimitReached:         http.StatusTooManyRequests,

	domain.UnknownError:             http.StatusInternalServerError,
	domain.PlatformUnavailable:      http.StatusBadGateway,
	domain.StoreUnavailable:         http.StatusBadGateway,
	domain.ThrottleStoreUnavailable: http.StatusServiceUnavailable,
}

// Status returns the HTTP status of a refusal's code; false for a code that no refusal has.
func Status(code domain.Code) (int, bool) {
	status, ok := statuses[code]
	return status, ok
}

// another is a refusal whose status is not that of its code: the form of the call is at fault in a way that HTTP has a
// status of its own for.
type another struct {
	*domain.Refusal
	status int
}

// Unwrap makes the refusal found in the chain.
func (a another) Unwrap() error { return a.Refusal }

// refuse answers err as an ErrorResponse (spec 2.2). It is the only place that does. An error that is no refusal is
// logged, and the caller learns no more than that the service failed.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	c := of(r.Context())
	refusal, status := s.refusal(r.Context(), err)
	c.refused = string(refusal.Code)
	if refusal.Code == domain.PlatformConsentRequired {
		s.consent(refusal)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Ms-Error-Code", string(refusal.Code))
	if refusal.RetryAfter > 0 {
		h.Set("Retry-After", seconds(refusal.RetryAfter))
	}
	if challenge := challenge(r, c, refusal); challenge != "" {
		h.Set("WWW-Authenticate", challenge)
	}
	retriable := retriable(refusal, status)
	body := api.ErrorResponse{ErrorCode: string(refusal.Code), Message: refusal.Message, IsRetriable: &retriable, RequestID: c.id}
	for _, p := range refusal.Params {
		body.Parameters = append(body.Parameters, api.ErrorParameter{Name: p.Name, Value: p.Value})
	}
	body.RelatedResource, body.MoreDetails = resources(refusal)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// refusal returns what a caller is told of err, and its status.
func (s *Server) refusal(ctx context.Context, err error) (*domain.Refusal, int) {
	if form, ok := errors.AsType[another](err); ok {
		return form.Refusal, form.status
	}
	if errors.Is(err, commands.ErrKeyReused) {
		return domain.Refuse(domain.InvalidRequest, "the Idempotency-Key was used for another call in the last 24 hours; use a new key"), http.StatusUnprocessableEntity
	}
	if errors.Is(err, commands.ErrMoved) {
		return domain.Refuse(domain.InvalidRequest, "it was changed since the ETag of If-Match was read; read it again, and call with its ETag"), http.StatusPreconditionFailed
	}
	if refusal, ok := domain.Refused(err); ok {
		if status, known := Status(refusal.Code); known {
			return refusal, status
		}
	}
	if database.Unavailable(ctx, err) {
		return s.away(ctx, err), http.StatusServiceUnavailable
	}
	// A caller who hung up is no fault of ours.
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		s.log.ErrorContext(ctx, "a call failed", "requestId", of(ctx).id, "err", err)
	}
	return domain.Refuse(domain.UnknownError, "the service failed to answer; call again, and name the request id if it keeps failing"), http.StatusInternalServerError
}

// awayPause is how long to wait when the database does not answer.
const awayPause = 5 * time.Second

// away is what a caller is told when the database did not answer (decisions 9.1). Whoever starts work does so under a key, so what is repeated is
// done once.
func (s *Server) away(ctx context.Context, err error) *domain.Refusal {
	c, code := of(ctx), domain.UnknownError
	if c.route != nil && c.route.Starts {
		code = domain.ThrottleStoreUnavailable
	}
	s.log.ErrorContext(ctx, "the database did not answer a call", "requestId", c.id, "err", err)
	return domain.Refuse(code, "the database of the service does not answer now; call again as Retry-After says").After(awayPause)
}

// resourceTypes are what the ids that refusals name are ids of.
var resourceTypes = map[string]string{
	"operationId": "Operation", "workspaceId": "Workspace", "assessmentId": "Assessment", "previewId": "OptimizationPreview", "scheduleId": "Schedule", "providerId": "AiProvider",
	"abTestId": "AbTest", "runId": "Run",
	"semanticModelId": string(item.SemanticModel), "dataAgentId": string(item.DataAgent), "reportId": string(item.Report),
}

// resources returns the one resource that a refusal concerns, or a detail for each of several.
func resources(r *domain.Refusal) (one *api.RelatedResource, each []api.ErrorDetail) {
	for _, p := range r.Params {
		if kind, ok := resourceTypes[p.Name]; ok {
			each = append(each, api.ErrorDetail{
				ErrorCode: string(r.Code), Message: fmt.Sprintf("%s %s is one of those the refusal is about", p.Name, p.Value),
				RelatedResource: &api.RelatedResource{ResourceID: new(p.Value), ResourceType: new(kind)},
			})
		}
	}
	if len(each) == 1 {
		return each[0].RelatedResource, nil
	}
	return nil, each
}

// retriable reports whether the same call may be accepted later (decisions 1).
func retriable(r *domain.Refusal, status int) bool {
	return r.RetryAfter > 0 || status >= 500 || r.Code == domain.OperationInProgress || r.Code == domain.ResultNotReady
}

// challenge says how to authenticate (RFC 6750), where that is what is wrong.
func challenge(r *http.Request, c *call, refusal *domain.Refusal) string {
	switch refusal.Code {
	case domain.Unauthorized, domain.TokenExpired:
		if r.Header.Get("Authorization") == "" {
			return "Bearer"
		}
		return fmt.Sprintf("Bearer error=%q, error_description=%q", "invalid_token", refusal.Message)
	case domain.InsufficientScopes:
		return fmt.Sprintf("Bearer error=%q, scope=%q", "insufficient_scope", c.route.Scope)
	}
	return ""
}

// consent adds where the permission is granted to a refusal that lacks it (decisions 1).
func (s *Server) consent(r *domain.Refusal) {
	i := slices.IndexFunc(r.Params, func(p domain.Param) bool { return p.Name == "permission" })
	if i < 0 {
		i = len(r.Params)
		r.About("permission", platformPermission)
	}
	if !slices.ContainsFunc(r.Params, func(p domain.Param) bool { return p.Name == "consentUrl" }) {
		r.About("consentUrl", s.consentURL(r.Params[i].Value))
	}
}

// seconds is a duration as Retry-After has it: whole seconds, never earlier than the duration and at least one.
func seconds(d time.Duration) string { return strconv.Itoa(wholeSeconds(d)) }

func wholeSeconds(d time.Duration) int {
	return max(1, int((d+time.Second-1)/time.Second))
}
