package program_test

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
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/internal/testlog"
)

// A service moves to another database by an export of its log and the tables that docs/operating.md names. There it knows its
// people, reads its results and has its earlier heads, and the log continues.
//
// proves: decisions/20/exact decisions/20/trees decisions/20/unfinished
func TestMove(t *testing.T) {
	t.Parallel()
	c := newProgram(t, []string{"ada"}, "--database-url", testlog.URL(t))
	model := uuid.New()
	c.Item(t, "Retail", "Sales.SemanticModel", "Sales", model)
	c.put(table(0), "Sales.SemanticModel", "definition", "tables", "T0.tmdl")
	path := "/v1/workspaces/" + c.workspace.String() + "/semanticModels/" + model.String() + "/aiReadiness/"
	get := func(path string) map[string]any {
		t.Helper()
		got, ok := c.call(t.Context(), http.MethodGet, path, http.StatusOK, nil)
		if !ok {
			t.Fatalf("%s: %v", path, c.last)
		}
		return got
	}
	assess := func() {
		t.Helper()
		got, ok := c.call(t.Context(), http.MethodPost, path+"assess", http.StatusAccepted, nil)
		if !ok {
			t.Fatalf("assess: %v", c.last)
		}
		c.await("the assessment has ended", func() bool {
			return get("/v1/operations/" + got["operationId"].(string))["status"] == "Succeeded"
		})
	}
	c.args = append(c.args, "--listen", freeAddress(t)) // both have it, because the trees are named by it
	before := c.launch()
	assess()
	newest := func() string {
		t.Helper()
		return get(path + "assessments")["value"].([]any)[0].(map[string]any)["assessmentId"].(string)
	}
	result := path + "assessments/" + newest()
	was := get(result)
	kept := filepath.Join(t.TempDir(), "head")
	c.await("a head with every event was kept", func() bool {
		all, _ := query[bool](c, `SELECT EXISTS (SELECT FROM audit_trees WHERE tree = '' AND size = (SELECT count(*) FROM events))`)
		note, err := os.ReadFile(filepath.Join(c.data, "audit.checkpoint"))
		return all && err == nil && os.WriteFile(kept, note, 0o600) == nil
	})
	before.kill()
	c.args = append(c.args, "--roles", "api") // no one works on what is accepted now
	accepts := c.launch()
	started, ok := c.call(t.Context(), http.MethodPost, path+"assess", http.StatusAccepted, nil)
	if !ok {
		t.Fatalf("assess: %v", c.last)
	}
	unfinished := "/v1/operations/" + started["operationId"].(string)
	accepts.kill()
	c.args = c.args[:len(c.args)-2]
	hashes, from := c.hashesOfEvents(), c.url()
	file := filepath.Join(t.TempDir(), "events.ndjson")
	c.operate("events", "export", "--output", file)

	to := testlog.URL(t)
	for _, args := range [][]string{c.args, c.database} {
		for i, arg := range args {
			if arg == from {
				args[i] = to
			}
		}
	}
	c.operate("events", "import", file)
	c.operate("audit", "verify", "--checkpoint", kept)
	move(t, from, to)
	c.operate("projections", "rebuild")
	c.launch()
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
	now := c.hashesOfEvents()
	if len(now) <= len(hashes) {
		t.Errorf("%d events, and %d before", len(now), len(hashes))
	}
	maps.DeleteFunc(now, func(position int64, _ string) bool { return hashes[position] == "" })
	if !maps.Equal(now, hashes) {
		t.Error("hashes have changed")
	}
	c.await("heads are signed in the first epoch", func() bool {
		all, ok := query[bool](c, `SELECT EXISTS (SELECT FROM audit_trees WHERE tree = '' AND epoch = 1 AND size >= $1)`, len(hashes)+1)
		return ok && all
	})
	c.operate("audit", "verify", "--checkpoint", kept)
	c.operate("projections", "rebuild", "--diff")
}

// move copies the tables that belong to a log and are not in its export.
func move(t *testing.T, from, to string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dump, err := exec.CommandContext(ctx, "pg_dump", "--data-only", "--table", "people", "--table", "documents", "--table", "ai_credentials", from).Output()
	check(t, err)
	psql := exec.CommandContext(ctx, "psql", "--quiet", "--set", "ON_ERROR_STOP=1", to)
	psql.Stdin = strings.NewReader(string(dump))
	if out, err := psql.CombinedOutput(); err != nil {
		t.Fatalf("psql: %v\n%s", err, out)
	}
}

// freeAddress returns an address that no one listens at, with a port that no listener gets unless it asks for it.
func freeAddress(t *testing.T) string {
	t.Helper()
	for port := 20_000 + os.Getpid()%10_000; port < 32_000; port++ {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			check(t, l.Close())
			return l.Addr().String()
		}
	}
	t.Fatal("there is no free port")
	return ""
}
