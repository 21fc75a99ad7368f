package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// source is what the Go source says about types, their members and constants, by import path and name.
type source struct {
	doc    map[string]string  // "path.Type", "path.Type.Field" or "path.Type.Method"
	values map[string][]value // the constants of a type
	// appends are the functions that make a value of a type; callers are the functions that call one.
	appends, callers map[string]map[string]bool
	// decides are the functions that are the Decide of a command, with the command's type.
	decides map[string]string
}

// value is a constant.
type value struct{ text, doc string }

// patterns are the packages whose types events have, and those that make events.
var patterns = []string{"./domain/...", "./definition/rewrite", "./definition/upgrade", "./commands", "./work", "./cmd/declared",
	"./cmd/readinessd/erase", "./storage/people", "./eventstore/audit", "./http/collector/pageviews", "./ai/..."}

// read loads the source.
func read(root string) (*source, error) {
	loaded, err := packages.Load(&packages.Config{
		Dir: root, Fset: token.NewFileSet(),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	s := &source{doc: map[string]string{}, values: map[string][]value{}, appends: map[string]map[string]bool{},
		callers: map[string]map[string]bool{}, decides: map[string]string{}}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%s: %w", p.PkgPath, p.Errors[0])
		}
		for _, file := range p.Syntax {
			for _, d := range file.Decls {
				switch d := d.(type) {
				case *ast.GenDecl:
					s.declared(p, d)
				case *ast.FuncDecl:
					s.function(p, d)
				}
			}
		}
	}
	return s, nil
}

// declared reads types and constants.
func (s *source) declared(p *packages.Package, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			name := p.PkgPath + "." + spec.Name.Name
			s.doc[name] = text(spec.Doc, d.Doc, spec.Comment)
			if of, ok := spec.Type.(*ast.StructType); ok {
				s.members(name, of)
			}
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				c, ok := p.TypesInfo.Defs[name].(*types.Const)
				if !ok || c.Val().Kind() != constant.String {
					continue
				}
				if of, ok := c.Type().(*types.Named); ok {
					key := of.Obj().Pkg().Path() + "." + of.Obj().Name()
					s.values[key] = append(s.values[key], value{constant.StringVal(c.Val()), text(spec.Doc, spec.Comment)})
				}
			}
		}
	}
}

func (s *source) members(of string, t *ast.StructType) {
	for _, f := range t.Fields.List {
		for _, name := range f.Names {
			s.doc[of+"."+name.Name] = text(f.Doc, f.Comment)
			if inner, ok := f.Type.(*ast.StructType); ok {
				s.members(of+"."+name.Name, inner)
			}
		}
	}
}

// text returns the first comment that is not empty, on one line.
func text(comments ...*ast.CommentGroup) string {
	for _, c := range comments {
		if t := strings.Join(strings.Fields(c.Text()), " "); t != "" {
			return t
		}
	}
	return ""
}

// function reads which values a function makes, and which functions it calls.
func (s *source) function(p *packages.Package, d *ast.FuncDecl) {
	f, ok := p.TypesInfo.Defs[d.Name].(*types.Func)
	if !ok || d.Body == nil || strings.HasSuffix(p.Fset.Position(d.Pos()).Filename, "_test.go") || f.FullName() == "readiness/commands.Events" {
		return
	}
	me := f.FullName()
	if r := f.Signature().Recv(); r != nil && d.Name.Name == "Decide" {
		if of := named(r.Type()); of != "" {
			s.decides[me] = of
		}
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			add(s.appends, named(p.TypesInfo.TypeOf(n)), me)
		case *ast.CallExpr:
			if t := p.TypesInfo.Types[n.Fun]; t.IsType() {
				add(s.appends, named(t.Type), me)
			}
		case *ast.Ident:
			if used, ok := p.TypesInfo.Uses[n].(*types.Func); ok {
				add(s.callers, used.Origin().FullName(), me)
			}
		}
		return true
	})
}

func add(to map[string]map[string]bool, key, of string) {
	if to[key] == nil {
		to[key] = map[string]bool{}
	}
	to[key][of] = true
}

// named returns the import path and name of a type, "" for others.
func named(t types.Type) string {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return ""
	}
	return n.Obj().Pkg().Path() + "." + n.Obj().Name()
}

// commands returns the commands that decide an event: those whose Decide makes it, itself or by functions that it calls. An event that no
// Decide makes has the functions outside of domain that make it.
func (s *source) commands(event string) (found []string) {
	seen, commands := map[string]bool{}, map[string]bool{}
	var others []string
	var walk func(function string)
	walk = func(function string) {
		if seen[function] {
			return
		}
		seen[function] = true
		if c, ok := s.decides[function]; ok {
			commands[short(c)] = true
			return
		}
		if !strings.Contains(function, "readiness/domain/") && !strings.Contains(function, "readiness/ai/") {
			others = append(others, short(strings.NewReplacer("(", "", ")", "", "*", "").Replace(function)))
			return
		}
		for caller := range s.callers[function] {
			walk(caller)
		}
	}
	for function := range s.appends[event] {
		walk(function)
	}
	if len(commands) == 0 {
		slices.Sort(others)
		return slices.Compact(others)
	}
	return slices.Sorted(maps.Keys(commands))
}

// short returns a name without the path of its package's folder.
func short(name string) string { return filepath.Base(name) }
