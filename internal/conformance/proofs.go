package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Proof is a test that claims to prove a rule.
type Proof struct {
	Rule string // its id
	File string // from the module's root
	Test string // the function, or the scenario's name
}

var (
	marker       = regexp.MustCompile(`^(?://|#)\s*proves:\s*(.*)$`)
	testFunction = regexp.MustCompile(`^(Test|Fuzz|Example)`)
)

// scan finds every marker in the tests and scenarios of a module.
func scan(tree fs.FS) (all []Proof, err error) {
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir():
			return nil
		case strings.HasSuffix(name, "_test.go"):
			found, err := inGo(tree, name)
			all = append(all, found...)
			return err
		case path.Ext(name) == ".txtar" && strings.HasPrefix(name, "scenarios/"):
			found, err := inScenario(tree, name)
			all = append(all, found...)
			return err
		}
		return nil
	})
	return all, err
}

// inGo finds the markers of a Go file. Each must be in a test function or directly
// above one.
func inGo(tree fs.FS, name string) (found []Proof, err error) {
	src, err := fs.ReadFile(tree, name)
	if err != nil || !bytes.Contains(src, []byte("proves:")) {
		return nil, err
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			m := marker.FindStringSubmatch(c.Text)
			if m == nil {
				continue
			}
			i := slices.IndexFunc(file.Decls, func(d ast.Decl) bool {
				f, ok := d.(*ast.FuncDecl)
				return ok && f.Recv == nil && testFunction.MatchString(f.Name.Name) &&
					(f.Doc == group || f.Pos() <= c.Pos() && c.Pos() < f.End())
			})
			if i < 0 {
				return nil, fmt.Errorf("%s: the marker is neither in a test function nor directly above one", files.Position(c.Pos()))
			}
			for _, id := range strings.Fields(m[1]) {
				found = append(found, Proof{id, name, file.Decls[i].(*ast.FuncDecl).Name.Name})
			}
		}
	}
	return found, nil
}

// inScenario finds the markers among a script's own lines, before its embedded
// files.
func inScenario(tree fs.FS, name string) (found []Proof, err error) {
	src, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, err
	}
	script, _, _ := strings.Cut("\n"+string(src), "\n-- ")
	for line := range strings.Lines(script) {
		if m := marker.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			for _, id := range strings.Fields(m[1]) {
				found = append(found, Proof{id, name, strings.TrimSuffix(path.Base(name), ".txtar")})
			}
		}
	}
	return found, nil
}

// unknown returns the proofs of rules that are not in the catalogue.
func unknown(sections []Section, proofs []Proof) (problems []string) {
	known := map[string]bool{}
	for _, s := range sections {
		for _, r := range s.Rules {
			known[r.ID] = true
		}
	}
	for _, p := range proofs {
		if !known[p.Rule] {
			problems = append(problems, fmt.Sprintf("%s: %s proves %s, which is not in the catalogue", p.File, p.Test, p.Rule))
		}
	}
	return problems
}

// unproven returns the rules of the given parts that no test proves.
func unproven(sections []Section, proofs []Proof, of []Part) (ids []string) {
	for _, s := range sections {
		for _, r := range s.Rules {
			if slices.Contains(of, r.Part) && !slices.ContainsFunc(proofs, func(p Proof) bool { return p.Rule == r.ID }) {
				ids = append(ids, r.ID)
			}
		}
	}
	return ids
}
