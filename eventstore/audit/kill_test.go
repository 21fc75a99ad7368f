package audit_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/eventstore"
	"readiness/eventstore/audit"
	"readiness/eventstore/audit/tree"
)

// killer closes the connection when statement number left begins, as the end of a process does.
type killer struct{ left atomic.Int64 }

func (k *killer) TraceQueryStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	if k.left.Add(-1) == 0 {
		_ = conn.PgConn().Conn().Close()
	}
	return ctx
}

func (k *killer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (k *killer) TraceBatchStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	if k.left.Add(-1) == 0 {
		_ = conn.PgConn().Conn().Close()
	}
	return ctx
}

func (k *killer) TraceBatchQuery(_ context.Context, conn *pgx.Conn, _ pgx.TraceBatchQueryData) {
	if k.left.Add(-1) == 0 {
		_ = conn.PgConn().Conn().Close()
	}
}

func (k *killer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// Two processes seal while a third appends. Each is killed at one of its statements, 200 times in all, at each of them several times. Every
// head that any of them signed is the head of the log at that size: no two of one size, and each continues the one before.
func TestKilledWhileSealing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const kills, statements = 200, 14
	killers := []*killer{{}, {}}
	logs := make([]*audit.Log, len(killers))
	for i, k := range killers {
		_, logs[i] = w.over(w.open(k))
	}
	killed := 0
	for round := 0; killed < kills; round++ {
		if round > 10*kills {
			t.Fatalf("after %d rounds there were %d kills", round, killed)
		}
		var wg sync.WaitGroup
		var died [2]bool
		for i := range logs {
			killers[i].left.Store(int64(1 + (round+7*i)%statements))
			wg.Go(func() { died[i] = logs[i].Seal(t.Context()) != nil })
		}
		w.add([]string{"acme", "other"}[round%2], fmt.Sprint("s", round%3, round%2), "text")
		wg.Wait()
		for i, k := range killers {
			k.left.Store(-1)
			if died[i] {
				killed++
			}
		}
	}
	w.seal()
	for _, of := range []string{audit.Service, "acme", "other"} {
		w.checked(of)
		w.everyHead(of)
	}
}

// everyHead compares all signed heads of a tree with the log.
func (w *world) everyHead(of string) {
	w.Helper()
	rows, err := w.pool.Query(w.Context(), `SELECT size, root, note FROM audit_checkpoints WHERE tree = $1 ORDER BY size`, of)
	w.must(err)
	signed := map[int64]string{}
	var size int64
	var root []byte
	var note string
	_, err = pgx.ForEachRow(rows, []any{&size, &root, &note}, func() error {
		if _, head, err := audit.ParseBody([]byte(note)); err != nil || head.Size != size || string(head.Root[:]) != string(root) {
			w.Errorf("the note at %d says %+v, %v", size, head, err)
		}
		signed[size] = string(root)
		return nil
	})
	w.must(err)
	edge := &tree.Edge{}
	for r, err := range w.store.ReadStored(w.Context(), eventstore.Selection{Account: of}) {
		w.must(err)
		entry := audit.ServiceEntry(r.Position, r.Hash)
		if of != audit.Service {
			entry, err = r.Entry()
			w.must(err)
		}
		edge.Append(tree.Leaf(entry))
		if want, ok := signed[edge.Size()]; ok {
			if got := edge.Root(); string(got[:]) != want {
				w.Errorf("the signed head of %q at %d is not that of the log", of, edge.Size())
			}
			delete(signed, edge.Size())
		}
	}
	if len(signed) > 0 {
		w.Errorf("heads of %q of sizes that the log does not have: %d", of, len(signed))
	}
}

// A proof shows that the event's own line is in the account's tree. There is none of another account's event.
func TestProof(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 40 {
		w.add("acme", fmt.Sprint("a", i), "1", "2", "3", "4", "5", "6", "7")
		w.add("other", fmt.Sprint("b", i), "x")
		if i%10 == 3 {
			w.seal()
		}
	}
	w.seal()
	w.add("acme", "late", "not sealed")
	head := w.checked("acme")
	i := int64(0)
	for r, err := range w.store.ReadStored(t.Context(), eventstore.Selection{}) {
		w.must(err)
		file, err := w.log.Proof(t.Context(), "acme", r.ID)
		if r.Account != "acme" || r.Position > head.Position {
			if err != audit.ErrNotSealed {
				t.Fatalf("position %d: got %q, %v", r.Position, file, err)
			}
			continue
		}
		w.must(err)
		proof, index, note := parsed(t, file)
		line, err := r.Line()
		w.must(err)
		if note != string(head.Note) || index != i || tree.Included(proof, head.Head, index, tree.Leaf(line)) != nil {
			t.Fatalf("position %d: the proof of entry %d does not hold for %d", r.Position, index, i)
		}
		i++
	}
	if i != head.Size || i != 280 {
		t.Errorf("%d events were proved of %d", i, head.Size)
	}
	if _, err := w.log.Proof(t.Context(), "acme", uuid.New()); err != audit.ErrNotSealed {
		t.Errorf("an event that there is not: %v", err)
	}
}
