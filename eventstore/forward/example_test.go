package forward_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore"
	"readiness/test/pgtest"
)

// TestExample runs the unchanged consumer of docs/forwarding.md: killed and started again, it counts every event once.
func TestExample(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/forwarding.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```go\n")
	code, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("docs/forwarding.md has no example")
	}
	dir := t.TempDir()
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "consumer")
	if err := os.WriteFile(source, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	w := newWorld(t, 1, "always")
	own := pgtest.EmptyURL(t)
	db, err := pgx.Connect(t.Context(), own)
	w.must(err)
	defer db.Close(context.WithoutCancel(t.Context()))
	counted := func(account string) (n int) {
		_ = db.QueryRow(t.Context(), `SELECT n FROM assessments WHERE account = $1`, "/accounts/"+account).Scan(&n) // none before its first event
		return n
	}
	stop := w.running(nil)
	defer stop()
	const each = 60
	for round := 1; round <= 2; round++ {
		for range each {
			w.assess("contoso")
		}
		w.add("contoso", "a", 3, "another event")
		w.reached(w.last())
		consumer := exec.CommandContext(t.Context(), program)
		consumer.Env = append(os.Environ(), "DATABASE_URL="+own, "NATS_URL="+w.cluster.URL())
		w.must(consumer.Start())
		w.until(func() bool { return counted("contoso") >= round*each })
		w.must(consumer.Process.Kill())
		_ = consumer.Wait() // killed
	}
	if n := counted("contoso"); n != 2*each {
		t.Errorf("%d assessments are counted, want %d", n, 2*each)
	}
}

// assess appends an event that the example counts.
func (w *world) assess(account string) {
	w.Helper()
	past := eventstore.Tail("note-assessed")
	w.must(w.store.Change(w.Context(), eventstore.Metadata{Account: account}, []eventstore.Loadable{past},
		func(c *eventstore.Change) error { return eventstore.Decide(c, past, adds{recorded{}}) }))
}
