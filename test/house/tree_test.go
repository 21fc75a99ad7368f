package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// module is the import path prefix of this module's packages.
const module = "readiness/"

// tree is the files of this module.
var tree = os.DirFS("../..")

// source is one Go file of a tree.
type source struct {
	path, pkg string // the file, and its folder
	test      bool
	fset      *token.FileSet // of all files of the tree
	*ast.File
}

// sources parses every Go file that the go command would compile.
func sources(tree fs.FS) (all []source, err error) {
	fset := token.NewFileSet()
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		b, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(fset, name, b, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		all = append(all, source{name, path.Dir(name), strings.HasSuffix(name, "_test.go"), fset, f})
		return nil
	})
	return all, err
}

// imports returns the paths that the file imports.
func (s source) imports() []string {
	var paths []string
	for _, spec := range s.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		paths = append(paths, p)
	}
	return paths
}

// calls returns the selectors of the file, such as "time.Now", whatever they select
// from.
func (s source) calls() (all []string) {
	ast.Inspect(s.File, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok {
				all = append(all, x.Name+"."+selector.Sel.Name)
			}
		}
		return true
	})
	return all
}

// check runs a check on this module, where it must find nothing, and on made-up
// files, where it must find exactly what is wanted.
func check(t *testing.T, problems func(fs.FS) ([]string, error), rows map[string]struct {
	files map[string]string
	want  []string
},
) {
	t.Helper()
	got, err := problems(tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range got {
		t.Error(problem)
	}
	for name, row := range rows {
		files := fstest.MapFS{}
		for path, content := range row.files {
			files[path] = &fstest.MapFile{Data: []byte(content)}
		}
		got, err := problems(files)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		slices.Sort(got)
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}
