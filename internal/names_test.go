package internal_test

import (
	"fmt"
	"go/ast"
	"go/types"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
)

// sharedNames is how many names a package may share: functions, variables and constants that belong to no type and are
// exported or used by another file than the one that declares them. What only its own file uses is read there, and no file
// is longer than a few screens. Methods, types, and constants with a type of the package do not count, nor do tests and
// generated files. A reader keeps about that many names of one scope apart.
const sharedNames = 40

// crowded finds the packages with more shared names than that.
func crowded(tree fs.FS) (problems []string, err error) {
	all, err := sources(tree)
	if err != nil {
		return nil, err
	}
	byPackage := map[string][]source{}
	for _, s := range all {
		if !s.test {
			byPackage[s.pkg] = append(byPackage[s.pkg], s)
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(byPackage)) {
		if n := len(sharedBy(pkg, byPackage[pkg])); n > sharedNames {
			problems = append(problems, fmt.Sprintf("%s: %d shared names, %d at most: give some of them a package or a type", pkg, n, sharedNames))
		}
	}
	return problems, nil
}

// sharedBy returns the names that the files of a package share. It type-checks the package without its imports, which is
// enough to find what each name refers to.
func sharedBy(path string, files []source) map[string]bool {
	fset := files[0].fset
	all := make([]*ast.File, len(files))
	for i, s := range files {
		all[i] = s.File
	}
	uses := map[*ast.Ident]types.Object{}
	without := types.Config{Error: func(error) {}, Importer: nothing{}}
	pkg, _ := without.Check(path, fset, all, &types.Info{Uses: uses}) // names of imports are unknown
	shared := map[string]bool{}
	free := func(o types.Object) bool { // whether it belongs to no type, and is written by people
		constant, isConst := o.(*types.Const)
		if isConst {
			of, named := constant.Type().(*types.Named)
			isConst = !named || of.Obj().Pkg() != pkg
		}
		_, isVar := o.(*types.Var)
		_, isFunc := o.(*types.Func)
		return (isConst || isVar || isFunc) && o.Parent() == pkg.Scope() && !strings.HasSuffix(fset.Position(o.Pos()).Filename, ".gen.go")
	}
	for _, name := range pkg.Scope().Names() {
		if o := pkg.Scope().Lookup(name); free(o) && o.Exported() && name != "main" {
			shared[name] = true
		}
	}
	for id, o := range uses {
		if o.Pkg() == pkg && free(o) && fset.Position(o.Pos()).Filename != fset.Position(id.Pos()).Filename {
			shared[o.Name()] = true
		}
	}
	return shared
}

// nothing imports no package.
type nothing struct{}

// Import implements types.Importer.
func (nothing) Import(path string) (*types.Package, error) {
	return nil, fmt.Errorf("%s is not imported", path)
}

func TestSharedNames(t *testing.T) {
	t.Parallel()
	many := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	check(t, crowded, map[string]struct {
		files map[string]string
		want  []string
	}{
		"as many as may be": {map[string]string{
			"a/a.go":      "package a\n" + many("func F%d() {}\n", 30),
			"a/b.go":      "package a\n" + many("var V%d, _ = 1, 2\n", 10),
			"a/c.go":      "package a\ntype t int\nfunc init() {}\n" + many("func (t) M%d() {}\ntype T%[1]d int\n", 50),
			"a/d.go":      "package a\nconst (\nFirst t = iota\n" + many("C%d\n", 50) + ")\n",
			"a/e.gen.go":  "package a\n" + many("func G%d() {}\n", 50),
			"a/f.go":      "package a\nimport \"x\"\n" + many("var w%d = x.f%[1]d + f%[1]d\n", 50) + many("func f%d() {}\n", 50),
			"a/g.go":      "package a\nimport \"x\"\nvar _ = x.T{f1: 2}\nfunc (t) m() { f2 := 3; _ = f2 }\n", // no uses of f.go's f1 and f2
			"a/a_test.go": "package a\n" + many("func H%d() { f%[1]d() }\n", 50),
		}, nil},
		"one more": {map[string]string{
			"a/a.go": "package a\n" + many("func F%d() {}\n", 38) + "const (\nFirst = iota\nSecond\n)\nvar Third int\n",
			"b/b.go": "package b\ntype t int\n" + many("var v%d t = 1\n", 41),
			"b/c.go": "package b\n" + many("var _ = x(v%d.y)\n", 41),
		}, []string{
			"a: 41 shared names, 40 at most: give some of them a package or a type",
			"b: 41 shared names, 40 at most: give some of them a package or a type",
		}},
	})
}
