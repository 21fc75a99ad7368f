package http

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/mux"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/http/heavy"
	"readiness/http/rate"
	"readiness/http/routing"
	"readiness/http/token"
	"readiness/http/validate"
)

// limiterPause is the Retry-After of calls that cannot be counted.
const limiterPause = 5 * time.Second

// guard admits a call to its handler or refuses it. It checks the token, the rate, the person's rights and the form
// of the call, in this order (docs/decisions.md 1). The handlers then check workspace and item, state and allowance.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := callOf(r.Context())
		if c.route == nil { // the route needs no token
			next.ServeHTTP(w, r)
			return
		}
		if err := s.admit(w, r, c); err != nil {
			s.refuse(w, r, err)
			return
		}
		if c.route.Heavy {
			if err := s.heavy.Serve(w, r, s.heavyCall(r, c), next); err != nil {
				s.refuse(w, r, err)
			}
			return
		}
		next.ServeHTTP(w, r)
	})
}

// heavyCall describes a call of a heavy route.
func (s *Server) heavyCall(r *http.Request, c *call) heavy.Call {
	h := heavy.Call{Account: c.by.member.AccountID, Person: c.by.key, Limit: s.waitLimits.of(r)}
	if c.route.Scope == token.ScopeRead {
		h.Asks = strings.Join([]string{c.by.member.AccountID, c.caller.Token, r.Method, r.RequestURI, r.Header.Get("If-None-Match"),
			string(c.body)}, "\n")
	}
	return h
}

// principal is the caller: the person of the token and the account that the call is for. unknown is the refusal when
// there is no such account.
type principal struct {
	token.Identity
	key     string // of the person, in what is counted
	member  account.Membership
	limits  account.Limits // of the account's plan
	unknown *domain.Refusal
}

func (s *Server) admit(w http.ResponseWriter, r *http.Request, c *call) error {
	bearer, id, err := s.identify(r)
	if err != nil {
		return err
	}
	c.by.Identity, c.by.key = id, s.views.People.Key(id.Person)
	if err := s.enter(w, r, c); err != nil {
		return err
	}
	if err := allowed(c.route.Route, c.by); err != nil {
		return err
	}
	canonical, err := validate.Body(w, r, c.route.described)
	if err != nil {
		return err
	}
	if err := validate.Parameters(r, c.route.described); err != nil {
		return err
	}
	c.caller = commands.CallerOf(c.by.member, bearer, id.Expires, id.Has(token.ScopeReadWrite))
	c.caller.TokenIssued = id.Issued
	c.caller.Person, c.body = id.Person, canonical
	c.caller.RequestID, c.caller.Trace = c.id.String(), traceparent(r.Context())
	c.caller.Key = idempotencyKey(r, c.route, canonical)
	return nil
}

// identify returns the access token of the call and what it says.
func (s *Server) identify(r *http.Request) (text string, id token.Identity, err error) {
	if text, err = bearer(r); err != nil {
		return "", id, err
	}
	id, err = s.verifier.Verify(r.Context(), text)
	return text, id, err
}

// bearer returns the access token of the call.
func bearer(r *http.Request) (string, error) {
	values := r.Header.Values("Authorization")
	if len(values) == 0 {
		return "", domain.Refuse(domain.Unauthorized, "the call carries no access token; send Authorization: Bearer <ACCESS_TOKEN>")
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if len(values) > 1 || !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", domain.Refuse(domain.Unauthorized, "the call must have exactly one Authorization header, of the form Bearer "+
			"<ACCESS_TOKEN>")
	}
	return token, nil
}

// rated returns a refusal when the window is full, or when calls of a closed group cannot be counted.
func rated(g routing.Group, n rate.Count, uncounted error) error {
	switch {
	case uncounted != nil && g.Closed:
		return domain.Refuse(domain.ThrottleStoreUnavailable,
			"calls that start work cannot be counted now, so no work is started; reads still work").After(limiterPause)
	case uncounted == nil && !n.Allowed:
		return domain.Refuse(domain.RequestBlocked, "more than %d calls a minute of this kind; wait as Retry-After says",
			g.Limit).After(n.Reset)
	}
	return nil
}

// allowed checks the token and the account against what the route requires. App-only tokens are refused first,
// because no scope could make them sufficient.
func allowed(route routing.Route, by principal) error {
	m := by.member
	if err := by.permitted(route.Scope); err != nil {
		return err
	}
	switch {
	case by.unknown != nil:
		return by.unknown
	case m.Status != account.Active && !route.Inactive:
		return m.NotActive()
	case route.Role == account.Admin && m.Person.Role != account.Admin:
		return domain.Refuse(domain.AdminRoleRequired, "only an administrator of the account may make this call")
	case !route.Plan.In(by.limits):
		return domain.Refuse(domain.FeatureNotInPlan, "the account's plan %s does not include %s; a larger plan does", m.Plan, route.Plan)
	case !route.Feature.On(m.Settings):
		return domain.Refuse(domain.FeatureTurnedOff, "an administrator of the account has turned %s off", route.Feature)
	}
	return nil
}

// permitted refuses a token of a program, and a token without the scope.
func (by principal) permitted(scope string) error {
	switch {
	case by.AppOnly:
		return domain.Refuse(domain.AppOnlyTokenNotSupported,
			"the access token stands for a program; calls are made with the token of a signed-in person")
	case !by.Has(scope):
		return domain.Refuse(domain.InsufficientScopes, "the call needs the scope %s, and the access token does not hold it", scope)
	}
	return nil
}

// startRefusal returns the refusal that a call that starts work would get now, or nil when at least one route that
// starts work would admit the caller. It applies the checks of the guard, the platform and the commands, without
// counting a call. Requirements of a single route, such as a feature, matter only when no other route is open.
func (s *Server) startRefusal(ctx context.Context, c *call) error {
	n, err := s.limiter.Look(ctx, routing.Start.Window(c.by.member.AccountID, c.by.key), routing.Start.Limit)
	if err := rated(routing.Start, n, err); err != nil {
		return err
	}
	var first error
	for _, route := range routing.Table() {
		if !route.Starts {
			continue
		}
		err := allowed(route, c.by)
		if err == nil {
			access, err := s.commands.Accounts.Permissions.Access(ctx, c.caller.Caller)
			if err := cmp.Or(err, item.Permitted(access)); err != nil {
				return err
			}
			return s.commands.Accounts.CheckLicense(ctx, c.caller)
		}
		first = cmp.Or(first, err)
	}
	return first
}

// idempotencyKey returns the key and fingerprint that make the call repeatable; nil without an Idempotency-Key. Equal
// requests have equal fingerprints: letter case of ids in the path, white space and the order of members do not
// matter.
func idempotencyKey(r *http.Request, route *route, canonical []byte) *commands.IdempotencyKey {
	key := r.Header.Get("Idempotency-Key")
	if key == "" || !documents(route, "Idempotency-Key") {
		return nil
	}
	vars := maps.Clone(mux.Vars(r))
	for _, p := range route.described.Parameters {
		if v, ok := vars[p.Value.Name]; ok && p.Value.Schema.Value.Format == "uuid" {
			vars[p.Value.Name] = strings.ToLower(v)
		}
	}
	path, _ := json.Marshal(vars)
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%s\n%s\n%s", route.Method, route.Path, path, canonical)
	return &commands.IdempotencyKey{Key: key, Fingerprint: hex.EncodeToString(sum.Sum(nil))}
}

// documents reports whether the route documents the header.
func documents(route *route, header string) bool {
	for _, p := range route.described.Parameters {
		if p.Value.Name == header {
			return true
		}
	}
	return false
}

// traceparent returns the call's trace context (W3C Trace Context); empty outside a trace.
func traceparent(ctx context.Context) string {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier["traceparent"]
}
