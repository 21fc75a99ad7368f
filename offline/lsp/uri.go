package lsp

import (
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

var drive = regexp.MustCompile(`^/[A-Za-z]:`)

// pathOf returns the absolute path of a file's address; false for what is no file of this machine.
func pathOf(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" || !strings.HasPrefix(u.Path, "/") ||
		strings.Contains(u.Path, "\x00") {
		return "", false
	}
	p := path.Clean(u.Path)
	if filepath.Separator == '\\' {
		if !drive.MatchString(p) {
			return "", false
		}
		p = strings.ToLower(p[1:2]) + p[2:]
	}
	return filepath.FromSlash(p), true
}

// uriOf returns the address of a file.
func uriOf(at string) string {
	p := filepath.ToSlash(at)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}
