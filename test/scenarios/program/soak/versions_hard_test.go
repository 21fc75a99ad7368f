//go:build hard

package soak_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
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

	"readiness/test/scenarios/program"
	"readiness/test/testworld"
)

// firstVersion is the revision that is used as the last release while there is none.
const firstVersion = "d6f8baa6e95a162c49f5f486a9b33c04af25f1f0"

// versionFor is how long each pair of versions is under load.
const versionFor = 5 * time.Second

// previousProgram builds the program of READINESS_PREVIOUS, else of the last tag, else of firstVersion, and returns it with its revision.
var previousProgram = sync.OnceValues(func() (program, revision string) {
	if revision = os.Getenv("READINESS_PREVIOUS"); revision == "" {
		revision = firstVersion
		if tag, err := exec.Command("git", "describe", "--tags", "--abbrev=0").Output(); err == nil {
			revision = strings.TrimSpace(string(tag))
		}
	}
	source, built := filepath.Join(previousBuild, "source"), filepath.Join(previousBuild, "readinessd")
	command := `git -C "$1" archive "$2" | tar --extract --directory "$3" && cd "$3" &&
		go build -buildvcs=false -o "$4" "./cmd/$(test -d cmd/readinessd && echo readinessd || echo readiness)"` // one program had all commands
	if err := os.MkdirAll(source, 0o700); err != nil {
		panic(err)
	}
	if out, err := exec.Command("sh", "-c", command, "sh", filepath.Join("..", "..", "..", ".."), revision, source, built).CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%s cannot be built: %v\n%s", revision, err, out))
	}
	return built, revision
})

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

// startPrevious starts the processes of the previous version.
func (s *soak) startPrevious() {
	s.T.Helper()
	program, revision := previousProgram()
	s.T.Logf("the previous version is %s", revision)
	s.Binary = program
	for i := range s.slots {
		s.start(i)
	}
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
		s.readsAll()
	}
}

// readsAll reads each list of an account from a process that serves: what a step took from the version before shows at once.
func (s *soak) readsAll() {
	s.T.Helper()
	for _, path := range ofAccount {
		s.Await("an answer to "+path, func() bool {
			status, got, _ := program.Exchange(s.T.Context(), *s.slots[0].base.Load(), s.people[0].token, http.MethodGet, path, nil)
			if status >= http.StatusInternalServerError && !program.AgainLater(status, got) {
				s.T.Errorf("GET %s: %d %v", path, status, got)
				return true
			}
			return status > 0 && status < http.StatusInternalServerError
		})
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

var requestID = regexp.MustCompile(`requestId:([0-9a-f-]{36})`)

// logged returns what the processes logged about the request of an answer.
func (s *soak) logged(answer string) (lines string) {
	id := requestID.FindStringSubmatch(answer)
	for _, p := range s.Lives {
		for line := range strings.Lines(p.Stderr.String()) {
			if id != nil && strings.Contains(line, id[1]) {
				lines += line
			}
		}
	}
	return lines
}

// whileLoaded calls do while people use the service, and compares everything with the log afterwards. No call may be answered with an error
// of the service; one that it is too busy for is repeated as Retry-After says.
func (s *soak) whileLoaded(lasts time.Duration, do func(context.Context)) {
	s.T.Helper()
	s.ends, s.repeats = time.Now().Add(lasts), true
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
	s.verifyLog()
	s.verifyKeys()
	s.verifyResults()
	s.verifyFiles()
	s.verifyViews()
	s.Operate("events", "verify")
	s.Operate("projections", "rebuild", "--diff")
	s.end()
	for _, answer := range s.calls.faults {
		s.T.Errorf("a call failed: %s\n%s", answer, s.logged(answer))
	}
}

// TestHardTwoVersions upgrades from the last version to this one as docs/operating.md says of a version with changed events, on one database
// and under the soak's load: the last version serves on the new schema, and has stopped before a process of this one starts. Then processes
// of this version are replaced one by one. No call that finds a process fails, and at the end the log, the views and the files agree.
func TestHardTwoVersions(t *testing.T) {
	t.Parallel()
	s := newSoak(t, false)
	ours := s.Binary
	s.startPrevious()
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
	changed := changedProgram(t)
	s.startPrevious()
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
