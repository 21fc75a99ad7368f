package offline

import (
	"fmt"
	"slices"
	"strings"

	"readiness/definition/rewrite"
	"readiness/domain/optimization"
	"readiness/domain/proposal"
	"readiness/internal/lists"
	"readiness/offline/show"
)

// decision is what a person decides at once: changes of one kind that set one value for one reason. Texts differ, so they are decisions of
// their own, which one line counts.
type decision struct {
	kind    optimization.Kind
	first   optimization.Change
	objects []string
}

// mostDecided is how many objects the line of a decision names.
const mostDecided = 3

// decisions returns what is decided about the changes that are written, in the order in which they are written.
func (p Proposal) decisions() (all []decision) {
	for _, a := range p.Applies {
		written := map[string]bool{}
		for _, w := range a.Writes {
			for _, o := range w.Objects {
				written[o.Key] = true
			}
		}
		for _, one := range p.Previews {
			if one.Kind != a.Kind {
				continue
			}
			for _, c := range one.Changes {
				if !written[c.Key] {
					continue
				}
				name := askedAbout(optimization.NeededWords{Table: c.Table, Object: c.Object, ObjectType: c.ObjectType})
				i := slices.IndexFunc(all, func(d decision) bool {
					return d.kind == a.Kind && d.first.Property == c.Property && (d.text() || d.first.Equals(c))
				})
				if i < 0 {
					i = len(all)
					all = append(all, decision{kind: a.Kind, first: c})
				}
				all[i].objects = append(all[i].objects, name)
			}
		}
	}
	return all
}

// text reports whether the changes write texts.
func (d decision) text() bool {
	return d.first.Property == rewrite.Synonyms || d.first.Type == proposal.Description || d.first.Type == proposal.AIInstructions
}

// line says in one line what is decided.
func (d decision) line() string {
	n := len(d.objects)
	var of string
	switch {
	case d.first.Type == proposal.AIInstructions:
		return string(d.kind) + ": a text about the model"
	case d.text():
		of = show.Count(n, "object") + ", each a text of its own"
	default:
		of = fmt.Sprintf("%s: %s %s (%s)", show.Count(n, "object"), d.first.Property, d.first.Proposed, strings.TrimSuffix(d.first.Reason, "."))
	}
	names := strings.Join(d.objects[:min(n, mostDecided)], ", ")
	if more := n - mostDecided; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return show.Printable(string(d.kind) + ": " + of + ": " + names)
}

// written returns the lines of all decisions, none for a single change.
func (p Proposal) written() []string {
	if p.Changes() < 2 {
		return nil
	}
	return lists.Map(p.decisions(), decision.line)
}
