package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/cmd/readiness/desk"
	"readiness/internal/optional"
	"readiness/test/pgtest"
	"readiness/test/testworld"
)

// typist runs command lines of readiness client with its own profiles, and records the output.
type typist struct {
	t      *testing.T
	config string
	pause  func(context.Context, time.Duration) error
	screen strings.Builder
	// rates is the database whose counts of calls are emptied before every command, so that one person can type any
	// number of them; "" leaves the counts.
	rates string
}

func newTypist(t *testing.T) *typist { return &typist{t: t, config: t.TempDir(), pause: hurry} }

// hurry waits only a moment, for any wait that the service asks for.
func hurry(ctx context.Context, _ time.Duration) error {
	select {
	case <-time.After(20 * time.Millisecond):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// types runs a command line that must end with the code.
func (y *typist) types(code int, stdin string, args ...string) result {
	y.t.Helper()
	if y.rates != "" {
		query[int](y.t, y.rates, `WITH emptied AS (DELETE FROM rate_windows RETURNING 1) SELECT count(*)::int FROM emptied`)
	}
	got := y.run(y.t.Context(), stdin, args...)
	if got.code != code {
		if strings.Contains(got.stderr, "RequestBlocked") {
			y.t.Error("this person has no calls left in this minute: set rates of the typist")
		}
		y.t.Fatalf("readiness client %s: got exit code %d, want %d\n%s%s", strings.Join(args, " "), got.code, code, got.stdout, got.stderr)
	}
	return got
}

func (y *typist) run(ctx context.Context, stdin string, args ...string) result {
	y.t.Helper()
	var stdout, stderr bytes.Buffer
	r := desk.New(&stdout, &stderr)
	r.Pause = y.pause
	r.Command.SetIn(strings.NewReader(stdin))
	got := result{r.Run(ctx, append([]string{"client", "--config", y.config}, args...)), "", ""}
	got.stdout, got.stderr = stdout.String(), stderr.String()
	for i, a := range args {
		if strings.ContainsAny(a, " |") {
			args[i] = "'" + a + "'"
		}
	}
	fmt.Fprintf(&y.screen, "$ readiness client %s\n%s", strings.Join(args, " "), got.stdout)
	for line := range strings.Lines(got.stderr) {
		y.screen.WriteString("! " + line)
	}
	if got.code != 0 {
		fmt.Fprintf(&y.screen, "exit code %d\n", got.code)
	}
	y.screen.WriteString("\n")
	return got
}

var (
	shownID   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)
	shownTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	shownWait = regexp.MustCompile(`tried again in \S+`)
	shownTook = regexp.MustCompile(`\d+ ms`)
)

// lasting returns the output without the parts that differ between runs.
func (y *typist) lasting(base string) string {
	ids := map[string]string{}
	out := shownID.ReplaceAllStringFunc(y.screen.String(), func(id string) string {
		if ids[id] == "" {
			ids[id] = fmt.Sprintf("00000000-0000-7000-8000-%012d", len(ids)+1)
		}
		return ids[id]
	})
	out = shownTime.ReplaceAllString(out, "2026-11-21T10:00:00Z")
	out = shownWait.ReplaceAllString(out, "tried again in 1m0s")
	out = shownTook.ReplaceAllString(out, "7 ms")
	return strings.NewReplacer(base, "http://readiness.test", y.config, "CONFIG").Replace(out)
}

// waitsWithoutTheScope waits for an operation that its owner must read, with a read-only token of the owner. The output
// names the missing scope and the operation does not continue until the owner's other token reads it.
func (y *typist) waitsWithoutTheScope(base, reading string) {
	y.t.Helper()
	quiet := newTypist(y.t)
	quiet.config = y.config
	quiet.types(0, reading, "login", "--base-url", base, "--profile", "reading")
	going := lastID(y.t, quiet.types(0, "", "apply", "Retail Analytics", "Inventory", "properties", "--approval", "none", "--no-wait").stdout)
	for !strings.Contains(quiet.types(0, "", "operations", "show", going, "--json", "--profile", "reading").stdout, "waitingFor") {
		if err := hurry(y.t.Context(), 0); err != nil {
			y.t.Fatal(err)
		}
	}
	ctx, interrupt := context.WithCancelCause(y.t.Context())
	pauses := 0
	quiet.pause = func(ctx context.Context, d time.Duration) error {
		if pauses++; pauses == 3 {
			interrupt(errors.New("signal: interrupt"))
		}
		return hurry(ctx, d)
	}
	waited := quiet.run(ctx, "", "operations", "wait", going, "--profile", "reading")
	if waited.code != cli.ExitInterrupted || strings.Count(waited.stderr, "with a token of the scope Service.ReadWrite.All. Wait for it with such a token") != 1 {
		y.t.Errorf("waiting with a token that only reads: got %+v", waited)
	}
	quiet.pause = hurry
	quiet.types(0, "", "operations", "wait", going)
	quiet.types(0, "", "revert", going)
}

// portfolio assesses a workspace as another person, and lists the models of the account and the scores of one.
func (y *typist) portfolio(base, grace string) {
	y.t.Helper()
	y.types(0, grace, "login", "--base-url", base, "--profile", "grace")
	y.types(cli.ExitPartly, "", "assess", "Corporate Functions", "--all", "--profile", "grace")
	y.types(cli.ExitUsage, "", "assess", "Corporate Functions", "--profile", "grace")
	y.types(cli.ExitUsage, "", "assess", "Corporate Functions", "Headcount", "--all", "--profile", "grace")
	y.types(0, "", "portfolio", "--sort", "name", "--profile", "grace")
	y.types(0, "", "portfolio", "--workspace", "Retail Analytics", "--score-below", "70", "--q", "inven", "--not-assessed-since", "2999-01-01", "--profile", "grace")
	y.types(0, "", "portfolio", "--summary", "--profile", "grace")
	y.types(0, "", "portfolio", "--q", "budget", "--csv", "--profile", "grace") // a model that could not be read
	y.types(0, "", "portfolio", "--summary", "--q", "nothing", "--profile", "grace")
	y.types(cli.ExitUsage, "", "portfolio", "--summary", "--csv", "--profile", "grace")
	y.types(cli.ExitUsage, "", "portfolio", "--summary", "--sort", "name", "--profile", "grace")
	y.types(0, "", "portfolio", "--csv", "--q", "inventory", "--profile", "grace")
	y.types(0, "", "portfolio", "--outdated", "--profile", "grace") // none
	y.types(0, "", "assess", "--outdated", "--profile", "grace")
	y.types(cli.ExitUsage, "", "assess", "--outdated", "--all", "--profile", "grace")
	y.types(1, "", "portfolio", "--sort", "newest", "--profile", "grace") // 400
	y.types(cli.ExitUsage, "", "portfolio", "--not-assessed-since", "yesterday", "--profile", "grace")
	y.types(cli.ExitUsage, "", "portfolio", "--csv", "--json", "--profile", "grace")
	y.asOfFiles(y.types(0, "", "assess", "Retail Analytics", "Inventory", "--profile", "grace").stdout)
	y.types(0, "", "history", "Retail Analytics", "Inventory", "--profile", "grace")
	y.types(0, "", "history", "Retail Analytics", "Inventory", "--csv", "--profile", "grace")
	y.completes()
	y.anew()
}

// completes completes names as a shell does.
func (y *typist) completes() {
	y.t.Helper()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"assess", ""}, "Corporate Functions\nRetail Analytics\nSeasonal Campaigns\n:4\n"},
		{[]string{"assess", "Corporate Functions", "Headcount", ""}, "Budget 2024\nFinancial Statements\nSupport Tickets\ncrm_export\n:4\n"},
		{[]string{"apply", "retail analytics", "Inv"}, "Inventory\nRetail Sales\nStore Operations\nWEB_TRAFFIC\n:4\n"},
		{[]string{"benchmark", "save", "Retail Analytics", "Inventory", ""}, ":0\n"},
		{[]string{"history", "Retail Analytics", "Inventory", ""}, ":4\n"},
		{[]string{"history", "Nowhere", ""}, ":4\n"},
		{[]string{"abtests", "create", "Test", "Retail Analytics", ""}, "Inventory\nRetail Sales\nStore Operations\nWEB_TRAFFIC\n:4\n"},
	} {
		var stdout, stderr bytes.Buffer
		desk.New(&stdout, &stderr).Run(y.t.Context(), append([]string{"__complete", "client", "--config", y.config, "--profile", "grace"}, c.args...))
		if stdout.String() != c.want {
			y.t.Errorf("completion of %q: got %q, want %q\n%s", c.args, stdout.String(), c.want, stderr.String())
		}
	}
}

// asOfFiles compares what an assessment by the service says of the score, and of what to do first, with that of the same model in files.
func (y *typist) asOfFiles(shown string) {
	y.t.Helper()
	var stdout, stderr bytes.Buffer
	desk.New(&stdout, &stderr).Run(y.t.Context(), []string{"assess", "../../samples/workspaces/Retail Analytics/Supply Chain/Inventory.SemanticModel"})
	for _, part := range [][2]string{{"\nScore ", "\nFindings by rule: "}, {"\nFindings by rule: ", "\n+"}, {"\nWhat to do first\n", "\nproposed: "}, {"\n1 item assessed ", "\n"}} {
		of := func(text string) string {
			_, text, _ = strings.Cut(text, part[0])
			text, _, _ = strings.Cut(text, part[1])
			return text
		}
		if got, want := of(shown), of(stdout.String()); got != want || want == "" {
			y.t.Errorf("of%q the client says\n%s\nand assess\n%s%s", part[0], got, want, stderr.String())
		}
	}
}

// anew finds the models that were scored by earlier rules, and assesses them anew.
func (y *typist) anew() {
	y.t.Helper()
	for _, update := range []string{
		`portfolio_v6 SET regime = '2026-12', assessment = assessment || '{"regimeId": "2026-12"}' WHERE name_folded = 'inventory'`,
		`portfolio_scores_v6 SET regime = '2026-12' WHERE model_id IN (SELECT model_id FROM portfolio_v6 WHERE regime = '2026-12')`,
	} {
		if n := query[int](y.t, y.rates, `WITH old AS (UPDATE `+update+` RETURNING 1) SELECT count(*)::int FROM old`); n != 1 {
			y.t.Fatalf("%d rows are of an earlier regime, want 1: %s", n, update)
		}
	}
	y.types(0, "", "portfolio", "--outdated", "--profile", "grace")
	y.types(0, "", "portfolio", "--summary", "--q", "inventory", "--profile", "grace")
	y.types(0, "", "assess", "--outdated", "Corporate Functions", "--profile", "grace") // none
	y.types(0, "", "assess", "--outdated", "--profile", "grace")
	y.types(0, "", "assess", "--outdated", "--profile", "grace") // none any more
}

// lastID returns the last operation id in the output.
func lastID(t *testing.T, text string) string {
	t.Helper()
	all := shownID.FindAllString(text, -1)
	if len(all) == 0 {
		t.Fatalf("no id in %q", text)
	}
	return all[len(all)-1]
}

// TestClient runs every command of the client against a service.
func TestClient(t *testing.T) {
	t.Parallel()
	data, workspaces := t.TempDir(), filepath.Join(t.TempDir(), "workspaces")
	if err := os.CopyFS(workspaces, os.DirFS("../../samples/workspaces")); err != nil {
		t.Fatal(err)
	}
	database := pgtest.URL(t)
	s := serve(t, "--database-url", database, "--data", data, "--accounts", samplesAccounts, "--platform", "folder:"+workspaces)
	var tokens []string
	token := func(account, person string) string {
		made := strings.TrimSpace(must(t, "token", "--data", data, "--account", account, "--person", person, "--force").stdout)
		tokens = append(tokens, made)
		return made
	}
	y := newTypist(t)
	y.rates = database
	model := filepath.Join(workspaces, "Retail Analytics", "Supply Chain", "Inventory.SemanticModel")
	before := filesOf(t, model)

	y.types(1, "", "account") // no login
	ada := token("contoso", "ada")
	y.types(0, ada+"\n", "login", "--base-url", s.base)
	y.types(1, "no.such.token", "login", "--base-url", s.base, "--profile", "stranger") // 401
	y.types(1, "", "account", "--profile", "stranger")
	y.types(0, "", "account")
	y.types(0, "", "workspaces")
	y.types(0, "", "models", "retail analytics")
	y.types(0, "", "reports", "dd861a23-9ffc-5a77-a120-f2f1e51bfd19")
	y.types(1, "", "models", "Retail")

	y.types(0, "", "assess", "Retail Analytics", "Inventory")
	made := shownID.FindString(y.types(0, "", "assessments", "list", "Retail Analytics", "Inventory").stdout)
	y.types(0, "", "assessments", "pin", "Retail Analytics", "Inventory", made)
	y.types(0, "", "assessments", "list", "Retail Analytics", "Inventory", "--pinned")
	y.types(0, "", "assessments", "unpin", "Retail Analytics", "Inventory", made)
	y.types(0, "", "assessments", "list", "Retail Analytics", "Inventory", "--pinned")                            // none
	y.types(1, "", "assessments", "pin", "Retail Analytics", "Inventory", "464c71cb-5954-5e3d-91a5-dbc88e2ba40d") // 404
	y.types(cli.ExitPartly, "", "assess", "Corporate Functions", "Headcount", "Budget 2024")                      // which cannot be read
	y.types(1, "", "assess", "Retail Analytics", "464c71cb-5954-5e3d-91a5-dbc88e2ba40d")                          // 404
	y.types(1, "", "assess", "Seasonal Campaigns", "Holiday Campaign")                                            // 409

	preview := lastID(t, y.types(0, "", "preview", "Retail Analytics", "Inventory", "descriptions").stdout)
	values := filepath.Join(y.config, "values.json")
	if err := os.WriteFile(values, []byte(`{"Stock Levels|Stock Value": "What the stock cost, in euro."}`), 0o600); err != nil {
		t.Fatal(err)
	}
	applied := lastID(t, y.types(0, "", "apply", preview, "--key", "Stock Levels|Stock Value", "--values", values).stdout)
	if !strings.Contains(fmt.Sprint(filesOf(t, model)), "What the stock cost, in euro.") {
		t.Error("the user's own text was not written")
	}
	y.types(0, "", "revert", applied)
	y.types(1, "", "revert", applied) // 400
	bundle := lastID(t, y.types(0, "", "preview", "Retail Analytics", "Inventory").stdout)
	both := lastID(t, y.types(0, "", "apply", bundle, "--kind", "descriptions", "--kind", "properties").stdout)
	y.types(0, "", "revert", both)
	unattended := lastID(t, y.types(0, "", "apply", "Retail Analytics", "Inventory", "properties", "--approval", "none").stdout)
	y.types(0, "", "revert", unattended)
	y.waitsWithoutTheScope(s.base, must(t, "token", "--data", data, "--account", "contoso", "--person", "ada", "--force", "--scopes", "Service.Read.All").stdout)
	if diff := cmp.Diff(before, filesOf(t, model)); diff != "" {
		t.Errorf("the revert did not restore the files:\n%s", diff)
	}
	y.portfolio(s.base, token("contoso", "grace"))

	y.types(0, "", "pixies", "add", "Retail Analytics", "Inventory Monitor")
	y.types(0, "", "pixies", "add", "Retail Analytics", "Inventory Monitor", "Store Staffing")
	y.types(0, "", "pixies", "remove", "Retail Analytics", "Inventory Monitor", "Store Staffing")

	y.types(0, "", "operations", "list", "--limit", "2")
	y.types(0, "", "operations", "show", bundle)
	y.types(0, "", "operations", "show", "--result", both)
	y.types(0, "", "operations", "cancel", bundle) // it has ended
	y.types(1, "", "operations", "cancel", "464c71cb-5954-5e3d-91a5-dbc88e2ba40d")

	// An interrupt of a waiting command leaves the operation to the service and prints its id.
	ctx, interrupt := context.WithCancelCause(t.Context())
	y.pause = func(ctx context.Context, _ time.Duration) error {
		interrupt(fmt.Errorf("signal: interrupt"))
		return ctx.Err()
	}
	left := y.run(ctx, "", "assess", "Retail Analytics", "Store Operations")
	if left.code != cli.ExitInterrupted || !strings.Contains(left.stderr, "readiness client operations wait ") || left.stdout != "" {
		t.Errorf("interrupted: got %+v", left)
	}
	y.pause = hurry
	y.types(0, "", "operations", "wait", lastID(t, left.stderr))
	twice := y.types(0, "", "assess", "--no-wait", "Retail Analytics", "Store Operations")
	y.types(0, "", "operations", "wait", lastID(t, twice.stdout), "--json")

	// Refusals by permission and by rate.

	y.types(0, token("northwind", "edsger"), "login", "--base-url", s.base, "--profile", "edsger")
	y.types(1, "", "workspaces", "--profile", "edsger") // 403
	y.types(0, token("contoso", "linus"), "login", "--base-url", s.base, "--profile", "linus")
	quiet := newTypist(t)
	quiet.config = y.config
	for range 30 {
		quiet.types(1, "", "operations", "cancel", "464c71cb-5954-5e3d-91a5-dbc88e2ba40d", "--profile", "linus")
	}
	y.rates = ""
	// A slow machine must not let the first calls leave the window before the next one is made.
	query[int](t, database, `WITH now AS (UPDATE rate_windows SET hits = array_fill(clock_timestamp(), ARRAY[cardinality(hits)]) WHERE key LIKE 'start %' AND cardinality(hits) >= 30 RETURNING 1) SELECT count(*)::int FROM now`)
	y.types(1, "", "operations", "cancel", bundle, "--profile", "linus") // 429

	// --json prints the service's response as received.
	for path, args := range map[string][]string{"/v1/account": {"account"}, "/v1/workspaces?maxResults=500": {"workspaces"}, "/v1/operations/" + bundle: {"operations", "show", bundle}} {
		_, body, err := get(t, s.base+path, ada)
		if got := quiet.types(0, "", append(args, "--json")...); err != nil || got.stdout != strings.TrimRight(string(body), "\n")+"\n" {
			t.Errorf("%v --json: got\n%s\nwant the service's response, or %v:\n%s", args, got.stdout, err, body)
		}
	}

	// A start whose response is lost is sent again, and takes effect once.
	lossy, err := client.Open(s.base, client.Options{Token: client.Token(ada), Transport: &losing{}, Pause: hurry})
	if err != nil {
		t.Fatal(err)
	}
	again, err := lossy.AssessSemanticModelWithResponse(t.Context(), uuid.MustParse("dd861a23-9ffc-5a77-a120-f2f1e51bfd19"), uuid.MustParse("63f8bf57-ab8c-5e3a-92f1-842df8148104"), nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := lossy.ListOperationsWithResponse(t.Context(), nil)
	if err != nil || list.JSON200.Value[0].ID != again.JSON202.OperationID ||
		optional.Text(list.JSON200.Value[1].OperationType) != "AssessSemanticModel" ||
		list.JSON200.Value[1].ID.String() != lastID(t, twice.stdout) {
		t.Errorf("a repeated start: got operations %v, error %v", list.JSON200.Value[:2], err)
	}

	y.types(0, "", "logout")
	y.types(1, "", "logout")
	for _, made := range tokens {
		signature := made[strings.LastIndexByte(made, '.')+1:]
		if strings.Contains(y.screen.String()+s.stderr.String(), signature) {
			t.Error("a token was shown")
		}
	}

	y.golden("client.golden", s.base)
}

// golden compares the output with a file.
func (y *typist) golden(name, base string, replaced ...string) {
	y.t.Helper()
	golden := filepath.Join("testdata", name)
	got := strings.NewReplacer(replaced...).Replace(cutAnswer(y.lasting(base)))
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			y.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		y.t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		y.t.Errorf("the screen (-want +got; rewrite with -update):\n%s", diff)
	}
}

// losing drops the response to the first request.
type losing struct{ lost bool }

func (l *losing) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && !l.lost {
		l.lost = true
		err = errors.Join(errors.New("the connection is lost"), answer.Body.Close())
		return nil, err
	}
	return answer, err
}

// cutAnswer shortens a JSON response to a marker.
func cutAnswer(screen string) string {
	return regexp.MustCompile(`(?m)^\{".*\}$`).ReplaceAllString(screen, "{…}")
}

func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(filepath.Join(dir, path))
		files[path] = string(b)
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, error %v", dir, len(files), err)
	}
	return files
}

// saves writes the default profile, and returns its path.
func (y *typist) saves(baseURL, token string) string {
	y.t.Helper()
	path := filepath.Join(y.config, "profiles", "default.json")
	testworld.Write(y.t, path, fmt.Sprintf(`{"baseUrl": %q, "token": %q}`, baseURL, token))
	if err := os.Chmod(path, 0o600); err != nil {
		y.t.Fatal(err)
	}
	return path
}

// Error messages about a profile that cannot be used do not contain the token.
func TestUnusableProfiles(t *testing.T) {
	t.Parallel()
	y := newTypist(t)
	const secret = "aaaa.bbbb.cccc"
	path := y.saves("http://127.0.0.1:1", secret)
	for name, tt := range map[string]struct {
		text string
		mode fs.FileMode
		want string
	}{
		"readable by others": {`{"baseUrl": "http://127.0.0.1:1", "token": "` + secret + `"}`, 0o640, "chmod 600"},
		"cut short":          {`{"baseUrl": "http://127.0.0.1:1", "token": "` + secret, 0o600, "is not a valid profile"},
		"without a token":    {`{"baseUrl": "http://127.0.0.1:1"}`, 0o600, "is not a valid profile"},
		"with a name in it":  {`{"baseUrl": "http://ada:` + secret + `@127.0.0.1:1", "token": "x"}`, 0o600, "is not a valid profile"},
	} {
		if err := os.WriteFile(path, []byte(tt.text), tt.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, tt.mode); err != nil {
			t.Fatal(err)
		}
		if got := y.types(cli.ExitFailed, "", "account"); !strings.Contains(got.stderr, tt.want) || strings.Contains(got.stderr, secret) {
			t.Errorf("%s: got %q, want %q in it", name, got.stderr, tt.want)
		}
	}
}

// Command lines that are wrong make no call.
func TestClientUsage(t *testing.T) {
	t.Parallel()
	y := newTypist(t)
	const id = "01a1fe19-b4e6-73d6-a5f4-307239dadc95"
	for want, args := range map[string][]string{
		"needs one of: abtests account":               {},
		"--base-url: the address":                     {"login"},
		"must not contain a ":                         {"login", "--base-url", "https://ada:secret@example.com"},
		"--profile must be":                           {"account", "--profile", "../default"},
		"missing\nUsage: readiness client models":     {"models"},
		"an argument is missing":                      {"assess", "Sales"},
		"not the id of an operation":                  {"operations", "show", "last"},
		"not the id of a preview":                     {"apply", "last"},
		"needs the id of a preview":                   {"apply", "Sales", "Model"},
		"--approval must be none":                     {"apply", "Sales", "Model", "--approval", "required"},
		"needs WORKSPACE and MODEL":                   {"apply", id, "--approval", "none"},
		"cannot be combined with --app":               {"apply", "Sales", "Model", "--approval", "none", "--key", "x"},
		"--kind cannot be combined with":              {"apply", "Sales", "Model", "properties", "--approval", "none", "--kind", "properties"},
		"--limit must be at least 1":                  {"operations", "list", "--limit", "0"},
		`unknown command "scores"`:                    {"scores"},
		"pixies needs one of: add remove":             {"pixies"},
		"operations needs one of: cancel ":            {"operations"},
		"audit needs one of: view":                    {"audit"},
		"either --position or --time":                 {"audit", "view", "accounts"},
		"either --position or":                        {"audit", "view", "accounts", "--position", "1", "--time", "2026-01-01T00:00:00Z"},
		"--time must be like":                         {"audit", "view", "accounts", "--time", "yesterday"},
		"benchmark needs one of: export generate imp": {"benchmark"},
		"not the id of a run":                         {"benchmark", "result", "Sales", "Model", "last"},
		"--agent and --provider cannot":               {"benchmark", "run", "Sales", "Model", "--agent", "a", "--provider", "p"},
		"abtests needs one of: create ":               {"abtests"},
		"create needs NAME, WORKSPACE":                {"abtests", "create", "Again", "Sales"},
		"contains the complete request":               {"abtests", "create", "Again", "--file", "x"},
		"--reuse-side-a needs --run":                  {"abtests", "create", "Again", "Sales", "Model", "--reuse-side-a"},
		"--imported takes two runs":                   {"abtests", "create", "Two", "Sales", "Model", "--imported", id},
		"are not ids of runs":                         {"abtests", "create", "Two", "Sales", "Model", "--imported", "a,b"},
		"not the id of an A/B test":                   {"abtests", "show", "Again"},
		"owner needs one of: remove ":                 {"owner"},
		"notes needs one of: add ":                    {"notes"},
		"not the id of a note":                        {"notes", "remove", "Sales", "Model", "last"},
		"schedules needs one of: add ":                {"schedules"},
		"add needs --at HH:MM":                        {"schedules", "add", "Sales", "Model", "--daily"},
		"--daily and --weekly cannot":                 {"schedules", "change", id, "--daily", "--weekly", "Monday"},
		"change needs one of":                         {"schedules", "change", id},
		"not the id of a schedule":                    {"schedules", "delete", "first"},
		"providers needs one of: delete ":             {"providers"},
		"webhooks needs one of: change ":              {"webhooks"},
		"create needs --address-file":                 {"webhooks", "create", "--event", "operation.ended"},
		"change needs one of --address-file":          {"webhooks", "change", id},
		"not the id of a webhook":                     {"webhooks", "test", "first"},
		"--kind must be one of openai":                {"providers", "save", "Ours", "--kind", "rules"},
		"--agent and --workspace must":                {"providers", "save", "Ours", "--agent", "x"},
	} {
		if got := y.run(t.Context(), "", args...); got.code != cli.ExitUsage || !strings.Contains(got.stderr, want) || got.stdout != "" {
			t.Errorf("%v: got exit code %d, %q, want %d and %q", args, got.code, got.stderr, cli.ExitUsage, want)
		}
	}
	y.saves("http://127.0.0.1:1", "t")
	if got := y.run(t.Context(), "", "account", "--timeout", "0s"); got.code != cli.ExitUsage || !strings.Contains(got.stderr, "--timeout") {
		t.Errorf("no time: got %+v", got)
	}
}

// The environment replaces a profile, and a profile's token is never sent elsewhere.
func TestClientEnvironment(t *testing.T) {
	var asked []string
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"value":[{"workspaceId":"464c71cb-5954-5e3d-91a5-dbc88e2ba40d","workspaceName":"a\u001b[31m\nb"}]}`)
	}))
	defer service.Close()
	y := newTypist(t)
	y.saves(service.URL, "kept")
	if got := y.types(0, "", "workspaces").stdout; !strings.Contains(got, "\na\ufffd[31m b ") {
		t.Errorf("a terminal would obey %q", got)
	}
	t.Setenv("READINESS_CLIENT_BASE_URL", service.URL)
	if got := y.types(cli.ExitUsage, "", "workspaces"); !strings.Contains(got.stderr, "READINESS_CLIENT_TOKEN") {
		t.Errorf("an address without a token: got %q", got.stderr)
	}
	t.Setenv("READINESS_CLIENT_TOKEN", "given")
	y.types(0, "", "workspaces")
	t.Setenv("READINESS_CLIENT_BASE_URL", "")
	t.Setenv("READINESS_CLIENT_JSON", "true")
	y.types(0, "", "workspaces")
	t.Setenv("READINESS_CLIENT_PROFILE", "nobody")
	if got := y.types(cli.ExitFailed, "", "workspaces"); !strings.Contains(got.stderr, "--base-url URL --profile nobody") {
		t.Errorf("a missing profile: got %q", got.stderr)
	}
	if want := []string{"Bearer kept", "Bearer given", "Bearer given"}; cmp.Diff(want, asked) != "" {
		t.Errorf("got tokens %q, want %q", asked, want)
	}
}
