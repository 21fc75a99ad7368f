package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

// clone returns a copy of this repository's HEAD in a new folder.
func clone(t *testing.T) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "clone")
	if out, err := exec.Command("git", "clone", "--quiet", "../..", to).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return to
}

// The same commit in two folders gives the same bytes, and the programs say what they were built from.
func TestSameCommitSameBytes(t *testing.T) {
	var dirs []string
	for range 2 {
		out := filepath.Join(t.TempDir(), "dist")
		if err := run(t.Context(), []string{"-source", clone(t), "-out", out, "-targets", "linux/" + runtime.GOARCH, "-version", "v1.2.3",
			"-owner", "you", "-home", "https://git.test/you/readiness"}); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, out)
	}
	first, err := os.ReadFile(filepath.Join(dirs[0], sums))
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(filepath.Join(dirs[1], sums))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) || bytes.Count(first, []byte("\n")) != 4*len(programs)+2 { // archive, deb, rpm, bill of materials; npm
		t.Errorf("the checksums of two builds:\n%s\n%s", first, second)
	}
	commit, err := exec.Command("git", "-C", "../..", "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		name := p.name + "_1.2.3_linux_" + runtime.GOARCH
		file := filepath.Join(t.TempDir(), p.name)
		if err := os.WriteFile(file, member(t, filepath.Join(dirs[0], name+".tar.gz"), name+"/"+p.name), 0o755); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(file, "version").Output()
		if err != nil || !strings.HasPrefix(string(out), p.name+" v1.2.3 (commit "+strings.TrimSpace(string(commit))+", 2") {
			t.Errorf("version: %s%v", out, err)
		}
	}
}

// A file may have as many bytes as its limit, and not one more.
func TestLimited(t *testing.T) {
	file := filepath.Join(t.TempDir(), "readiness")
	if err := os.WriteFile(file, make([]byte, 3<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int64]string{
		0: "", 3 << 20: "", 3<<20 - 1: "readiness has 3.0 MB", 2 << 20: "readiness has 3.0 MB, and its limit in deploy/release/release.go is 2.0 MB",
	} {
		if err := limited(file, most); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("a limit of %d: got %v, want %q", most, err, want)
		}
	}
	if err := limited(file+"s", 1); err == nil {
		t.Error("a missing file has a size")
	}
}

// member returns a file of a .tar.gz.
func member(t *testing.T, archive, name string) []byte {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	packed, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for files := tar.NewReader(packed); ; {
		head, err := files.Next()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if head.Name == name {
			data, err := io.ReadAll(files)
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
	}
}

// A release whose files are not as the key signed them is refused, and so is a file that is not listed.
func TestVerified(t *testing.T) {
	private, public, err := note.GenerateKey(&endless{}, "release")
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := note.GenerateKey(&endless{next: 9}, "release")
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(private+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		change func(dir string) error
		key    string
		want   string
	}{
		"as signed":       {func(string) error { return nil }, public, ""},
		"another key":     {func(string) error { return nil }, other, "no verifiable signatures"},
		"no key":          {func(string) error { return nil }, "", "malformed verifier id"},
		"a changed file":  {func(dir string) error { return os.WriteFile(filepath.Join(dir, "readiness_1"), []byte("y"), 0o600) }, public, "has the checksum"},
		"a missing file":  {func(dir string) error { return os.Remove(filepath.Join(dir, "readiness_1")) }, public, "no such file"},
		"another file":    {func(dir string) error { return os.WriteFile(filepath.Join(dir, "readiness_3"), nil, 0o600) }, public, "does not list"},
		"another service": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "readinessd_1"), nil, 0o600) }, public, "does not list"},
		"the extension":   {func(dir string) error { return os.WriteFile(filepath.Join(dir, "readiness.vsix"), nil, 0o600) }, public, "does not list"},
		"the extension, signed": {func(dir string) error {
			return errors.Join(os.WriteFile(filepath.Join(dir, "readiness.vsix"), nil, 0o600), run(t.Context(), []string{"-sign", dir, "-key-file", key}))
		}, public, ""},
		"a changed list": {func(dir string) error {
			text, err := os.ReadFile(filepath.Join(dir, signed))
			return errors.Join(err, os.WriteFile(filepath.Join(dir, signed), bytes.Replace(text, []byte("_1"), []byte("_4"), 1), 0o600))
		}, public, "invalid signature"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &release{out: t.TempDir()}
			err := errors.Join(os.WriteFile(filepath.Join(r.out, "readiness_1"), []byte("x"), 0o600),
				os.WriteFile(filepath.Join(r.out, "readiness_2"), nil, 0o600), r.checksums(key), tt.change(r.out))
			if err != nil {
				t.Fatal(err)
			}
			if err := verified(r.out, tt.key); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// endless is a predictable source of random bytes.
type endless struct{ next byte }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		e.next++
		p[i] = e.next
	}
	return len(p), nil
}
