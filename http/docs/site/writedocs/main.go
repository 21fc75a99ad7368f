// Command writedocs writes the documents of this repository as a site of static pages into a folder. It fails, without
// writing, if a link between pages is broken.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"readiness"
	"readiness/http/docs/site"
)

func main() {
	source := flag.String("source", "", "address of the repository's folder, where links to files that are no pages lead")
	flag.Parse()
	if err := run(flag.Arg(0), *source); err != nil {
		fmt.Fprintln(os.Stderr, "writedocs:", err)
		os.Exit(1)
	}
}

// run writes the site into dir.
func run(dir, source string) error {
	if dir == "" {
		return errors.New("name the folder to write to")
	}
	site, err := site.Build(readiness.Documents, site.Options{Source: source})
	if err != nil {
		return err
	}
	if len(site.Broken) > 0 {
		return fmt.Errorf("broken links:\n%s", strings.Join(site.Broken, "\n"))
	}
	for name, text := range site.Files {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
