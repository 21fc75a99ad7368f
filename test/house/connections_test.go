package house_test

import (
	"fmt"
	"io/fs"
	"slices"
	"testing"
)

// connects are the functions that open a connection to PostgreSQL, or a pool,
// without the timeouts of internal/database.
var connects = []string{"pgx.Connect", "pgx.ConnectConfig", "pgx.ConnectWithOptions", "pgconn.Connect", "pgconn.ConnectConfig", "pgconn.ConnectWithOptions", "pgxpool.New", "pgxpool.NewWithConfig", "sql.Open"}

// mayConnect are the packages that may use them: the one that sets the timeouts,
// and those for tests and benchmarks.
var mayConnect = []string{"internal/database", "test/pgtest", "test/bench", "test/scenarios/program"}

// connectionProblems finds connections opened elsewhere.
func connectionProblems(tree fs.FS) (problems []string, err error) {
	all, err := sources(tree)
	for _, s := range all {
		if s.test || slices.Contains(mayConnect, s.pkg) {
			continue
		}
		for _, call := range s.calls() {
			if slices.Contains(connects, call) {
				problems = append(problems, fmt.Sprintf("%s: %s: connect with internal/database, whose connections are bounded", s.path, call))
			}
		}
	}
	return problems, err
}

// proves: decisions/9/5
func TestEveryConnectionIsMadeInOnePlace(t *testing.T) {
	t.Parallel()
	check(t, connectionProblems, map[string]struct {
		files map[string]string
		want  []string
	}{
		"what is allowed": {map[string]string{
			"internal/database/a.go": `package database; func f() { pgxpool.NewWithConfig() }`,
			"work/a_test.go":         `package work; func f() { pgx.Connect() }`,
			"work/a.go":              `package work; func f(c pgxpool.Config) { database.Open() }`,
		}, nil},
		"what is not": {map[string]string{
			"work/a.go": `package work; func f() { pgxpool.New(); pgx.Connect() }`,
		}, []string{
			"work/a.go: pgx.Connect: connect with internal/database, whose connections are bounded",
			"work/a.go: pgxpool.New: connect with internal/database, whose connections are bounded",
		}},
	})
}
