package audit_test

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/domain"
	"readiness/eventstore"
	"readiness/eventstore/audit"
	"readiness/eventstore/audit/tree"
	"readiness/test/pgtest"
)

const origin = "readiness.example.com/audit"

var key = ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))

type noted struct {
	Text string `json:"text"`
}

func (noted) EventType() string { return "note.noted" }

// world is a log with its trees.
type world struct {
	testing.TB
	url   string
	pool  *pgxpool.Pool
	store *eventstore.Store
	log   *audit.Log
	notes [][]byte // known published heads
	now   time.Time
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{TB: t, url: pgtest.URL(t), now: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)}
	w.pool = w.open(nil)
	w.store, w.log = w.over(w.pool)
	w.must(w.log.Begin(t.Context(), origin))
	return w
}

func (w *world) open(tracer pgx.QueryTracer) *pgxpool.Pool {
	w.Helper()
	config, err := pgxpool.ParseConfig(w.url)
	w.must(err)
	config.ConnConfig.Tracer = tracer
	pool, err := pgxpool.NewWithConfig(w.Context(), config)
	w.must(err)
	w.Cleanup(pool.Close)
	return pool
}

// over returns the log and its trees over a pool.
func (w *world) over(pool *pgxpool.Pool) (*eventstore.Store, *audit.Log) {
	codec, err := eventstore.NewCodec(eventstore.Events(noted{})...)
	w.must(err)
	store := eventstore.New(pool, codec, eventstore.Options{Now: func() time.Time { return w.now }})
	return store, audit.New(audit.Options{Pool: pool, Watermark: store.Watermark, Key: key, Now: func() time.Time { return w.now },
		Published: func(context.Context) ([][]byte, error) { return w.notes, nil }, Log: slog.New(slog.DiscardHandler)})
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

type adds []domain.Event

func (a adds) Decide(struct{}) ([]domain.Event, error) { return a, nil }

// add appends events with texts to a stream of an account.
func (w *world) add(account, stream string, texts ...string) {
	w.Helper()
	past := eventstore.Tail("note-" + stream)
	events := make(adds, len(texts))
	for i, text := range texts {
		events[i] = noted{text}
	}
	w.must(w.store.Change(w.Context(), eventstore.Metadata{Account: account, Person: "ada"}, []eventstore.Loadable{past},
		func(c *eventstore.Change) error { return eventstore.Decide(c, past, events) }))
}

func (w *world) seal() {
	w.Helper()
	w.must(w.log.Seal(w.Context()))
}

// lines returns the export lines of an account, of all if it is empty.
func (w *world) lines(account string) (lines []string) {
	w.Helper()
	var b strings.Builder
	_, err := w.store.Export(w.Context(), &b, eventstore.NDJSON, eventstore.Selection{Account: account})
	w.must(err)
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// checked returns the head of a tree after comparing its size, root, note, tiles and entries with the log.
func (w *world) checked(of string) audit.Head {
	w.Helper()
	head, err := w.log.Head(w.Context(), of, audit.Current)
	w.must(err)
	opened, err := audit.Opened(head.Note, audit.Origin(origin, of, head.Epoch), key.Public().(ed25519.PublicKey))
	w.must(err)
	if opened != head.Head {
		w.Errorf("the note of %q says %+v, the tree is %+v", of, opened, head.Head)
	}
	edge := &tree.Edge{}
	for r, err := range w.store.ReadStored(w.Context(), eventstore.Selection{Account: of, UpTo: head.Position}) {
		w.must(err)
		entry := audit.ServiceEntry(r.Position, r.Hash)
		if of != audit.Service {
			entry, err = r.Entry()
			w.must(err)
		}
		edge.Append(tree.Leaf(entry))
	}
	if edge.Size() != head.Size || edge.Root() != head.Root {
		w.Errorf("the tree of %q is %d, %s, and that of the log %d, %s", of, head.Size, head.Root, edge.Size(), edge.Root())
	}
	for _, tile := range edge.Changed() {
		got, err := w.log.Tile(w.Context(), of, audit.Current, tree.Request{At: tile.At, Count: len(tile.Hashes) / sha256.Size})
		if err != nil || string(got) != string(tile.Hashes) {
			w.Errorf("tile %v of %q differs, %v", tile.At, of, err)
		}
	}
	return head
}

// Each account's tree has exactly the export lines of its events, and the service's has every event. Heads are signed, only larger
// trees get new ones, and sealing in pages gives the same trees as sealing at once.
func TestSeal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.seal()
	if _, err := w.log.Head(t.Context(), audit.Service, audit.Current); err != audit.ErrNotSealed {
		t.Errorf("an empty log has a head: %v", err)
	}
	w.add("acme", "1", "a", "b")
	w.add("other", "2", "c")
	w.seal()
	if h := w.checked("acme"); h.Size != 2 {
		t.Errorf("acme has %d entries", h.Size)
	}
	if h := w.checked("other"); h.Size != 1 {
		t.Errorf("other has %d entries", h.Size)
	}
	before := w.checked(audit.Service)
	w.now = w.now.Add(time.Hour)
	w.seal()
	if h := w.checked(audit.Service); h.Size != 3 || string(h.Note) != string(before.Note) {
		t.Errorf("the head changed from %+v to %+v, and nothing happened", before, h)
	}
	var heads int
	w.must(w.pool.QueryRow(t.Context(), `SELECT count(*) FROM audit_checkpoints`).Scan(&heads))
	if heads != 3 {
		t.Errorf("%d heads, want 3", heads)
	}
	for i := range 13 { // of 1,000 events: more than two pages
		texts := make([]string, 1000)
		w.add("acme", fmt.Sprint("many", i), texts...)
	}
	w.seal()
	w.checked("acme")
	if h := w.checked(audit.Service); h.Size != 13_003 {
		t.Errorf("%d entries", h.Size)
	}
	w.must(w.pool.QueryRow(t.Context(), `SELECT count(*) FROM audit_checkpoints WHERE tree = ''`).Scan(&heads))
	if heads != 4 {
		t.Errorf("%d heads of the service's tree, want one a page", heads)
	}
}

// A bundle has the lines themselves. A line that is too long for a bundle has the hash of its data.
func TestEntries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("x", 70_000)
	w.add("acme", "1", "a", long)
	w.add("other", "1-other", "b")
	w.add("acme", "2", "c")
	w.seal()
	lines := w.lines("acme")
	if len(lines[1]) < 70_000 || !strings.Contains(lines[1], long) {
		t.Error("the export lacks the long text")
	}
	sum := sha256.Sum256([]byte(`{"text":"` + long + `"}`))
	lines[1] = strings.Replace(lines[1], `"data":{"text":"`+long+`"}`, fmt.Sprintf(`"dataSha256":"%x"`, sum), 1)
	want := ""
	for _, line := range lines {
		want += string([]byte{byte(len(line) >> 8), byte(len(line))}) + line
	}
	got, err := w.log.Tile(t.Context(), "acme", audit.Current, tree.Request{Entries: true, Count: 3})
	if err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	first := want[:2+len(lines[0])]
	if got, err := w.log.Tile(t.Context(), "acme", audit.Current, tree.Request{Entries: true, Count: 1}); err != nil || string(got) != first {
		t.Errorf("got %q, %v, want %q", got, err, first)
	}
	for what, r := range map[string]tree.Request{
		"more entries": {Entries: true, Count: 4}, "a later bundle": {At: tree.At{Index: 1}, Entries: true, Count: 1},
		"more hashes": {Count: 4}, "a higher level": {At: tree.At{Level: 1}, Count: 1},
	} {
		if got, err := w.log.Tile(t.Context(), "acme", audit.Current, r); err != audit.ErrNotSealed {
			t.Errorf("%s: got %q, %v", what, got, err)
		}
	}
}

// A row of the trees cannot be reset to an earlier state or deleted, even by a role that may write it.
func TestTreesOnlyGrow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add("acme", "1", "a", "b")
	w.seal()
	for _, sql := range []string{
		`UPDATE audit_trees SET size = size - 1`, `UPDATE audit_trees SET root = sha256('x')`, `DELETE FROM audit_trees`, `TRUNCATE audit_trees CASCADE`,
		`UPDATE audit_tiles SET hashes = substr(hashes, 1, 32) WHERE tree = ''`, `UPDATE audit_tiles SET hashes = sha256('x') || sha256('y')`, `DELETE FROM audit_tiles`,
		`UPDATE audit_checkpoints SET note = 'x'`, `DELETE FROM audit_checkpoints`, `UPDATE audit_epochs SET origin = 'x'`, `DELETE FROM audit_epochs`,
		`INSERT INTO audit_checkpoints SELECT * FROM audit_checkpoints`,
	} {
		if _, err := w.pool.Exec(t.Context(), sql); err == nil {
			t.Errorf("%s: accepted", sql)
		}
	}
	w.checked("acme")
}

// parsed reads a proof file.
func parsed(t testing.TB, file []byte) (proof []tree.Hash, index int64, note string) {
	t.Helper()
	head, note, _ := strings.Cut(string(file), "\n\n")
	lines := strings.Split(head, "\n")
	if _, err := fmt.Sscanf(lines[1], "index %d", &index); err != nil || lines[0] != "c2sp.org/tlog-proof@v1" {
		t.Fatalf("got %q, %v", file, err)
	}
	for _, line := range lines[2:] {
		hash, err := base64.StdEncoding.DecodeString(line)
		if err != nil {
			t.Fatal(err)
		}
		proof = append(proof, tree.Hash(hash))
	}
	return proof, index, note
}
