package offline

import (
	"fmt"

	"readiness/domain/readiness"
)

// SetCrashPoint makes f run before and after each model is written.
func SetCrashPoint(f func()) { crashPoint = f }

// RuleTextProblems returns rules without a text, and texts without a rule.
func RuleTextProblems() (problems []string) {
	left := map[string]bool{}
	for id := range ruleTexts {
		left[id] = true
	}
	for _, r := range readiness.Current().Rules() {
		if t := ruleTexts[r.ID]; t.name == "" || t.short == "" || t.help == "" {
			problems = append(problems, fmt.Sprintf("rule %s has no text", r.ID))
		}
		delete(left, r.ID)
	}
	for id := range left {
		problems = append(problems, fmt.Sprintf("there is no rule %s", id))
	}
	return problems
}

// Entry is an entry of an ignore file.
type Entry struct {
	Rule, Reason string
	Line         int
}

// Entries returns the entries of the file.
func (g *Ignores) Entries() (all []Entry) {
	for _, e := range g.entries {
		all = append(all, Entry{e.rule, e.reason, e.line})
	}
	return all
}
