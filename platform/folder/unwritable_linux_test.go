package folder_test

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"readiness/domain"
	"readiness/platform/folder"
)

// nobody is the user of Linux without rights.
const nobody = 65534

// asNobody makes the calling goroutine, which ends with its thread, open files as a user whose rights are checked.
func asNobody() {
	if os.Geteuid() == 0 {
		runtime.LockOSThread()
		_ = unix.Setfsuid(nobody) // of this thread only
	}
}

// ownedFiles writes files of the user whose rights are checked.
func ownedFiles(t *testing.T, byPath map[string]string) string {
	t.Helper()
	root := files(t, byPath)
	if os.Geteuid() != 0 {
		return root
	}
	for above := root; above != os.TempDir() && above != "/"; above = filepath.Dir(above) {
		if err := os.Chmod(above, 0o755); err != nil { //nolint:gosec // others must pass
			t.Fatal(err)
		}
	}
	if err := filepath.WalkDir(root, func(name string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(name, nobody, nobody)
	}); err != nil {
		t.Fatal(err)
	}
	return root
}

// within returns what do returns in a goroutine of its own, as the user whose rights are checked.
func within(do func() error) error {
	done := make(chan error)
	go func() {
		asNobody()
		done <- do()
	}()
	return <-done
}

// What cannot be written or read is refused with the cause and what to do: at a desk what the person can, in a service whom to ask.
// Nothing of the item is changed, also where the disk refuses the last of several files.
func TestWithoutPermission(t *testing.T) {
	t.Parallel()
	const model = "M.SemanticModel"
	for _, c := range []struct {
		name, path      string // what has no permission
		mode            os.FileMode
		desk, service   string
		deskAs, serveAs domain.Code
	}{
		{"the item", model, 0o555, "M.SemanticModel cannot be written (permission denied); get permission for it and its folder",
			"may not be written (permission denied); ask the operator of the service for access", domain.PlatformUnavailable, domain.PlatformAccessDenied},
		{"a folder of it", model + "/definition", 0o555,
			"M.SemanticModel/definition/model.tmdl cannot be written (permission denied); get permission for it and its folder",
			"may not be written (permission denied); ask the operator of the service for access", domain.PlatformUnavailable, domain.PlatformAccessDenied},
		{"a file that is read", model + "/definition/model.tmdl", 0,
			`the part "definition/model.tmdl": permission denied; get permission for it and its folder`, `the part "definition/model.tmdl": permission denied`,
			domain.ItemNotReadable, domain.ItemNotReadable},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := ownedFiles(t, sales)
			before, at := tree(t, root), filepath.Join(root, c.path)
			read, err := openTree(t, root).Item(t.Context(), model)
			if err != nil {
				t.Fatal(err)
			}
			d, _, err := openTree(t, root).Definition(t.Context(), read)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(at, c.mode); err != nil {
				t.Fatal(err)
			}
			desk := within(func() error { return openTree(t, root).WriteDefinition(t.Context(), read, after, d.Hash()) })
			service := within(func() error {
				p := open(t, root)
				return p.WriteDefinition(t.Context(), anna, modelIn(t, p), after, d.Hash())
			})
			if err := os.Chmod(at, 0o755); err != nil { //nolint:gosec // of a folder
				t.Fatal(err)
			}
			refused(t, "at a desk", desk, c.deskAs)
			refused(t, "in a service", service, c.serveAs)
			if !strings.Contains(desk.Error(), c.desk) || strings.Contains(desk.Error(), "operator") {
				t.Errorf("at a desk: got %v, want %s", desk, c.desk)
			}
			if !strings.HasSuffix(service.Error(), c.service) {
				t.Errorf("in a service: got %v, want %s", service, c.service)
			}
			if diff := cmp.Diff(before, tree(t, root)); diff != "" {
				t.Errorf("(-before +after)\n%s", diff)
			}
		})
	}
}

// After a kill at any step of a write that the disk refuses halfway, or of its undoing, the next call finds the complete old definition
// or the complete new one.
func TestAKilledUndo(t *testing.T) {
	t.Parallel()
	undone := 0
	for step := 1; ; step++ {
		root := ownedFiles(t, sales)
		at := filepath.Join(root, "M.SemanticModel")
		before := tree(t, at)
		d, err := open(t, root).Definition(t.Context(), anna, modelIn(t, open(t, root)))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(at+"/definition", 0o555); err != nil { //nolint:gosec // of a folder
			t.Fatal(err)
		}
		killed := crash(t, root, step, crashNobody+"=1")
		if err := os.Chmod(at+"/definition", 0o755); err != nil { //nolint:gosec // of a folder
			t.Fatal(err)
		}
		p := open(t, root)
		got, err := p.Definition(t.Context(), anna, modelIn(t, p))
		switch {
		case err != nil:
			t.Errorf("step %d: %v", step, err)
		case got.Hash() == d.Hash():
			undone++
			if diff := cmp.Diff(maps.Clone(before), tree(t, at)); diff != "" {
				t.Errorf("step %d: (-before +after)\n%s", step, diff)
			}
		case !killed || got.Hash() != after.Hash():
			t.Errorf("step %d: neither the old nor the new definition: %v", step, parts(got))
		}
		if _, err := os.Lstat(filepath.Join(at, folder.Journal)); err == nil {
			t.Errorf("step %d: the journal is left", step)
		}
		if !killed {
			break
		}
	}
	if undone < 15 {
		t.Errorf("%d steps left the old definition", undone)
	}
}
