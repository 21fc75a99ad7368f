package offline

import (
	"slices"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/explained"
	"readiness/domain/readiness/finding"
)

// SetCrashPoint makes f run before and after each model is written.
func SetCrashPoint(f func()) { crashPoint = f }

// SetDocsURL sets what a build sets.
func SetDocsURL(address string) { docsURL = address }

// Covers reports whether the file covers a rule's finding about an object.
func (g *Ignores) Covers(rule string, key finding.Key) bool {
	return slices.ContainsFunc(g.entries, func(e ignore) bool { return e.matches(rule, key) })
}

// AnnotationCovers returns a function that reports whether an annotation of the model covers a finding.
func AnnotationCovers(m *semanticmodel.Model) func(rule string, key finding.Key) bool {
	own, _ := annotated(m, newPlaces(Item{}, definition.New(definition.Part{Path: explained.ModelPart}), m))
	return func(rule string, key finding.Key) bool {
		return slices.ContainsFunc(own, func(e ignore) bool { return e.matches(rule, key) })
	}
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
