package filelock_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"readiness/internal/filelock"
)

// Readers share a lock, a writer has it alone, and closing a file gives it up.
func TestLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, open := range map[string]func() (*os.File, error){
		"a folder": func() (*os.File, error) { return filelock.OpenFolder(root) },
		"a file":   func() (*os.File, error) { return os.OpenFile(filepath.Join(dir, "one"), os.O_CREATE|os.O_RDWR, 0o600) },
	} {
		held, other := opened(t, open), opened(t, open)
		over, cancel := context.WithCancelCause(t.Context())
		busy := errors.New("busy")
		cancel(busy)
		for _, step := range []struct {
			does string
			f    *os.File
			how  filelock.Kind
			want error
		}{
			{"reads", held, filelock.Shared, nil},
			{"reads too", other, filelock.Shared, nil},
			{"writes beside a reader", held, filelock.Exclusive, busy},
			{"still reads", other, filelock.Shared, nil},
		} {
			if err := filelock.Lock(over, step.f, step.how); !errors.Is(err, step.want) {
				t.Errorf("%s: %s: got %v, want %v", name, step.does, err, step.want)
			}
		}
		if err := held.Close(); err != nil {
			t.Fatal(err)
		}
		third := opened(t, open)
		for _, step := range []struct {
			f    *os.File
			how  filelock.Kind
			want error
		}{{other, filelock.Exclusive, nil}, {third, filelock.Shared, busy}, {third, filelock.Exclusive, busy}, {other, filelock.Shared, nil}, {third, filelock.Shared, nil}} {
			if err := filelock.Lock(over, step.f, step.how); !errors.Is(err, step.want) {
				t.Errorf("%s: after the first was closed: got %v, want %v", name, err, step.want)
			}
		}
	}
	if found, err := os.ReadDir(dir); err != nil || len(found) != 1 {
		t.Errorf("a lock left %v, %v", found, err)
	}
}

func opened(t *testing.T, open func() (*os.File, error)) *os.File {
	t.Helper()
	f, err := open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}
