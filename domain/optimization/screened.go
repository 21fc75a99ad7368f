package optimization

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
	"readiness/domain/proposal/textcheck"
)

// screened returns an answer without the texts of an AI provider that package textcheck drops.
// It counts those, and marks the instructions that a person must review.
func (p *Preview) screened(d definition.Definition, m *semanticmodel.Model, t proposal.Type,
	answer proposal.Answer) (proposal.Answer, error) {
	kept := answer.Proposals[:0:0]
	var checks *textcheck.Model
	for _, one := range answer.Proposals {
		if one.Origin == nil {
			kept = append(kept, one)
			continue
		}
		if checks == nil {
			checks = textcheck.Of(m)
		}
		if t == proposal.AIInstructions {
			passed, err := p.screenInstructions(d, checks, &one)
			if err != nil {
				return answer, err
			}
			if passed {
				kept = append(kept, one)
			}
			continue
		}
		if why := checks.Line(one.Value, limitOf(t)); why != "" {
			p.flag(t, one.Object, why.Message())
			continue
		}
		kept = append(kept, one)
	}
	answer.Proposals = kept
	return answer, nil
}

// limitOf returns the greatest length of a text of one line, in characters.
func limitOf(t proposal.Type) int {
	if t == proposal.DisplayFolder {
		return proposal.MaxFolder
	}
	return proposal.MaxDescription
}

func (p *Preview) flag(t proposal.Type, o proposal.Object, why string) {
	p.Flagged++
	p.skip(t, proposal.Skip{Object: o, Reason: proposal.Flagged, Message: "the text of the AI provider was dropped, because it " + why})
}

// screenInstructions drops the sections of AI instructions that package textcheck drops, and
// says what a person must review. It reports whether anything is left to propose.
func (p *Preview) screenInstructions(d definition.Definition, checks *textcheck.Model, one *proposal.Proposal) (bool, error) {
	values, err := rewrite.Values(d, targets(proposal.AIInstructions, []proposal.Object{one.Object}))
	if err != nil {
		return false, err
	}
	present := ""
	if values[0].Text != nil {
		present = *values[0].Text
	}
	addition, stays := strings.CutPrefix(one.Value, present)
	kept, dropped := checks.Document(addition)
	for _, section := range dropped {
		p.flag(proposal.AIInstructions, one.Object, fmt.Sprintf("%s (section %d)", section.Reason.Message(), section.Number))
	}
	if len(dropped) > 0 && (!stays || !says(kept)) {
		return false, nil // the rest of a rewritten text may be a person's
	}
	one.Value = one.Value[:len(one.Value)-len(addition)] + kept
	switch {
	case textcheck.Removes(present, one.Value):
		one.Review = "the AI provider removes or changes lines of the present instructions"
	case textcheck.Contradicts(present, kept):
		one.Review = "what the AI provider adds seems to contradict a line of the present instructions"
	case len(dropped) > 0:
		one.Review = "parts of the AI provider's text were dropped"
	}
	return true, nil
}

// says reports whether Markdown holds anything except headings.
func says(text string) bool {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") && strings.ContainsFunc(line, unicode.IsLetter) {
			return true
		}
	}
	return false
}

// maxFall is how many points a dimension's score may fall without a person's review.
const maxFall = 5

// Falls returns why the changes of the preview are not written unattended: an AI provider
// wrote some, and they lower the score of a dimension by more than maxFall points. It is
// "" when none falls so far. What the embedded rules propose is written: they choose by
// the score, and a dimension falls when well kept fields leave it with those that are
// hidden.
func (p Preview) Falls() string {
	if !slices.ContainsFunc(p.Changes, func(c Change) bool { return c.Origin != nil }) {
		return ""
	}
	for _, f := range p.DimensionsThatFall {
		if f.ScoreNow-f.ScoreAfter > maxFall {
			return fmt.Sprintf("the score of the dimension %s falls from %.1f to %.1f", f.ID, f.ScoreNow, f.ScoreAfter)
		}
	}
	return ""
}

// Unattended returns the preview with the changes that may be written without a review, and
// those that wait for one.
func (p Preview) Unattended() (Preview, []Skip) {
	writable := p
	writable.Changes = nil
	var withheld []Skip
	falls := p.Falls()
	for _, c := range p.Changes {
		why := c.ReviewRequired
		why = cmp.Or(why, falls)
		if why == "" {
			writable.Changes = append(writable.Changes, c)
			continue
		}
		withheld = append(withheld, Skip{c.Key, string(proposal.ReviewRequired), "a person must review it, because " + why +
			"; make a preview and apply it"})
	}
	return writable, withheld
}
