package http

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/gorilla/mux"
	"github.com/jackc/pgx/v5"

	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/http/rate"
	"readiness/internal/database"
	"readiness/projections"
)

// arrival is what is asked of the database for a call before it is let through.
type arrival struct {
	person item.Person
	// window is where the call is counted, if its account is the one that is expected.
	window rate.Limit
	// operation is one that the call reads; uuid.Nil for none.
	operation uuid.UUID
}

// entry is what is known of an arrival.
type entry struct {
	members    []account.Membership
	count      rate.Count
	uncounted  error                               // why there is no count
	operations map[uuid.UUID]projections.Operation // nil when none were read
}

// manyArrivals are more than are to wait while a trip is under way: two trips cost more than one for all, and keep more processors
// busy.
const manyArrivals = 5

// mostExpected is of how many people it is known which account their last call was for.
const mostExpected = 4096

// enter finds the account that a call is for and counts the call: in one trip, shared with those that arrive meanwhile, where it can
// be told from the token, or from the person's last call, which account that will be. An operation that the call reads comes
// along.
func (s *Server) enter(w http.ResponseWriter, r *http.Request, c *call) error {
	ctx := r.Context()
	expected, known := c.by.Account, true
	if expected == "" {
		expected, known = s.expected.Get(c.by.Person)
	}
	together := known && c.route.Shared.Limit == 0 && !c.route.Group.OfAccount
	var e entry
	var err error
	if together {
		foreseen := rate.Limit{Key: window(c.route.Group, expected, c.by.Person), Calls: c.route.Group.Limit}
		waiting, waited := database.Waiting(ctx)
		if !c.route.Group.Closed { // it goes on without being counted
			var cancel context.CancelFunc
			waiting, cancel = context.WithTimeout(waiting, s.limiter.Timeout())
			defer cancel()
		}
		e, err = s.arrivals.Do(waiting, arrival{c.by.Person, foreseen, reads(r)}, s.enterTogether)
		waited()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if together = together && err == nil; !together {
		if database.Late(err) { // it may be counted, and another try would take as long
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
		s.expected.Add(c.by.Person, c.by.member.AccountID)
	}
	groups := []Group{c.route.Group}
	if e.uncounted != nil || together && c.by.member.AccountID == expected {
		return s.counted(w, r, c, groups, []rate.Count{e.count}, e.uncounted)
	}
	if c.route.Shared.Limit > 0 && c.by.unknown == nil { // who is in no account shares with nobody
		groups = append(groups, c.route.Shared)
	}
	limits := make([]rate.Limit, len(groups))
	for i, g := range groups {
		limits[i] = rate.Limit{Key: window(g, c.by.member.AccountID, c.by.Person), Calls: g.Limit}
	}
	counts, err := s.limiter.TakeAll(ctx, limits...)
	return s.counted(w, r, c, groups, counts, err)
}

// enterTogether asks for all arrivals at once. Whom they are by comes first: while calls cannot be counted, reads go on.
func (s *Server) enterTogether(ctx context.Context, arrivals []arrival) ([]entry, error) {
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

// reads is the operation that a call reads; uuid.Nil if it reads none. The result of a run is that of an operation, mostly with
// the run's own id.
func reads(r *http.Request) uuid.UUID {
	text := mux.Vars(r)["operationId"]
	if text == "" && strings.HasSuffix(r.URL.Path, "/result") {
		text = mux.Vars(r)["runId"]
	}
	if r.Method != http.MethodGet || text == "" {
		return uuid.Nil
	}
	id, err := uuid.Parse(text)
	if err != nil { // the call is refused for it in its turn
		return uuid.Nil
	}
	return id
}

// counted says in the answer how the rate stands in the tightest of the groups that a call is counted in, in all of them or in none, and
// refuses one that is too many.
func (s *Server) counted(w http.ResponseWriter, r *http.Request, c *call, groups []Group, counts []rate.Count, err error) error {
	if err != nil {
		g := c.route.Group
		s.log.ErrorContext(r.Context(), "the rate of a call cannot be counted", "requestId", c.id, "group", g.Name, "err", err)
		s.metrics.uncounted.WithLabelValues(g.Name).Inc()
		return rated(g, rate.Count{}, err)
	}
	g, n := tightest(groups, counts)
	name, number := `"`+g.Name+`"`, strconv.Itoa
	w.Header().Set("RateLimit-Policy", name+";q="+number(g.Limit)+";w="+number(wholeSeconds(rate.Window)))
	w.Header().Set("RateLimit", name+";r="+number(n.Remaining)+";t="+number(wholeSeconds(n.Reset)))
	if !n.Allowed {
		s.metrics.blocked.WithLabelValues(g.Name).Inc()
	}
	return rated(g, n, nil)
}
