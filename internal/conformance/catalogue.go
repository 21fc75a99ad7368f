package main

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Part is the part of the project that implements a rule.
type Part string

// The parts, in the order in which they are built.
const (
	Spine         Part = "spine"
	Account       Part = "account"
	Optimizations Part = "optimizations"
	Pixies        Part = "pixies"
	ABTests       Part = "abtests"
)

var parts = []Part{Spine, Account, Optimizations, Pixies, ABTests}

// finished are the parts whose rules must all have a proof. Add a part here when it
// is finished.
var finished = []Part{Spine, Account, Optimizations, Pixies, ABTests}

// Rule is one rule of the specification or of a decision.
type Rule struct {
	ID   string // unique: section, then row, number or name
	Part Part
	Text string // in our own words
}

// Section is a chapter of rules.
type Section struct {
	Title string
	Rules []Rule
}

//go:embed catalogue.txt
var catalogue string

var ruleID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9./-]*$`)

// parse parses a catalogue.
func parse(text string) ([]Section, error) {
	var all []Section
	seen := map[string]bool{}
	line := 0
	for l := range strings.Lines(text) {
		line++
		l = strings.TrimSpace(l)
		if title, ok := strings.CutPrefix(l, "## "); ok {
			all = append(all, Section{Title: title})
			continue
		}
		if l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		f := strings.SplitN(l, " ", 3)
		switch {
		case len(f) < 3 || !ruleID.MatchString(f[0]):
			return nil, fmt.Errorf("catalogue line %d: want an id, a part and a text, got %q", line, l)
		case !slices.Contains(parts, Part(f[1])):
			return nil, fmt.Errorf("catalogue line %d: %s is not one of the parts %v", line, f[1], parts)
		case seen[f[0]]:
			return nil, fmt.Errorf("catalogue line %d: %s is listed twice", line, f[0])
		case len(all) == 0:
			return nil, fmt.Errorf("catalogue line %d: %s comes before the first section", line, f[0])
		}
		seen[f[0]] = true
		s := &all[len(all)-1]
		s.Rules = append(s.Rules, Rule{f[0], Part(f[1]), f[2]})
	}
	return all, nil
}
