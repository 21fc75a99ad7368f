package program_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/http/token"
	"readiness/internal/postgres"
	"readiness/internal/testlog"
	"readiness/internal/testworld"
	"readiness/platform/fabric/fabrictest"
)

var seed = flag.Uint64("crash.seed", 1, "seed of the instants at which the crash tests kill; 0 chooses one at random")

// TestKilledProcess kills the program at random instants of runs over many models.
//
// proves: 4.4/bulk/4 decisions/5/spent-when-accepted 8/allowance-assessments
func TestKilledProcess(t *testing.T) {
	t.Parallel()
	killProcess(t, 3, 40, 20)
}

// killProcess kills the program that many times in runs over that many models of that many tables.
func killProcess(t *testing.T, kills, models, tables int) {
	t.Helper()
	c := newCrash(t, models, tables, "--database-url", testlog.URL(t))
	c.life(func(context.Context) {})
	c.strike(kills, 120*time.Millisecond, func(lasts time.Duration) bool {
		before := c.unfinished()
		c.life(func(ctx context.Context) {
			ctx, cancel := context.WithTimeout(ctx, lasts)
			defer cancel()
			for ctx.Err() == nil {
				c.accept(ctx) // killed while it is being accepted, too
				c.wait(ctx, pollPause)
			}
		})
		return before || c.unfinished() // a kill before or after the run does not count
	})
	t.Logf("seed %d: %d kills over %d runs of %d models", c.seed, kills, len(c.runs), models)
	c.finish()
	c.verify()
}

// pollPause is the pause between two reads of an operation.
const pollPause = 30 * time.Millisecond

// crash is a service that is killed repeatedly.
type crash struct {
	t        *testing.T
	program  string
	data     string
	args     []string // of serve
	database []string // flags with which commands reach the database
	seed     uint64
	random   *rand.Rand

	testworld.Disk        // of the workspaces
	cluster        string // of the PostgreSQL that is killed

	base, token string
	entra       *fabrictest.Entra // where people sign in; nil for the program's own issuer
	workspace   uuid.UUID
	models      []uuid.UUID
	key         int
	runs        []uuid.UUID // accepted
	done        int         // how many of them are known to have ended
	lives       []*process
	last        map[string]any // answer
}

// newCrash returns a service with that many models to assess, of that many tables each.
func newCrash(t *testing.T, models, tables int, database ...string) *crash {
	t.Helper()
	c := newProgram(t, []string{"ada"}, database...)
	for i := range models {
		id, folder := uuid.New(), fmt.Sprintf("Model %03d.SemanticModel", i)
		c.models = append(c.models, id)
		c.Item(t, "Retail", folder, fmt.Sprintf("Model %03d", i), id)
		for j := range tables {
			c.put(table(j), folder, "definition", "tables", fmt.Sprintf("T%d.tmdl", j))
		}
	}
	return c
}

// newProgram returns the program with its own workspace and an account of the named people.
func newProgram(t *testing.T, people []string, database ...string) *crash {
	t.Helper()
	dir, err := os.MkdirTemp("", "readiness-crash-") // one that another user, PostgreSQL's, may enter
	check(t, err)
	t.Cleanup(func() { removeAll(t, dir) })
	check(t, os.Chmod(dir, 0o711))
	program, err := build()
	check(t, err)
	c := &crash{
		t: t, program: program, data: filepath.Join(dir, "data"), Disk: testworld.Disk{Root: filepath.Join(dir, "workspaces")}, database: database, seed: *seed,
		workspace: uuid.New(),
	}
	c.cluster = filepath.Join(c.data, "cluster")
	if c.seed == 0 {
		c.seed = rand.Uint64()
	}
	c.random = rand.New(rand.NewPCG(c.seed, 0))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("again with -crash.seed %d", c.seed)
		}
	})
	c.Workspace(t, testworld.Workspace{ID: c.workspace, Name: "Retail"})
	accounts := filepath.Join(dir, "accounts.yaml")
	text := "accounts:\n  - accountId: acme\n    plan: Enterprise\n    people:\n"
	for _, person := range people {
		text += fmt.Sprintf("      - {person: %s, role: admin}\n", person)
	}
	check(t, os.WriteFile(accounts, []byte(text), 0o644))
	c.args = append([]string{"serve", "--listen", "127.0.0.1:0", "--platform", "folder:" + c.Root, "--accounts", accounts, "--data", c.data, "--workers", "2"}, database...)
	c.database = append([]string{"--data", c.data}, database...)
	return c
}

// removeAll removes a folder to which the PostgreSQL of a killed service may still write for a moment.
func removeAll(t *testing.T, dir string) {
	t.Helper()
	began := time.Now()
	for err := os.RemoveAll(dir); err != nil; err = os.RemoveAll(dir) {
		if time.Since(began) > patience {
			t.Fatalf("after %s the folder was still not removed: %v", patience, err)
		}
		<-time.After(firstPause)
	}
}

// put writes a file of the workspace.
func (c *crash) put(text string, path ...string) {
	c.t.Helper()
	c.putIn("Retail", text, path...)
}

// putIn writes a file of the workspace in the folder.
func (c *crash) putIn(workspace, text string, path ...string) {
	c.t.Helper()
	c.Write(c.t, text, append([]string{workspace}, path...)...)
}

// table returns a table with findings.
func table(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "table T%d\n", i)
	for j := range 12 {
		fmt.Fprintf(&b, "\n\tcolumn cust_nm_%d\n\t\tdataType: string\n\t\tsourceColumn: c%d\n\n\tmeasure 'm %d' = SUM('T%d'[cust_nm_%d])\n", j, j, j, i, j)
	}
	return b.String()
}

// process is one life of the program.
type process struct {
	cmd            *exec.Cmd
	stdout, stderr *testworld.LogBook
	ended          chan struct{}
}

func (p *process) over() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// kill kills the process unless it has ended, and returns when it has.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.ended
}

var greeting = regexp.MustCompile(`Listening on (\S+),`)

// spawn starts the service.
func (c *crash) spawn() *process {
	c.t.Helper()
	p := c.begin(c.args...)
	c.lives = append(c.lives, p)
	return p
}

// begin starts the program. It is killed at the end of the test at the latest.
func (c *crash) begin(args ...string) *process {
	c.t.Helper()
	p := &process{cmd: exec.Command(c.program, args...), stdout: &testworld.LogBook{}, stderr: &testworld.LogBook{}, ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = p.stdout, p.stderr
	check(c.t, p.cmd.Start())
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // it is killed
	}()
	c.t.Cleanup(p.kill)
	return p
}

// launch starts the program and waits until it listens.
func (c *crash) launch() *process {
	c.t.Helper()
	p := c.spawn()
	c.await("the service listens", func() bool {
		if p.over() {
			c.t.Fatalf("the service ended: %v\n%s", p.cmd.ProcessState, p.stderr)
		}
		found := greeting.FindStringSubmatch(p.stdout.String())
		if found != nil {
			c.base = found[1]
		}
		return found != nil
	})
	c.token = c.mint("ada")
	return p
}

// mint makes a token of the service's embedded issuer, or of Entra, for the person.
func (c *crash) mint(person string) string {
	c.t.Helper()
	if c.entra != nil {
		made, err := c.entra.SignIn(fabricTenant, objectOf(person), time.Hour)
		check(c.t, err)
		return made
	}
	issuer, err := token.FindIssuer(c.data)
	check(c.t, err)
	made, err := issuer.Mint("acme", person, []string{token.ScopeRead, token.ScopeReadWrite}, time.Now(), time.Hour)
	check(c.t, err)
	return made
}

// life starts the program, runs do, and kills it. Sometimes it is killed before it listens.
func (c *crash) life(do func(context.Context)) {
	c.t.Helper()
	if len(c.runs) > 0 && c.random.IntN(5) == 0 {
		early := c.spawn()
		c.wait(c.t.Context(), time.Duration(c.random.Int64N(int64(400*time.Millisecond))))
		early.kill()
		return
	}
	p := c.launch()
	defer p.kill()
	do(c.t.Context())
}

// wait waits for a time.
func (c *crash) wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// await checks repeatedly, at growing intervals, until is returns true.
func (c *crash) await(what string, is func() bool) {
	c.t.Helper()
	began := time.Now()
	for pause := firstPause; !is(); pause = min(pause*3/2, 150*time.Millisecond) {
		if time.Since(began) > patience {
			c.t.Fatalf("after %s it was still not true that %s; the last answer was %v%s", patience, what, c.last, c.output())
		}
		c.wait(c.t.Context(), pause)
	}
}

// output returns the output of the program's last life.
func (c *crash) output() string {
	if len(c.lives) == 0 {
		return ""
	}
	return "\n" + c.lives[len(c.lives)-1].stderr.String()
}

// strike runs try until it counted n times, each for a random time. The longest time doubles after each try that did
// not count, so a machine of any speed reaches tries that count.
func (c *crash) strike(n int, longest time.Duration, try func(lasts time.Duration) (counted bool)) {
	c.t.Helper()
	for now := longest; n > 0; {
		if now > patience {
			c.t.Fatalf("nothing was in progress at any instant up to %s, so no kill counted; want %d more; the last answer was %v%s", now/2, n, c.last, c.output())
		}
		if try(time.Duration(c.random.Int64N(int64(now)))) {
			n, now = n-1, max(longest, now/2)
		} else {
			now *= 2
		}
	}
}

// call makes a call and reports whether it was answered with the status. A call that came too early or could not be
// counted is repeated, as a client would.
func (c *crash) call(ctx context.Context, method, path string, want int, body any, headers ...string) (map[string]any, bool) {
	for began := time.Now(); ; {
		status, got, err := exchange(ctx, c.base, c.token, method, path, body, headers...)
		if status != 0 {
			c.last = got
		}
		if againLater(status, got) && ctx.Err() == nil && time.Since(began) < patience {
			c.wait(ctx, time.Second)
			continue
		}
		if err != nil {
			return nil, false
		}
		return got, status == want
	}
}

// againLater reports whether an answer says that nothing was begun and that the call should be repeated.
func againLater(status int, got map[string]any) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable && got["isRetriable"] == true
}

// exchange makes a call and returns the status and the JSON object of the answer, or an error if there is no complete
// answer.
func exchange(ctx context.Context, base, token, method, path string, body any, headers ...string) (status int, got map[string]any, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // twice the service's own limit
	defer cancel()
	var reader io.Reader
	switch body := body.(type) {
	case nil:
	case string: // as it is
		reader = strings.NewReader(body)
	default:
		text, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		reader = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, base+path, reader)
	if err != nil {
		return 0, nil, err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	err = json.NewDecoder(answer.Body).Decode(&got)
	return answer.StatusCode, got, err
}

// accept starts a run unless one is in progress. A call without an answer is repeated under its key; the service knows
// whether it accepted the first one.
func (c *crash) accept(ctx context.Context) {
	if c.unfinished() {
		return
	}
	got, ok := c.call(ctx, http.MethodPost, "/v1/workspaces/"+c.workspace.String()+"/aiReadiness/assess", http.StatusAccepted,
		map[string]any{"semanticModelIds": c.models}, "Idempotency-Key", fmt.Sprintf("run-%d", c.key))
	switch {
	case ok:
		c.key++
		c.runs = append(c.runs, uuid.MustParse(got["operationId"].(string)))
	case got != nil && got["isRetriable"] != true:
		c.t.Fatalf("the run was refused: %v", got)
	}
}

// url returns the address of the database, "" while it is down.
func (c *crash) url() string {
	if len(c.database) > 2 {
		return c.database[3]
	}
	url, _ := postgres.Running(c.data)
	return url
}

// query reads one value from the database; ok is false while it does not answer.
func query[T any](c *crash, sql string, args ...any) (v T, ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.url())
	if err != nil {
		return v, false
	}
	defer conn.Close(ctx)
	return v, conn.QueryRow(ctx, sql, args...).Scan(&v) == nil
}

// unfinished reports whether the newest run is in progress. While the database does not answer, it returns the last
// known state.
func (c *crash) unfinished() bool {
	if len(c.runs) == c.done {
		return false
	}
	if ended, ok := query[bool](c, `SELECT EXISTS (SELECT FROM events WHERE stream = $1 AND type IN ('operation.succeeded', 'operation.failed'))`, "operation-"+c.runs[c.done].String()); ok && ended {
		c.done++
		return false
	}
	return true
}

// finish gives the service one more life, in which the rest of the last run ends.
func (c *crash) finish() {
	c.t.Helper()
	p := c.launch()
	defer p.kill()
	c.settle()
}

// settle waits until every run has ended and every step is done.
func (c *crash) settle() {
	c.t.Helper()
	c.await("the last run ends", func() bool { return !c.unfinished() })
	c.await("every step is done", func() bool {
		left, ok := query[int](c, `SELECT count(*) FROM river_job WHERE state <> 'completed'`)
		return ok && left == 0
	})
	for _, id := range c.runs {
		var result map[string]any
		c.await("the result is read", func() (ok bool) {
			result, ok = c.call(c.t.Context(), http.MethodGet, "/v1/operations/"+id.String()+"/result", http.StatusOK, nil)
			return ok
		})
		if result["succeeded"] != float64(len(c.models)) || len(result["value"].([]any)) != len(c.models) {
			c.t.Errorf("run %s: got %v of %d assessed, %d rows", id, result["succeeded"], len(c.models), len(result["value"].([]any)))
		}
	}
}

// verify compares the log with the calls: every run once, every model of it once, everything spent once.
func (c *crash) verify() {
	c.t.Helper()
	count := func(sql string, args ...any) int {
		c.t.Helper()
		n, ok := query[int](c, sql, args...)
		if !ok {
			c.t.Fatalf("the database does not answer: %s", sql)
		}
		return n
	}
	runs := len(c.runs)
	type counts struct {
		Accepted, Started, Succeeded, Failed, Ended, EndedTwice, Recorded, RecordedTwice int
		Spends, Spent, GivenBack, FirstLooks, Tokens, Rows                               int
	}
	of := func(kind string) int { return count(`SELECT count(*) FROM events WHERE type = $1`, kind) }
	got := counts{
		Accepted: of("operation.accepted"), Started: of("operation.started"), Succeeded: of("operation.succeeded"), Failed: of("operation.failed"),
		Ended:         of("assessment.model-ended"),
		EndedTwice:    count(`SELECT count(*) FROM (SELECT FROM events WHERE type = 'assessment.model-ended' GROUP BY stream, data->>'semanticModelId' HAVING count(*) > 1) twice`),
		Recorded:      of("assessment.recorded"),
		RecordedTwice: count(`SELECT count(*) FROM (SELECT FROM events WHERE type = 'assessment.recorded' GROUP BY stream, data->>'operationId' HAVING count(*) > 1) twice`),
		Spends:        count(`SELECT count(*) FROM events WHERE type = 'allowance.spent' AND data->>'kind' = 'assessments'`),
		Spent:         count(`SELECT coalesce(sum((data->>'amount')::int), 0) FROM events WHERE type = 'allowance.spent' AND data->>'kind' = 'assessments'`),
		GivenBack:     of("allowance.given-back"),
		FirstLooks:    count(`SELECT coalesce(sum((data->>'amount')::int), 0) FROM events WHERE type = 'allowance.spent' AND data->>'kind' = 'firstLooks'`),
		Tokens:        count(`SELECT count(*) FROM step_tokens`),
		Rows:          count(`SELECT count(*) FROM assessments_v4`),
	}
	all := runs * len(c.models)
	want := counts{Accepted: runs, Started: runs, Succeeded: runs, Ended: all, Recorded: all, Spends: runs, Spent: all, FirstLooks: len(c.models), Rows: all}
	if diff := cmp.Diff(want, got); diff != "" {
		c.t.Errorf("the log after %d runs (-want +got):\n%s", runs, diff)
	}
	c.operate("events", "verify")
	c.operate("projections", "rebuild", "--diff")
}

// operate runs an operator's command, which must succeed.
func (c *crash) operate(args ...string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeoutCause(c.t.Context(), patience, fmt.Errorf("it did not end in %s", patience))
	defer cancel()
	out, err := exec.CommandContext(ctx, c.program, append(args, c.database...)...).CombinedOutput()
	if err != nil {
		c.t.Errorf("readiness %s: %v (%v)\n%s", strings.Join(args, " "), err, context.Cause(ctx), out)
	}
}
