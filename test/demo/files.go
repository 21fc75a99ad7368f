package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"readiness/definition"
	"readiness/definition/patch"
)

// files are the contents of a folder's files, by path.
type files map[string]string

func read(root string) (files, error) {
	all := files{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path) //nolint:gosec // below the folder that the demo made
		all[filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))] = string(data)
		return err
	})
	return all, err
}

// diff returns what `git diff` would show between two states of a folder.
func (f files) diff(after files) string {
	return strings.Join(slices.Collect(patch.Of("", f.definition(), after.definition())), "")
}

func (f files) definition() definition.Definition {
	var parts []definition.Part
	for path, text := range f {
		parts = append(parts, definition.Part{Path: path, Data: []byte(text)})
	}
	return definition.New(parts...)
}

// changed counts the added and removed lines of a diff.
func changed(diff string) (added, removed int) {
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "+++"):
			added++
		case strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "---"):
			removed++
		}
	}
	return added, removed
}

// same fails unless the folder is unchanged, byte for byte.
func (f files) same(root string) error {
	after, err := read(root)
	if err != nil {
		return err
	}
	if d := f.diff(after); d != "" {
		return fmt.Errorf("the files have changed:\n%s", d)
	}
	return nil
}
