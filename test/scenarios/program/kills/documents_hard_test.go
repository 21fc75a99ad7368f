//go:build hard

package kills_test

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/internal/bucket"
	"readiness/storage/documents"
	"readiness/test/scenarios/program"
	"readiness/test/testlog"
	"readiness/test/testworld"
)

// moreDocuments are stored before the service is, so that a move takes long enough to be killed.
const moreDocuments = 300

var fingerprintIn = regexp.MustCompile(`"fingerprintHash":"(sha256:[0-9a-f]{64})"`)

// TestHardKilledDocuments kills serve, a worker and moves to a bucket and back, at random instants of assessments, applies and reverts.
// After each move every document that an event names can be read, reverts have put the files back, and the bucket has what rows name and
// nothing else.
//
// proves: decisions/24/move decisions/24/sweep
func TestHardKilledDocuments(t *testing.T) {
	t.Parallel()
	d := newShelf(t)
	kills := program.Times(t, 5) // in each direction
	d.use(false)
	d.Life(d.rehearse)
	d.use(true)
	d.phase(kills, "bucket")
	d.use(false)
	d.phase(kills, "database")
	t.Logf("seed %d: %d lives, %d moves ended and %d were killed; %d applies and reverts of %d writes, %d assessments; failed: %v",
		d.Seed, len(d.Lives), d.moved, d.cut, d.ended, d.writes, len(d.assessed), d.failed)
	d.verify()
}

// shelf is a writer whose documents are in a bucket, and the bucket.
type shelf struct {
	*writer
	folder  string
	bucket  []string // flags
	without []string // args of serve without a bucket
	pool    *pgxpool.Pool
	store   *documents.Store

	other    uuid.UUID // the model that is assessed
	assessed []string  // operations
	asks     int

	moved, cut int // moves
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	url := testlog.URL(t)
	d := &shelf{writer: newWriter(t, "--database-url", url), folder: t.TempDir(), other: uuid.New()}
	d.Item(t, "Retail", "Other.SemanticModel", "Other", d.other)
	d.Put(program.Table(0), "Other.SemanticModel", "definition", "tables", "T.tmdl")
	d.before = d.files()
	d.bucket = []string{"--documents", "file://" + filepath.ToSlash(d.folder)}
	d.without = slices.Clone(d.Args)
	var err error
	d.pool, err = pgxpool.New(t.Context(), url)
	testworld.Check(t, err)
	t.Cleanup(d.pool.Close)
	d.store = documents.New(d.pool)
	b, err := bucket.Open(t.Context(), d.bucket[1])
	testworld.Check(t, err)
	t.Cleanup(func() { _ = b.Close() })
	d.store.Use(b, false)
	for i := range moreDocuments {
		_, stored, err := d.store.Put(t.Context(), fmt.Appendf(nil, "document %d", i))
		testworld.Check(t, err)
		_, err = d.pool.Exec(t.Context(), stored.SQL, stored.Args...)
		testworld.Check(t, err)
	}
	return d
}

// use has the next processes read the bucket and, with puts, put new documents there.
func (d *shelf) use(puts bool) {
	d.Args = append(slices.Clone(d.without), append(slices.Clone(d.bucket), fmt.Sprintf("--documents-put=%t", puts))...)
}

// phase kills that many times while documents move, lets the move end, and compares.
func (d *shelf) phase(kills int, to string) {
	d.T.Helper()
	d.Strike(kills, 400*time.Millisecond, func(lasts time.Duration) bool {
		inProgress := d.op != uuid.Nil
		d.liveAndMove(lasts, to)
		d.sweep()
		return inProgress || d.asked || d.op != uuid.Nil
	})
	serve := d.Launch()
	defer serve.Kill()
	d.finishWrites()
	d.Operate(append([]string{"documents", "move", "--to", to}, d.bucket...)...)
	for _, id := range d.assessed {
		if _, ok := d.ask(d.T.Context(), http.MethodGet, "/v1/operations/"+id+"/result", http.StatusOK, nil); !ok {
			d.T.Errorf("the result of assessment %s: %v", id, d.Last)
		}
	}
	serve.Kill()
	d.sweep()
	d.compare(to)
}

// liveAndMove is a life of serve, which has two workers, of a process that only works, and of a move. The worker dies first, or serve does.
func (d *shelf) liveAndMove(lasts time.Duration, to string) {
	d.T.Helper()
	worker := d.Begin(append(slices.Clone(d.Args), "--roles", "worker")...)
	serve := d.Launch()
	move := d.Begin(append(append([]string{"documents", "move", "--to", to}, d.bucket...), d.Database...)...)
	defer func() {
		for _, p := range []*program.Process{serve, worker} {
			p.Kill()
		}
		if move.Kill(); !move.Cmd.ProcessState.Exited() {
			d.cut++
			return
		}
		d.moved++
		if !move.Cmd.ProcessState.Success() {
			d.T.Errorf("the move: %v\n%s", move.Cmd.ProcessState, move.Stderr)
		}
	}()
	d.busy(lasts / 2)
	worker.Kill()
	d.busy(lasts / 2)
}

// busy is live, with an assessment for each apply and revert.
func (d *shelf) busy(lasts time.Duration) {
	d.T.Helper()
	if d.asks <= d.ended {
		status, got, err := program.Exchange(d.T.Context(), d.Base, d.tokens[d.asks%len(d.tokens)], http.MethodPost,
			fmt.Sprintf("/v1/workspaces/%s/semanticModels/%s/aiReadiness/assess", d.WorkspaceID, d.other), nil)
		switch {
		case err != nil || program.AgainLater(status, got):
		case status == http.StatusAccepted:
			d.asks++
			d.assessed = append(d.assessed, got["operationId"].(string))
		default:
			d.T.Errorf("an assessment: %d %v", status, got)
		}
	}
	d.live(d.T.Context(), lasts)
}

// sweep removes the objects that no row names, as if their time had come. No process that put one is alive.
func (d *shelf) sweep() {
	d.T.Helper()
	_, err := d.pool.Exec(d.T.Context(), `UPDATE document_objects SET due = now() - interval '1 second'`)
	testworld.Check(d.T, err)
	testworld.Check(d.T, d.store.Sweep(d.T.Context(), time.Now()))
}

// rows returns one column of text.
func (d *shelf) rows(sql string) []string {
	d.T.Helper()
	found, err := d.pool.Query(d.T.Context(), sql)
	testworld.Check(d.T, err)
	all, err := pgx.CollectRows(found, pgx.RowTo[string])
	testworld.Check(d.T, err)
	return all
}

// compare compares the log, the rows and the bucket, after all documents moved.
func (d *shelf) compare(to string) {
	d.T.Helper()
	named := map[string]bool{}
	for _, data := range d.rows(`SELECT data::text FROM events ORDER BY position`) {
		for _, found := range append(program.DocumentIn.FindAllStringSubmatch(data, -1), fingerprintIn.FindAllStringSubmatch(data, -1)...) {
			named[found[1]] = true
		}
	}
	for i := range moreDocuments {
		named[documents.Hash(fmt.Appendf(nil, "document %d", i))] = true
	}
	if len(named) <= moreDocuments {
		d.T.Errorf("%s: the events name no document", to)
	}
	for hash := range named {
		if body, err := d.store.Get(context.WithoutCancel(d.T.Context()), hash); err != nil || documents.Hash(body) != hash {
			d.T.Errorf("%s: %s has %d bytes, %v", to, hash, len(body), err)
		}
	}
	files := []string{}
	testworld.Check(d.T, filepath.WalkDir(d.folder, func(path string, f fs.DirEntry, err error) error {
		if err == nil && !f.IsDir() {
			path, err = filepath.Rel(d.folder, path)
			files = append(files, filepath.ToSlash(path))
		}
		return err
	}))
	objects := d.rows(`SELECT object FROM documents WHERE object IS NOT NULL`)
	slices.Sort(files)
	slices.Sort(objects)
	if diff := cmp.Diff(objects, files); diff != "" {
		d.T.Errorf("%s: -objects that rows name +files:\n%s", to, diff)
	}
	inDatabase, inBucket, unnamed, err := d.store.Places(d.T.Context())
	testworld.Check(d.T, err)
	elsewhere := inDatabase
	if to == "database" {
		elsewhere = inBucket
	}
	if elsewhere != 0 || unnamed != 0 {
		d.T.Errorf("%s: %d documents are elsewhere, and %d objects are registered", to, elsewhere, unnamed)
	}
}
