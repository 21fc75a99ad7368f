package vault_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/internal/database"
	"readiness/storage/vault"
	"readiness/test/pgtest"
)

// A provider's key can be decrypted only for its account and provider, with the
// service's key that sealed it, until it is deleted.
func TestCredentials(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	pool := pgtest.Pool(t)
	open := func(key []byte) *vault.Credentials {
		t.Helper()
		c, err := vault.NewCredentials(pool, key)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	exec := func(s database.Statement) {
		t.Helper()
		if _, err := pool.Exec(ctx, s.SQL, s.Args...); err != nil {
			t.Fatal(err)
		}
	}
	c := open(key)
	a, b := uuid.New(), uuid.New()
	put := func(account string, id uuid.UUID, text string) {
		t.Helper()
		exec(c.Put(account, id, text))
	}
	want := func(c *vault.Credentials, account string, id uuid.UUID, text string) {
		t.Helper()
		got, ok, err := c.Key(ctx, account, id)
		if err != nil || got != text || ok != (text != "") {
			t.Errorf("got %q %v %v, want %q", got, ok, err, text)
		}
	}
	put("acme", a, "sk-secret-a")
	put("acme", b, "sk-secret-b")
	put("acme", a, "sk-newer-a")
	want(c, "acme", a, "sk-newer-a")
	want(c, "acme", b, "sk-secret-b")
	want(c, "other", a, "")
	want(open(key), "acme", a, "sk-newer-a") // after a restart

	var rows []byte
	if err := pool.QueryRow(ctx, `SELECT string_agg(sealed, '') FROM ai_credentials`).Scan(&rows); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(rows, []byte("sk-")) {
		t.Error("the rows show the keys")
	}
	notOpened := func(c *vault.Credentials, account string, id uuid.UUID) {
		t.Helper()
		if got, ok, err := c.Key(ctx, account, id); !errors.Is(err, vault.ErrNotOpened) || ok || got != "" || strings.Contains(err.Error(), "sk-") {
			t.Errorf("got %q %v %v, want ErrNotOpened", got, ok, err)
		}
	}
	notOpened(open(bytes.Repeat([]byte{8}, vault.KeySize)), "acme", a)
	exec(database.Statement{
		SQL: `INSERT INTO ai_credentials SELECT 'other', provider_id, sealed FROM ai_credentials WHERE provider_id = $1`, Args: []any{a}})
	notOpened(c, "other", a)
	exec(database.Statement{SQL: `UPDATE ai_credentials SET sealed = (SELECT sealed FROM ai_credentials WHERE account_id = 'acme' AND provider_id = $1) WHERE provider_id = $2`,
		Args: []any{a, b}})
	notOpened(c, "acme", b)
	exec(database.Statement{SQL: `UPDATE ai_credentials SET sealed = '\x00' WHERE provider_id = $1`, Args: []any{b}})
	notOpened(c, "acme", b)

	// Tokens are sealed with another derived key. Sealed for an empty account, a
	// provider's key has the same additional data as a token.
	v, err := vault.New(pool, key)
	if err != nil {
		t.Fatal(err)
	}
	put("", a, "sk-secret-c")
	exec(v.Put(a, "eyJ.token", now.AddDate(1, 0, 0)))
	exec(database.Statement{SQL: `UPDATE step_tokens SET sealed = (SELECT sealed FROM ai_credentials WHERE account_id = '')`})
	if got, _, err := v.Token(ctx, a, now); err == nil {
		t.Errorf("a provider's key opened as the token %q", got)
	}

	exec(c.Forget("acme", a))
	want(c, "acme", a, "")
	notOpened(c, "other", a) // only the account's own row is gone
	for _, n := range []int{0, 16, 33} {
		if _, err := vault.NewCredentials(pool, make([]byte, n)); err == nil {
			t.Errorf("a key of %d bytes was accepted", n)
		}
	}
}
