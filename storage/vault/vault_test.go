package vault_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/storage/vault"
	"readiness/test/pgtest"
)

var (
	now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	key = bytes.Repeat([]byte{7}, vault.KeySize)
)

func TestVault(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	pool := pgtest.Pool(t)
	v, err := vault.New(pool, key)
	if err != nil {
		t.Fatal(err)
	}
	put := func(id uuid.UUID, token string, life time.Duration) {
		t.Helper()
		s := v.Put(id, token, now.Add(life))
		if _, err := pool.Exec(ctx, s.SQL, s.Args...); err != nil {
			t.Fatal(err)
		}
	}
	want := func(id uuid.UUID, at time.Time, token string) {
		t.Helper()
		got, ok, err := v.Token(ctx, id, at)
		if err != nil || got != token || ok != (token != "") {
			t.Errorf("got %q %v %v, want %q", got, ok, err, token)
		}
	}
	a, b := uuid.New(), uuid.New()
	put(a, "eyJ.secret.a", time.Hour)
	put(b, "eyJ.secret.b", time.Minute)
	want(a, now, "eyJ.secret.a")
	want(b, now, "eyJ.secret.b")
	want(uuid.New(), now, "")
	put(a, "eyJ.newer.a", 2*time.Hour) // a later read's token replaces it
	want(a, now.Add(90*time.Minute), "eyJ.newer.a")
	want(b, now.Add(time.Minute), "") // expired at that instant

	if n, err := v.Sweep(ctx, now.Add(time.Minute)); err != nil || n != 1 {
		t.Errorf("swept %d, %v; want the one that expired", n, err)
	}
	want(a, now, "eyJ.newer.a")
	s := v.Forget(a)
	if _, err := pool.Exec(ctx, s.SQL, s.Args...); err != nil {
		t.Fatal(err)
	}
	want(a, now, "")
}

// A stored row does not contain the token, and can be decrypted only with the same
// key and for the same operation.
func TestVaultSeals(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	pool := pgtest.Pool(t)
	v, err := vault.New(pool, key)
	if err != nil {
		t.Fatal(err)
	}
	id, other := uuid.New(), uuid.New()
	s := v.Put(id, "eyJ.secret", now.Add(time.Hour))
	if _, err := pool.Exec(ctx, s.SQL, s.Args...); err != nil {
		t.Fatal(err)
	}
	var row []byte
	if err := pool.QueryRow(ctx, `SELECT sealed FROM step_tokens`).Scan(&row); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(row, []byte("secret")) {
		t.Error("the row shows the token")
	}
	stranger, err := vault.New(pool, bytes.Repeat([]byte{8}, vault.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := stranger.Token(ctx, id, now); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("another key: %v", err)
	}
	if _, err := pool.Exec(ctx, `UPDATE step_tokens SET operation_id = $1`, other); err != nil {
		t.Fatal(err)
	}
	if _, _, err := v.Token(ctx, other, now); err == nil {
		t.Error("a token sealed for one operation opened for another")
	}
	for _, n := range []int{0, 16, 31, 33} {
		if _, err := vault.New(pool, make([]byte, n)); err == nil {
			t.Errorf("a key of %d bytes was accepted", n)
		}
	}
}
