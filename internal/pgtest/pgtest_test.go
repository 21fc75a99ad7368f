package pgtest_test

import (
	"testing"

	"readiness/internal/pgtest"
)

func TestEachTestHasItsOwnMigratedDatabase(t *testing.T) {
	t.Parallel()
	a, b := pgtest.Pool(t), pgtest.Pool(t)
	if _, err := a.Exec(t.Context(), "CREATE TABLE mine (x int)"); err != nil {
		t.Fatal(err)
	}
	var mine, jobs bool
	err := b.QueryRow(t.Context(), "SELECT to_regclass('mine') IS NOT NULL, to_regclass('river_job') IS NOT NULL").Scan(&mine, &jobs)
	if err != nil {
		t.Fatal(err)
	}
	if mine || !jobs {
		t.Errorf("in the second database: table of the first = %v, migrated = %v; want false, true", mine, jobs)
	}
}
