// Package rules proposes texts and settings for a semantic model from its definition, without an AI:
// descriptions from names, types, relationships and DAX, display folders, the AI data schema, and AI
// instructions. It does no I/O, knows no data values and returns the same answer for the same Ask.
// Every field that a text names is in the model. Where a text could only repeat the name, nothing is
// proposed.
package rules

import "readiness/domain/proposal"

// Provider identifies this package in answers.
var Provider = proposal.Provider{Kind: "rules", Name: "Embedded rules"}

// Propose returns an answer for every requested object, without network access. The same Ask gives the
// same answer; the order of tables, relationships and requested objects has no effect on the
// proposals.
func Propose(ask proposal.Ask) proposal.Answer {
	a := &answers{Answer: proposal.Answer{Provider: Provider}}
	f := factsOf(ask)
	switch ask.Type {
	case proposal.Description:
		f.describe(ask.Objects, ask.Limit, a)
	case proposal.DisplayFolder:
		f.file(ask.Objects, a)
	case proposal.AIDataSchema:
		f.choose(a)
	case proposal.Synonyms:
		f.name(ask.Captions, a)
	case proposal.AIInstructions:
		f.instruct(a)
	default:
		for _, o := range distinct(ask.Objects) {
			a.skip(o, "The embedded rules propose no value of this type.")
		}
	}
	return a.Answer
}

// factsOf returns the facts of the ask's model, from its memory if they are there.
func factsOf(ask proposal.Ask) *facts {
	if ask.Memory == nil {
		return newFacts(ask.Model, ask.Usage)
	}
	if f, ok := ask.Memory.Facts.(*facts); ok && ask.Memory.Model == ask.Model {
		return f
	}
	f := newFacts(ask.Model, ask.Usage)
	*ask.Memory = proposal.Memory{Model: ask.Model, Facts: f}
	return f
}

type answers struct{ proposal.Answer }

func (a *answers) propose(o proposal.Object, value, reason string) {
	a.Proposals = append(a.Proposals, proposal.Proposal{Object: o, Value: value, Reason: reason})
}

func (a *answers) skip(o proposal.Object, message string) {
	a.Skipped = append(a.Skipped, proposal.Skip{Object: o, Reason: proposal.NothingProposed, Message: message})
}

// ask asks a person about an object.
func (a *answers) ask(o proposal.Object, question string) {
	a.Questions = append(a.Questions, proposal.Question{Object: o, Text: question})
}

const unknownObject = "The model has no such object: it may have been renamed or deleted."

// distinct returns the objects without duplicates, in their order.
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
