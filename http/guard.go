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
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/mux"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/http/rate"
	"readiness/http/token"
)

// limiterPause is how long to wait while calls cannot be counted.
const limiterPause = 5 * time.Second

// guard lets a call through to its handler, or refuses it in the order of decisions 1: token, rate, then what the person
// may do, then the form of the call. The handlers go on with workspace and item, state and allowance.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := of(r.Context())
		if c.route == nil { // a route that needs no token
			next.ServeHTTP(w, r)
			return
		}
		if err := s.admit(w, r, c); err != nil {
			s.refuse(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// principal is whom a call is made by: the token's person, and the account that the call is for. unknown is set when no
// account is.
type principal struct {
	token.Identity
	member  account.Membership
	limits  account.Limits // of the account's plan
	unknown *domain.Refusal
}

func (s *Server) admit(w http.ResponseWriter, r *http.Request, c *call) error {
	bearer, err := bearer(r)
	if err != nil {
		return err
	}
	id, err := s.verifier.Verify(r.Context(), bearer)
	if err != nil {
		return err
	}
	c.by.Identity = id
	if err := s.enter(w, r, c); err != nil {
		return err
	}
	if err := allowed(c.route.Route, c.by); err != nil {
		return err
	}
	canonical, err := checkBody(w, r, c.route.described)
	if err != nil {
		return err
	}
	if err := checkParameters(r, c.route.described); err != nil {
		return err
	}
	c.who = commands.CallerOf(c.by.member, bearer, id.Expires, id.Has(token.ScopeReadWrite))
	c.who.Scopes, c.who.RequestID, c.who.Trace = id.Scopes, c.id.String(), traceparent(r.Context())
	c.who.Key = idempotencyKey(r, c.route, canonical)
	return nil
}

// bearer returns the token of the call.
func bearer(r *http.Request) (string, error) {
	values := r.Header.Values("Authorization")
	if len(values) == 0 {
		return "", domain.Refuse(domain.Unauthorized, "the call carries no access token; send Authorization: Bearer <ACCESS_TOKEN>")
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if len(values) > 1 || !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", domain.Refuse(domain.Unauthorized, "the Authorization header is not Bearer <ACCESS_TOKEN>, once")
	}
	return token, nil
}

// membership picks the account that the call is for. A person whom no account knows, or who does not say which of several, is
// returned as a refusal: the call is counted before it is refused.
func membership(id token.Identity, members []account.Membership) (m account.Membership, unknown *domain.Refusal) {
	if id.Account != "" {
		for _, m := range members {
			if m.AccountID == id.Account {
				return m, nil
			}
		}
		return m, account.Stranger(id.Account)
	}
	switch len(members) {
	case 0:
		return m, domain.Refuse(domain.UserNotRegistered, "no account knows the signed-in person; ask an administrator of the account to add them")
	case 1:
		return members[0], nil
	}
	return m, domain.Refuse(domain.UserNotRegistered, "the signed-in person is in %d accounts; the token's claim account must say which the call is for", len(members))
}

// tightest is the group that lets the fewest more calls through: of those that refuse, the one that does so longest.
func tightest(groups []Group, counts []rate.Count) (g Group, n rate.Count) {
	g, n = groups[0], counts[0]
	for i, c := range counts {
		if c.Allowed == n.Allowed && (c.Remaining < n.Remaining || !c.Allowed && c.Reset > n.Reset) || n.Allowed && !c.Allowed {
			g, n = groups[i], c
		}
	}
	return g, n
}

// window is the key that calls are counted under: those of a person in an account, or of all its people together.
func window(g Group, accountID string, p item.Person) string {
	key := g.Name + " " + strconv.Quote(accountID)
	if !g.OfAccount {
		key += " " + strconv.Quote(p.Issuer) + " " + strconv.Quote(p.ID)
	}
	return key
}

// rated refuses a call for what its window, or that there is none to be had, says of it.
func rated(g Group, n rate.Count, uncounted error) error {
	switch {
	case uncounted != nil && g.Closed:
		return domain.Refuse(domain.ThrottleStoreUnavailable, "the rate of calls that start work cannot be counted now, so none is started; reads go on").After(limiterPause)
	case uncounted == nil && !n.Allowed:
		return domain.Refuse(domain.RequestBlocked, "more than %d calls a minute of this kind; wait as Retry-After says", g.Limit).After(n.Reset)
	}
	return nil
}

// allowed holds what the token and the account allow against what the route needs. An app-only token comes first: it has
// no scopes that could suffice.
func allowed(route Route, by principal) error {
	m := by.member
	switch {
	case by.AppOnly:
		return domain.Refuse(domain.AppOnlyTokenNotSupported, "the access token stands for a program; calls are made with the token of a signed-in person")
	case !by.Has(route.Scope):
		return domain.Refuse(domain.InsufficientScopes, "the call needs the scope %s, and the access token does not hold it", route.Scope)
	case by.unknown != nil:
		return by.unknown
	case m.Status != account.Active && !route.Inactive:
		return m.NotActive()
	case route.Role == account.Admin && m.Person.Role != account.Admin:
		return domain.Refuse(domain.AdminRoleRequired, "only an administrator of the account may make this call")
	case !route.Plan.in(by.limits):
		return domain.Refuse(domain.FeatureNotInPlan, "the account's plan %s does not include %s; a larger plan does", m.Plan, route.Plan)
	case !route.Feature.on(m.Settings):
		return domain.Refuse(domain.FeatureTurnedOff, "an administrator of the account has turned %s off", route.Feature)
	}
	return nil
}

// startRefusal returns what a call that starts work would be refused for now, judged as the guard, the platform and the
// commands judge such a call, but without counting one. It is nil when any of the routes that start work would let the caller through:
// what one of them needs beyond that, a feature that is turned on say, is the route's own matter.
func (s *Server) startRefusal(ctx context.Context, c *call) error {
	n, err := s.limiter.Look(ctx, window(Start, c.by.member.AccountID, c.by.Person), Start.Limit)
	if err := rated(Start, n, err); err != nil {
		return err
	}
	var first error
	for _, route := range Routes() {
		if !route.Built || !route.Starts {
			continue
		}
		err := allowed(route, c.by)
		if err == nil {
			access, err := s.commands.Permissions.Access(ctx, c.who.Caller)
			if err := cmp.Or(err, item.Permitted(access)); err != nil {
				return err
			}
			return s.commands.Startable(ctx, c.who)
		}
		first = cmp.Or(first, err)
	}
	return first
}

// idempotencyKey returns what makes the call repeatable; nil without an Idempotency-Key. Two calls have the same
// fingerprint when they ask for the same: letter case of ids in the path, spacing and the order of members do not matter.
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

// documents reports whether the route documents a header.
func documents(route *route, header string) bool {
	for _, p := range route.described.Parameters {
		if p.Value.Name == header {
			return true
		}
	}
	return false
}

// traceparent is the call's place in a trace (W3C Trace Context); empty outside one.
func traceparent(ctx context.Context) string {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier["traceparent"]
}
