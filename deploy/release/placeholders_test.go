package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A release that would name a placeholder is not built.
func TestPlaceholdersAreRefused(t *testing.T) {
	for _, c := range []struct{ flag, value, want string }{
		{"home", "https://git.example.com/tools/readiness", "git.example.com"},
		{"home", "https://github.com/OWNER/REPO", "OWNER/"},
		{"owner", "OWNER", "OWNER/"},
		{"owner", "your-org", "your-org"},
		{"docs-url", "https://example.org/docs", "example.org"},
		{"maintainer", "REPO <mail@git.test>", "REPO"},
		{"maintainer", "Ada <ada@example.com>", "example.com"},
		{"home", "https://git.test/you/readiness", ""},
		{"owner", "downer", ""},
		{"maintainer", "Ada Owner <ada@examples.test>", ""},
	} {
		out := filepath.Join(t.TempDir(), "dist")
		err := run(t.Context(), []string{"-source", "../..", "-out", out, "-targets", "none", "-" + c.flag, c.value})
		if c.want == "" && !strings.Contains(err.Error(), "-targets none") || c.want != "" && !strings.Contains(err.Error(), c.want+" is a placeholder") {
			t.Errorf("-%s %s: got %v, want %q", c.flag, c.value, err, c.want)
		}
	}
}

// No text in an archive, a package or a manifest, and no page that people begin with, names a placeholder. Where the address of the
// reader's own clone stands, the line says so.
func TestNoPlaceholders(t *testing.T) {
	r := &release{source: "../..", out: t.TempDir(), version: "v1.2.3", owner: "You", home: "https://git.test/you/readiness", maintainer: "You",
		date: time.Unix(1<<30, 0).UTC()}
	program := filepath.Join(t.TempDir(), "program")
	err := os.WriteFile(program, nil, 0o600)
	some := []target{{"linux", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}}
	for _, p := range programs {
		for _, to := range some {
			b := binary{p, to, program}
			err = errors.Join(err, r.archive(b), r.packages(b), r.npmBinary(b))
		}
		err = errors.Join(err, r.npmProgram(p, some), r.manifests(p, some))
	}
	if err != nil {
		t.Fatal(err)
	}
	checked := map[string]int{}
	check := func(kind, name string, text []byte) {
		checked[kind]++
		for line := range strings.Lines(string(text)) {
			if found := placeholder.FindString(line); found != "" && !strings.Contains(line, "your clone") {
				t.Errorf("%s names %s: %s", name, found, strings.TrimSpace(line))
			}
		}
	}
	err = filepath.WalkDir(r.out, func(file string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		kind := filepath.Ext(file)
		texts, err := textsOf(t, file)
		for name, text := range texts {
			check(kind, filepath.Base(file)+": "+name, text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{".gz", ".zip", ".tgz", ".deb", ".rpm", ".yaml", ".json", ".rb"} {
		if checked[kind] == 0 {
			t.Errorf("no text of a %s was checked", kind)
		}
	}
	for _, page := range []string{"README.md", "CONTRIBUTING.md", "docs/install.md", "docs/first-hour.md", "docs/ci.md", "docs/editor.md", "action.yml", ".pre-commit-hooks.yaml",
		"deploy/ci/azure-pipelines.yml", "deploy/ci/gitlab.yml", "deploy/container/build.sh", "editors/vscode/package.json", "editors/vscode/README.md"} {
		text, err := os.ReadFile(filepath.Join("../..", page))
		if err != nil {
			t.Fatal(err)
		}
		check("page", page, text)
	}
}

// textsOf returns the texts in a file of a release, and what a package says of itself.
func textsOf(t *testing.T, file string) (map[string][]byte, error) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	switch filepath.Ext(file) {
	case ".zip":
		files, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil, err
		}
		for _, f := range files.File {
			in, err := f.Open()
			if err != nil {
				return nil, err
			}
			if texts[f.Name], err = io.ReadAll(in); err != nil {
				return nil, err
			}
		}
	case ".gz", ".tgz":
		packed, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		for files := tar.NewReader(packed); ; {
			head, err := files.Next()
			if errors.Is(err, io.EOF) {
				return texts, nil
			}
			if err != nil {
				return nil, err
			}
			if texts[head.Name], err = io.ReadAll(files); err != nil {
				return nil, err
			}
		}
	case ".deb":
		texts["control"], err = exec.CommandContext(t.Context(), "dpkg-deb", "--field", file).Output()
	case ".rpm":
		texts["header"] = bytes.ReplaceAll(data[:min(len(data), 64<<10)], []byte{0}, []byte("\n")) // its texts are as they are, and end with a NUL
	default:
		if !slices.Contains([]string{".yaml", ".json", ".rb"}, filepath.Ext(file)) {
			t.Errorf("%s is of a kind that is not checked", file)
		}
		texts["it"] = data
	}
	return texts, err
}
