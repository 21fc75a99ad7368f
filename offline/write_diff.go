package offline

import (
	"fmt"
	"io"
	"strings"

	"readiness/domain/optimization"
	"readiness/domain/proposal"
	"readiness/offline/show"
)

// Headline describes a proposal in one line.
func (p Proposal) Headline() string {
	switch {
	case p.Error != nil:
		return show.Printable(fmt.Sprintf("%s: cannot be optimized: %s", p.Shown, p.Error))
	case p.Changes() == 0:
		return show.Printable(p.Shown) + ": nothing to write" + p.leftAlone()
	}
	more := ""
	if p.LeftOut > 0 {
		more = fmt.Sprintf(" that are worth most (--all: %d more)", p.LeftOut)
	}
	return fmt.Sprintf("%s: %s%s%s, score %s → %s", show.Printable(p.Shown), show.Count(p.Changes(), "change"), more, p.leftAlone(),
		show.Number(p.ScoreNow), show.Number(p.ScoreAfter))
}

// mostQuestions is how many questions the text of a proposal lists.
const mostQuestions = 10

// WriteNotes writes what a person should know of a proposal besides its diff: its changes, equal ones in one line, the dimensions that fall,
// and the objects that need a person's words.
func (p Proposal) WriteNotes(w io.Writer) error {
	var b strings.Builder
	if all := p.written(); len(all) > 0 {
		fmt.Fprintf(&b, "  %s (--format json lists every change):\n    %s\n", show.Count(len(all), "decision"), strings.Join(all, "\n    "))
	}
	for _, d := range p.DimensionsThatFall {
		fmt.Fprintf(&b, "  %s falls from %.1f to %.1f, as it judges other objects: %d now, %d then\n", d.Name, d.ScoreNow, d.ScoreAfter,
			d.JudgedNow, d.JudgedAfter)
	}
	var needed []optimization.NeededWords
	for _, one := range p.Previews {
		needed = append(needed, one.NeedsYourWords...)
	}
	if len(needed) > 0 {
		fmt.Fprintf(&b, "  %s your words, as the definition does not say enough:\n", needs(len(needed)))
	}
	for _, n := range needed[:min(len(needed), mostQuestions)] {
		fmt.Fprintf(&b, "    %s: %s\n", show.Printable(askedAbout(n)), show.Printable(n.Question))
	}
	if more := len(needed) - mostQuestions; more > 0 {
		fmt.Fprintf(&b, "    … and %d more; preview --format json lists all\n", more)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func needs(n int) string {
	if n == 1 {
		return "1 object needs"
	}
	return fmt.Sprintf("%d objects need", n)
}

// askedAbout names the object of a question.
func askedAbout(n optimization.NeededWords) string {
	switch n.ObjectType {
	case proposal.Model:
		return "the model"
	case proposal.Table:
		return n.Table
	case proposal.Column, proposal.Measure:
	}
	return n.Table + "[" + n.Object + "]"
}

// leftAlone describes the ignored findings, or returns "".
func (p Proposal) leftAlone() string {
	if p.Ignored == 0 {
		return ""
	}
	return ", " + show.Count(p.Ignored, "ignored finding") + " left unchanged"
}
