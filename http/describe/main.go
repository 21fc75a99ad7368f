// Command describe reads http/openapi.yaml, in which every route is declared once, and writes what follows from it: the
// complete description of the interface, the server's table of routes and the client's list of repeatable calls. It
// refuses a declaration that lacks something and names what is missing.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run writes the files below the module's folder, the only argument.
func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("describe: give the module's folder as the only argument")
	}
	files, err := describe(args[0])
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(args[0], name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// source is the file that declares the routes.
const source = "http/openapi.yaml"

// describe returns the generated files by name.
func describe(root string) (map[string][]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, source))
	if err != nil {
		return nil, err
	}
	d, err := parse(text)
	if err == nil {
		err = d.complete()
	}
	if err != nil {
		return nil, fmt.Errorf("%s:\n%w", source, err)
	}
	document, err := d.document()
	if err != nil {
		return nil, err
	}
	table, err := goTable(d.routes)
	if err != nil {
		return nil, err
	}
	repeatable, err := goRepeatable(d.routes)
	return map[string][]byte{"http/openapi.gen.json": document, "http/routing/table.gen.go": table,
		"client/repeatable.gen.go": repeatable}, err
}
