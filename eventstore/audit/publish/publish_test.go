package publish_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"readiness/domain"
	"readiness/eventstore"
	"readiness/eventstore/audit"
	"readiness/eventstore/audit/publish"
	"readiness/eventstore/audit/tree"
	"readiness/test/pgtest"
)

const origin = "readiness.example.com/audit"

type noted struct {
	Text string `json:"text"`
}

func (noted) EventType() string { return "note.noted" }

// world is a log with its trees and a folder for its heads.
type world struct {
	*testing.T
	pool   *pgxpool.Pool
	store  *eventstore.Store
	folder string
	leads  bool
	now    time.Time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, pool: pgtest.Pool(t), folder: filepath.Join(t.TempDir(), "heads"), leads: true, now: time.Now().UTC()}
	codec, err := eventstore.NewCodec(eventstore.Events(noted{})...)
	w.must(err)
	w.store = eventstore.New(w.pool, codec, eventstore.Options{})
	w.must(os.Mkdir(w.folder, 0o700))
	log, _ := w.process()
	w.must(log.Begin(t.Context(), origin))
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// process returns the trees and the publisher of a process that has just started.
func (w *world) process() (*audit.Log, *publish.Publisher) {
	w.Helper()
	bucket, err := publish.Open(w.Context(), "file://"+w.folder)
	w.must(err)
	w.Cleanup(func() { w.must(bucket.Close()) })
	publish.Hasten(bucket)
	o := audit.Options{Pool: w.pool, Watermark: w.store.Watermark, Key: ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)),
		Now: func() time.Time { return w.now }, Log: slog.New(slog.DiscardHandler)}
	var p *publish.Publisher
	o.Published = func(ctx context.Context) ([][]byte, error) { return p.Published(ctx) }
	log := audit.New(o)
	p = publish.New(publish.Options{Log: log, Bucket: bucket, Leads: func(context.Context) (bool, error) { return w.leads, nil },
		Now: func() time.Time { return w.now }, Logger: slog.New(slog.DiscardHandler)})
	return log, p
}

type adds []domain.Event

func (a adds) Decide(struct{}) ([]domain.Event, error) { return a, nil }

func (w *world) add(account string, n int) {
	w.Helper()
	past := eventstore.Tail("note-" + account)
	events := make(adds, n)
	for i := range events {
		events[i] = noted{"text"}
	}
	w.must(w.store.Change(w.Context(), eventstore.Metadata{Account: account, Person: "ada"}, []eventstore.Loadable{past},
		func(c *eventstore.Change) error { return eventstore.Decide(c, past, events) }))
}

// files returns the notes of the folder by name.
func (w *world) files() map[string]string {
	w.Helper()
	found := map[string]string{}
	w.must(filepath.WalkDir(w.folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(w.folder, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		found[name] = string(text)
		return err
	}))
	return found
}

// published checks that the folder holds every signed head, and nothing else.
func (w *world) published() {
	w.Helper()
	rows, err := w.pool.Query(w.Context(), `SELECT note, size FROM audit_checkpoints`)
	w.must(err)
	want := map[string]string{}
	var note string
	var size int64
	_, err = pgx.ForEachRow(rows, []any{&note, &size}, func() error {
		of, _, _ := strings.Cut(note, "\n")
		want[publish.Key(of, size)] = note
		return nil
	})
	w.must(err)
	got := w.files()
	for name, note := range want {
		if got[name] != note {
			w.Errorf("%s holds %q, want %q", name, got[name], note)
		}
	}
	if len(got) != len(want) || len(want) == 0 {
		w.Errorf("%d notes are published of %d", len(got), len(want))
	}
}

func TestKey(t *testing.T) {
	t.Parallel()
	for size, want := range map[int64]string{0: "o/checkpoint/000/000/000/000", 1234: "o/checkpoint/000/000/001/234",
		999_999_999_999: "o/checkpoint/999/999/999/999", 1_000_000_000_000: "o/checkpoint/1000/000/000/000"} {
		if got := publish.Key("o", size); got != want {
			t.Errorf("%d: got %s, want %s", size, got, want)
		}
	}
}

// Every signed head is published once, by the leading process, even if another process died before publishing it.
func TestPublish(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	log, p := w.process()
	w.must(p.Round(t.Context())) // nothing is signed yet
	if got := w.files(); len(got) > 0 {
		t.Errorf("before anything was signed: %v", got)
	}
	w.add("acme", 3)
	w.must(log.Seal(t.Context()))
	w.leads = false
	w.must(p.Round(t.Context()))
	if got := w.files(); len(got) > 0 || published(p) >= 0 {
		t.Errorf("a process that does not lead published %v", got)
	}
	w.leads = true
	w.must(p.Round(t.Context()))
	w.published()
	w.now = w.now.Add(7 * time.Second)
	if got := published(p); got != 7 {
		t.Errorf("everything was published %v seconds ago", got)
	}
	for n := range 5 { // each dies after it signed
		log, _ = w.process()
		w.add([]string{"acme", "other"}[n%2], 1+n)
		w.must(log.Seal(t.Context()))
	}
	before := w.files()
	_, p = w.process()
	w.must(p.Round(t.Context()))
	w.published()
	for name, note := range before {
		if w.files()[name] != note {
			t.Errorf("%s was overwritten", name)
		}
	}
	newest, err := p.Published(t.Context())
	w.must(err)
	head, err := log.Head(t.Context(), audit.Service, audit.Current)
	w.must(err)
	if len(newest) != 1 || string(newest[0]) != string(head.Note) {
		t.Errorf("the newest is %q, want %q", newest, head.Note)
	}
}

// published returns the metric of a publisher, -1 for none.
func published(p *publish.Publisher) float64 {
	r := prometheus.NewRegistry()
	r.MustRegister(p)
	families, err := r.Gather()
	if err != nil || len(families) != 1 {
		return -1
	}
	return families[0].GetMetric()[0].GetGauge().GetValue()
}

// A process that dies at any write has published a part, in which no account's head before a head of all events is missing. The next
// process publishes the rest.
func TestKilledWhilePublishing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	log, _ := w.process()
	for range 4 {
		for _, account := range []string{"acme", "other", "third"} {
			w.add(account, 2)
		}
		w.must(log.Seal(t.Context()))
	}
	for at := 1; ; at++ {
		_, p := w.process()
		ctx, kill := context.WithCancel(t.Context())
		publish.AtWrite(p, at, kill)
		err := p.Round(ctx)
		kill()
		of := map[string]int{}
		for name := range w.files() {
			tree, _, _ := strings.Cut(name, "/checkpoint/")
			of[strings.TrimPrefix(tree, origin)]++
		}
		if of[""] > min(of["/accounts/acme"], of["/accounts/other"], of["/accounts/third"]) {
			t.Fatalf("of the trees there are %v", of)
		}
		if err == nil {
			break
		}
		if at > 20 {
			t.Fatal(err)
		}
	}
	w.published()
}

// A database behind what it has published signs and publishes nothing until it is restarted; then what it signs is published under the
// name of the new epoch.
func TestRestored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	log, p := w.process()
	tables := []string{"events", "streams", "audit_trees", "audit_tiles", "audit_checkpoints"}
	w.add("acme", 2)
	w.must(log.Seal(t.Context()))
	w.as("CREATE SCHEMA kept")
	for _, table := range tables {
		w.as("CREATE TABLE kept." + table + " AS TABLE " + table)
	}
	w.add("acme", 3)
	w.must(log.Seal(t.Context()))
	w.must(p.Round(t.Context()))
	before := w.files()
	for i := range tables {
		w.as("DELETE FROM " + tables[len(tables)-1-i])
	}
	for _, table := range tables {
		w.as("INSERT INTO " + table + " SELECT * FROM kept." + table)
	}
	w.as("SELECT setval('events_position_seq', 2)")
	w.add("acme", 4)

	for _, of := range []string{"the process that published", "a new process"} {
		if err := log.Seal(t.Context()); !errors.Is(err, audit.ErrBehind) {
			t.Errorf("%s seals: %v", of, err)
		}
		if err := p.Round(t.Context()); !errors.Is(err, audit.ErrBehind) {
			t.Errorf("%s publishes: %v", of, err)
		}
		log, p = w.process()
	}
	if head, err := log.Head(t.Context(), audit.Service, audit.Current); err != nil || head.Size != 2 || len(w.files()) != len(before) {
		t.Errorf("it signed the size %d, %v, and there are %d notes", head.Size, err, len(w.files()))
	}
	if _, err := log.Restart(t.Context(), "restored", nil); err != nil {
		t.Fatal(err)
	}
	w.must(log.Seal(t.Context()))
	w.must(p.Round(t.Context()))
	after := w.files()
	for name, note := range before {
		if after[name] != note {
			t.Errorf("%s was overwritten", name)
		}
	}
	for _, name := range []string{publish.Key(origin+"/2", 1), publish.Key(origin+"/2", 7), publish.Key(origin+"/accounts/acme/2", 7)} {
		if after[name] == "" {
			t.Errorf("there is no %s", name)
		}
	}
	newest, err := p.Published(t.Context())
	if err != nil || len(newest) != 2 {
		t.Errorf("the newest heads of both epochs: %q, %v", newest, err)
	}
}

func (w *world) as(sql string) {
	w.Helper()
	_, err := w.pool.Exec(w.Context(), "BEGIN; SET LOCAL session_replication_role = replica; "+sql+"; COMMIT")
	w.must(err)
}

// A process whose bucket does not answer at the start signs nothing, because the database may be behind. Later the bucket is not needed.
func TestBucketIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	log, p := w.process()
	w.add("acme", 1)
	away := w.folder + ".away"
	w.must(os.Rename(w.folder, away))
	if err := log.Seal(t.Context()); err == nil || errors.Is(err, audit.ErrBehind) {
		t.Errorf("sealed without knowing what was published: %v", err)
	}
	w.must(os.Rename(away, w.folder))
	w.must(log.Seal(t.Context()))
	w.must(p.Round(t.Context()))
	w.must(os.Rename(w.folder, away))
	w.add("acme", 1)
	w.must(log.Seal(t.Context()))
	if err := p.Round(t.Context()); err == nil {
		t.Error("a round without a bucket ended well")
	}
	w.must(os.Rename(away, w.folder))
	w.must(p.Round(t.Context()))
	w.published()
}

// A head is not replaced by another one of its size, and publishing it again does nothing.
func TestContradicted(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	bucket, err := publish.Open(t.Context(), "file://"+folder)
	if err != nil {
		t.Fatal(err)
	}
	defer bucket.Close()
	put := func(root byte, more string) error {
		return bucket.Put(t.Context(), []byte(audit.Body(origin, tree.Head{Size: 5, Root: tree.Hash{root}})+"\n— x y\n"+more))
	}
	for _, err := range []error{put(1, ""), put(1, ""), put(1, "— witness z\n")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	contradicted, is := errors.AsType[*publish.Contradicted](put(2, ""))
	if !is || contradicted.Key != publish.Key(origin, 5) {
		t.Errorf("another head: %v", contradicted)
	}
	text, err := os.ReadFile(filepath.Join(folder, publish.Key(origin, 5)))
	if want := audit.Body(origin, tree.Head{Size: 5, Root: tree.Hash{1}}) + "\n— x y\n"; err != nil || string(text) != want {
		t.Errorf("the bucket has %q, %v", text, err)
	}
	if err := bucket.Put(t.Context(), []byte("no head")); err == nil {
		t.Error("a note that is no head was published")
	}
}
