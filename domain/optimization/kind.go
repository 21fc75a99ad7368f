// Package optimization holds how a semantic model is optimized and reverted. A preview
// proposes changes, an apply writes the reviewed ones, a revert restores what an apply
// replaced, and a bundle does this for several kinds (docs/specification.md 2.12, 3.5
// and 4.5).
//
// The log holds every write, with the values it replaces, before the platform is
// touched. Only one apply or revert at a time holds a model's lock.
package optimization

import (
	"slices"
	"strings"
	"time"

	"readiness/definition/rewrite"
	"readiness/domain"
	"readiness/domain/proposal"
	"readiness/internal/lists"
)

// Kind is what an optimization changes.
type Kind string

// The kinds.
const (
	AIInstructions Kind = "aiInstructions"
	Descriptions   Kind = "descriptions"
	Properties     Kind = "properties"
	AIDataSchema   Kind = "aiDataSchema"
)

// Kinds returns every kind in the order in which a bundle runs them.
func Kinds() []Kind { return []Kind{AIInstructions, Descriptions, Properties, AIDataSchema} }

// How long previews, records of applies and bundles are kept.
const (
	PreviewLife = 24 * time.Hour
	RecordLife  = 30 * 24 * time.Hour
	// BundleLife is how long after its acceptance a bundle may start children.
	BundleLife = 7 * 24 * time.Hour
)

// MaxDescriptions is how many changes a preview of descriptions holds at most
// (docs/decisions.md 4).
const MaxDescriptions = 200

// KindOf returns the kind with the name, or refuses with InvalidRequest, listing the
// kinds.
func KindOf(name string) (Kind, error) {
	if k := Kind(name); slices.Contains(Kinds(), k) {
		return k, nil
	}
	return "", domain.Refuse(domain.InvalidRequest, "there is no optimization kind %q; the kinds are %s", domain.Excerpt(name),
		kindNames()).About("kind", domain.Excerpt(name))
}

func kindNames() string {
	names := lists.Map(Kinds(), func(k Kind) string { return string(k) })
	return strings.Join(names, ", ")
}

// Types returns the types of the kind's writes, in their order: for Properties display
// folders, then field defaults.
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

// FromFindings reports whether the kind's objects come from the findings of the latest
// assessment.
func (k Kind) FromFindings() bool { return k == Descriptions || k == Properties }

// propertyOf returns the property that what is asked for sets in a definition.
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
	case proposal.Synonyms:
		return rewrite.Synonyms
	default:
		return rewrite.Visibility
	}
}
