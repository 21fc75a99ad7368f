package operate_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/test/scenarios/program"
	"readiness/test/testlog"
	"readiness/test/testworld"
)

// An account moves to an empty deployment by one file: what it reads there is the same, its people are recognized, its AI provider has
// its key, a revert works, and heads from before are verified. The file has nothing of another account, and no secret. A file that was
// changed anywhere is refused and leaves nothing.
//
// proves: decisions/22/complete decisions/22/closed decisions/22/sealed decisions/22/strict decisions/22/proofs
func TestMoveAccount(t *testing.T) {
	t.Parallel()
	moveAccount(t, "", "")
}

// moveAccount does so with the folders in which source and target have the bodies of documents; empty for the database.
func moveAccount(t *testing.T, source, target string) {
	t.Helper()
	from, to := testlog.URL(t), testlog.URL(t)
	documentsIn := func(folder string) []string {
		if folder == "" {
			return nil
		}
		return []string{"--documents", "file://" + filepath.ToSlash(folder)}
	}
	c := program.New(t, []string{"ada"}, "--database-url", from)
	file := filepath.Join(t.TempDir(), "accounts.yaml")
	declare := func(status string, others bool) {
		t.Helper()
		text := "accounts:\n  - {accountId: acme, plan: Enterprise, status: " + status + ", people: [{person: ada, role: admin}]}\n"
		if others {
			text += "  - {accountId: umbrella, plan: Enterprise, people: [{person: wesker, role: admin}]}\n"
		}
		testworld.Check(t, os.WriteFile(file, []byte(text), 0o600))
	}
	for i, arg := range c.Args {
		if arg == "--accounts" {
			c.Args[i+1] = file
		}
	}
	declare("Active", true)
	c.Args = append(c.Args, "--ai-private-addresses")
	args := c.Args
	c.Args = slices.Concat(args, documentsIn(source))
	model := uuid.New()
	c.Item(t, "Retail", "Sales.SemanticModel", "Sales", model)
	c.Put(program.SalesTable(0), "Sales.SemanticModel", "definition", "tables", "T0.tmdl")
	path := "/v1/workspaces/" + c.WorkspaceID.String() + "/semanticModels/" + model.String() + "/aiReadiness/"
	call := func(method, path string, want int, body any) map[string]any {
		t.Helper()
		got, ok := c.Call(t.Context(), method, path, want, body)
		if !ok {
			t.Fatalf("%s %s: %v", method, path, c.Last)
		}
		return got
	}
	get := func(path string) map[string]any { t.Helper(); return call(http.MethodGet, path, http.StatusOK, nil) }
	work := func(path string, body any) string {
		t.Helper()
		id := call(http.MethodPost, path, http.StatusAccepted, body)["operationId"].(string)
		c.Await("the work has ended", func() bool { return get("/v1/operations/" + id)["status"] == "Succeeded" })
		return id
	}
	result := func(id string) map[string]any { t.Helper(); return get("/v1/operations/" + id + "/result") }
	before := c.Launch()
	work(path+"assess", nil)
	original, err := testworld.Files(c.Root)
	testworld.Check(t, err)
	preview := result(work(path+"descriptions/preview", nil))
	applied := result(work(path+"descriptions/apply", map[string]any{"previewId": preview["previewId"]}))
	if written, err := testworld.Files(c.Root); err != nil || testworld.Difference(original, written) == "" {
		t.Fatalf("the apply wrote nothing: %v, %v", applied, err)
	}
	const secret = "sk-very-secret-key"
	asked := make(chan string, 100)
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Header.Get("Authorization")
		w.WriteHeader(http.StatusBadRequest)
	}))
	defer provider.Close()
	call(http.MethodPost, "/v1/aiProviders", http.StatusOK, map[string]any{"name": "Own", "kind": "openai_compatible", "baseUrl": provider.URL + "/v1", "model": "small", "apiKey": secret, "saveAnyway": true})
	newest := get(path + "assessments")["value"].([]any)[0].(map[string]any)["assessmentId"].(string)
	reads := []string{path + "assessments", path + "assessments/" + newest, "/v1/aiReadiness/portfolio", "/v1/aiProviders", "/v1/operations"}
	var was []map[string]any
	for _, read := range reads {
		was = append(was, get(read))
	}
	before.Kill()

	key := c.Command(t, "accounts", "key", "--data", c.Data+"-target")
	export := func(name string) (string, error) {
		out := filepath.Join(t.TempDir(), name)
		return out, c.Try(t, slices.Concat([]string{"accounts", "export", "acme", "--to", strings.TrimSpace(key), "--output", out}, documentsIn(source))...)
	}
	if _, err := export("open"); err == nil || !strings.Contains(err.Error(), "declare it with status: Closed") {
		t.Errorf("an account that is active is exported: %v", err)
	}
	declare("Closed", true)
	c.Operate("accounts", "apply", file)
	closing := c.Launch()
	c.Await("its closing is sealed", func() bool {
		all, _ := program.Query[bool](c, `SELECT EXISTS (SELECT FROM audit_trees WHERE tree = 'acme' AND position = (SELECT max(position) FROM events WHERE account_id = 'acme'))`)
		return all
	})
	closing.Kill()
	head, _ := program.Query[string](c, `SELECT note FROM audit_trees WHERE tree = 'acme'`)
	kept := filepath.Join(t.TempDir(), "head")
	testworld.Check(t, os.WriteFile(kept, []byte(head), 0o600))
	moved, err := export("acme.tar")
	testworld.Check(t, err)
	whole, err := os.ReadFile(moved)
	testworld.Check(t, err)
	for _, text := range []string{"umbrella", "wesker", secret, `"ada"`} {
		if bytes.Contains(whole, []byte(text)) {
			t.Errorf("the file has %s", text)
		}
	}
	lines := c.Command(t, append([]string{"events", "export", "--account", "acme"}, c.Database...)...)
	const bodies = `SELECT string_agg(hash || ' ' || encode(body, 'hex'), ' ' ORDER BY hash) FROM documents`
	stored, _ := program.Query[string](c, bodies)
	if source != "" {
		testworld.Check(t, os.RemoveAll(source)) // the target needs nothing of it
	}
	elsewhere := func(folder string) {
		t.Helper()
		if n, ok := program.Query[int](c, fmt.Sprintf(`SELECT count(*) FROM documents WHERE (object IS NULL) = %t`, folder != "")); n != 0 || !ok {
			t.Errorf("%d documents are not in %q", n, folder)
		}
	}
	elsewhere(source)

	c.Data += "-target"
	c.Args = args
	for _, args := range [][]string{c.Args, c.Database} {
		for i, arg := range args {
			if arg == from {
				args[i] = to
			}
			if arg == "--data" {
				args[i+1] = c.Data
			}
		}
	}
	for name, damaged := range map[string][]byte{
		"cut": whole[:len(whole)/2], "without its end": whole[:len(whole)-3072], "with a byte changed": changedAt(whole, len(whole)/3),
		"empty": nil, "twice": append(bytes.Clone(whole), whole...),
	} {
		bad := filepath.Join(t.TempDir(), "bad.tar")
		testworld.Check(t, os.WriteFile(bad, damaged, 0o600))
		if err := c.Try(t, append([]string{"accounts", "import", bad}, documentsIn(target)...)...); err == nil {
			t.Fatalf("a file %s is imported", name)
		}
		if n, _ := program.Query[int](c, `SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM documents) + (SELECT count(*) FROM people)`); n != 0 {
			t.Errorf("%s: %d rows are left", name, n)
		}
	}
	killImport(c, t, whole, documentsIn(target)...)
	c.Operate(append([]string{"accounts", "import", moved}, documentsIn(target)...)...)
	c.Args = slices.Concat(args, documentsIn(target))
	elsewhere(target)
	if is, _ := program.Query[string](c, bodies); stored == "" || (source == "") == (target == "") && is != stored {
		t.Error("the documents are not those of the account")
	}
	if again := c.Command(t, append([]string{"events", "export"}, c.Database...)...); again != lines {
		t.Error("the log is not that of the account")
	}
	c.Operate("projections", "rebuild")
	c.Operate("projections", "rebuild", "--diff")
	c.Operate("audit", "verify", "--trees", untarred(t, moved, "trees.ndjson"), "--checkpoint", kept)
	declare("Active", false)
	c.Launch()
	for i, read := range reads {
		if is := get(read); !reflect.DeepEqual(is, was[i]) {
			a, _ := json.Marshal(was[i])
			b, _ := json.Marshal(is)
			t.Errorf("%s answers\n%s\nand answered\n%s", read, b, a)
		}
	}
	if n, _ := program.Query[int](c, `SELECT count(*) FROM people`); n != 1 {
		t.Errorf("%d people are known", n)
	}
	for len(asked) > 0 {
		<-asked
	}
	id := ""
	for _, one := range get("/v1/aiProviders")["value"].([]any) {
		if p := one.(map[string]any); p["name"] == "Own" {
			id = p["providerId"].(string)
		}
	}
	call(http.MethodPost, "/v1/aiProviders/"+id+"/test", http.StatusOK, nil)
	if got := <-asked; got != "Bearer "+secret {
		t.Errorf("the provider was asked with %q", got)
	}
	work(path+"assess", nil)
	work(path+"revert", map[string]any{"operationId": applied["revertOperationId"]})
	reverted, err := testworld.Files(c.Root)
	testworld.Check(t, err)
	if diff := testworld.Difference(original, reverted); diff != "" {
		t.Errorf("the revert left\n%s", diff)
	}
	if events := get("/v1/audit/events?person=ada")["value"].([]any); len(events) == 0 {
		t.Error("no event is found by the name of the person")
	}
}

// killImport kills an import that has stored everything and waits for the end of the file. Nothing of it is left.
func killImport(c *program.Program, t *testing.T, file []byte, flags ...string) {
	t.Helper()
	importing := exec.CommandContext(t.Context(), c.Binary, slices.Concat([]string{"accounts", "import", "-"}, flags, c.Database)...)
	in, err := importing.StdinPipe()
	testworld.Check(t, err)
	testworld.Check(t, importing.Start())
	const end = 2048 // the last entry and the end of the archive
	_, err = in.Write(file[:len(file)-end])
	testworld.Check(t, err)
	storing := func() bool {
		is, ok := program.Query[bool](c, `SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'ai_credentials'::regclass AND mode = 'RowExclusiveLock')`)
		return is || !ok
	}
	c.Await("the last row is stored", storing)
	testworld.Check(t, importing.Process.Kill())
	if err := importing.Wait(); err == nil {
		t.Error("the import was not killed")
	}
	c.Await("the database has noticed", func() bool { return !storing() })
	if n, ok := program.Query[int](c, `SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM documents) + (SELECT count(*) FROM people)`); n != 0 || !ok {
		t.Errorf("a killed import left %d rows", n)
	}
}

// changedAt returns the bytes with one changed.
func changedAt(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 1
	return b
}

// untarred writes an entry of an archive to a file.
func untarred(t *testing.T, archive, name string) string {
	t.Helper()
	f, err := os.Open(archive)
	testworld.Check(t, err)
	defer f.Close()
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		testworld.Check(t, err)
		if h.Name == name {
			body, err := io.ReadAll(r)
			testworld.Check(t, err)
			path := filepath.Join(t.TempDir(), name)
			testworld.Check(t, os.WriteFile(path, body, 0o600))
			return path
		}
	}
}
