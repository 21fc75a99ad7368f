// Package emulator emulates the parts of Microsoft Fabric and Power BI that the service uses, over the PBIP folders of package
// folder: workspaces, items, reports, capacities, definitions and long-running operations, with the shapes, headers and
// oddities of recorded traffic. It is for tests and for people who want to try clients; it is not Fabric.
//
// One handler answers both hosts: Fabric's paths begin with /v1, Power BI's with /v1.0/myorg. Options.Person returns the
// caller of a bearer token and their consent. The clock is Options.Now: operations end and quotas
// refill by it.
package emulator

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/mux"

	"readiness/definition"
	"readiness/definition/dax/evaluate"
	"readiness/domain/item"
)

// Folder is what the emulator needs of the platform in a directory.
type Folder interface {
	Workspaces(ctx context.Context, as item.Caller) ([]item.Workspace, error)
	Workspace(ctx context.Context, as item.Caller, id uuid.UUID) (item.Workspace, error)
	Items(ctx context.Context, as item.Caller, workspaceID uuid.UUID, t item.Type) ([]item.Item, error)
	Item(ctx context.Context, as item.Caller, workspaceID uuid.UUID, t item.Type, id uuid.UUID) (item.Item, error)
	Reports(ctx context.Context, as item.Caller, workspaceID uuid.UUID) ([]item.WorkspaceReport, error)
	Capacity(ctx context.Context, as item.Caller, workspaceID uuid.UUID) (item.CapacityState, error)
	Definition(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error)
	WriteDefinition(ctx context.Context, as item.Caller, it item.Item, d definition.Definition, ifHash string) error
	Query(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID, dax string, today time.Time) (evaluate.Result, error)
}

// Person is the caller that a bearer token identifies.
type Person struct {
	ID string // as the folders' workspace.json lists members
	// Scopes are the delegated permissions in the token, without host: "Workspace.Read.All".
	Scopes []string
	// AppOnly is true for the token of a program, which no route here accepts.
	AppOnly bool
	// Ends is when the token expires for which this one was exchanged, also by a refresh token; zero if it is not known.
	Ends time.Time
}

// ErrExpired is what Options.Person returns for a token that has expired. Any other error means that it is not valid.
var ErrExpired = errors.New("the token has expired")

// Role is what a person may do in a workspace.
type Role int

// The roles, each with the rights of those before it.
const (
	Viewer Role = iota
	Contributor
	Admin
)

// Quotas of calls a person in a fixed window; 0 means no limit. Window is its length, by default a minute, which is the platform's.
type Quotas struct {
	Calls, Operations, Queries int
	Window                     time.Duration
}

// Options configures New. Folder and Person are required.
type Options struct {
	Folder Folder
	Person func(bearer string) (Person, error)
	Now    func() time.Time // by default time.Now
	// Role returns a person's role in a workspace that they can see; by default Contributor.
	Role func(person string, workspaceID uuid.UUID) Role
	// CapacityReader reports whether a person may see states of capacities; by default everyone may.
	CapacityReader func(person string) bool
	// PageSize is how many elements a page holds; by default 100.
	PageSize int
	// Lasts is how long operations take; by default 400 ms. AtOnce makes definitions come without an operation.
	Lasts  time.Duration
	AtOnce bool
	// RetryAfter is when to ask for an operation again; by default 20 s, which the platform almost always says.
	RetryAfter time.Duration
	Layout     Layout
	Quotas     Quotas
	// QueryRows is how many rows of a query's result are given; 0 means all.
	QueryRows int
	// Answers is what a published data agent answers to a question; by default that it is emulated, and the question.
	Answers func(agent item.Item, question string) (string, error)
	// Unknown selects the emulator's behavior where the platform's is not known.
	Unknown Unknown
	// Log logs every call: those that are answered with 429 as information, the others for debugging. By default nothing is logged.
	Log *slog.Logger
}

// Unknown are switches for the questions that a probe asks a tenant.
type Unknown struct {
	// BlocksEarlyPolls answers 429 to a poll before the time that an answer named.
	BlocksEarlyPolls bool
	// ReportsRefused is the code with which Power BI refuses its lists of reports with 403; "" for none.
	ReportsRefused string
	// QueriesRefused is the code with which every query is refused; "" for none.
	QueriesRefused string
	// ArrowRefused is the code with which queries in the form of Arrow are refused; "" for none.
	ArrowRefused string
	// LargestUpdate is how many bytes the body of an update may have; 0 for the emulator's own bound.
	LargestUpdate int
	// PausedCode replaces CapacityNotActive; "" does not.
	PausedCode string
	// Label returns an item's sensitivity label, "" for none, and the code with which its definition is refused, "" for none.
	Label func(it item.Item) (label, refused string)
	// InApp reports whether a report is the copy of one in an app.
	InApp func(it item.Item) bool
	// NoIQ turns Fabric IQ off.
	NoIQ bool
	// MCPVersion is the only version of MCP that the MCP servers know; "" for every version.
	MCPVersion string
	// GeneratedQuery is what Generate Query answers to a question about a model: JSON, and a text. Without it, Power BI's MCP server does
	// not list the tool.
	GeneratedQuery func(model item.Item, question string) (structured any, text string, err error)
}

// Service is the emulator.
type Service struct {
	o      Options
	router *mux.Router
	// spelled are the names in the paths of routes, by their lower case.
	spelled map[string]string

	mu         sync.Mutex
	operations map[string]*operation
	windows    map[string]*window
	faults     []*Fault
	seen       []Seen
	writing    sync.Mutex // held while updates are made
	updates    []*update  // taken and not made yet, oldest first
	made       map[uuid.UUID]*madeItem
}

// Seen is a call that arrived, for tests that assert what was called.
type Seen struct {
	Method, Path, Query string
	// Person is the caller of the bearer token; the zero value if it is not valid.
	Person Person
	// Scope is the delegated permission that opened the route; "" if it needs none, or the call was refused for lack of one.
	Scope  string
	Status int
	At     time.Time
}

// New returns an emulator.
func New(o Options) *Service {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.PageSize = cmp.Or(o.PageSize, 100)
	o.Lasts = cmp.Or(o.Lasts, 400*time.Millisecond)
	o.RetryAfter = cmp.Or(o.RetryAfter, retryAfter)
	if o.Role == nil {
		o.Role = func(string, uuid.UUID) Role { return Contributor }
	}
	if o.Answers == nil {
		o.Answers = hears
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.CapacityReader == nil {
		o.CapacityReader = func(string) bool { return true }
	}
	s := &Service{o: o, operations: map[string]*operation{}, made: map[uuid.UUID]*madeItem{}, windows: map[string]*window{},
		spelled: map[string]string{}}
	if o.Unknown.Label == nil {
		s.o.Unknown.Label = func(item.Item) (string, string) { return "", "" }
	}
	s.router = s.routes()
	return s
}

// Set changes the options that a running emulator follows: Lasts, AtOnce, Layout, Quotas and Unknown.
func (s *Service) Set(change func(*Options)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.o)
}

func (s *Service) options() Options {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.o
}

// Calls returns the calls so far, oldest first.
func (s *Service) Calls() []Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Seen(nil), s.seen...)
}

// maxSeen bounds the calls that are kept.
const maxSeen = 100_000

// note remembers a call and logs it. retryAfter is that of its answer.
func (s *Service) note(ctx context.Context, c Seen, retryAfter string) {
	level := slog.LevelDebug
	if c.Status == http.StatusTooManyRequests {
		level = slog.LevelInfo
	}
	s.o.Log.Log(ctx, level, "answered a call", "arrived", c.At, "method", c.Method, "path", c.Path, "person", c.Person.ID,
		"status", c.Status, "retryAfter", retryAfter)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.seen) < maxSeen {
		s.seen = append(s.seen, c)
	}
}

// ServeHTTP implements http.Handler.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out, at := &noting{ResponseWriter: w}, s.options().Now()
	out.person, _ = s.o.Person(bearerOf(r)) // as it is now: the call may take time
	out.note = sync.OnceFunc(func() {
		seen := Seen{r.Method, r.URL.Path, r.URL.RawQuery, out.person, out.scope, out.status, at}
		s.note(r.Context(), seen, w.Header().Get("Retry-After"))
	})
	defer out.note() // of a call without an answer
	if s.fault(out, r) {
		return
	}
	s.makeUpdates(r.Context())
	s.route(out, r)
}

// route answers a call. As at the platform, letter case in its path does not matter.
func (s *Service) route(w http.ResponseWriter, r *http.Request) {
	r = r.Clone(r.Context())
	names := strings.Split(r.URL.Path, "/")
	for i, name := range names {
		names[i] = cmp.Or(s.spelled[strings.ToLower(name)], name)
	}
	r.URL.Path, r.URL.RawPath = strings.Join(names, "/"), ""
	s.router.ServeHTTP(w, r)
}

// noting is a writer that records the call before its caller has an answer.
type noting struct {
	http.ResponseWriter
	status int
	person Person
	scope  string
	note   func()
}

// WriteHeader implements http.ResponseWriter.
func (n *noting) WriteHeader(status int) {
	n.status = status
	n.note()
	n.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (n *noting) Write(text []byte) (int, error) {
	n.note() // an answer without a status has none in Calls
	return n.ResponseWriter.Write(text)
}

// call is one call of a person.
type call struct {
	*Service
	o      Options
	w      http.ResponseWriter
	r      *http.Request
	person Person
}

// as returns the caller for the folder.
func (c *call) as() item.Caller { return item.Caller{Person: item.Person{ID: c.person.ID}} }

func (c *call) id(name string) uuid.UUID { return uuid.MustParse(mux.Vars(c.r)[name]) }

const (
	uuidPattern = `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`
	inWorkspace = "/v1/workspaces/{w:" + uuidPattern + "}"
	anItem      = "/{i:" + uuidPattern + "}"
)

// types are the types of the lists by their paths.
var types = map[string]item.Type{"semanticModels": item.SemanticModel, "reports": item.Report, "dataAgents": item.DataAgent}

func (s *Service) routes() *mux.Router {
	m := mux.NewRouter()
	m.NotFoundHandler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fail(w, http.StatusNotFound, "EntityNotFound", "The requested resource could not be found")
	})
	read := []string{"Workspace.Read.All", "Workspace.ReadWrite.All"}
	write := []string{"Item.ReadWrite.All"}
	one := []string{"Item.Read.All", "Item.ReadWrite.All"}
	route := func(method, path string, b bucket, scopes []string, do func(*call)) {
		for name := range strings.SplitSeq(path, "/") {
			s.spelled[strings.ToLower(name)] = name
		}
		m.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, b, scopes, do) }).Methods(method)
	}
	route(http.MethodGet, "/v1/workspaces", calls, read, (*call).workspaces)
	route(http.MethodGet, inWorkspace, calls, read, (*call).workspace)
	for path, t := range types {
		own := append([]string{string(t) + ".Read.All", string(t) + ".ReadWrite.All"}, one...)
		route(http.MethodGet, inWorkspace+"/"+path, calls, read, func(c *call) { c.items(t) })
		route(http.MethodGet, inWorkspace+"/"+path+anItem, calls, own, func(c *call) { c.item(t) })
		both := append([]string{string(t) + ".ReadWrite.All"}, write...)
		route(http.MethodPost, inWorkspace+"/"+path+anItem+"/getDefinition", calls, both, func(c *call) { c.getDefinition(t) })
		route(http.MethodPost, inWorkspace+"/"+path+anItem+"/updateDefinition", calls, both, func(c *call) { c.updateDefinition(t) })
	}
	for _, path := range []string{"semanticModels", "reports"} {
		t := types[path]
		route(http.MethodPost, inWorkspace+"/"+path, calls, append([]string{string(t) + ".ReadWrite.All"}, write...),
			func(c *call) { c.create(t) })
	}
	route(http.MethodDelete, inWorkspace+"/items"+anItem, calls, write, (*call).remove)
	route(http.MethodGet, inWorkspace+"/items", calls, read, func(c *call) { c.items("") })
	route(http.MethodGet, inWorkspace+"/items"+anItem, calls, one, func(c *call) { c.item("") })
	route(http.MethodPost, inWorkspace+"/items"+anItem+"/getDefinition", calls, write, func(c *call) { c.getDefinition("") })
	route(http.MethodGet, inWorkspace+"/items"+anItem+"/relations/upstream", calls, one, (*call).upstream)
	route(http.MethodPost, inWorkspace+"/items/bulkExportDefinitions", calls, write, (*call).bulkExport)
	route(http.MethodGet, "/v1/capacities", calls, []string{"Capacity.Read.All", "Capacity.ReadWrite.All"}, (*call).capacities)
	route(http.MethodGet, "/v1/capacities/{c:"+uuidPattern+"}", calls, []string{"Capacity.Read.All", "Capacity.ReadWrite.All"},
		(*call).capacity)
	route(http.MethodGet, "/v1/operations/{o:"+uuidPattern+"}", polls, nil, (*call).operation)
	route(http.MethodGet, "/v1/operations/{o:"+uuidPattern+"}/result", polls, nil, (*call).result)
	route(http.MethodPost, "/v1.0/myorg/groups/{w:"+uuidPattern+"}/datasets"+anItem+"/executeQueries", ofQueries,
		[]string{"Dataset.Read.All", "Dataset.ReadWrite.All"}, (*call).queries)
	route(http.MethodPost, "/v1.0/myorg/groups/{w:"+uuidPattern+"}/datasets"+anItem+"/executeDaxQueries", ofQueries,
		[]string{"Dataset.Read.All", "Dataset.ReadWrite.All"}, (*call).daxQueries)
	route(http.MethodPost, "/v1/mcp/FabricIQ", calls, []string{"Item.Execute.All"}, (*call).fabricIQ)
	route(http.MethodPost, "/v1/mcp/powerbi", calls, []string{"MLModel.Execute.All"}, (*call).powerBIMCP)
	route(http.MethodPost, "/v1/mcp/workspaces/{w:"+uuidPattern+"}/dataAgents"+anItem+"/agent", calls, []string{"DataAgent.Execute.All"},
		(*call).dataAgent)
	const group = "/v1.0/myorg/groups/{w:" + uuidPattern + "}/reports"
	reports := []string{"Report.Read.All", "Report.ReadWrite.All"}
	route(http.MethodGet, group, calls, reports, (*call).powerBIReports)
	route(http.MethodGet, group+anItem, calls, reports, (*call).powerBIReport)
	return m
}

// serve checks the caller, their consent and their quota, then runs do.
func (s *Service) serve(w http.ResponseWriter, r *http.Request, b bucket, scopes []string, do func(*call)) {
	bearer := bearerOf(r)
	person, err := s.o.Person(bearer)
	scope := firstOf(person.Scopes, scopes)
	if n, is := w.(*noting); is {
		n.scope = scope
	}
	switch {
	case errors.Is(err, ErrExpired):
		fail(w, http.StatusUnauthorized, "TokenExpired", "Access token has expired, resubmit with a new access token")
		return
	case bearer == "", err != nil:
		fail(w, http.StatusUnauthorized, "Unauthorized", "The caller is not authenticated to access this resource")
		return
	case person.AppOnly:
		fail(w, http.StatusBadRequest, "PrincipalTypeNotSupported", "The operation is not supported for the principal type")
		return
	case len(scopes) > 0 && scope == "":
		fail(w, http.StatusForbidden, "InsufficientScopes", "The caller does not have sufficient scopes to perform this operation")
		return
	}
	o := s.options()
	if wait := s.count(o, b, person.ID); wait > 0 {
		blocked(w, o.Now(), wait)
		return
	}
	do(&call{s, o, w, r, person})
}

func bearerOf(r *http.Request) string {
	bearer, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !is {
		return ""
	}
	return bearer
}

// firstOf returns the first of those in want that is one of have; "" if none is.
func firstOf(have, want []string) string {
	for _, w := range want {
		if slices.Contains(have, w) {
			return w
		}
	}
	return ""
}
