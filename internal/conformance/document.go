package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

const documentPath = "docs/conformance.md"

const preface = `# Conformance

Every rule of the interface specification and of the [decisions](decisions.md), with the tests that prove it. ` + "`make conformance`" + `
writes this page from the list of rules (internal/conformance/catalogue.txt) and the ` + "`proves:`" + ` comments of tests and scenarios;
a test fails when a finished part has a rule without proof, when a comment names no rule, and when this page is old.

`

// current returns the document for the module's current tests.
func current(tree fs.FS) ([]byte, error) {
	sections, err := parse(catalogue)
	if err != nil {
		return nil, err
	}
	proofs, err := scan(tree)
	if err != nil {
		return nil, err
	}
	if problems := unknown(sections, proofs); problems != nil {
		return nil, fmt.Errorf("unknown rules:\n%s", strings.Join(problems, "\n"))
	}
	return render(sections, proofs), nil
}

// render renders the document.
func render(sections []Section, proofs []Proof) []byte {
	slices.SortFunc(proofs, func(a, b Proof) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Test, b.Test))
	})
	of := map[string][]Proof{}
	for _, p := range proofs {
		if !slices.Contains(of[p.Rule], p) {
			of[p.Rule] = append(of[p.Rule], p)
		}
	}
	var b bytes.Buffer
	b.WriteString(preface)
	b.WriteString("| Part | Rules | Proven | |\n|---|---|---|---|\n")
	for _, part := range parts {
		rules, proven := 0, 0
		for _, s := range sections {
			for _, r := range s.Rules {
				if r.Part != part {
					continue
				}
				rules++
				if of[r.ID] != nil {
					proven++
				}
			}
		}
		state := ""
		if slices.Contains(finished, part) {
			state = "finished"
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %s |\n", part, rules, proven, state)
	}
	for _, s := range sections {
		fmt.Fprintf(&b, "\n## %s\n\n| Rule | | Proof |\n|---|---|---|\n", s.Title)
		for _, r := range s.Rules {
			links := make([]string, len(of[r.ID]))
			for i, p := range of[r.ID] {
				links[i] = fmt.Sprintf("[%s](../%s)", p.Test, p.File)
			}
			proof := strings.Join(links, ", ")
			if proof == "" {
				proof = "part " + string(r.Part)
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", r.ID, strings.ReplaceAll(r.Text, "|", `\|`), proof)
		}
	}
	return b.Bytes()
}
