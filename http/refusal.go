package http

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/http/api"
	"readiness/http/token"
	"readiness/http/validate"
	"readiness/internal/database"
	"readiness/projections"
)

// statuses maps every error code to its HTTP status (docs/decisions.md 1).
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
	domain.AuditRecordNotFound:  http.StatusNotFound,
	domain.WebhookNotFound:      http.StatusNotFound,
	domain.NoteNotFound:         http.StatusNotFound,

	domain.OperationInProgress:  http.StatusConflict,
	domain.OperationHasNoResult: http.StatusConflict,
	domain.ResultNotReady:       http.StatusConflict,
	domain.ScheduleConflict:     http.StatusConflict,
	domain.AiProviderConflict:   http.StatusConflict,
	domain.WebhookConflict:      http.StatusConflict,
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

// Status returns the HTTP status of an error code; false for an unknown code.
func Status(code domain.Code) (int, bool) {
	status, ok := statuses[code]
	return status, ok
}

// withStatus is a refusal with another HTTP status than that of its code, for faults in the form of the call that
// HTTP has a status for.
type withStatus struct {
	*domain.Refusal
	status int
}

// Unwrap returns the refusal, so that errors.As finds it.
func (a withStatus) Unwrap() error { return a.Refusal }

// refuse responds with err as an ErrorResponse. No other code writes ErrorResponses, except ownRefusal. An error that
// is not a refusal is logged, and the caller only learns that the service failed.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	c := callOf(r.Context())
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

// refusal returns the refusal and the status that the caller gets for err.
func (s *Server) refusal(ctx context.Context, err error) (*domain.Refusal, int) {
	if form, ok := errors.AsType[withStatus](err); ok {
		return form.Refusal, form.status
	}
	if media, ok := errors.AsType[validate.UnsupportedMedia](err); ok {
		return media.Refusal, http.StatusUnsupportedMediaType
	}
	if errors.Is(err, operation.ErrKeyReused) {
		return domain.Refuse(domain.InvalidRequest, "the Idempotency-Key was used for another call in the last 24 hours; use a new key"),
			http.StatusUnprocessableEntity
	}
	if errors.Is(err, commands.ErrMoved) {
		return domain.Refuse(domain.InvalidRequest, "it has changed since the ETag in If-Match was read; read it again and use "+
			"its new ETag"), http.StatusPreconditionFailed
	}
	if refusal, ok := domain.Refused(err); ok {
		if status, known := Status(refusal.Code); known {
			return refusal, status
		}
	}
	if errors.Is(err, projections.ErrDamaged) || errors.Is(err, projections.ErrNotStored) {
		s.log.ErrorContext(ctx, "a stored result is damaged", "requestId", callOf(ctx).id, "err", err)
		return domain.Refuse(domain.StoreUnavailable, "the stored result is damaged or missing; an operator can find out which by readinessd "+
			"documents verify and restore it from a backup, or make it again"), http.StatusBadGateway
	}
	if database.Unavailable(ctx, err) || s.storeAway(ctx, err) {
		return s.databaseAway(ctx, err), http.StatusServiceUnavailable
	}
	if projections.Unreadable(err) {
		s.log.ErrorContext(ctx, "a call needs what cannot be decrypted", "requestId", callOf(ctx).id, "err", err)
		return domain.Refuse(domain.StoreUnavailable, "what people of the account wrote cannot be read, because its key is missing in the "+
			"database of the service; nothing is lost while a backup has it: the operator of the service restores the key "+
			"(docs/operating.md, A missing key of texts), then call again"), http.StatusBadGateway
	}
	// A caller that disconnected is not an error of the service.
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		s.log.ErrorContext(ctx, "a call failed", "requestId", callOf(ctx).id, "err", err)
	}
	return domain.Refuse(domain.UnknownError, "the service failed; call again, and report the request id if it keeps failing"),
		http.StatusInternalServerError
}

// storeAway reports whether the store of documents did not answer a call, be it until the end of the call's time. If the caller is gone, it
// returns false.
func (*Server) storeAway(ctx context.Context, err error) bool {
	return errors.Is(err, projections.ErrStoreUnavailable) && !errors.Is(ctx.Err(), context.Canceled)
}

// databasePause is the Retry-After of calls while the database does not respond.
const databasePause = 5 * time.Second

// databaseAway logs err and returns the refusal for a call that the database, or the store of documents, did not answer
// (docs/decisions.md 2).
// Calls that start work have an Idempotency-Key, so repeating one does the work once.
func (s *Server) databaseAway(ctx context.Context, err error) *domain.Refusal {
	c, code, what := callOf(ctx), domain.UnknownError, "the database of the service"
	if !database.Unavailable(ctx, err) {
		what = "the store of the account's results"
	}
	if c.route != nil && c.route.Starts {
		code = domain.ThrottleStoreUnavailable
	}
	s.log.ErrorContext(ctx, "the database did not answer a call", "requestId", c.id, "err", err)
	return domain.Refuse(code, "%s does not answer now; call again as Retry-After says", what).After(databasePause)
}

// resourceTypes maps the parameters of refusals that are ids to the type of resource.
var resourceTypes = map[string]string{
	"operationId": "Operation", "workspaceId": "Workspace", "assessmentId": "Assessment", "previewId": "OptimizationPreview",
	"scheduleId": "Schedule", "providerId": "AiProvider", "webhookId": "Webhook",
	"abTestId": "AbTest", "runId": "Run",
	"semanticModelId": string(item.SemanticModel), "dataAgentId": string(item.DataAgent), "reportId": string(item.Report),
}

// resources returns the resource that a refusal concerns, or one detail for each of several.
func resources(r *domain.Refusal) (one *api.RelatedResource, each []api.ErrorDetail) {
	for _, p := range r.Params {
		if kind, ok := resourceTypes[p.Name]; ok {
			each = append(each, api.ErrorDetail{
				ErrorCode: string(r.Code), Message: fmt.Sprintf("the refusal concerns %s %s", p.Name, p.Value),
				RelatedResource: &api.RelatedResource{ResourceID: new(p.Value), ResourceType: new(kind)},
			})
		}
	}
	if len(each) == 1 {
		return each[0].RelatedResource, nil
	}
	return nil, each
}

// retriable reports whether the same call may be accepted later (docs/decisions.md 1).
func retriable(r *domain.Refusal, status int) bool {
	return r.RetryAfter > 0 || status >= 500 || r.Code == domain.OperationInProgress || r.Code == domain.ResultNotReady
}

// challenge returns the WWW-Authenticate field (RFC 6750) of a refusal that needs one; otherwise empty.
func challenge(r *http.Request, c *call, refusal *domain.Refusal) string {
	var parameters []string
	add := func(name, value string) { parameters = append(parameters, fmt.Sprintf("%s=%q", name, value)) }
	switch refusal.Code {
	case domain.Unauthorized, domain.TokenExpired:
		claims := slices.IndexFunc(refusal.Params, func(p domain.Param) bool { return p.Name == "claims" })
		switch {
		case r.Header.Get("Authorization") == "":
		case claims >= 0: // what the platform wants of a new sign-in, already in base64url
			add("error", "insufficient_claims")
			add("claims", refusal.Params[claims].Value)
		default:
			add("error", "invalid_token")
			add("error_description", refusal.Message)
		}
	case domain.InsufficientScopes:
		scope := token.ScopeRead // of a mounted path
		if c.route != nil {
			scope = c.route.Scope
		}
		add("error", "insufficient_scope")
		add("scope", scope)
	default:
		return ""
	}
	if c.metadata != "" {
		add("resource_metadata", c.metadata)
	}
	return strings.TrimSpace("Bearer " + strings.Join(parameters, ", "))
}

// consent adds the permission, and the page that grants it, to a refusal for a missing permission (docs/decisions.md
// 1).
func (s *Server) consent(r *domain.Refusal) {
	i := slices.IndexFunc(r.Params, func(p domain.Param) bool { return p.Name == "permission" })
	if i < 0 {
		i = len(r.Params)
		r.About("permission", account.VendorName(item.PermissionPlatform))
	}
	if !slices.ContainsFunc(r.Params, func(p domain.Param) bool { return p.Name == "consentUrl" }) {
		r.About("consentUrl", s.consentURL(r.Params[i].Value))
	}
}

// consentURL returns the address of the web portal's page that grants a permission.
func (s *Server) consentURL(permission string) string {
	return account.ConsentURL(*s.portal, permission)
}

// seconds returns a duration as a Retry-After value, rounded up to seconds and at least 1.
func seconds(d time.Duration) string { return strconv.Itoa(ceilSeconds(d)) }

func ceilSeconds(d time.Duration) int {
	return max(1, int((d+time.Second-1)/time.Second))
}
