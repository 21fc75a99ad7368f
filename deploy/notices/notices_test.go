package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestNoticeIsCurrent(t *testing.T) {
	want, err := notices(t.Context(), "../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../NOTICE")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("NOTICE is not that of the linked modules (%v); run go generate ./deploy/notices", err)
	}
}

func TestLicenses(t *testing.T) {
	dir := t.TempDir()
	if texts, err := licenses(module{Path: "example.com/none", Dir: dir}); err == nil {
		t.Errorf("a module without a license has %q", texts)
	}
	for name, text := range map[string]string{"LICENSE": "do as you like\r\n", "COPYING.md": "do as you like", "license.go": "package x", "NOTICE.txt": "by me"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if texts, err := licenses(module{Path: "example.com/some", Dir: dir}); err != nil || len(texts) != 2 || texts[0] != "by me" || texts[1] != "do as you like" {
		t.Errorf("got %q, %v", texts, err)
	}
}
