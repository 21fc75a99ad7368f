// Package rules proposes texts and settings for a semantic model from what its
// definition says, without an AI: descriptions from names, types, relationships
// and DAX, display folders, what an AI data schema shows, and AI instructions
// (spec 4.5; regime F). It does no I/O, knows no data values and answers the
// same for the same Ask. It never invents: every field a text names is in the
// model, and where only the name could be said again nothing is proposed.
package rules

import "readiness/domain/proposal"

// Provider is what an answer of this package is signed with.
var Provider = proposal.Provider{Kind: "rules", Name: "Embedded rules"}

// Propose answers for every object asked about, without network, the same for
// the same Ask. The order of tables and relationships in the model does not
// matter to what is proposed, nor does that of the objects asked about.
func Propose(ask proposal.Ask) proposal.Answer {
	a := &answers{Answer: proposal.Answer{Provider: Provider}}
	f := newFacts(ask.Model, ask.Usage)
	switch ask.Type {
	case proposal.Description:
		f.describe(ask.Objects, a)
	case proposal.DisplayFolder:
		f.file(ask.Objects, a)
	case proposal.AIDataSchema:
		f.choose(a)
	case proposal.AIInstructions:
		f.instruct(a)
	default:
		for _, o := range distinct(ask.Objects) {
			a.skip(o, "The embedded rules propose no value of this type.")
		}
	}
	return a.Answer
}

type answers struct{ proposal.Answer }

func (a *answers) propose(o proposal.Object, value, reason string) {
	a.Proposals = append(a.Proposals, proposal.Proposal{Object: o, Value: value, Reason: reason})
}

func (a *answers) skip(o proposal.Object, message string) {
	a.Skipped = append(a.Skipped, proposal.Skip{Object: o, Reason: proposal.NothingProposed, Message: message})
}

const unknownObject = "The model has no such object: it may have been renamed or deleted."

// distinct keeps the first of equal objects.
func distinct(objects []proposal.Object) []proposal.Object {
	seen := make(map[proposal.Object]bool, len(objects))
	var out []proposal.Object
	for _, o := range objects {
		if !seen[o] {
			seen[o] = true
			out = append(out, o)
		}
	}
	return out
}
