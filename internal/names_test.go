package internal_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// freeNames is how many free names a package may have: functions, variables and constants that belong to no type.
// Methods, types, and constants with a type of the package do not count, nor do tests and generated files. A reader
// keeps about that many names of one scope apart.
const freeNames = 40

// moreFreeNames are the packages that may have more, each with its number and the reason. A package is not in the list
// when it needs no more than freeNames.
var moreFreeNames = map[string]entry{
	"ai/answering":                        {116, "not divided yet"},
	"ai/openai":                           {128, "not divided yet"},
	"ai/rules":                            {151, "not divided yet"},
	"cmd/readiness":                       {195, "not divided yet"},
	"commands":                            {60, "not divided yet"},
	"definition/dax/evaluate":             {44, "not divided yet"},
	"definition/pixie":                    {57, "not divided yet"},
	"definition/rewrite":                  {73, "not divided yet"},
	"domain/benchmark":                    {95, "not divided yet"},
	"domain/benchmark/goldenset":          {45, "not divided yet"},
	"domain/comparison":                   {90, "not divided yet"},
	"domain/comparison/meaning":           {50, "not divided yet"},
	"domain/optimization":                 {68, "not divided yet"},
	"domain/proposal/screen":              {114, "a check is a function, its words and patterns lists"},
	"domain/readiness":                    {46, "a regime's scores, caps and findings are computed from one judgement"},
	"domain/readiness/explained":          {54, "a constant for each source and each model that examples share"},
	"domain/readiness/rules/datatypes":    {48, "a rule is a function, its words a list"},
	"domain/readiness/rules/instructions": {49, "a rule is a function, its words a list"},
	"domain/readiness/rules/visibility":   {49, "a rule is a function, its words a list"},
	"eventstore":                          {67, "not divided yet"},
	"http":                                {155, "not divided yet"},
	"internal/postgres":                   {44, "not divided yet"},
	"offline":                             {87, "not divided yet"},
	"platform/folder":                     {71, "not divided yet"},
	"projections":                         {105, "not divided yet"},
	"work":                                {75, "not divided yet"},
}

// entry is a package that may have more free names, and why.
type entry struct {
	ceiling int
	why     string
}

// crowded finds the packages with more free names than they may have, and the entries of more that are not needed.
func crowded(tree fs.FS, more map[string]entry) (problems []string, err error) {
	all, err := sources(tree)
	if err != nil {
		return nil, err
	}
	types := map[string]map[string]bool{} // by package
	for _, s := range all {
		for _, d := range s.Decls {
			for _, spec := range specsOf(d, token.TYPE) {
				if types[s.pkg] == nil {
					types[s.pkg] = map[string]bool{}
				}
				types[s.pkg][spec.(*ast.TypeSpec).Name.Name] = true
			}
		}
	}
	free := map[string]int{}
	for pkg := range more {
		free[pkg] = 0
	}
	for _, s := range all {
		if !s.test && !strings.HasSuffix(s.path, ".gen.go") {
			free[s.pkg] += s.freeNames(types[s.pkg])
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(free)) {
		n := free[pkg]
		switch e, listed := more[pkg]; {
		case !listed && n > freeNames:
			problems = append(problems, fmt.Sprintf("%s: %d free names, %d at most: give some of them a package or a type", pkg, n, freeNames))
		case listed && n > e.ceiling:
			problems = append(problems, fmt.Sprintf("%s: %d free names, %d at most (%s): give some of them a package or a type", pkg, n,
				e.ceiling, e.why))
		case listed && n <= freeNames:
			problems = append(problems, fmt.Sprintf("%s: %d free names need no entry in moreFreeNames: remove it", pkg, n))
		}
	}
	return problems, nil
}

// specsOf returns the specs of a declaration of one kind.
func specsOf(d ast.Decl, kinds ...token.Token) []ast.Spec {
	if g, ok := d.(*ast.GenDecl); ok && slices.Contains(kinds, g.Tok) {
		return g.Specs
	}
	return nil
}

// freeNames counts the functions, variables and constants of a file. types are the types of its package.
func (s source) freeNames(types map[string]bool) (n int) {
	for _, d := range s.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name != "init" && f.Name.Name != "main" {
			n++
		}
		typed := false // whether the constants of the group so far have a type of the package
		for _, spec := range specsOf(d, token.CONST, token.VAR) {
			v := spec.(*ast.ValueSpec)
			if v.Type != nil || len(v.Values) > 0 {
				t, named := v.Type.(*ast.Ident)
				typed = named && types[t.Name] && d.(*ast.GenDecl).Tok == token.CONST
			}
			for _, name := range v.Names {
				if name.Name != "_" && !typed {
					n++
				}
			}
		}
	}
	return n
}

func TestFreeNames(t *testing.T) {
	t.Parallel()
	many := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	rows := map[string]struct {
		files map[string]string
		more  map[string]entry
		want  []string
	}{
		"as many as may be": {map[string]string{
			"a/a.go":      "package a\n" + many("func f%d() {}\n", 30),
			"a/b.go":      "package a\n" + many("var v%d, _ = 1, 2\n", 10),
			"a/c.go":      "package a\ntype t int\nfunc init() {}\n" + many("func (t) m%d() {}\ntype t%[1]d int\n", 50),
			"a/d.go":      "package a\nconst (\nfirst t = iota\n" + many("c%d\n", 50) + ")\n",
			"a/e.gen.go":  "package a\n" + many("func g%d() {}\n", 50),
			"a/a_test.go": "package a\n" + many("func h%d() {}\n", 50),
		}, nil, nil},
		"one more": {map[string]string{
			"a/a.go": "package a\n" + many("func f%d() {}\n", 38) + "const (\nfirst = iota\nsecond\n)\nvar third int\n",
			"b/b.go": "package b\ntype t int\n" + many("var v%d t = 1\n", 41),
		}, nil, []string{
			"a: 41 free names, 40 at most: give some of them a package or a type",
			"b: 41 free names, 40 at most: give some of them a package or a type",
		}},
		"as many as the entry says": {
			map[string]string{"a/a.go": "package a\n" + many("func f%d() {}\n", 50)}, map[string]entry{"a": {50, "it is so"}}, nil,
		},
		"more than the entry says": {
			map[string]string{"a/a.go": "package a\n" + many("func f%d() {}\n", 51)}, map[string]entry{"a": {50, "it is so"}},
			[]string{"a: 51 free names, 50 at most (it is so): give some of them a package or a type"},
		},
		"an entry without need": {
			map[string]string{"a/a.go": "package a\n" + many("func f%d() {}\n", 40)}, map[string]entry{"a": {50, "it is so"}},
			[]string{"a: 40 free names need no entry in moreFreeNames: remove it"},
		},
		"an entry without a package": {nil, map[string]entry{"a": {50, "it is so"}},
			[]string{"a: 0 free names need no entry in moreFreeNames: remove it"}},
	}
	check(t, func(tree fs.FS) ([]string, error) { return crowded(tree, moreFreeNames) }, nil)
	for name, row := range rows {
		files := fstest.MapFS{}
		for path, content := range row.files {
			files[path] = &fstest.MapFile{Data: []byte(content)}
		}
		got, err := crowded(files, row.more)
		if diff := cmp.Diff(row.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v: -want +got:\n%s", name, err, diff)
		}
	}
}
