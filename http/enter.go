package http

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/gorilla/mux"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/http/rate"
	"readiness/http/routing"
	"readiness/http/token"
	"readiness/internal/coalesce"
	"readiness/internal/database"
	"readiness/internal/lists"
	"readiness/projections"
)

// arrival is what the database must look up for a call before it is admitted.
type arrival struct {
	person item.Person
	// window is where the call is counted if its account is the expected one.
	window rate.Limit
	// operation is the id of an operation that the call reads; uuid.Nil for none.
	operation uuid.UUID
}

// entry is the result for an arrival.
type entry struct {
	members    []account.Membership
	count      rate.Count
	uncounted  error                               // the error that prevented counting
	operations map[uuid.UUID]projections.Operation // nil when none were read
}

// maxWaiting is how many calls may queue behind the batch in flight before a second batch starts. Two batches cost
// more than one and keep more processors busy.
const maxWaiting = 5

// expectedCacheSize bounds the cache from person to the account of their last call.
const expectedCacheSize = 4096

// entrance admits calls.
type entrance struct {
	arrivals coalesce.Batcher[arrival, entry]
	expected *lru.Cache[item.Person, string] // the account of each person's last call
}

func newEntrance() (*entrance, error) {
	expected, err := lru.New[item.Person, string](expectedCacheSize)
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	return &entrance{coalesce.Batcher[arrival, entry]{SecondAt: maxWaiting}, expected}, nil
}

// enter looks up the account that a call is for, counts the call, and reads the operation that the call reads, if
// any. When the token or the person's last call names an expected account, this takes one round trip, shared with
// concurrent calls.
func (s *Server) enter(w http.ResponseWriter, r *http.Request, c *call) error {
	ctx := r.Context()
	expected, known := c.by.Account, true
	if expected == "" {
		expected, known = s.entrance.expected.Get(c.by.Person)
	}
	batched := known && c.route.Shared.Limit == 0 && !c.route.Group.OfAccount
	var e entry
	var err error
	if batched {
		expectedLimit := rate.Limit{Key: c.route.Group.Window(expected, c.by.key), Calls: c.route.Group.Limit}
		waiting, waited := database.Waiting(ctx)
		if !c.route.Group.Closed { // such a group admits calls that cannot be counted
			var cancel context.CancelFunc
			waiting, cancel = context.WithTimeout(waiting, s.limiter.Timeout())
			defer cancel()
		}
		e, err = s.entrance.arrivals.Do(waiting, arrival{c.by.Person, expectedLimit, operationRead(r)}, s.enterBatch)
		waited()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if batched = batched && err == nil; !batched {
		if database.Late(err) { // the call may have been counted, and another attempt would take as long
			e.uncounted = err
		}
		if e.members, err = s.views.Members(ctx, c.by.Person); err != nil {
			return err
		}
	}
	c.by.member, c.by.unknown = membership(c.by.Identity, e.members)
	c.by.limits = s.commands.Plans[c.by.member.Plan]
	c.operations = e.operations
	if c.by.unknown == nil && c.by.Account == "" {
		s.entrance.expected.Add(c.by.Person, c.by.member.AccountID)
	}
	groups := []routing.Group{c.route.Group}
	if e.uncounted != nil || batched && c.by.member.AccountID == expected {
		return s.counted(w, r, c, groups, []rate.Count{e.count}, e.uncounted)
	}
	if c.route.Shared.Limit > 0 && c.by.unknown == nil { // a person without an account shares no window
		groups = append(groups, c.route.Shared)
	}
	limits := lists.Map(groups, func(g routing.Group) rate.Limit {
		return rate.Limit{Key: g.Window(c.by.member.AccountID, c.by.key), Calls: g.Limit}
	})
	counts, err := s.limiter.TakeAll(ctx, limits...)
	return s.counted(w, r, c, groups, counts, err)
}

// membership selects the account that the call is for. When the person is in no account, or in several and the token
// names none, it returns a refusal instead of an error, because the call must be counted before it is refused.
func membership(id token.Identity, members []account.Membership) (m account.Membership, unknown *domain.Refusal) {
	if id.Account != "" {
		for _, m := range members {
			if m.AccountID == id.Account {
				return m, nil
			}
		}
		return m, account.NotAMember(id.Account)
	}
	switch len(members) {
	case 0:
		return m, domain.Refuse(domain.UserNotRegistered,
			"the signed-in person is in no account; ask an administrator of the account to add them")
	case 1:
		return members[0], nil
	}
	return m, domain.Refuse(domain.UserNotRegistered, "the signed-in person is in %d accounts; the token's claim account must say which "+
		"the call is for", len(members))
}

// enterBatch looks up all arrivals in one round trip. Memberships come first in the batch, so reads are still
// admitted when counting fails.
func (s *Server) enterBatch(ctx context.Context, arrivals []arrival) ([]entry, error) {
	ctx = context.WithoutCancel(ctx) // the limiter bounds its own time, without that of connecting
	people, windows, ids := make([]item.Person, len(arrivals)), make([]rate.Limit, len(arrivals)), make([]uuid.UUID, 0, len(arrivals))
	for i, a := range arrivals {
		people[i], windows[i] = a.person, a.window
		if a.operation != uuid.Nil && !slices.Contains(ids, a.operation) {
			ids = append(ids, a.operation)
		}
	}
	var members [][]account.Membership
	var operations map[uuid.UUID]projections.Operation
	var counts []rate.Count
	b := &pgx.Batch{}
	s.views.QueueMembers(b, people, func(found [][]account.Membership) { members = found })
	if len(ids) > 0 {
		s.views.QueueOperations(b, ids, func(found map[uuid.UUID]projections.Operation) { operations = found })
	}
	s.limiter.Queue(b, windows, func(counted []rate.Count) { counts = counted })
	err := s.limiter.Send(ctx, b)
	if members == nil {
		return nil, err
	}
	entries := make([]entry, len(arrivals))
	for i := range arrivals {
		entries[i] = entry{members: members[i], uncounted: err}
		if err == nil {
			entries[i].count, entries[i].operations = counts[i], operations
		}
	}
	return entries, nil
}

// operationRead returns the id of the operation that a call reads; uuid.Nil for none. The result of a run is that of
// an operation, which usually has the run's id.
func operationRead(r *http.Request) uuid.UUID {
	text := mux.Vars(r)["operationId"]
	if text == "" && strings.HasSuffix(r.URL.Path, "/result") {
		text = mux.Vars(r)["runId"]
	}
	if r.Method != http.MethodGet || text == "" {
		return uuid.Nil
	}
	id, err := uuid.Parse(text)
	if err != nil { // validation refuses the call later
		return uuid.Nil
	}
	return id
}

// tightest returns the group that allows the fewest further calls. Among groups that refuse, it is the one that
// refuses longest.
func tightest(groups []routing.Group, counts []rate.Count) (g routing.Group, n rate.Count) {
	g, n = groups[0], counts[0]
	for i, c := range counts {
		if c.Allowed == n.Allowed && (c.Remaining < n.Remaining || !c.Allowed && c.Reset > n.Reset) || n.Allowed && !c.Allowed {
			g, n = groups[i], c
		}
	}
	return g, n
}

// counted sets the rate-limit headers for the group that allows the fewest further calls. It refuses a call over the
// limit, or one that cannot be counted in a closed group. The call is counted in all groups or in none.
func (s *Server) counted(w http.ResponseWriter, r *http.Request, c *call, groups []routing.Group, counts []rate.Count, err error) error {
	if err != nil {
		g := c.route.Group
		s.log.ErrorContext(r.Context(), "the rate of a call cannot be counted", "requestId", c.id, "group", g.Name, "err", err)
		s.metrics.uncounted.WithLabelValues(g.Name).Inc()
		return rated(g, rate.Count{}, err)
	}
	g, n := tightest(groups, counts)
	name, number := `"`+g.Name+`"`, strconv.Itoa
	w.Header().Set("RateLimit-Policy", name+";q="+number(g.Limit)+";w="+number(ceilSeconds(rate.Window)))
	w.Header().Set("RateLimit", name+";r="+number(n.Remaining)+";t="+number(ceilSeconds(n.Reset)))
	if !n.Allowed {
		s.metrics.blocked.WithLabelValues(g.Name).Inc()
	}
	return rated(g, n, nil)
}
