//go:build hard

package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
)

// TestHardSimulation simulates a small tenant for some seconds, and then pretends that more was acknowledged than there is: each is found.
//
// proves: decisions/9/10-hours
func TestHardSimulation(t *testing.T) {
	dir, err := os.MkdirTemp("", "readiness-simulation-")
	check(t, err)
	t.Cleanup(func() { check(t, os.RemoveAll(dir)) })
	check(t, os.Chmod(dir, 0o711))
	o := options{
		tenant: tenant{models: 200, people: 200}, lasts: 6 * time.Second, factors: []float64{1000, 6000}, every: time.Second, say: t.Output(),
		table: filepath.Join(dir, "table.tsv"), graph: filepath.Join(dir, "graph.svg"),
	}
	s, err := start(t.Context(), o, dir)
	check(t, err)
	t.Cleanup(func() { check(t, s.stop()) })
	l, rows, err := s.simulate(t.Context(), o)
	check(t, err)

	for k := range kinds {
		c := l.counts[k].now()
		if c.asked == 0 || c.asked != c.shed+c.answered+c.refused+c.failed {
			t.Errorf("%s: %d were asked: %d were shed, %d answered, %d refused, and %d failed", kindNames[k], c.asked, c.shed, c.answered,
				c.refused, c.failed)
		}
	}
	if len(rows) == 0 || len(l.accepted) == 0 || rows[0].bytes == 0 || rows[0].position == 0 {
		t.Errorf("%d rows, %d accepted: %+v", len(rows), len(l.accepted), rows)
	}
	for _, file := range []string{o.table, o.graph} {
		text, err := os.ReadFile(file)
		check(t, err)
		if len(text) == 0 {
			t.Errorf("%s is empty", file)
		}
	}

	ends := func() error {
		t.Helper()
		wrong, err := s.ends(t.Context(), l)
		check(t, err)
		return wrong
	}
	if err := ends(); err != nil {
		t.Error(err)
	}
	l.accepted = append(l.accepted, operation{id: uuid.New()})
	if ends() == nil {
		t.Error("an operation that the log does not have is not missed")
	}
	l.accepted = l.accepted[:len(l.accepted)-1]
	l.seen[0].Add(1)
	if s.verify(t.Context(), l) == nil {
		t.Error("a view that the database does not have is not missed")
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
