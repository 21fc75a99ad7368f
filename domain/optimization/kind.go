// Package optimization holds how a semantic model is optimized and taken back: a
// preview proposes, an apply writes what was reviewed, a revert puts back what an
// apply wrote, and a bundle does so for several kinds (spec 2.12, 3.5, 4.5).
//
// What is to be written, with what was there before, is in the log before the
// platform is touched. One write at a time holds a model's lock.
package optimization

import (
	"slices"
	"strings"
	"time"

	"readiness/definition/rewrite"
	"readiness/domain"
	"readiness/domain/proposal"
)

// Kind is what an optimization is of (spec 4.5, {kind}).
type Kind string

// The kinds.
const (
	AIInstructions Kind = "aiInstructions"
	Descriptions   Kind = "descriptions"
	Properties     Kind = "properties"
	AIDataSchema   Kind = "aiDataSchema"
)

// Kinds lists every kind in the order in which a bundle takes them (spec 4.5,
// bundle rule 1).
func Kinds() []Kind { return []Kind{AIInstructions, Descriptions, Properties, AIDataSchema} }

// How long things are kept (spec 8).
const (
	PreviewLife = 24 * time.Hour
	RecordLife  = 30 * 24 * time.Hour
	// BundleLife is how long a bundle may go on (spec 4.5, bundle rule 5).
	BundleLife = 7 * 24 * time.Hour
)

// MaxDescriptions is how many changes a preview of descriptions holds (decisions 4).
const MaxDescriptions = 200

// KindOf returns the kind with the name, or refuses naming those there are.
func KindOf(name string) (Kind, error) {
	if k := Kind(name); slices.Contains(Kinds(), k) {
		return k, nil
	}
	return "", domain.Refuse(domain.InvalidRequest, "there is no optimization kind %q; the kinds are %s", shown(name), kindNames()).About("kind", shown(name))
}

func kindNames() string {
	names := make([]string, len(Kinds()))
	for i, k := range Kinds() {
		names[i] = string(k)
	}
	return strings.Join(names, ", ")
}

// shown is a text of the caller as messages repeat it.
func shown(text string) string {
	const most = 64
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// Types are what the kind writes, in the order of its writes (spec 4.5, apply
// rule 6: display folders, then field defaults).
func (k Kind) Types() []proposal.Type {
	switch k {
	case AIInstructions:
		return []proposal.Type{proposal.AIInstructions}
	case Descriptions:
		return []proposal.Type{proposal.Description}
	case Properties:
		return []proposal.Type{proposal.DisplayFolder, proposal.SummarizeBy}
	case AIDataSchema:
		return []proposal.Type{proposal.AIDataSchema}
	}
	return nil
}

// FromFindings reports whether the kind's objects come from the latest
// assessment (spec 4.5, preview rules 3 and 4).
func (k Kind) FromFindings() bool { return k == Descriptions || k == Properties }

// propertyOf is what a type of change sets in a definition.
func propertyOf(t proposal.Type) rewrite.Property {
	switch t {
	case proposal.AIInstructions:
		return rewrite.Instructions
	case proposal.Description:
		return rewrite.Description
	case proposal.DisplayFolder:
		return rewrite.DisplayFolder
	case proposal.SummarizeBy:
		return rewrite.SummarizeBy
	default:
		return rewrite.Visibility
	}
}
