//go:build hard

package soak_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"readiness/internal/testworld"
)

// firstVersion is the revision that is used as the last release while there is none.
const firstVersion = "665c5beeb5c2f51f37bf75ba38923e24d1aca240"

// versionFor is how long each pair of versions is under load.
const versionFor = 5 * time.Second

// previousProgram builds the program of READINESS_PREVIOUS, else of the last tag, else of firstVersion.
func previousProgram(t *testing.T) string {
	t.Helper()
	revision := os.Getenv("READINESS_PREVIOUS")
	if revision == "" {
		revision = firstVersion
		if tag, err := exec.CommandContext(t.Context(), "git", "describe", "--tags", "--abbrev=0").Output(); err == nil {
			revision = strings.TrimSpace(string(tag))
		}
	}
	dir := t.TempDir()
	archived := exec.CommandContext(t.Context(), "git", "archive", revision)
	archived.Dir = filepath.Join("..", "..", "..")
	archive, err := archived.Output()
	if err != nil {
		t.Fatalf("git archive %s: %v", revision, err)
	}
	unpack := exec.CommandContext(t.Context(), "tar", "--extract", "--directory", dir)
	unpack.Stdin = bytes.NewReader(archive)
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program := filepath.Join(t.TempDir(), "readiness")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", program, "./cmd/readiness")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s cannot be built: %v\n%s", revision, err, out)
	}
	t.Logf("the previous version is %s", revision)
	return program
}

// TestHardTwoVersions runs the previous version and this one on one database under the soak's load, while their processes are
// replaced one by one: by the new version, by the previous one, and by the new one again. At the end the log, the views and the files agree. No view may have
// another version in the two: an inline view is not fed by processes of another version (docs/operating.md, Upgrading).
func TestHardTwoVersions(t *testing.T) {
	t.Parallel()
	s := newSoak(t, false)
	ours, previous := s.Binary, previousProgram(t)
	s.Binary = previous
	for i := range s.slots {
		s.start(i)
	}
	steps := []struct {
		slot    int
		program string
		what    string
	}{
		{0, ours, "both versions serve"}, {1, ours, "only this version serves"}, {0, previous, "both versions serve, the schema is this version's"},
		{1, previous, "only the previous version serves, on this version's schema"}, {1, ours, "both versions serve again"}, {0, ours, "only this version serves"},
	}
	s.ends = time.Now().Add(time.Duration(len(steps)+1) * versionFor)
	ctx, stop := context.WithCancel(t.Context())
	var load sync.WaitGroup
	defer load.Wait()
	defer stop()
	for _, p := range s.people {
		load.Go(func() { p.live(ctx) })
	}
	load.Go(func() { s.watch(ctx) })
	s.Wait(ctx, versionFor)
	for _, step := range steps {
		now := s.slots[step.slot].now
		testworld.Check(t, now.Cmd.Process.Signal(syscall.SIGINT))
		s.Await("the process that is replaced ends", now.Over)
		if code := now.Cmd.ProcessState.ExitCode(); code != 0 {
			t.Errorf("a process ended with %d\n%s", code, now.Stderr)
		}
		s.Binary = step.program
		s.start(step.slot)
		s.phase(step.what)
		s.Wait(ctx, versionFor)
	}
	stop()
	load.Wait()
	s.settle()
	s.phase("all work has ended")
	s.report()
	s.verifyLog()
	s.verifyKeys()
	s.verifyResults()
	s.verifyFiles()
	s.verifyViews()
	s.Operate("events", "verify")
	s.Operate("projections", "rebuild", "--diff")
	s.end()
}
