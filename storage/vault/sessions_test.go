package vault_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"readiness/storage/vault"
	"readiness/test/pgtest"
)

// A session can be read by its id alone, with the service's key, until it was not used for 8 hours or has ended.
func TestSessions(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	pool := pgtest.Pool(t)
	open := func(key []byte) *vault.Sessions {
		t.Helper()
		s, err := vault.NewSessions(pool, key)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open(key)
	create := func(text string) string {
		t.Helper()
		id, err := s.Create(ctx, []byte(text), now)
		if err != nil || len(id) < 26 {
			t.Fatalf("got id %q, %v", id, err)
		}
		return id
	}
	want := func(s *vault.Sessions, id string, at time.Duration, text string) {
		t.Helper()
		got, ok, err := s.Read(ctx, id, now.Add(at))
		if err != nil || string(got) != text || ok != (text != "") {
			t.Errorf("after %s: got %q %v %v, want %q", at, got, ok, err, text)
		}
	}
	a, b := create("eyJ.secret-a"), create("eyJ.secret-b")
	want(s, a, 0, "eyJ.secret-a")
	want(s, b, 0, "eyJ.secret-b")
	want(s, "", 0, "")
	want(s, strings.ToLower(a), 0, "")
	want(open(key), a, 0, "eyJ.secret-a") // another process
	want(open(bytes.Repeat([]byte{8}, vault.KeySize)), a, 0, "")

	var rows string
	if err := pool.QueryRow(ctx, `SELECT string_agg(c::text || encode(sealed, 'escape'), '') FROM console_sessions c`).Scan(&rows); err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"eyJ.secret", a, b} {
		if strings.Contains(rows, secret) {
			t.Errorf("the rows show %s", secret)
		}
	}

	if err := s.Replace(ctx, a, []byte("eyJ.newer-a")); err != nil {
		t.Fatal(err)
	}
	if err := s.Replace(ctx, "unknown", []byte("x")); err != nil {
		t.Fatal(err)
	}
	want(s, "unknown", 0, "")
	want(s, a, 8*time.Hour-time.Second, "eyJ.newer-a")
	want(s, a, 16*time.Hour-2*time.Second, "eyJ.newer-a") // each use counts
	want(s, b, 8*time.Hour-time.Second, "eyJ.secret-b")
	want(s, b, 16*time.Hour, "")

	// One session's row does not open another's.
	c, d := create("eyJ.secret-c"), create("eyJ.secret-d")
	if err := s.End(ctx, c); err != nil {
		t.Fatal(err)
	}
	want(s, c, 0, "")
	want(s, d, 0, "eyJ.secret-d")
	if _, err := pool.Exec(ctx, `UPDATE console_sessions SET sealed = (SELECT sealed FROM console_sessions LIMIT 1)`); err != nil {
		t.Fatal(err)
	}
	opened := 0
	for _, id := range []string{a, d} {
		if _, ok, err := s.Read(ctx, id, now); err != nil {
			t.Fatal(err)
		} else if ok {
			opened++
		}
	}
	if opened > 1 {
		t.Error("a session opens the row of another")
	}
	if _, err := pool.Exec(ctx, `UPDATE console_sessions SET sealed = '\x00'`); err != nil {
		t.Fatal(err)
	}
	want(s, d, 0, "")

	if err := s.Sweep(ctx, now.Add(8*time.Hour)); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := pool.QueryRow(ctx, `SELECT count(*) FROM console_sessions`).Scan(&left); err != nil || left != 2 {
		t.Errorf("%d sessions are left, %v; want those used since", left, err)
	}
	if _, err := s.Create(ctx, make([]byte, 256<<10+1), now); err == nil {
		t.Error("a session of more than 256 KiB is stored")
	}
	if err := s.Replace(ctx, d, make([]byte, 256<<10+1)); err == nil {
		t.Error("a session grows over 256 KiB")
	}
	for _, n := range []int{0, 16, 33} {
		if _, err := vault.NewSessions(pool, make([]byte, n)); err == nil {
			t.Errorf("a key of %d bytes was accepted", n)
		}
	}
}
