// Package testlog gives each test its own event log with the service's views, all
// empty. Creating the views takes longer than most tests, so they are created once
// and copied.
package testlog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/internal/database"
	"readiness/projections"
	"readiness/test/pgtest"
)

// URL returns the address of a fresh database with an empty log and empty views. It
// is dropped when t ends, even with open connections.
func URL(t testing.TB) string {
	t.Helper()
	schema := sha256.Sum256([]byte(projections.NewEngine(nil, projections.All()...).Schema()))
	return pgtest.Prepared(t, "views"+hex.EncodeToString(schema[:6]), func(ctx context.Context, url string) error {
		pool, err := database.Open(ctx, url, nil)
		if err != nil {
			return err
		}
		defer pool.Close()
		return projections.NewEngine(pool, projections.All()...).Create(ctx)
	})
}

// Pool returns a pool of up to 32 connections on such a database. Both end with t.
func Pool(t testing.TB) *pgxpool.Pool {
	t.Helper()
	return Open(t, URL(t))
}

// Open returns a pool of up to 32 connections on a database. It ends with t.
func Open(t testing.TB, url string) *pgxpool.Pool {
	t.Helper()
	pool, err := database.Open(t.Context(), url, func(c *pgxpool.Config) { c.MaxConns = 32 })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}
