// Package samples gives tests the files of the sample workspaces, mainly as seeds
// of fuzz targets, so that no copies of them can become outdated.
package samples

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Text returns a file of samples/ by its path there, with forward slashes.
func Text(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Texts returns the files below samples/ whose path matches, without duplicates,
// ordered by path. It fails when there is none, so that a fuzz target cannot lose
// its seeds unnoticed.
func Texts(t testing.TB, matches func(path string) bool) (texts [][]byte) {
	t.Helper()
	known := map[string]bool{}
	tree := os.DirFS(root(t))
	err := fs.WalkDir(tree, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !matches(path) {
			return err
		}
		text, err := fs.ReadFile(tree, path)
		if err == nil && !known[string(text)] {
			known[string(text)] = true
			texts = append(texts, text)
		}
		return err
	})
	if err != nil || len(texts) == 0 {
		t.Fatalf("%d files of samples/ match, %v", len(texts), err)
	}
	return texts
}

// Ending returns a function that matches the paths with any of the endings.
func Ending(endings ...string) func(path string) bool {
	return func(path string) bool {
		for _, e := range endings {
			if strings.HasSuffix(path, e) {
				return true
			}
		}
		return false
	}
}

// Workspaces returns the folder of the sample workspaces.
func Workspaces(t testing.TB) string {
	t.Helper()
	return filepath.Join(root(t), "workspaces")
}

// Corpus returns the folder of projects that tests of real files read: READINESS_CORPUS,
// which names a folder of public projects, or the sample workspaces. public reports
// which: a test may expect more of the public projects, but must not skip the samples.
func Corpus(t testing.TB) (folder string, public bool) {
	t.Helper()
	if folder := os.Getenv("READINESS_CORPUS"); folder != "" {
		return folder, true
	}
	return Workspaces(t), false
}

// root returns the folder of the module around the test's own folder.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return filepath.Join(dir, "samples")
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("there is no go.mod above the test's folder")
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal(err)
	return ""
}

// Items returns the files of each item whose folder has the ending (such as
// ".SemanticModel"), by their path within the folder, ordered by folder. Sample data,
// which are no part of an item, are left out.
func Items(t testing.TB, ending string) (items []map[string][]byte) {
	t.Helper()
	tree := os.DirFS(root(t))
	err := fs.WalkDir(tree, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() || !strings.HasSuffix(path, ending) {
			return err
		}
		files := map[string][]byte{}
		items = append(items, files)
		err = fs.WalkDir(tree, path, func(file string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case e.IsDir() && e.Name() == ".data":
				return fs.SkipDir
			case e.IsDir():
				return nil
			}
			text, err := fs.ReadFile(tree, file)
			files[strings.TrimPrefix(file, path+"/")] = text
			return err
		})
		if err != nil {
			return err
		}
		return fs.SkipDir
	})
	if err != nil || len(items) == 0 {
		t.Fatalf("%d folders of samples/ end with %s, %v", len(items), ending, err)
	}
	return items
}
