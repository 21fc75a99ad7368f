// Command module gives a clone the module path of whoever publishes it, so that others can import the client: in go.mod files, imports,
// linker flags and documents. It changes files that git knows, in the current directory.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./deploy/module MODULE, such as github.com/you/readiness")
		os.Exit(2)
	}
	n, err := rename(context.Background(), ".", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "module:", err)
		os.Exit(1)
	}
	fmt.Fprintf(os.Stdout, "%d files name the module %s; run go vet ./... and commit\n", n, os.Args[1])
}

// named is what a path may be: elements as the go command takes them, the first of which is a host.
var named = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+(/[A-Za-z0-9][A-Za-z0-9._~-]*)+$`)

// rename gives the module in a directory another path, and returns how many files changed.
func rename(ctx context.Context, dir, to string) (changed int, err error) {
	if !named.MatchString(to) || to != path.Clean(to) {
		return 0, fmt.Errorf("%q is no module path that others can fetch; name one such as github.com/you/readiness", to)
	}
	list := exec.CommandContext(ctx, "git", "ls-files", "-z")
	list.Dir = dir
	out, err := list.Output()
	if err != nil {
		return 0, fmt.Errorf("git ls-files: %w", err)
	}
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	from, err := module(dir)
	if err != nil {
		return 0, err
	}
	imports, whole, required := patterns(from, files)
	for _, name := range files {
		file := dir + "/" + name
		info, err := os.Lstat(file)
		if errors.Is(err, os.ErrNotExist) || err == nil && !info.Mode().IsRegular() || strings.Contains(name, "testdata/") {
			continue
		}
		if err != nil {
			return changed, err
		}
		before, err := os.ReadFile(file) //nolint:gosec // a file of the repository
		if err != nil {
			return changed, err
		}
		after := imports.ReplaceAllString(string(before), "${1}"+to+"${2}")
		if strings.HasSuffix(name, ".go") {
			after = whole.ReplaceAllString(after, "${1}"+to+"${2}")
		}
		if path.Base(name) == "go.mod" {
			after = required.ReplaceAllString(after, "${1}"+to+"${2}")
		}
		if after != string(before) {
			changed++
			if err := os.WriteFile(file, []byte(after), info.Mode()); err != nil {
				return changed, err
			}
		}
	}
	return changed, nil
}

// module returns the module's present path.
func module(dir string) (string, error) {
	text, err := os.ReadFile(dir + "/go.mod") //nolint:gosec // a file of the repository
	if err != nil {
		return "", err
	}
	found := regexp.MustCompile(`(?m)^module (\S+)$`).FindSubmatch(text)
	if found == nil {
		return "", errors.New("go.mod names no module")
	}
	return string(found[1]), nil
}

// patterns match a module's path where it is meant: before a top folder with Go files, as the import of the package in the root, and in
// go.mod files.
func patterns(module string, files []string) (below, root, required *regexp.Regexp) {
	var tops []string
	for _, name := range files {
		if top, _, in := strings.Cut(name, "/"); in && strings.HasSuffix(name, ".go") && !slices.Contains(tops, top) {
			tops = append(tops, top)
		}
	}
	from := regexp.QuoteMeta(module)
	return regexp.MustCompile(`(?m)(^|[\s"'=(*])` + from + `(/(?:` + strings.Join(tops, "|") + `)\b)`),
		regexp.MustCompile(`(?m)^(\t")` + from + `(")$`),
		regexp.MustCompile(`(?m)^(module |replace |\t)` + from + `( v\S+| =>.*)?$`)
}
