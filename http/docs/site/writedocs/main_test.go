package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	if err := run(dir, "https://forge.example/tree/v1/"); err != nil {
		t.Fatal(err)
	}
	for name, part := range map[string]string{
		"index.html": "All pages", "rules/DSC-01.html": "DSC-01", "style.css": "prefers-reduced-motion", "search.js": "use strict",
		"README.html": `href="https://forge.example/tree/v1/LICENSE"`,
	} {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil || !strings.Contains(string(text), part) {
			t.Errorf("%s lacks %s, error %v", name, part, err)
		}
	}
	if err := run("", ""); err == nil {
		t.Error("the site is written without a folder")
	}
}
