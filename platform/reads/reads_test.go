package reads_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/platform/fabric"
	"readiness/platform/reads"
	"readiness/test/pgtest"
)

// A read is found by the operation, person and item that it is for, by no other, and until it is dropped.
func TestReads(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	one, other := reads.Store{Pool: pool}, reads.Store{Pool: pool}
	r := fabric.Read{Operation: uuid.UUID{15: 1}, Person: "t/o", Item: uuid.UUID{15: 2}}
	find := func(r fabric.Read, want string) {
		t.Helper()
		got, begun, err := other.Find(t.Context(), r)
		if err != nil || got != want || (want != "") != (time.Since(begun) < time.Hour) {
			t.Fatalf("got %q of %s, %v, want %q", got, begun, err, want)
		}
	}
	find(r, "")
	for _, id := range []string{"a", "b"} {
		if err := one.Keep(t.Context(), r, id); err != nil {
			t.Fatal(err)
		}
		find(r, id)
	}
	for _, change := range []func(*fabric.Read){
		func(r *fabric.Read) { r.Operation[0] = 9 }, func(r *fabric.Read) { r.Item[0] = 9 },
		func(r *fabric.Read) { r.Person = "t/p" },
	} {
		not := r
		change(&not)
		find(not, "")
		if err := one.Drop(t.Context(), not); err != nil {
			t.Fatal(err)
		}
	}
	if err := one.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	find(r, "b")
	if _, err := pool.Exec(t.Context(), `UPDATE pending_reads SET begun = begun - $1::interval`, reads.Life); err != nil {
		t.Fatal(err)
	}
	if err := one.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	find(r, "")
	if err := one.Keep(t.Context(), r, "c"); err != nil {
		t.Fatal(err)
	}
	if err := other.Drop(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	find(r, "")
}
