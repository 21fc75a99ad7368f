package person_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"readiness/domain/item"
	"readiness/http/routing"
	"readiness/platform/fabric"
	"readiness/platform/fabric/emulator"
	"readiness/test/scenarios"
	"readiness/test/testworld"
)

// made is a call to the platform, without ids: which one, with which of the service's permissions, and which scope of its
// token opened it.
type made struct{ call, permission, scope string }

// made returns what a call was. It fails the test unless the call was made as the person, with the scopes of one permission
// and before the end of the token that the person had sent.
func (s *overEntra) made(c emulator.Seen, person string) made {
	s.T.Helper()
	name := c.Method + " " + anyID.ReplaceAllString(c.Path, "{id}")
	var of item.Permission
	for p, scopes := range fabric.Scopes {
		var names []string
		for _, scope := range scopes {
			names = append(names, scope[strings.LastIndexByte(scope, '/')+1:])
		}
		if slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(c.Person.Scopes))) {
			of = p
		}
	}
	switch {
	case c.Person.AppOnly, c.Person.ID != person:
		s.T.Errorf("%s was called as %+v, want %s", name, c.Person, person)
	case of == "":
		s.T.Errorf("%s was called with the scopes %v, which are those of no permission", name, c.Person.Scopes)
	case c.Person.Ends.IsZero(), !c.At.Before(c.Person.Ends):
		s.T.Errorf("%s was called at %s, after the end of the person's token at %s", name, c.At, c.Person.Ends)
	case aboutPeople.MatchString(c.Path):
		s.T.Errorf("%s may say what people viewed", name)
	case c.Status == http.StatusForbidden && c.Scope == "":
		s.T.Errorf("%s needs a scope that permission %s has not", name, of)
	}
	return made{name, string(of), c.Scope}
}

// aboutPeople matches the routes of the platform that say who did or viewed what, and those of administrators.
var aboutPeople = regexp.MustCompile(`(?i)/admin/|activity|activities|audit|usage|/users|modified|scan`)

var anyID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// callsOf are the calls that each route makes.
type callsOf map[string]map[made]bool

// note notes the calls from the n-th on as those of the route, made as the person. Those of the other are checked where
// they are made.
func (s *overEntra) note(table callsOf, route string, n int, person, other string) {
	s.T.Helper()
	if table[route] == nil {
		table[route] = map[made]bool{}
	}
	for _, c := range s.calls(n) {
		if c.Person.ID != other {
			table[route][s.made(c, person)] = true
		}
	}
}

// Every call that a route, or a step that it starts, makes to the platform is made as the person who called, with the
// scopes of one permission, before the end of their token; docs/fabric-calls.md lists them. At the same time a person
// without rights gets nothing, and a program with its own token can call nothing. Another person who reads what ada's
// call left is looked up as themselves. No call reads who viewed or did what.
//
// proves: 1/2 5/1
func TestAsTheSignedInPerson(t *testing.T) {
	t.Parallel()
	s := newOverEntra(t)
	table := callsOf{}
	for _, r := range rowsOfRoutes {
		s.appOnly(r)
		from := len(s.service.Calls())
		var others sync.WaitGroup
		others.Go(func() { s.without(r) })
		s.accepted(r)
		others.Wait()
		s.Settled(s.T)
		s.note(table, r.route, from, "ada", "nils")
		if method, path := s.split(r); method == http.MethodGet {
			from = len(s.service.Calls())
			s.send(s.signIn("vera"), method, path, "")
			s.note(table, r.route, from, "vera", "")
		}
		if r.then == aDue {
			from = len(s.service.Calls())
			s.due()
			s.note(table, aDue, from, "ada", "")
		}
	}
	s.inOtherTenants(table)
	for _, route := range routing.Table() {
		if table[route.Method+" "+route.Path] == nil {
			t.Errorf("%s %s has no row: add one to rowsOfRoutes", route.Method, route.Path)
		}
	}
	const file = "../../../docs/fabric-calls.md"
	text := table.document()
	if *scenarios.Update {
		testworld.Check(t, os.WriteFile(file, []byte(text), 0o644))
	}
	had, err := os.ReadFile(file)
	testworld.Check(t, err)
	if diff := cmp.Diff(string(had), text); diff != "" {
		t.Errorf("%s is not what was called; go test ./test/scenarios/person -run AsTheSignedInPerson -update rewrites it:\n%s", file, diff)
	}
}

// inOtherTenants notes the calls that only some tenants or services make.
func (s *overEntra) inOtherTenants(table callsOf) {
	s.T.Helper()
	do := func(rows []row) {
		for _, r := range rows {
			from := len(s.service.Calls())
			s.accepted(r)
			s.Settled(s.T)
			s.note(table, r.route, from, "ada", "")
		}
	}
	s.vars["semanticModelId"] = s.vars["second"] // which has no parts below Copilot/
	s.tenant.Hides.Store(true)
	s.service.Set(func(o *emulator.Options) { o.Unknown.ArrowRefused = "DatasetNotOnCapacity" })
	do(rowsOfOtherTenants)
	s.service.Set(func(o *emulator.Options) { o.Unknown.ReportsRefused = "PowerBINotAuthorizedException" })
	do([]row{{route: "GET " + ofReports}})
	s.service.Set(func(o *emulator.Options) { o.Unknown.ReportsRefused = "" })
	s.StopWorkers()
	s.Agents.Generator = s.tenant.Platform
	s.StartWorkers()
	s.service.Set(func(o *emulator.Options) {
		o.Unknown.GeneratedQuery = func(item.Item, string) (any, string, error) { return nil, `EVALUATE ROW("x", 1)`, nil }
	})
	do(rowsWithGenerateQuery)
}

// prepare fills in what the first rows name.
func (s *overEntra) prepare() {
	s.T.Helper()
	ada := s.signIn("ada")
	_, list := s.send(ada, http.MethodGet, "/v1/workspaces", "")
	s.vars["workspaceId"] = idNamed(s.T, list, "workspaceName", "Retail Analytics", "workspaceId")
	_, list = s.send(ada, http.MethodGet, s.expand(inWorkspace+"/semanticModels"), "")
	for name, model := range map[string]string{"semanticModelId": "Retail Sales", "second": "Inventory", "third": "Store Operations", "fourth": "WEB_TRAFFIC"} {
		s.vars[name] = idNamed(s.T, list, "semanticModelName", model, "semanticModelId")
	}
	s.vars["kind"], s.vars["questionId"] = "descriptions", "q1"
	s.vars["accountId"], s.vars["object"], s.vars["view"] = "acme", "checkpoint", "accounts"
	s.vars["soon"] = s.Now().Add(10 * time.Minute).Format("15:04")
}

// idNamed returns the id of the element of a list that has the name.
func idNamed(t testing.TB, list map[string]any, member, name, id string) string {
	t.Helper()
	all, _ := list["value"].([]any)
	for _, one := range all {
		if of := one.(map[string]any); of[member] == name {
			return of[id].(string)
		}
	}
	t.Fatalf("there is no %s %s in %v", member, name, list)
	return ""
}

// split returns the method and the path of a route.
func (s *overEntra) split(r row) (method, path string) {
	method, path, _ = strings.Cut(r.route, " ")
	if strings.Contains(path, "/abTests/") {
		path = strings.ReplaceAll(path, "{runId}", "{abRunId}")
	}
	return method, s.expand(path)
}

// accepted makes the call of a row as ada, which must succeed.
func (s *overEntra) accepted(r row) {
	s.T.Helper()
	if _, done, why := s.try(r, s.signIn("ada")); !done {
		s.T.Fatalf("%s did not succeed: %v", r.route, why)
	}
}

// try makes the call of a row as ada, follows what it starts to its end, with other tokens of hers, and takes what later rows
// name. It reports whether an operation began and whether all of it succeeded.
func (s *overEntra) try(r row, bearer string) (began, done bool, why any) {
	s.T.Helper()
	if r.sealed {
		testworld.Check(s.T, s.Trees.Begin(s.T.Context(), scenarios.Base))
		testworld.Check(s.T, s.Trees.Seal(s.T.Context()))
	}
	method, path := s.split(r)
	status, answer := s.send(bearer, method, path, s.expand(r.body))
	if status >= 300 {
		return false, false, answer
	}
	operation, _ := answer["operationId"].(string)
	if began = operation != "" && status == http.StatusAccepted && !strings.HasSuffix(path, "/cancel"); began {
		s.vars["operationId"] = operation
		if state := s.ends(operation); state["status"] != "Succeeded" {
			return began, false, state
		}
		_, answer = s.send(s.signIn("ada"), http.MethodGet, "/v1/operations/"+operation+"/result", "")
		answer["operationId"] = operation
	}
	s.Last.Body = answer
	for name, path := range r.takes {
		value, there := s.Member(path)
		if !there {
			s.T.Fatalf("%s: there is no %s in %v", r.route, path, answer)
		}
		s.vars[name] = scenarios.Bare(value)
	}
	return began, true, nil
}

// fromTheRecord are the routes about a workspace that are answered from the account's own record, to all of its people.
var fromTheRecord = []string{
	"GET " + inWorkspace + "/semanticModels/{semanticModelId}/abTests", "GET " + ofAgent + "/abTests", "GET " + ofReports + "/{reportId}/pixies",
}

// without makes the call of a row as nils, who sees no workspace: nothing succeeds that concerns one.
func (s *overEntra) without(r row) {
	method, path := s.split(r)
	concerns := strings.HasPrefix(path, "/v1/workspaces/") && !slices.Contains(fromTheRecord, r.route)
	if !concerns && method != http.MethodGet {
		return
	}
	from := len(s.service.Calls())
	status, answer := s.send(s.signIn("nils"), method, path, s.expand(r.body))
	if concerns && status != http.StatusNotFound {
		s.T.Errorf("%s was answered %d to a person who cannot see the workspace: %v", r.route, status, answer)
	}
	for _, c := range s.calls(from) {
		if c.Person.ID == "nils" && c.Status < 300 && anyID.MatchString(c.Path) {
			s.T.Errorf("%s: %s %s was answered to a person without rights", r.route, c.Method, c.Path)
		}
	}
}

// appOnly makes the call of a row with a program's own token: it is refused, and neither Entra nor the platform is called.
func (s *overEntra) appOnly(r row) {
	s.T.Helper()
	method, path := s.split(r)
	bearer, err := s.entra.AppOnly(testworld.TenantID, life)
	testworld.Check(s.T, err)
	calls, exchanges := len(s.service.Calls()), s.entra.Exchanges()
	status, answer := s.send(bearer, method, path, s.expand(r.body))
	if status != http.StatusForbidden || answer["errorCode"] != "AppOnlyTokenNotSupported" {
		s.T.Errorf("%s was answered %d to a program: %v", r.route, status, answer)
	}
	if len(s.service.Calls()) != calls || s.entra.Exchanges() != exchanges {
		s.T.Errorf("%s of a program led to calls", r.route)
	}
}

// due starts the schedule.
func (s *overEntra) due() {
	s.T.Helper()
	s.Clock.Advance(11 * time.Minute)
	testworld.Check(s.T, s.Work.StartDue(s.T.Context()))
	s.Settled(s.T)
}

// document is docs/fabric-calls.md.
func (table callsOf) document() string {
	var b strings.Builder
	b.WriteString(aboutCalls)
	all := map[made]bool{}
	for _, of := range table {
		maps.Copy(all, of)
	}
	b.WriteString("| Call of Fabric or Power BI | Permission of the service | Delegated permission that opens it |\n|---|---|---|\n")
	for _, m := range ordered(all) {
		scope := "`" + m.scope + "`"
		if m.scope == "" {
			scope = "that of the call that began it"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", m.call, m.permission, scope)
	}
	b.WriteString("\n## By route\n\n`…` is `/v1/workspaces/{id}`, `Power BI …` is `/v1.0/myorg/groups/{id}`.\n\n| Route of the service | Calls |\n|---|---|\n")
	var none []string
	for _, route := range table.inOrder() {
		var names []string
		for _, m := range ordered(table[route]) {
			if name := "`" + shortened.Replace(m.call) + "`"; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if len(names) == 0 {
			none = append(none, "- `"+route+"`\n")
			continue
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", route, strings.Join(names, ", "))
	}
	b.WriteString("\nThese routes call neither, because they answer from the account's own record:\n\n" + strings.Join(none, ""))
	return b.String()
}

var shortened = strings.NewReplacer("/v1/workspaces/{id}/", "…/", "/v1.0/myorg/groups/{id}/", "Power BI …/")

func ordered(of map[made]bool) []made {
	return slices.SortedFunc(maps.Keys(of), func(a, b made) int {
		return strings.Compare(a.call+" "+a.permission+" "+a.scope, b.call+" "+b.permission+" "+b.scope)
	})
}

// inOrder returns the routes in the order of openapi.yaml.
func (callsOf) inOrder() (all []string) {
	for _, r := range routing.Table() {
		all = append(all, r.Method+" "+r.Path)
	}
	return append(all, aDue)
}

// aboutCalls begins the document.
const aboutCalls = `# Calls of Fabric and Power BI, by route

A test writes this page: it calls each route of the service, follows what the call starts to its end, and notes the calls that arrive at the emulator
of Fabric (` + "`make test PKG=./test/scenarios/person TESTFLAGS='-run AsTheSignedInPerson'`" + `). A new route without a call there fails the test, and so does a call that is not listed here.

Each of these calls is made with a token that acts as the person who called the service, which Microsoft Entra ID exchanged for the token that the person sent. The token has the scopes of
one permission of the service ([permissions](fabric.md#permissions-and-why-each)). No call is made with another person's token, with a token of the service itself, or after the end of the person's
token, except the rest of a bulk assessment and the steps of a schedule, for which a [refresh token](fabric.md#permissions-and-why-each) was kept. The steps of a schedule act as its owner.

Some calls are made only in some tenants: ` + "`executeQueries`" + ` where queries are not answered in Arrow, ` + "`relations/upstream`" + ` in the list of
reports where Power BI refuses its own list, and ` + "`/v1/mcp/FabricIQ`" + ` before a write to a model that may have parts which
its definition does not show. ` + "`/v1/mcp/powerbi`" + ` is called only by a service with ` + "`--experimental-generate-query`" + `;
the queries of its runs then use the same token, which has their scope too.

## By call

`
