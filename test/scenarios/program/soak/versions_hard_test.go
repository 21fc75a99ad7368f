//go:build hard

package soak_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"readiness/test/testworld"
)

// firstVersion is the revision that is used as the last release while there is none.
const firstVersion = "d6f8baa6e95a162c49f5f486a9b33c04af25f1f0"

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
	archived.Dir = filepath.Join("..", "..", "..", "..")
	archive, err := archived.Output()
	if err != nil {
		t.Fatalf("git archive %s: %v", revision, err)
	}
	unpack := exec.CommandContext(t.Context(), "tar", "--extract", "--directory", dir)
	unpack.Stdin = bytes.NewReader(archive)
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program := filepath.Join(t.TempDir(), "readinessd")
	source := "./cmd/readinessd"
	if _, err := os.Stat(filepath.Join(dir, source)); err != nil {
		source = "./cmd/readiness" // one program had all commands
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", program, source)
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s cannot be built: %v\n%s", revision, err, out)
	}
	t.Logf("the previous version is %s", revision)
	return program
}

// changedProgram builds this program with the next version of the view operations, which appends write.
func changedProgram(t *testing.T) string {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "projections", "operations.go"))
	testworld.Check(t, err)
	text, err := os.ReadFile(file)
	testworld.Check(t, err)
	version := regexp.MustCompile(`\bVersion: +(\d+),`).FindSubmatchIndex(text)
	if version == nil {
		t.Fatal("projections/operations.go names no version")
	}
	n, err := strconv.Atoi(string(text[version[2]:version[3]]))
	testworld.Check(t, err)
	changed := slices.Concat(text[:version[2]], []byte(strconv.Itoa(n+1)), text[version[3]:])
	dir := t.TempDir()
	replaced, overlay, binary := filepath.Join(dir, "operations.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "readinessd")
	testworld.Check(t, os.WriteFile(replaced, changed, 0o600))
	names, err := json.Marshal(map[string]any{"Replace": map[string]string{file: replaced}})
	testworld.Check(t, err)
	testworld.Check(t, os.WriteFile(overlay, names, 0o600))
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay, "-buildvcs=false", "-o", binary, "readiness/cmd/readinessd").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return binary
}

// documented is a command with which a step of the page about upgrading begins.
var documented = regexp.MustCompile("(?m)^[0-9]\\. `readinessd ([^`]*)`")

// prepare runs with the program the commands of docs/operating.md that come before processes are replaced.
func (s *soak) prepare(binary string) {
	s.T.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "operating.md"))
	testworld.Check(s.T, err)
	_, section, _ := strings.Cut(string(page), "\n## Upgrading\n")
	section, _, _ = strings.Cut(section, "\n## ")
	steps := documented.FindAllStringSubmatch(section, -1)
	if len(steps) != 2 {
		s.T.Fatalf("docs/operating.md has %d commands of an upgrade, want 2", len(steps))
	}
	s.Binary = binary
	for _, step := range steps {
		s.Operate(strings.Fields(step[1])...)
		s.phase(step[1])
	}
}

// stopSlot stops the process of a slot gracefully.
func (s *soak) stopSlot(i int) {
	s.T.Helper()
	now := s.slots[i].now
	testworld.Check(s.T, now.Cmd.Process.Signal(syscall.SIGINT))
	s.Await("the process that is replaced ends", now.Over)
	if code := now.Cmd.ProcessState.ExitCode(); code != 0 {
		s.T.Errorf("a process ended with %d\n%s", code, now.Stderr)
	}
}

// whileLoaded calls do while people use the service, and compares everything with the log afterwards. No call may be answered with an error
// of the service.
func (s *soak) whileLoaded(lasts time.Duration, do func(context.Context)) {
	s.T.Helper()
	s.ends = time.Now().Add(lasts)
	ctx, stop := context.WithCancel(s.T.Context())
	var load sync.WaitGroup
	defer load.Wait()
	defer stop()
	for _, p := range s.people {
		load.Go(func() { p.live(ctx) })
	}
	load.Go(func() { s.watch(ctx) })
	s.Wait(ctx, versionFor)
	do(ctx)
	stop()
	load.Wait()
	s.settle()
	s.phase("all work has ended")
	s.report()
	for outcome, n := range s.calls.counts {
		if regexp.MustCompile(`: 5\d\d\b`).MatchString(outcome) {
			s.T.Errorf("%d calls failed: %s", n, outcome)
		}
	}
	s.verifyLog()
	s.verifyKeys()
	s.verifyResults()
	s.verifyFiles()
	s.verifyViews()
	s.Operate("events", "verify")
	s.Operate("projections", "rebuild", "--diff")
	s.end()
}

// TestHardTwoVersions upgrades from the last version to this one as docs/operating.md says of a version with changed events, on one database
// and under the soak's load: the last version serves on the new schema, and has stopped before a process of this one starts. Then processes
// of this version are replaced one by one. No call that finds a process fails, and at the end the log, the views and the files agree.
func TestHardTwoVersions(t *testing.T) {
	t.Parallel()
	s := newSoak(t, false)
	ours, previous := s.Binary, previousProgram(t)
	s.Binary = previous
	for i := range s.slots {
		s.start(i)
	}
	s.whileLoaded(6*versionFor, func(ctx context.Context) {
		s.prepare(ours)
		s.phase("the last version serves on this version's schema")
		s.Wait(ctx, versionFor)
		s.stopSlot(0)
		s.stopSlot(1)
		s.start(0)
		s.start(1)
		s.phase("only this version serves")
		for i := range 2 {
			s.Wait(ctx, versionFor)
			s.stopSlot(i)
			s.start(i)
			s.phase("a process was replaced")
		}
		s.Wait(ctx, versionFor)
	})
}

// TestHardChangedView upgrades several processes of the last version to one whose view operations has another version, as docs/operating.md
// says: the view is built while the last version serves, and the new process waits until it has stopped. No call fails.
func TestHardChangedView(t *testing.T) {
	t.Parallel()
	s := newSoak(t, false)
	changed, previous := changedProgram(t), previousProgram(t)
	s.Binary = previous
	for i := range s.slots {
		s.start(i)
	}
	s.whileLoaded(5*versionFor, func(ctx context.Context) {
		s.prepare(changed)
		s.Wait(ctx, versionFor)
		next := s.Spawn()
		s.Await("the new version waits", func() bool { return next.Over() || strings.Contains(next.Stderr.String(), "it takes over when") })
		s.Wait(ctx, versionFor)
		s.stopSlot(0)
		s.stopSlot(1)
		s.Listens(next)
		base := s.Base
		s.slots[0].now = next
		s.slots[0].base.Store(&base)
		s.start(1)
		s.phase("only the new version serves")
		s.Wait(ctx, versionFor)
	})
}
