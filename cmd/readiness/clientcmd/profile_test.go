package clientcmd

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A profile is readable only by its owner and written atomically.
func TestProfileIsPrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "profiles", "default.json")
	for range 2 {
		if err := (profile{BaseURL: "http://127.0.0.1:1", Token: "aaaa.bbbb.cccc"}).write(path); err != nil {
			t.Fatal(err)
		}
	}
	for p, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(p); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got mode %v, error %v, want %v", p, info.Mode(), err, want)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("got files %v, error %v", left, err)
	}
}
