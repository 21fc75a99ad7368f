//go:build hard

package overfabric_test

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/platform/fabric/emulator"
	"readiness/test/scenarios/program"
	"readiness/test/testlog"
	"readiness/test/testworld"
)

// The tenant that TestHardTenantOverFabric assesses, as its five people do.
const (
	tenantPeople = 5
	tenantModels = 100 // of each workspace
	// tenantMemory is the most that the program may use, in KiB.
	tenantMemory = 200 << 10
)

// workspacesOfTenant returns how many workspaces the tenant has: one for each person, or READINESS_TENANT_WORKSPACES.
func workspacesOfTenant(t *testing.T) int {
	t.Helper()
	set := os.Getenv("READINESS_TENANT_WORKSPACES")
	if set == "" {
		return tenantPeople
	}
	n, err := strconv.Atoi(set)
	testworld.Check(t, err)
	return n
}

// TestHardTenantOverFabric assesses all models of a tenant with the program, by bulk calls, from an emulator that counts
// calls as the platform does. Every model is assessed, at most one call in a thousand is blocked, and the program stays
// within its memory.
func TestHardTenantOverFabric(t *testing.T) {
	tenantWorkspaces := workspacesOfTenant(t)
	var people []string
	for i := range tenantPeople {
		people = append(people, fmt.Sprintf("p%d", i))
	}
	c := program.New(t, people, "--database-url", testlog.URL(t))
	models := map[uuid.UUID][]uuid.UUID{}
	var workspaces []uuid.UUID
	for i := range tenantWorkspaces {
		id, name := uuid.New(), fmt.Sprintf("Workspace %02d", i)
		c.Workspace(t, testworld.Workspace{ID: id, Name: name})
		workspaces = append(workspaces, id)
		for j := range tenantModels {
			model, dir := uuid.New(), fmt.Sprintf("Model %03d.SemanticModel", j)
			models[id] = append(models[id], model)
			c.Item(t, name, dir, fmt.Sprintf("Model %03d", j), model)
			for k := range 4 {
				c.PutIn(name, program.Table(k), dir, "definition", "tables", fmt.Sprintf("T%d.tmdl", k))
			}
		}
	}
	service := c.OverFabric(people, func(o *emulator.Options) {
		o.Lasts, o.Quotas = 1900*time.Millisecond, emulator.Quotas{Calls: 200, Operations: 200}
	})
	p := c.Launch()
	began := time.Now()
	for i, id := range workspaces {
		c.Token = c.Mint(people[i%tenantPeople])
		accepted, ok := c.Call(t.Context(), http.MethodPost, "/v1/workspaces/"+id.String()+"/aiReadiness/assess", http.StatusAccepted,
			map[string]any{"semanticModelIds": models[id]})
		if !ok {
			t.Fatalf("the assessment of workspace %d was not accepted: %v", i, c.Last)
		}
		c.Runs = append(c.Runs, uuid.MustParse(accepted["operationId"].(string)))
	}
	accepted := time.Since(began)
	assessed, ended := 0, 0
	for ended < len(c.Runs) {
		c.Await("more models are assessed, or another run ends", func() bool {
			models, ok := program.Query[int](c, `SELECT count(*) FROM events WHERE type = 'assessment.recorded'`)
			runs, ok2 := program.Query[int](c, `SELECT count(*) FROM events WHERE type IN ('operation.succeeded', 'operation.failed')`)
			more := ok && ok2 && (models > assessed || runs > ended)
			if more {
				assessed, ended = models, runs
			}
			return more
		})
		c.Wait(t.Context(), time.Second)
	}
	took := time.Since(began)
	calls, blocked, singles := 0, 0, 0
	for _, call := range service.Calls() {
		calls++
		if call.Status == http.StatusTooManyRequests {
			blocked++
		}
		if strings.HasSuffix(call.Path, "/getDefinition") {
			singles++
		}
	}
	peak := peakOf(t, p.Cmd.Process.Pid)
	t.Logf("%d models in %s, whose calls were accepted within %s; %d calls to the platform, %d of them blocked, %d single reads; "+
		"peak memory of the program %d MiB", assessed, took.Round(time.Second), accepted.Round(time.Second), calls, blocked, singles, peak>>10)
	if assessed != tenantWorkspaces*tenantModels || blocked*1000 > calls || peak > tenantMemory {
		t.Errorf("%d models were assessed, %d of %d calls were blocked, and the program used %d KiB", assessed, blocked, calls, peak)
	}
}

// peakOf returns the most memory that a process has used, in KiB; 0 if the system does not report it in /proc.
func peakOf(t *testing.T, pid int) (kib int) {
	t.Helper()
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if os.IsNotExist(err) {
		t.Log("this system does not report how much memory a process used")
		return 0
	}
	testworld.Check(t, err)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if _, err := fmt.Sscanf(lines.Text(), "VmHWM: %d kB", &kib); err == nil {
			return kib
		}
	}
	return 0
}
