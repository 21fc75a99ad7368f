package lift

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"readiness/domain"
	"readiness/domain/verdict/statistics"
	"readiness/offline/show"
)

// OfRules is the caution where the rules engine answered.
const OfRules = "The rules engine and the proposals come from the same rules: this says nothing about an AI."

// WriteTable writes a result for people.
func WriteTable(w io.Writer, r Result) error {
	times := "once"
	if r.Repeats > 1 {
		times = fmt.Sprintf("%d times", r.Repeats)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, each asked %s of %s\n", r.Path, show.Count(r.Questions, "question"), times, r.Answerer)
	if r.OfRules {
		b.WriteString(OfRules + "\n")
	}
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "\tchanges\tright\twrong\tundecided\tno answer\tdifference\t95 % interval\t\n")
	fmt.Fprintf(t, "as it is\t\t%d\t%d\t%d\t%d\t\t\t\n", r.Now.Right, r.Now.Wrong, r.Now.Undecided, r.Now.Declined+r.Now.Failed)
	for _, e := range r.Parts {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%+.0f points\t%+.0f to %+.0f\t%s\n", show.InCell(domain.Excerpt(e.Name)),
			e.Changes, e.Right, e.Wrong, e.Undecided, e.Declined+e.Failed,
			100*e.Difference, 100*e.Low, 100*e.High, e.Says(r.Questions))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, e := range r.Parts[:min(1, len(r.Parts))] {
		listed(&b, "right only with "+e.Name, e.Gained)
		listed(&b, "right only without it", e.Lost)
	}
	if len(r.Parts)+len(r.LeftOut) == 0 {
		b.WriteString("Nothing is proposed for this model.\n")
	}
	if len(r.LeftOut) > 0 {
		fmt.Fprintf(&b, "Not asked, as --budget does not allow it: %s. A further run with the same --asks goes on.\n", strings.Join(r.LeftOut, ", "))
	}
	_, err := fmt.Fprintf(w, "%s%s%s, %d kept from earlier runs or of the same texts.\n\n", &b, r.conclusion(), show.Count(r.Asked, "new ask"), r.Kept)
	return err
}

// listed writes some questions.
func listed(b *strings.Builder, what string, questions []string) {
	const most = 10
	if len(questions) == 0 {
		return
	}
	fmt.Fprintf(b, "%s:\n", what)
	for _, q := range questions[:min(most, len(questions))] {
		fmt.Fprintf(b, "  %s\n", show.InCell(q))
	}
	if more := len(questions) - most; more > 0 {
		fmt.Fprintf(b, "  and %d more\n", more)
	}
}

// conclusion says what to do with the parts.
func (r Result) conclusion() (text string) {
	for _, v := range []struct {
		Verdict
		advice string
	}{{Helps, "--write helpful writes what helps."}, {Hurts, "Leave it out, or reword it."}} {
		var names []string
		for _, e := range r.Parts {
			if e.Verdict == v.Verdict {
				names = append(names, e.Name)
			}
		}
		if len(names) > 0 {
			text += fmt.Sprintf("By these answers this %s: %s. %s\n", v.Verdict, strings.Join(names, ", "), v.advice)
		}
	}
	switch {
	case text != "" || len(r.Parts) == 0:
	case r.Now.Right == r.Questions && r.Parts[0].Counts == r.Now:
		text = "All questions are answered right already, so they cannot show what the changes are worth: ask harder ones.\n"
	case r.Parts[0].OnlyWith+r.Parts[0].OnlyWithout == 0 && r.Parts[0].Counts == r.Now:
		text = "These answers are no reason to write what is proposed, nor to leave it out: it changes none of them.\n"
	default:
		text = "These answers do not show that anything helps or hurts.\n"
	}
	return text
}

// Says is the verdict, and what it would take to tell.
func (e Effect) Says(questions int) string {
	switch {
	case e.Verdict != Unclear:
		return string(e.Verdict)
	case e.OnlyWith+e.OnlyWithout == 0:
		return "changes no answer"
	case e.Detectable == nil:
		return fmt.Sprintf("cannot tell: %s differ", show.Count(e.OnlyWith+e.OnlyWithout, "question"))
	}
	text := fmt.Sprintf("cannot tell: %d of %d differ", e.OnlyWith+e.OnlyWithout, questions)
	discordance := float64(e.OnlyWith+e.OnlyWithout+1) / float64(questions+2)
	if e.Difference == 0 {
		return text
	}
	points := math.Abs(e.Difference)
	if n := statistics.QuestionsFor(points, discordance); n == 0 {
		text += fmt.Sprintf("; to show %.0f points takes over 100 questions", 100*points)
	} else if n > questions {
		text += fmt.Sprintf("; to show %.0f points takes %d questions", 100*points, n)
	}
	return text
}
