package operate_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"readiness/test/pgtest"
	"readiness/test/scenarios/program"
	"readiness/test/testworld"
)

// formerAddress is the address of the earlier program's service, by which the trees of its log are named.
const formerAddress = "127.0.0.1:18181"

// formerNames are the names under which an earlier program recorded events whose types have other names now.
var formerNames = []string{
	"allowance.given-back", "assessment.given-back", "operation.went-on", "optimization.put-back",
	"pixies.held", "pixies.left-as-it-was", "trackeditem.given-back", "trackeditems.given-back",
}

// Models and a report of samples/workspaces, by their paths in the interface.
const (
	retail          = "/v1/workspaces/dd861a23-9ffc-5a77-a120-f2f1e51bfd19/"
	inventory       = retail + "semanticModels/63f8bf57-ab8c-5e3a-92f1-842df8148104/aiReadiness/"
	storeOperations = retail + "semanticModels/12fec825-8066-5624-b972-584178b33b6f/aiReadiness/"
)

// The program continues the log of the program of commit d6f8baa6, which testdata/d6f8baa6 holds: it reads what happened, counts
// on from what was spent and reserved, reverts what was applied, and changes no stored event. The earlier program ran with a clock that
// was 60 years ahead, because its applies can be reverted for 30 days.
func TestFormerLog(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	loadFormer(t, url)
	c := program.New(t, []string{"ada"}, "--database-url", url)
	address := freeAddress(t)
	c.Args = append(c.Args, "--accounts", samples("accounts.yaml"), "--listen", address, "--base-url", "http://"+formerAddress)
	copyFormer(t, c)
	end := c.Count(`SELECT max(position) FROM events`)
	count, rows := formerRows(c, end)
	types := typesOfContoso(c)
	for _, name := range formerNames {
		if types[name] == 0 {
			t.Errorf("the log has no event %s", name)
		}
	}

	c.Operate("migrate", "up")
	c.Operate("projections", "build")
	c.Operate("projections", "switch")
	verifyFormer(c)
	c.Launch()
	c.Base = "http://" + address
	c.Token = strings.TrimSpace(c.Command(t, append([]string{"token", "--account", "contoso", "--person", "ada"}, c.Database...)...))

	applied := map[string]string{inventory: applyOf(c, "Inventory", "aiInstructions"), storeOperations: applyOf(c, "Store Operations", "descriptions")}
	results := ""
	for _, id := range ended(c, "operation.succeeded") {
		result, err := json.Marshal(read(c, "/v1/operations/"+id+"/result"))
		testworld.Check(t, err)
		results += string(result)
	}
	for _, text := range []string{
		`"written":"This model answers questions about Goods Receipts`, `"previous":"Sum of Received Quantity in Goods Receipts`,
		`"text":"Show the ticket count for each team."`, `"reason":"The answer is rounded too far."`,
	} {
		if !strings.Contains(results, text) {
			t.Errorf("no result contains %s", text)
		}
	}
	for path, text := range map[string]string{"/v1/aiReadiness/abTests": "Two models", "/v1/aiProviders": "http://127.0.0.1:1/v1"} {
		if list := fmt.Sprint(read(c, path)); !strings.Contains(list, text) {
			t.Errorf("%s does not contain %q: %s", path, text, list)
		}
	}
	if a := read(c, inventory+"assessments")["value"].([]any); len(a) != 1 {
		t.Errorf("%d assessments are listed", len(a))
	} else if id := a[0].(map[string]any)["assessmentId"].(string); read(c, inventory+"assessments/"+id)["score"] != 65.0 {
		t.Errorf("the assessment is %v", c.Last)
	}
	uses(c, 5, 6)
	if diff := cmp.Diff(types, listed(c, end)); diff != "" {
		t.Errorf("listed events of each type (-recorded +listed):\n%s", diff)
	}

	if diff := changed(t, c); !strings.Contains(diff, "Store Operations") || !strings.Contains(diff, "Inventory") {
		t.Fatalf("the models have no applied changes:\n%s", diff)
	}
	for model, id := range applied {
		if state, result := c.Do(model+"revert", map[string]any{"operationId": id}); state["status"] != "Succeeded" {
			t.Errorf("the revert ended as %v, %v", state, result)
		}
	}
	if diff := changed(t, c); diff != "" {
		t.Errorf("after the reverts the models differ from those before the applies:\n%s", diff)
	}

	// What the earlier program has put back is not reverted again.
	again := map[string]any{"operationId": strings.TrimPrefix(streamOf(c, "optimization.put-back"), "operation-")}
	if got, refused := c.Call(t.Context(), http.MethodPost, inventory+"revert", http.StatusBadRequest, again); !refused ||
		!strings.Contains(got["message"].(string), "was already reverted") {
		t.Errorf("reverting again gives %v", c.Last)
	}

	// The last events of these streams have former names: what was given back is spent again, and what was let go is reserved again.
	if state, _ := c.Do(retail+"semanticModels/"+last(c, "assessment.given-back")+"/aiReadiness/assess", nil); state["status"] != "Succeeded" {
		t.Errorf("the assessment ended as %v", state)
	}
	if state, _ := c.Do(retail+"reports/"+last(c, "pixies.left-as-it-was")+"/addPixies", nil); state["status"] != "Succeeded" {
		t.Errorf("adding Pixies ended as %v", state)
	}
	uses(c, 6, 7)

	verifyFormer(c)
	if n, now := formerRows(c, end); n != count || now != rows {
		t.Errorf("%d of the %d stored events are left, with hash %s, and %s before", n, count, now, rows)
	}
	for _, name := range formerNames {
		if now := typesOfContoso(c)[name]; now != types[name] {
			t.Errorf("%d events %s, and %d before", now, name, types[name])
		}
	}
}

func samples(path ...string) string {
	return filepath.Join(append([]string{"..", "..", "..", "..", "samples"}, path...)...)
}

// former is where the log is, with the files that the earlier program wrote.
var former = filepath.Join("testdata", "d6f8baa6")

// loadFormer loads the dump into an empty database.
func loadFormer(t *testing.T, url string) {
	t.Helper()
	file, err := os.Open(filepath.Join(former, "database.sql.gz"))
	testworld.Check(t, err)
	defer file.Close()
	dump, err := gzip.NewReader(file)
	testworld.Check(t, err)
	sql, err := io.ReadAll(dump)
	testworld.Check(t, err)
	conn, err := pgx.Connect(t.Context(), url)
	testworld.Check(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	_, err = conn.PgConn().Exec(t.Context(), string(sql)).ReadAll()
	testworld.Check(t, err)
}

// copyFormer gives the program the earlier one's data directory, and the samples with what that wrote to them.
func copyFormer(t *testing.T, c *program.Program) {
	t.Helper()
	testworld.Check(t, os.RemoveAll(c.Root))
	testworld.Check(t, os.CopyFS(c.Root, os.DirFS(samples("workspaces"))))
	written, err := testworld.Files(filepath.Join(former, "workspaces"))
	testworld.Check(t, err)
	for path, text := range written {
		c.Write(t, text, path)
	}
	testworld.Check(t, os.CopyFS(c.Data, os.DirFS(filepath.Join(former, "data"))))
	testworld.Check(t, os.Chmod(c.Data, 0o700))
	testworld.Check(t, os.Chmod(filepath.Join(c.Data, "service.key"), 0o600))
}

// verifyFormer checks the log, the views and the head that the earlier program signed.
func verifyFormer(c *program.Program) {
	c.T.Helper()
	c.Operate("events", "verify")
	c.Operate("projections", "rebuild", "--diff")
	c.Operate("audit", "verify", "--checkpoint", filepath.Join(former, "data", "audit.checkpoint"))
}

// formerRows returns how many events are stored up to the position, and a hash of all that is stored of them.
func formerRows(c *program.Program, position int) (count int, hash string) {
	c.T.Helper()
	hash, ok := program.Query[string](c, `SELECT encode(sha256(convert_to(string_agg(concat_ws(' ', position, event_id, account_id, stream, version, type,
		schema_version, data, metadata, recorded_at, hash), E'\n' ORDER BY position), 'UTF8')), 'hex') FROM events WHERE position <= $1`, position)
	if !ok {
		c.T.Fatal("the database does not answer")
	}
	return c.Count(`SELECT count(*) FROM events WHERE position <= $1`, position), hash
}

// typesOfContoso returns how many events of each type the account has.
func typesOfContoso(c *program.Program) map[string]int {
	c.T.Helper()
	types, ok := program.Query[map[string]int](c, `SELECT json_object_agg(type, n)
		FROM (SELECT type, count(*) n FROM events WHERE account_id = 'contoso' GROUP BY type) t`)
	if !ok {
		c.T.Fatal("the database does not answer")
	}
	return types
}

// applyOf returns the id of the operation that applied the kind to the model and was not reverted.
func applyOf(c *program.Program, model, kind string) string {
	c.T.Helper()
	id, ok := program.Query[string](c, `SELECT substr(stream, length('operation-') + 1) FROM events
		WHERE type = 'optimization.apply-accepted' AND data ->> 'semanticModelName' = $1 AND data ->> 'kind' = $2`, model, kind)
	if !ok {
		c.T.Fatalf("no apply of %s to %s is in the log", kind, model)
	}
	return id
}

// ended returns the operations that ended with an event of the type.
func ended(c *program.Program, kind string) []string {
	c.T.Helper()
	ids, ok := program.Query[[]string](c, `SELECT array_agg(substr(stream, length('operation-') + 1)) FROM events WHERE type = $1`, kind)
	if !ok {
		c.T.Fatal("the database does not answer")
	}
	return ids
}

// streamOf returns the stream of the event of the type, of which there is one.
func streamOf(c *program.Program, kind string) string {
	c.T.Helper()
	stream, ok := program.Query[string](c, `SELECT stream FROM events WHERE type = $1`, kind)
	if !ok {
		c.T.Fatalf("no event is %s", kind)
	}
	return stream
}

// last returns the item of a stream whose last event is of the type.
func last(c *program.Program, kind string) string {
	c.T.Helper()
	v, ok := program.Query[string](c, `SELECT right(stream, 36) FROM events e WHERE type = $1
		AND NOT EXISTS (SELECT FROM events WHERE stream = e.stream AND version > e.version)`, kind)
	if !ok {
		c.T.Fatalf("no stream ends with %s", kind)
	}
	return v
}

// read reads a path as ada.
func read(c *program.Program, path string) map[string]any {
	c.T.Helper()
	got, ok := c.Call(c.T.Context(), http.MethodGet, path, http.StatusOK, nil)
	if !ok {
		c.T.Fatalf("%s: %v", path, c.Last)
	}
	return got
}

// uses checks what the account has used in its lifetime.
func uses(c *program.Program, firstLooks, trackedItems float64) {
	c.T.Helper()
	used := func(of string) any {
		return read(c, "/v1/account")["allowances"].(map[string]any)[of].(map[string]any)["used"]
	}
	if f, i := used("firstLooks"), used("trackedItems"); f != firstLooks || i != trackedItems {
		c.T.Errorf("%v first looks and %v tracked items are used, want %v and %v", f, i, firstLooks, trackedItems)
	}
}

// listed returns how many events of each type GET /v1/audit/events lists up to the position, on all pages.
func listed(c *program.Program, position int) map[string]int {
	c.T.Helper()
	types := map[string]int{}
	for path := "/v1/audit/events?maxResults=100"; path != ""; {
		page := read(c, path)
		for _, e := range page["value"].([]any) {
			if event := e.(map[string]any); event["position"].(float64) <= float64(position) {
				types[event["type"].(string)]++
			}
		}
		next, _ := page["continuationUri"].(string)
		_, path, _ = strings.Cut(next, formerAddress)
	}
	return types
}

// changed returns how the models differ from the samples, which the earlier program began with.
func changed(t *testing.T, c *program.Program) string {
	t.Helper()
	models := func(root string) map[string]string {
		all, err := testworld.Files(root)
		testworld.Check(t, err)
		maps.DeleteFunc(all, func(path, _ string) bool { return !strings.Contains(path, ".SemanticModel/") })
		return all
	}
	return testworld.Difference(models(samples("workspaces")), models(c.Root))
}
