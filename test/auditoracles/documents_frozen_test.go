package auditoracles_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"readiness/internal/bucket"
	"readiness/storage/documents"
	"readiness/test/pgtest"
	"readiness/test/testlog"
	"readiness/test/testworld"
)

// TestFrozenDocuments freezes the network between the running program and a bucket on a third-party server for S3: every connection stays
// open, and nothing answers. Calls that need a document are refused within the time that a call may take, can be repeated, and append
// nothing. Calls that need none are answered meanwhile, although more calls wait for the bucket than there are connections to the database.
// Work waits, and a sweep and a move end. When the bucket answers again, everything is done once, every document can be read, and the
// bucket has what rows name.
//
// proves: decisions/24/frozen
func TestFrozenDocuments(t *testing.T) {
	t.Parallel()
	f := newFrozen(t)
	stop := f.serve()
	f.token = strings.TrimSpace(f.run("token", "--account", "contoso", "--person", "ada"))
	first := f.assess("first")
	f.ends(first)
	result := f.call(http.MethodGet, "/v1/operations/"+first+"/result", "", "")
	if result.status != http.StatusOK {
		t.Fatalf("the result is %d %s", result.status, result.text)
	}
	for i := range 20 {
		_, stored, err := documents.New(f.pool).Put(t.Context(), fmt.Appendf(nil, "document %d", i))
		f.stores(stored, err)
	}

	f.network.Swallow()
	f.refusesToStore()
	others := f.readsWhile(first)
	second := f.assess("second")
	f.movesAndSweeps()
	if is := f.call(http.MethodGet, "/v1/operations/"+second, "", ""); is.status != http.StatusOK || is.body["status"] == "Failed" || is.body["status"] == "Succeeded" {
		t.Errorf("work that has a document to store is %s", is.text)
	}
	f.network.Pass()

	f.await("the same result is read again", func() bool {
		is := f.call(http.MethodGet, "/v1/operations/"+first+"/result", "", "")
		return is.status == http.StatusOK && bytes.Equal(is.text, result.text)
	})
	f.ends(second)
	f.await("the call that was refused is accepted", func() bool { return f.save().status == http.StatusAccepted })
	f.ends(f.save().body["operationId"].(string)) // the answer under the same key
	f.run("documents", "move", "--to", "bucket", "--documents", f.address)
	if made := f.call(http.MethodGet, f.model+"assessments", "", "").body["value"].([]any); len(made) != 2 {
		t.Errorf("two assessments were made %d times", len(made))
	}
	stop()
	f.compare()
	t.Logf("%d other calls were answered while the bucket was frozen", others)
}

// frozen is a running program whose documents are in a bucket behind a network that is frozen.
type frozen struct {
	shop    // the same documents, on the other side of the network
	program string
	flags   []string // of the database
	address string   // of the bucket
	network *pgtest.Proxy
	model   string // its path
	base    string // of the service
	token   string
}

func newFrozen(t *testing.T) *frozen {
	t.Helper()
	url, data := testlog.URL(t), t.TempDir()
	straight := startS3(t)
	f := &frozen{program: built(t), flags: []string{"--database-url", url, "--data", data}}
	f.T, f.pool = t, testlog.Open(t, url)
	f.through(straight)
	b, err := bucket.Open(t.Context(), straight)
	must(t, err)
	t.Cleanup(func() { _ = b.Close() })
	f.bucket, f.Store = b, documents.New(f.pool)
	f.Use(b, true)
	f.model = "/v1/workspaces/" + f.id("workspace.json") + "/semanticModels/" + f.id("Store Operations.SemanticModel", ".platform") + "/aiReadiness/"
	return f
}

// through lets the program reach the bucket by the network only.
func (f *frozen) through(straight string) {
	f.Helper()
	at, err := url.Parse(straight)
	must(f, err)
	q := at.Query()
	f.network = pgtest.Between(f.T, q.Get("endpoint"))
	q.Set("endpoint", f.network.URL)
	at.RawQuery = q.Encode()
	f.address = at.String()
}

// id returns the id in a file of the sample workspace.
func (f *frozen) id(path ...string) string {
	f.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"../../samples/workspaces/Retail Analytics"}, path...)...))
	must(f, err)
	is := regexp.MustCompile(`"(?:id|logicalId)": *"([0-9a-f-]{36})"`).FindSubmatch(text)
	if is == nil {
		f.Fatalf("%s has no id", path)
	}
	return string(is[1])
}

// try runs a command of the program, and returns what it printed.
func (f *frozen) try(args ...string) (string, error) {
	out, err := exec.CommandContext(f.Context(), f.program, append(args, f.flags...)...).CombinedOutput()
	return string(out), err
}

func (f *frozen) run(args ...string) string {
	f.Helper()
	out, err := f.try(args...)
	if err != nil {
		f.Fatalf("%s: %v\n%s", args, err, out)
	}
	return out
}

// serve starts the service with few connections to the database, and returns what stops it.
func (f *frozen) serve() (stop func()) {
	f.Helper()
	cmd := exec.CommandContext(f.Context(), f.program, append([]string{"serve", "--listen", "127.0.0.1:0",
		"--platform", "folder:../../samples/workspaces", "--accounts", "../../samples/accounts.yaml", "--no-console", "--documents", f.address,
		"--database-connections", "6"}, f.flags...)...)
	said := &testworld.LogBook{}
	cmd.Stdout, cmd.Stderr = said, said
	must(f, cmd.Start())
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	stop = func() { _ = cmd.Process.Kill(); <-ended }
	f.Cleanup(func() {
		stop()
		if f.Failed() {
			f.Logf("the service reported\n%s", said)
		}
	})
	greeting := regexp.MustCompile(`Listening on (\S+),`)
	f.await("the service listens", func() bool {
		select {
		case <-ended:
			f.Fatalf("the service ended:\n%s", said)
		default:
		}
		is := greeting.FindStringSubmatch(said.String())
		if is != nil {
			f.base = is[1]
		}
		return is != nil
	})
	return stop
}

// await waits until is returns true, for minutes.
func (f *frozen) await(what string, is func() bool) {
	f.Helper()
	for began := time.Now(); !is(); {
		if time.Since(began) > 3*time.Minute {
			f.Fatalf("it did not happen that %s", what)
		}
		select {
		case <-f.Context().Done():
			f.Fatal(what)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// answer is what the service answered to a call; its status is 0 if it did not.
type answer struct {
	status int
	text   []byte
	body   map[string]any
	err    error
}

// call makes a call, which must be answered in a minute. That is twice as long as a call may take.
func (f *frozen) call(method, path, body, key string) (a answer) {
	ctx, cancel := context.WithTimeout(f.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, f.base+path, strings.NewReader(body))
	if err != nil {
		return answer{err: err}
	}
	r.Header.Set("Authorization", "Bearer "+f.token)
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer{err: err}
	}
	defer got.Body.Close()
	a.status = got.StatusCode
	if a.text, a.err = io.ReadAll(got.Body); a.err == nil {
		a.err = json.Unmarshal(a.text, &a.body)
	}
	return a
}

// refused checks that an answer is a refusal that says why and asks to call again.
func (f *frozen) refused(what string, a answer, code string) {
	f.Helper()
	if a.status != http.StatusServiceUnavailable || a.body["errorCode"] != code || a.body["isRetriable"] != true || !bytes.Contains(a.text, []byte("the store of the account's results")) {
		f.Errorf("%s: got %d %s, %v; want 503 %s that can be repeated", what, a.status, a.text, a.err, code)
	}
}

// assess starts an assessment.
func (f *frozen) assess(key string) (operation string) {
	f.Helper()
	a := f.call(http.MethodPost, f.model+"assess", "", key)
	if a.status != http.StatusAccepted {
		f.Fatalf("an assessment: %d %s, %v", a.status, a.text, a.err)
	}
	return a.body["operationId"].(string)
}

func (f *frozen) ends(operation string) {
	f.Helper()
	f.await("the operation succeeds", func() bool {
		a := f.call(http.MethodGet, "/v1/operations/"+operation, "", "")
		if a.body["status"] == "Failed" {
			f.Fatalf("it failed: %s", a.text)
		}
		return a.body["status"] == "Succeeded"
	})
}

// save saves questions of a model, which are a document.
func (f *frozen) save() answer {
	return f.call(http.MethodPost, f.model+"benchmark/questions/save", `{"questions":[{"text":"How many stores are there?","expected":{"value":"12"}}]}`, "save")
}

// refusesToStore makes a call that stores a document before it appends.
func (f *frozen) refusesToStore() {
	f.Helper()
	appended := func() (n int) {
		f.Helper()
		must(f, f.pool.QueryRow(f.Context(), `SELECT count(*) FROM events WHERE type NOT LIKE 'account.%'`).Scan(&n))
		return n
	}
	before := appended()
	f.refused("a call that stores a document", f.save(), "ThrottleStoreUnavailable")
	if after := appended(); after != before {
		f.Errorf("it appended %d events", after-before)
	}
}

// readsWhile makes more calls that read a document than there are connections to the database, and calls that need none until the first of
// them is answered. It returns how many those were.
func (f *frozen) readsWhile(operation string) (others int) {
	f.Helper()
	var reading sync.WaitGroup
	defer reading.Wait()
	first := make(chan struct{}, 24)
	for range cap(first) {
		reading.Go(func() {
			got := f.call(http.MethodGet, "/v1/operations/"+operation+"/result", "", "")
			if got.status != http.StatusTooManyRequests || got.body["isRetriable"] != true { // the turns of large calls are taken
				f.refused("a call that reads a document", got, "UnknownError")
			}
			first <- struct{}{}
		})
	}
	for {
		for _, path := range []string{"/v1/workspaces", f.model + "assessments", "/v1/operations/" + operation} {
			if a := f.call(http.MethodGet, path, "", ""); a.status != http.StatusOK {
				f.Errorf("%s: %d %s, %v", path, a.status, a.text, a.err)
			}
			others++
		}
		select {
		case <-first:
			return others
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// movesAndSweeps checks that a sweep and moves end, change nothing and say why.
func (f *frozen) movesAndSweeps() {
	f.Helper()
	var both sync.WaitGroup
	defer both.Wait()
	for _, to := range []string{"database", "bucket"} {
		both.Go(func() {
			out, err := f.try("documents", "move", "--to", to, "--documents", f.address)
			if _, ended := errors.AsType[*exec.ExitError](err); !ended || !strings.Contains(out, "0 documents moved; start the command again") ||
				!strings.Contains(out, documents.ErrUnavailable.Error()) {
				f.Errorf("a move to the %s: %v\n%s", to, err, out)
			}
		})
	}
	b, err := bucket.Open(f.Context(), f.address)
	must(f, err)
	defer b.Close()
	through := documents.New(f.pool)
	through.Use(b, true)
	_, _, err = f.Put(f.Context(), []byte("nothing names it"))
	must(f, err)
	_, err = f.pool.Exec(f.Context(), `UPDATE document_objects SET due = now() - interval '1 second'`)
	must(f, err)
	if err := through.Sweep(f.Context(), time.Now()); !errors.Is(err, documents.ErrUnavailable) {
		f.Errorf("a sweep: %v", err)
	}
	if err := through.Strays(f.Context(), time.Now(), true, func(string) {}); !errors.Is(err, documents.ErrUnavailable) {
		f.Errorf("a search for strays: %v", err)
	}
}

// compare compares the log, the rows and the bucket, after everything that no row names was removed: a put that was given up may have
// been done after its registration was swept.
func (f *frozen) compare() {
	f.Helper()
	objects := func() (listed []string) {
		found, next, err := f.bucket.List(f.Context(), bucket.FirstPage, 1000, "documents/", "")
		must(f, err)
		if len(next) > 0 {
			f.Fatal("the bucket has more than a page")
		}
		for _, o := range found {
			listed = append(listed, o.Key)
		}
		return listed
	}
	column := func(sql string) []string {
		rows, err := f.pool.Query(f.Context(), sql)
		must(f, err)
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		must(f, err)
		return all
	}
	f.sweep()
	must(f, f.Strays(f.Context(), time.Now().Add(time.Hour), true, func(key string) { f.Logf("a stray: %s", key) }))
	named := column(`SELECT object FROM documents WHERE object IS NOT NULL`)
	slices.Sort(named)
	if there := objects(); !slices.Equal(named, there) {
		f.Errorf("rows name the objects\n%v\nand the bucket has\n%v", named, there)
	}
	hashes := column(`SELECT hash FROM documents`)
	if all, err := f.GetAll(f.Context(), hashes); err != nil || len(all) != len(hashes) || len(all) < 22 {
		f.Errorf("%d of %d documents can be read: %v", len(all), len(hashes), err)
	}
	inDatabase, _, unnamed, err := f.Places(f.Context())
	if err != nil || inDatabase != 0 || unnamed != 0 {
		f.Errorf("%d documents are in the database, and %d objects are registered: %v", inDatabase, unnamed, err)
	}
	for _, event := range column(`SELECT data::text FROM events`) {
		for _, is := range regexp.MustCompile(`"(?:documentHash|document|questions|copyHash|fingerprintHash)":"(sha256:[0-9a-f]{64})"`).FindAllStringSubmatch(event, -1) {
			if !slices.Contains(hashes, is[1]) {
				f.Errorf("no document is %s, which an event names", is[1])
			}
		}
	}
}
