// Command conformance writes docs/conformance.md: every rule of the specification
// with the tests that prove it. The rules are in catalogue.txt. A test names the
// rules that it proves in a comment "proves: ID [ID…]", a scenario in its own
// comments.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	root := flag.String("root", ".", "directory of the module")
	flag.Parse()
	if err := write(*root); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// write updates the document of the module at root.
func write(root string) error {
	doc, err := current(os.DirFS(root))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, filepath.FromSlash(documentPath)), doc, 0o644)
}
