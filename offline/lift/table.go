package lift

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

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
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%+.0f points\t%+.0f to %+.0f\t%s\n", e.Name, e.Changes, e.Right, e.Wrong, e.Undecided, e.Declined+e.Failed,
			100*e.Difference, 100*e.Low, 100*e.High, e.Says(r.Questions))
	}
	if err := t.Flush(); err != nil {
		return err
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

// telling is the difference that too few questions are measured by.
const telling = 0.2

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
	if n := statistics.QuestionsFor(telling, discordance); n > questions {
		text += fmt.Sprintf("; %d questions could show 20 points", n)
	}
	return text
}
