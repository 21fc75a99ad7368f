// Command rulepages writes docs/rules: a page for each scoring rule, from the explanations and weights in
// domain/readiness, and a list of all rules. It runs the examples, so that a page shows the finding that a failing
// example has, and refuses an example that does not show its rule.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
)

//go:generate go run . ../../..

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	if err := run(root); err != nil {
		fmt.Fprintln(os.Stderr, "rulepages:", err)
		os.Exit(1)
	}
}

// folder holds the pages.
const folder = "docs/rules"

// run writes the pages below the module's folder, and removes those of rules that no longer exist.
func run(root string) error {
	pages, err := write()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
		return err
	}
	stale, err := others(root, pages)
	if err != nil {
		return err
	}
	for _, name := range stale {
		if err := os.Remove(filepath.Join(root, folder, name)); err != nil {
			return err
		}
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(root, folder, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// others returns the files of the folder that are none of the pages.
func others(root string, pages map[string]string) (names []string, err error) {
	files, err := os.ReadDir(filepath.Join(root, folder))
	for _, f := range files {
		if pages[f.Name()] == "" {
			names = append(names, f.Name())
		}
	}
	return names, err
}

// write returns the pages by name.
func write() (map[string]string, error) {
	pages := map[string]string{}
	for _, id := range explained.Rules() {
		p, err := newRulePage(id)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
		pages[id+".md"] = p.String()
	}
	pages["README.md"], pages["own.md"], pages["own.yaml"] = list(), own(), ownExamples
	return pages, nil
}

// notice is the first line of each page.
const notice = "<!-- Written by http/docs/rulepages from domain/readiness; make generate writes it again. -->\n\n"

// number writes a weight.
func number(x float64) string { return strings.TrimSuffix(fmt.Sprintf("%.2f", x), ".00") }

// fixes lists the optimizations that can resolve findings.
func fixes(rule readiness.PublishedRule) string {
	var names []string
	for _, k := range rule.FixKinds {
		names = append(names, "`"+string(k)+"`")
	}
	if names == nil {
		return "by hand"
	}
	return strings.Join(names, ", ")
}
