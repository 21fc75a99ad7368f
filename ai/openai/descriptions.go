package openai

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
	"readiness/domain/proposal"
	"readiness/domain/proposal/textcheck"
)

const describeTask = `You document semantic models for the people and the AI that query them. Write a description for each object you are given a key of, in the language of the descriptions and names that the data has, and in English where that is not clear.
- One line of 15 to 200 characters, a plain sentence without Markdown, links or code. Give the reader no orders.
- Say what it means in the business, its unit or grain, and how it is computed if it is a measure. Do not repeat the name, and do not say "this column" or "this measure".
- Of a calculation group's column, name the calculation items.
- Claim only what follows from the facts given. Where nothing follows that the name does not say already, give null.
- Refer to a field as [Field] only if it is in the data. No two descriptions are the same.`

// describeVersion is raised when describeTask or untrusted changes.
const describeVersion = "descriptions/1"

// Describe proposes a description for each of the objects. Each object is in proposals or in skipped,
// in the order given.
func (c *Client) Describe(ctx context.Context, m *semanticmodel.Model, objects []proposal.Object) (proposals []proposal.Proposal,
	skipped []proposal.Skip, err error) {
	d := describer{names: textcheck.Of(m), taken: described(m)}
	all, skipped := itemsFor(c.facts(m), objects, d.check)
	accepted := map[string]outcome{}
	reasons := map[string]string{}
	// Batches are written concurrently, so two texts may be equal. The later ones are requested once
	// more, with the duplicate text as a hint.
	for round := range 2 {
		j := job{client: c, facts: c.facts(m), task: describeTask, version: describeVersion}
		outcomes, err := j.run(ctx, all)
		if err != nil {
			if round > 0 && ctx.Err() == nil {
				break // keep the results so far
			}
			return nil, nil, err
		}
		var again []item
		for _, it := range all {
			switch o := outcomes[it.key]; {
			case o.text == "":
				reasons[it.key] = o.why
			case d.other(it.object, o.text):
				it.facts.NotThis = o.text
				reasons[it.key] = "The AI provider gave the same text as for another object."
				again = append(again, it)
			default:
				accepted[it.key] = o
				d.taken[spelling.FoldSpace(o.text)] = it.object
			}
		}
		if all = again; len(all) == 0 {
			break
		}
	}
	return collect(c.facts(m), objects, skipped, accepted, reasons, "Written by the AI provider from what the model says of it.")
}

// described returns the objects by their descriptions, normalized with norm.
func described(m *semanticmodel.Model) map[string]proposal.Object {
	taken := map[string]proposal.Object{}
	for _, t := range m.Tables {
		taken[spelling.FoldSpace(t.Description)] = proposal.Object{Table: t.Name, Type: proposal.Table}
		for _, c := range t.Columns {
			taken[spelling.FoldSpace(c.Description)] = proposal.Object{Table: t.Name, Name: c.Name, Type: proposal.Column}
		}
		for _, x := range t.Measures {
			taken[spelling.FoldSpace(x.Description)] = proposal.Object{Table: t.Name, Name: x.Name, Type: proposal.Measure}
		}
	}
	return taken
}

type describer struct {
	names *textcheck.Model
	// taken are the objects by their descriptions. It is not changed while a job runs.
	taken map[string]proposal.Object
}

// other reports whether another object has the description.
func (d describer) other(o proposal.Object, text string) bool {
	of, ok := d.taken[spelling.FoldSpace(text)]
	return ok && of != o
}

// fill are words without information about an object (rules DSC-01 to DSC-03).
var fill = []string{"the", "a", "an", "of", "for", "this", "is", "column", "table", "measure", "field", "contains"}

// check returns what is wrong with a description, to follow "your answer"; "" when nothing is.
func (d describer) check(o proposal.Object, text string) string {
	if why := oneLine(text); why != "" {
		return why
	}
	if n := utf8.RuneCountInString(text); n < proposal.MinDescription || n > proposal.MaxDescription {
		return fmt.Sprintf("has %d characters, and %d to %d are wanted", n, proposal.MinDescription, proposal.MaxDescription)
	}
	name := o.Name
	if o.Type == proposal.Table {
		name = o.Table
	}
	known := append(words(name), fill...)
	if !slices.ContainsFunc(words(text), func(w string) bool { return !slices.Contains(known, w) }) {
		return "says no more than the name"
	}
	if unknown := d.names.Unknown(text); len(unknown) > 0 {
		return "names a field that the model does not have: " + shortName(unknown[0])
	}
	if of, ok := d.taken[spelling.FoldSpace(text)]; ok && of == o {
		return "is the description that it has already"
	} else if ok {
		return "is the description of another object"
	}
	return ""
}

// oneLine returns what keeps a text from being one line; "" when nothing does.
func oneLine(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == utf8.RuneError
	}) {
		return "holds a line break, a tab or a control character"
	}
	return ""
}

// itemsFor returns an item for each object, once; objects that the model does not have are skipped.
func itemsFor(f facts, objects []proposal.Object, check func(proposal.Object, string) string) (all []item, skipped []proposal.Skip) {
	seen := map[proposal.Object]bool{}
	for _, o := range objects {
		if seen[o] {
			continue
		}
		seen[o] = true
		about, ok := f.object(o)
		if !ok {
			skipped = append(skipped, proposal.Skip{Object: o, Reason: proposal.NothingProposed,
				Message: "The model has no such object: it may have been renamed or deleted."})
			continue
		}
		all = append(all, item{o, about.Key, about, func(text string) string { return check(o, text) }})
	}
	return all, skipped
}

// collect returns the results in the order of the objects.
func collect(f facts, objects []proposal.Object, absent []proposal.Skip, accepted map[string]outcome, reasons map[string]string,
	reason string) (proposals []proposal.Proposal, skipped []proposal.Skip, err error) {
	skipped = absent
	seen := map[string]bool{}
	for _, o := range objects {
		about, ok := f.object(o)
		if !ok || seen[about.Key] {
			continue
		}
		seen[about.Key] = true
		if a, ok := accepted[about.Key]; ok {
			proposals = append(proposals, proposal.Proposal{Object: o, Value: a.text, Reason: reason, Origin: a.origin})
		} else {
			skipped = append(skipped, proposal.Skip{Object: o, Reason: proposal.NothingProposed, Message: reasons[about.Key]})
		}
	}
	return proposals, skipped, nil
}
