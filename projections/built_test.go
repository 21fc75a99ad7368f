package projections_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"readiness/projections"
)

// interrupted builds a part of the view with the program of the name.
func (p program) interrupted(t *testing.T, name string) {
	t.Helper()
	p.engine.Program = name
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := p.engine.Rebuild(ctx, p.log, "toy", projections.RebuildOptions{Progress: func(at projections.Progress) {
		if at.Position < at.Target {
			cancel()
		}
	}})
	if err == nil {
		t.Fatal("the build was not interrupted")
	}
}

// A build that the code of another program began is not finished by this one: no row of the other is ever live.
func TestBuildOfAnotherProgramBeginsAgain(t *testing.T) {
	t.Parallel()
	const events = 25_000
	without := start(t, nil)
	without.fill(t, events)
	other := start(t, without.pool, toy(1, true))
	for name, row := range map[string]struct {
		program   string
		restart   bool
		restarted bool
	}{
		"another program":              {"this", false, true},
		"the same program":             {"other", false, false},
		"the same program, as asked":   {"other", true, true},
		"a program from before a note": {"", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			other.interrupted(t, "other")
			if _, err := other.pool.Exec(t.Context(), `UPDATE things_v1_g`+other.building(t)+` SET name = 'by the other'`); err != nil {
				t.Fatal(err)
			}
			p := start(t, without.pool, toy(1, true))
			if p.engine.Program = row.program; row.program == "" {
				if _, err := p.pool.Exec(t.Context(), `UPDATE view_generations SET program = NULL`); err != nil {
					t.Fatal(err)
				}
			}
			r := p.rebuild(t, projections.RebuildOptions{Restart: row.restart})
			if r.Restarted != row.restarted || (r.Resumed == 0) != row.restarted || row.restarted && r.Events != events {
				t.Errorf("got %+v", r)
			}
			if n := p.count(t, `things_v1 WHERE name = 'by the other'`); (n == 0) != row.restarted {
				t.Errorf("%d rows of the other are live", n)
			}
			if n := p.count(t, `things_v1`); n != events {
				t.Errorf("%d rows are live, want %d", n, events)
			}
			if n := p.count(t, `view_generations WHERE state = 'building'`); n != 0 {
				t.Errorf("%d generations are left", n)
			}
		})
	}
}

// building returns the number of the generation that is being built.
func (p program) building(t *testing.T) (generation string) {
	t.Helper()
	if err := p.pool.QueryRow(t.Context(), `SELECT generation::text FROM view_generations WHERE state = 'building'`).Scan(&generation); err != nil {
		t.Fatal(err)
	}
	return generation
}

// A version is built while the one before it appends; Switch makes it live with all appends of it.
func TestBuildAndSwitch(t *testing.T) {
	t.Parallel()
	for name, inline := range map[string]bool{"inline": true, "following": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := start(t, nil, toy(1, inline))
			old.fill(t, 300)
			newer := start(t, old.pool, toy(2, inline))
			want := projections.NotBuilt{{Name: "toy", Version: 2}}
			if err := newer.engine.Check(t.Context()); !strings.Contains(err.Error(), want.Error()) {
				t.Errorf("before: got %v", err)
			}
			if _, err := newer.engine.Switch(t.Context(), newer.log, "toy"); err == nil || !strings.Contains(err.Error(), "projections build --view toy") {
				t.Errorf("a switch without a build: got %v", err)
			}
			newer.rebuild(t, projections.RebuildOptions{Stay: true})
			if err := old.engine.Check(t.Context()); err != nil {
				t.Errorf("the build disturbs the earlier program: %v", err)
			}
			old.mustAppend(t, "toy-1", changed{[]op{{Kind: 'i', Name: "after the build"}}})
			missing, err := newer.engine.Missing(t.Context())
			if err != nil || len(missing) != 1 || !missing[0].Built {
				t.Errorf("built: got %+v, %v", missing, err)
			}
			another := start(t, old.pool, toy(2, inline))
			another.engine.Program = "another"
			if _, err := another.engine.Switch(t.Context(), another.log, "toy"); err == nil {
				t.Error("another program made live what this one built")
			}
			if n := newer.count(t, "things_v1"); inline && n != 301 {
				t.Errorf("got %d rows of the earlier version, want 301", n)
			}
			if r, err := newer.engine.Switch(t.Context(), newer.log, "toy"); err != nil || r.Generation != 1 {
				t.Fatalf("got %+v, %v", r, err)
			}
			if n := newer.count(t, "things_v2"); n != 301 {
				t.Errorf("got %d rows, want 301", n)
			}
			if err := newer.engine.Check(t.Context()); err != nil {
				t.Error(err)
			}
			if err := old.engine.Check(t.Context()); err == nil {
				t.Error("after the switch the earlier program's check finds nothing")
			}
		})
	}
}

// A comparison alone changes nothing that is live, and leaves only a generation that differs.
func TestDiffAloneDoesNotSwitch(t *testing.T) {
	t.Parallel()
	p := start(t, nil, toy(1, true))
	p.fill(t, 20)
	if r := p.rebuild(t, projections.RebuildOptions{Diff: true, Stay: true}); !r.Diff.None() || p.count(t, "view_generations") != 1 {
		t.Errorf("got %+v and %d generations, want one", r.Diff, p.count(t, "view_generations"))
	}
	if _, err := p.pool.Exec(t.Context(), `UPDATE things_v1 SET name = 'changed' WHERE key = 3`); err != nil {
		t.Fatal(err)
	}
	if r := p.rebuild(t, projections.RebuildOptions{Diff: true, Stay: true}); r.Diff.None() {
		t.Error("the difference was not found")
	}
	if n := p.count(t, "things_v1 WHERE name = 'changed'"); n != 1 {
		t.Error("the comparison switched")
	}
	if _, err := p.engine.Switch(t.Context(), p.log, "toy"); err != nil {
		t.Fatal(err)
	}
	if n := p.count(t, "things_v1 WHERE name = 'changed'"); n != 0 {
		t.Error("the switch kept the changed row")
	}
}

// Check names every view that is missing.
func TestCheckNamesAllMissingViews(t *testing.T) {
	t.Parallel()
	old := start(t, nil, toy(1, true))
	old.fill(t, 2)
	p := start(t, old.pool, toy(2, true), later())
	missing := projections.NotBuilt(nil)
	if err := p.engine.Check(t.Context()); !errors.As(err, &missing) || len(missing) != 2 || !strings.Contains(err.Error(), "version 2 of the view toy, version 1 of the view later") {
		t.Errorf("got %v", err)
	}
}
