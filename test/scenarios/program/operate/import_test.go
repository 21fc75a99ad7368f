package operate_test

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/test/scenarios/program"
	"readiness/test/testlog"
	"readiness/test/testworld"
)

// A service moves to another database by an export of its log and the tables that docs/operating.md names. There it knows its
// people, reads its results and has its earlier heads, and the log continues.
//
// proves: decisions/20/exact decisions/20/trees decisions/20/unfinished
func TestMove(t *testing.T) {
	t.Parallel()
	c := program.New(t, []string{"ada"}, "--database-url", testlog.URL(t))
	model := uuid.New()
	c.Item(t, "Retail", "Sales.SemanticModel", "Sales", model)
	c.Put(program.Table(0), "Sales.SemanticModel", "definition", "tables", "T0.tmdl")
	path := "/v1/workspaces/" + c.WorkspaceID.String() + "/semanticModels/" + model.String() + "/aiReadiness/"
	get := func(path string) map[string]any {
		t.Helper()
		got, ok := c.Call(t.Context(), http.MethodGet, path, http.StatusOK, nil)
		if !ok {
			t.Fatalf("%s: %v", path, c.Last)
		}
		return got
	}
	assess := func() {
		t.Helper()
		got, ok := c.Call(t.Context(), http.MethodPost, path+"assess", http.StatusAccepted, nil)
		if !ok {
			t.Fatalf("assess: %v", c.Last)
		}
		c.Await("the assessment has ended", func() bool {
			return get("/v1/operations/" + got["operationId"].(string))["status"] == "Succeeded"
		})
	}
	c.Args = append(c.Args, "--listen", freeAddress(t)) // both have it, because the trees are named by it
	before := c.Launch()
	assess()
	newest := func() string {
		t.Helper()
		return get(path + "assessments")["value"].([]any)[0].(map[string]any)["assessmentId"].(string)
	}
	result := path + "assessments/" + newest()
	was := get(result)
	kept := filepath.Join(t.TempDir(), "head")
	c.Await("a head with every event was kept", func() bool {
		all, _ := program.Query[bool](c, `SELECT EXISTS (SELECT FROM audit_trees WHERE tree = '' AND size = (SELECT count(*) FROM events))`)
		note, err := os.ReadFile(filepath.Join(c.Data, "audit.checkpoint"))
		return all && err == nil && os.WriteFile(kept, note, 0o600) == nil
	})
	before.Kill()
	c.Args = append(c.Args, "--roles", "api") // no one works on what is accepted now
	accepts := c.Launch()
	started, ok := c.Call(t.Context(), http.MethodPost, path+"assess", http.StatusAccepted, nil)
	if !ok {
		t.Fatalf("assess: %v", c.Last)
	}
	unfinished := "/v1/operations/" + started["operationId"].(string)
	accepts.Kill()
	c.Args = c.Args[:len(c.Args)-2]
	hashes, from := hashesOfEvents(c), c.URL()
	file := filepath.Join(t.TempDir(), "events.ndjson")
	c.Operate("events", "export", "--output", file)

	to := testlog.URL(t)
	for _, args := range [][]string{c.Args, c.Database} {
		for i, arg := range args {
			if arg == from {
				args[i] = to
			}
		}
	}
	c.Operate("events", "import", file)
	c.Operate("audit", "verify", "--checkpoint", kept)
	move(t, from, to)
	c.Operate("projections", "rebuild")
	c.Launch()
	if op := get(unfinished); op["status"] != "Failed" || op["error"].(map[string]any)["errorCode"] != "AssessmentNotStarted" {
		t.Errorf("the work that had not ended is %v", op)
	}
	if is := get(result); !strings.HasSuffix(result, newest()) || !reflect.DeepEqual(is, was) {
		t.Errorf("the result is\n%v\nand was\n%v", is, was)
	}
	if events := get("/v1/audit/events?person=ada")["value"].([]any); len(events) == 0 {
		t.Error("no event is found by the name of the person")
	}
	assess()
	now := hashesOfEvents(c)
	if len(now) <= len(hashes) {
		t.Errorf("%d events, and %d before", len(now), len(hashes))
	}
	maps.DeleteFunc(now, func(position int64, _ string) bool { return hashes[position] == "" })
	if !maps.Equal(now, hashes) {
		t.Error("hashes have changed")
	}
	c.Await("heads are signed in the first epoch", func() bool {
		all, ok := program.Query[bool](c, `SELECT EXISTS (SELECT FROM audit_trees WHERE tree = '' AND epoch = 1 AND size >= $1)`, len(hashes)+1)
		return ok && all
	})
	c.Operate("audit", "verify", "--checkpoint", kept)
	c.Operate("projections", "rebuild", "--diff")
}

// move copies the tables that belong to a log and are not in its export.
func move(t *testing.T, from, to string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dump, err := exec.CommandContext(ctx, "pg_dump", "--data-only", "--table", "people", "--table", "documents", "--table", "ai_credentials", from).Output()
	testworld.Check(t, err)
	psql := exec.CommandContext(ctx, "psql", "--quiet", "--set", "ON_ERROR_STOP=1", to)
	psql.Stdin = strings.NewReader(string(dump))
	if out, err := psql.CombinedOutput(); err != nil {
		t.Fatalf("psql: %v\n%s", err, out)
	}
}

// tried is how many ports freeAddress has tried.
var tried atomic.Int64

func nextPort() int64 { return 20_000 + int64(os.Getpid()%10_000) + tried.Add(1) }

// freeAddress returns an address that no one listens at, with a port that no listener gets unless it asks for it, another one each time.
func freeAddress(t *testing.T) string {
	t.Helper()
	for port := nextPort(); port < 32_000; port = nextPort() {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			testworld.Check(t, l.Close())
			return l.Addr().String()
		}
	}
	t.Fatal("there is no free port")
	return ""
}
