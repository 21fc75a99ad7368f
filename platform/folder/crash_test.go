package folder_test

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/folder"
)

// The test program runs itself as a process that writes a definition and is killed after a given step on disk.
const (
	crashRoot = "FOLDER_TEST_CRASH_ROOT"
	crashStep = "FOLDER_TEST_CRASH_STEP"
	// crashLoose is the path of a loose model to write instead of an item.
	crashLoose = "FOLDER_TEST_CRASH_LOOSE"
	// crashNobody makes the process write as a user whose rights are checked; it may be refused.
	crashNobody = "FOLDER_TEST_CRASH_NOBODY"
)

func TestMain(m *testing.M) {
	root := os.Getenv(crashRoot)
	if root == "" {
		os.Exit(m.Run())
	}
	left, err := strconv.Atoi(os.Getenv(crashStep))
	if err != nil {
		panic(err)
	}
	folder.SetCrashPoint(func() {
		if left--; left == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	})
	write := writeAfter
	if loose := os.Getenv(crashLoose); loose != "" {
		write = func(root string) error { return writeLoose(root, loose) }
	}
	if os.Getenv(crashNobody) != "" {
		asNobody()
	}
	if err := write(root); err != nil && !domain.IsRefused(err, domain.PlatformAccessDenied) {
		panic(err)
	}
}

// after is what the killed process writes: changed, added and removed parts, and folders that appear and disappear.
var after = with(map[string]string{
	"definition/model.tmdl":             "model Model\n",
	"definition/tables/B.tmdl":          "table B // changed",
	"definition/roles/R.tmdl":           "role R",
	"Copilot/Instructions/version.json": "{}",
})

func writeAfter(root string) error {
	p, err := folder.Open(root, folder.Options{})
	if err != nil {
		return err
	}
	ctx := context.Background()
	w, err := p.Workspaces(ctx, anna)
	if err != nil {
		return err
	}
	models, err := p.Items(ctx, anna, w[0].ID, item.SemanticModel)
	if err != nil {
		return err
	}
	d, err := p.Definition(ctx, anna, models[0])
	if err != nil {
		return err
	}
	return p.WriteDefinition(ctx, anna, models[0], after, d.Hash())
}

// crash runs the writer on root and kills it after a step; it returns false if the writer finished before that step.
func crash(t *testing.T, root string, step int, more ...string) bool {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), crashRoot+"="+root, crashStep+"="+strconv.Itoa(step))
	cmd.Env = append(cmd.Env, more...)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("step %d: the writer ended with %v\n%s", step, err, out)
	}
	return true
}

// After a kill at any step, the next call finds either the complete old definition or the complete new one and no
// remains of the write. The item can be written again.
func TestAKilledWriter(t *testing.T) {
	t.Parallel()
	old, steps, finished := 0, 0, 0
	for step := 1; ; step++ {
		root := files(t, sales)
		at := filepath.Join(root, "M.SemanticModel")
		before := tree(t, at)
		if !crash(t, root, step) {
			break
		}
		steps++
		p := open(t, root)
		it := modelIn(t, p)
		d, err := p.Definition(t.Context(), anna, it)
		if err != nil {
			t.Errorf("step %d: %v", step, err)
			continue
		}
		want := before
		if d.Hash() == after.Hash() {
			finished++
			want = map[string]string{
				".platform": before[".platform"], ".pbi": "/", ".pbi/cache.abf": "local", "definition": "/", "definition/tables": "/", "definition/roles": "/", "Copilot": "/", "Copilot/Instructions": "/",
			}
			maps.Copy(want, parts(after))
		} else {
			old++
		}
		if diff := cmp.Diff(want, tree(t, at)); diff != "" {
			t.Errorf("step %d: neither the old nor the new item (-want +got)\n%s", step, diff)
		}
		if err := p.WriteDefinition(t.Context(), anna, it, one, d.Hash()); err != nil {
			t.Errorf("step %d: the next write: %v", step, err)
		}
	}
	t.Logf("%d steps: %d left the old definition, %d the new one", steps, old, finished)
	if old < 5 || finished < 10 {
		t.Errorf("of %d steps %d left the old definition and %d the new one; both are expected several times", steps, old, finished)
	}
}

// Changes that another program makes to the parts after the crash are kept.
func TestAKilledWriterKeepsLaterChanges(t *testing.T) {
	t.Parallel()
	theirs := "model Model // theirs"
	started, givenUp := false, false
	for step := 1; ; step++ {
		root := files(t, sales)
		if !crash(t, root, step) {
			break
		}
		at := filepath.Join(root, "M.SemanticModel")
		_, err := os.Stat(filepath.Join(at, folder.Journal, "commit.json"))
		promised, untouched := err == nil, true
		for name, text := range sales {
			data, err := os.ReadFile(filepath.Join(root, name))
			untouched = untouched && err == nil && string(data) == text
		}
		put(t, root, map[string]string{"M.SemanticModel/definition/model.tmdl": theirs})
		p := open(t, root)
		it := modelIn(t, p)
		d, err := p.Definition(t.Context(), anna, it)
		if err != nil {
			t.Errorf("step %d: %v", step, err)
			continue
		}
		got := parts(d)
		if got["definition/model.tmdl"] != theirs {
			t.Errorf("step %d: their part was overwritten: %q", step, got["definition/model.tmdl"])
		}
		// Of the other parts, either none or all are written.
		oldRest, newRest := parts(definitionOf(t, sales)), parts(after)
		oldRest["definition/model.tmdl"], newRest["definition/model.tmdl"] = theirs, theirs
		switch {
		case cmp.Equal(got, oldRest):
			if started {
				t.Errorf("step %d: a write that had begun was abandoned", step)
			}
			givenUp = givenUp || promised
		case cmp.Equal(got, newRest):
			started = true
			if untouched {
				t.Errorf("step %d: a write that had not begun was applied next to theirs", step)
			}
		default:
			t.Errorf("step %d: a mixture: %v", step, got)
		}
	}
	if !started || !givenUp {
		t.Errorf("a step left a write that had begun: %v; one that had not begun: %v", started, givenUp)
	}
}

func definitionOf(t *testing.T, byPath map[string]string) definition.Definition {
	t.Helper()
	p := open(t, files(t, byPath))
	d, err := p.Definition(t.Context(), anna, modelIn(t, p))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// While another process locks an item, calls wait. A caller who gives up gets an error; when the process dies the
// others continue.
func TestTheLockOfAnotherProcess(t *testing.T) {
	t.Parallel()
	root := files(t, sales)
	p := open(t, root)
	it := modelIn(t, p)
	held, err := os.Open(filepath.Join(root, "M.SemanticModel"))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	answers := make(chan error, 2)
	go func() { answers <- second(p.Definition(ctx, anna, it)) }()
	go func() { answers <- p.WriteDefinition(ctx, anna, it, one, "x") }()
	select {
	case err := <-answers:
		t.Errorf("a call did not wait: %v", err)
		answers <- err
	default:
	}
	cancel()
	for range 2 {
		if err := <-answers; err != context.Canceled {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	}
	// Other items and listings do not wait.
	if _, err := p.Definition(t.Context(), anna, items(t, p, it.WorkspaceID, item.Report)[0]); err != nil {
		t.Error(err)
	}
	go func() { answers <- second(p.Definition(t.Context(), anna, it)) }()
	held.Close()
	if err := <-answers; err != nil {
		t.Errorf("after the lock was released: %v", err)
	}
	refused(t, "and a write", p.WriteDefinition(t.Context(), anna, it, one, "x"), domain.ItemChanged)
}

// asked is closed when lock first waits for the context to end: by then the call has opened the folder that it locks.
type watched struct {
	context.Context
	once  *sync.Once
	asked chan struct{}
}

func (w watched) Done() <-chan struct{} {
	callers := make([]uintptr, 16)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	for frame, more := frames.Next(); more; frame, more = frames.Next() {
		if strings.HasSuffix(frame.Function, "folder.lock") {
			w.once.Do(func() { close(w.asked) })
		}
	}
	return w.Context.Done()
}

// A folder that is removed or replaced between the lookup and the lock.
func TestAFolderThatVanishesWhileItIsLocked(t *testing.T) {
	t.Parallel()
	root := files(t, sales)
	at := filepath.Join(root, "M.SemanticModel")
	p := open(t, root)
	it := modelIn(t, p)
	d, err := p.Definition(t.Context(), anna, it)
	if err != nil {
		t.Fatal(err)
	}
	// during starts call, and runs change while call waits for the lock.
	during := func(change func() error, call func(ctx context.Context) error) error {
		t.Helper()
		held, err := os.Open(at)
		if err != nil {
			t.Fatal(err)
		}
		defer held.Close()
		if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX); err != nil {
			t.Fatal(err)
		}
		ctx := watched{t.Context(), new(sync.Once), make(chan struct{})}
		answer := make(chan error, 1)
		go func() { answer <- call(ctx) }()
		<-ctx.asked
		if err := change(); err != nil {
			t.Fatal(err)
		}
		held.Close()
		return <-answer
	}
	away := filepath.Join(filepath.Dir(root), "away")
	err = during(
		func() error { return cmpErr(os.Rename(at, away), os.CopyFS(at, os.DirFS(away))) },
		func(ctx context.Context) error { return p.WriteDefinition(ctx, anna, it, one, d.Hash()) },
	)
	refused(t, "a write to a folder that was replaced", err, domain.ItemChanged)
	for _, dir := range []string{at, away} {
		if _, err := os.Stat(dir + "/x"); err == nil {
			t.Errorf("%s was written", filepath.Base(dir))
		}
		if _, err := os.Stat(filepath.Join(dir, folder.Journal)); err == nil {
			t.Errorf("a journal is left in %s", filepath.Base(dir))
		}
	}
	err = during(
		func() error { return os.RemoveAll(at) },
		func(ctx context.Context) error { return second(p.Definition(ctx, anna, it)) },
	)
	refused(t, "a folder that was removed", err, domain.ItemNotFound)
}
