// Command eventpages writes docs/events.md and docs/events.schema.json: every event that the log can hold, in every version of its stored
// form, from the types in commands.Events, the comments on their Go types and members, and the views in projections. What a replay
// needs is in replay.md, which the page begins with.
package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
)

//go:generate go run . ../../..

// The files that are written, below the module's folder.
const (
	pageFile   = "docs/events.md"
	schemaFile = "docs/events.schema.json"
)

//go:embed replay.md
var replay string

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	if err := run(root); err != nil {
		fmt.Fprintln(os.Stderr, "eventpages:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	c, err := catalogueOf(root)
	if err != nil {
		return err
	}
	files, err := c.files()
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// files returns the files, by name.
func (c *catalogue) files() (map[string][]byte, error) {
	schema, err := c.schema()
	if err != nil {
		return nil, err
	}
	return map[string][]byte{pageFile: c.page(), schemaFile: schema}, nil
}
