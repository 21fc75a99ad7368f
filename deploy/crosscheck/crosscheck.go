// Command crosscheck checks the types of the programs, the standard library and all other dependencies for the targets of a release,
// which takes a tenth of the time of building for them. It does not find what only a compiler back end, an assembler or a linker
// reports; make release/snapshot does, because it builds.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// targets are those of a release (deploy/release).
var targets = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// programs are those of a release.
var programs = []string{"./cmd/readiness", "./cmd/readinessd"}

func main() {
	packages := os.Args[1:]
	if len(packages) == 0 {
		packages = programs
	}
	if err := run(".", packages, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run checks packages of the module in dir, with what they import, for all targets.
func run(dir string, packages []string, out io.Writer) error {
	var failed []error
	for _, target := range targets {
		n, err := check(dir, packages, target)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", target, err))
			continue
		}
		fmt.Fprintf(out, "%s: the types of %d packages are correct\n", target, n)
	}
	return errors.Join(failed...)
}

// listed is what go list prints about a package.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Module          *struct{ GoVersion string }
	Error           *struct{ Err string }
}

// check returns how many packages it checked for a target.
func check(dir string, packages []string, target string) (int, error) {
	system, processor, _ := strings.Cut(target, "/")
	arguments := append([]string{"list", "-e", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,Module,Error"}, packages...)
	list := exec.CommandContext(context.Background(), "go", arguments...)
	list.Dir, list.Stderr = dir, os.Stderr
	list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
	output, err := list.Output()
	if err != nil {
		return 0, fmt.Errorf("go list: %w", err)
	}
	known := map[string]*types.Package{"unsafe": types.Unsafe}
	sizes := types.SizesFor("gc", processor)
	for in := json.NewDecoder(strings.NewReader(string(output))); ; {
		var p listed
		if err := in.Decode(&p); errors.Is(err, io.EOF) {
			return len(known), nil
		} else if err != nil {
			return 0, fmt.Errorf("go list: %w", err)
		}
		if p.Error != nil {
			return 0, errors.New(strings.TrimSpace(p.Error.Err))
		}
		if p.ImportPath == "unsafe" {
			continue
		}
		if known[p.ImportPath], err = p.check(known, sizes); err != nil {
			return 0, err
		}
	}
}

// check reads the package's files. The packages that it imports come before it.
func (p listed) check(known map[string]*types.Package, sizes types.Sizes) (*types.Package, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	var faults []error
	config := types.Config{
		Importer: importer(func(path string) (*types.Package, error) {
			if of := known[cmp.Or(p.ImportMap[path], path)]; of != nil {
				return of, nil
			}
			return nil, fmt.Errorf("go list does not name %s", path)
		}),
		Sizes: sizes,
		Error: func(err error) { faults = append(faults, err) },
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	checked, _ := config.Check(p.ImportPath, fset, files, nil)
	return checked, errors.Join(faults[:min(len(faults), 10)]...)
}

type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }
