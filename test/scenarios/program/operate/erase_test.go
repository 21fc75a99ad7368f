package operate_test

import (
	"context"
	"maps"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/test/scenarios/program"
	"readiness/test/testworld"
)

// A person of a running service is erased, by two operators at the same time and while others call. No dump names
// anyone, before or after. The log's hashes stay, and views rebuilt from it are equal.
func TestErase(t *testing.T) {
	t.Parallel()
	const erased, kept = "quillpepper", "marzipansky"
	c := program.New(t, []string{erased, kept})
	model := uuid.New()
	c.Item(t, "Retail", "Sales.SemanticModel", "Sales", model)
	c.Put(program.Table(0), "Sales.SemanticModel", "definition", "tables", "T0.tmdl")
	c.Launch()
	path := "/v1/workspaces/" + c.WorkspaceID.String() + "/semanticModels/" + model.String() + "/aiReadiness/"
	as := func(person string, method, path string, want int, body any) map[string]any {
		t.Helper()
		c.Token = c.Mint(person)
		got, ok := c.Call(t.Context(), method, path, want, body)
		if !ok {
			t.Fatalf("%s %s of %s: %v", method, path, person, c.Last)
		}
		return got
	}
	assess := func(person string) {
		t.Helper()
		id := as(person, http.MethodPost, path+"assess", http.StatusAccepted, nil)["operationId"].(string)
		c.Await("the assessment has ended", func() bool {
			return as(person, http.MethodGet, "/v1/operations/"+id, http.StatusOK, nil)["status"] == "Succeeded"
		})
	}
	owner := func() any {
		t.Helper()
		list := as(kept, http.MethodGet, path+"schedules", http.StatusOK, nil)["value"].([]any)
		return list[0].(map[string]any)["owner"].(map[string]any)["personId"]
	}
	recordedFor := func(person string) int {
		t.Helper()
		return len(as(kept, http.MethodGet, "/v1/audit/events?person="+person, http.StatusOK, nil)["value"].([]any))
	}
	assess(erased)
	as(erased, http.MethodPost, path+"schedules", http.StatusOK, map[string]any{"frequency": "Daily", "timeUtc": "06:30"})
	assess(kept)
	if owner() != erased || recordedFor(erased) == 0 || recordedFor(kept) == 0 {
		t.Fatalf("the schedule is owned by %v; %d and %d events", owner(), recordedFor(erased), recordedFor(kept))
	}
	namesNoOne(c, erased, kept)
	hashes := hashesOfEvents(c)
	id, _ := program.Query[string](c, `SELECT schedule ->> 'owner' FROM schedules_v2`)

	ctx, stop := context.WithCancel(t.Context())
	var load sync.WaitGroup
	for _, person := range []string{erased, kept} {
		token := c.Mint(person)
		load.Go(func() {
			for ctx.Err() == nil {
				_, _, _ = program.Exchange(ctx, c.Base, token, http.MethodPost, path+"assess", nil)
			}
		})
	}
	c.Await("calls were made", func() bool {
		n, ok := program.Query[int](c, `SELECT count(*) FROM events`)
		return ok && n > len(hashes)
	})
	var erasers sync.WaitGroup
	for range 2 {
		erasers.Go(func() { c.Operate("people", "erase", erased) })
	}
	erasers.Wait()
	stop()
	load.Wait()

	c.Token = c.Mint(erased)
	if status, got, err := program.Exchange(t.Context(), c.Base, c.Token, http.MethodGet, "/v1/workspaces", nil); err != nil || status != http.StatusForbidden || got["errorCode"] != "UserNotRegistered" {
		t.Errorf("the erased person gets %d %v, %v", status, got, err)
	}
	for _, sql := range []string{
		`SELECT count(*) FROM events WHERE type = 'person.erased' AND data ->> 'personId' = $1`,
		`SELECT count(*) FROM events WHERE type = 'account.person-removed' AND data ->> 'person' = $1`,
		`SELECT 1 + count(*) FROM people WHERE person_id = $1`,
	} {
		if n, ok := program.Query[int](c, sql, id); !ok || n != 1 {
			t.Errorf("%s: %d", sql, n)
		}
	}
	if owner() != nil || recordedFor(erased) != 0 || recordedFor(id) == 0 {
		t.Errorf("erased, the schedule is owned by %v, and %d events name the person", owner(), recordedFor(erased))
	}
	c.Await("the work is done", func() bool {
		left, ok := program.Query[int](c, `SELECT count(*) FROM river_job WHERE finalized_at IS NULL`)
		return ok && left == 0
	})
	now := hashesOfEvents(c)
	maps.DeleteFunc(now, func(position int64, _ string) bool { return hashes[position] == "" })
	if !maps.Equal(now, hashes) {
		t.Error("hashes of earlier events have changed")
	}
	namesNoOne(c, erased, kept)
	c.Operate("people", "erase", erased)
	c.Operate("events", "verify")
	c.Operate("projections", "rebuild", "--diff")
}

// hashesOfEvents returns the hash of each event by position.
func hashesOfEvents(c *program.Program) map[int64]string {
	c.T.Helper()
	hashes, ok := program.Query[map[int64]string](c, `SELECT json_object_agg(position, encode(hash, 'hex')) FROM events`)
	if !ok {
		c.T.Fatal("the database does not answer")
	}
	return hashes
}

// namesNoOne checks that a dump of the database holds none of the names.
func namesNoOne(c *program.Program, names ...string) {
	c.T.Helper()
	ctx, cancel := context.WithTimeout(c.T.Context(), time.Minute)
	defer cancel()
	dump, err := exec.CommandContext(ctx, "pg_dump", "--inserts", c.URL()).Output()
	testworld.Check(c.T, err)
	if !strings.Contains(string(dump), "operation.accepted") {
		c.T.Fatal("the dump holds no events")
	}
	for _, name := range names {
		for line := range strings.Lines(string(dump)) {
			if strings.Contains(line, name) {
				c.T.Errorf("the dump names %s: %.200s", name, line)
			}
		}
	}
}
