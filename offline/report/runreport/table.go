package runreport

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"readiness/domain"
	"readiness/domain/verdict"
	"readiness/offline/show"
)

// The bounds of the table.
const (
	maxDetails = 30
	maxLine    = 400 // characters of an answer or a query
)

// WriteTable writes the run as text for a terminal: who answered how well, what is shown, and each answer that is not right with its
// reason and both queries.
func (r *Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	say := func(format string, args ...any) {
		for i, a := range args {
			if text, ok := a.(string); ok {
				args[i] = show.Printable(text)
			}
		}
		fmt.Fprintf(&b, format+"\n", args...)
	}
	say("%s: %s", r.Title, show.Count(len(r.Questions), "golden question"))
	b.WriteString("\n")
	columns := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(columns, "ANSWERED BY\tRIGHT\tRATE\tANSWERS\tDECIDED BY")
	for _, c := range r.Columns {
		fmt.Fprintf(columns, "%s\t%s\t%s\t%s\t%s\n", show.Printable(c.Answered), c.right(), c.rate(), c.Answers(), c.methods())
	}
	_ = columns.Flush() // memory cannot fail
	if r.Conclusion != "" {
		say("\n%s", r.Conclusion)
	}
	if len(r.Notes) > 0 {
		b.WriteString("\n")
	}
	for _, note := range r.Notes {
		say("- %s", note)
	}
	r.details(say)
	if r.Gated {
		say("\n%s", r.Outcome())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// details writes the questions that are not right.
func (r *Report) details(say func(string, ...any)) {
	all := slices.DeleteFunc(r.NotRight(), func(q Question) bool { // those that nobody was asked are among the notes
		return !slices.ContainsFunc(r.judged(), func(c Column) bool { t, _ := c.Tally(q.ID); return len(t.Asks) > 0 && !mostlyCorrect(t) })
	})
	if len(all) == 0 {
		return
	}
	say("\nNOT RIGHT (%d of %d)", len(all), len(r.Questions))
	line := func(what, text string) {
		if text != "" {
			say("  %s%s", what, domain.Shortened(strings.Join(strings.Fields(text), " "), maxLine))
		}
	}
	for _, q := range all[:min(len(all), maxDetails)] {
		say("\n%s", q.Text)
		line("expected: ", q.Expected)
		line("          ", q.Query)
		line("          rows: ", q.Rows)
		for _, c := range r.judged() {
			t, asked := c.Tally(q.ID)
			if mostlyCorrect(t) || len(t.Asks) == 0 {
				continue
			}
			who := ""
			if len(r.scored) > 1 {
				who = c.Name + ": "
			}
			a, _ := askOf(t)
			by := ""
			if name, known := methodNames[a.Method]; known && a.Method != "" {
				by = " by " + name
			}
			line(who, shownVerdict(t, asked)+by+". "+a.Reason)
			line("  answer: ", a.Text)
			line("  query:  ", a.Query)
			for i, of := range t.Asks {
				if of.N == a.N {
					line("  rows:   ", c.rowsOf(q.ID, i))
				}
			}
		}
	}
	if n := len(all) - maxDetails; n > 0 {
		say("\n… and %d more; --format html shows all", n)
	}
}

// right returns how many questions are right, of those that are answered.
func (c Column) right() string {
	if ci := c.Summary.AccuracyCI; ci != nil {
		return fmt.Sprintf("%d of %d", *ci.X, *ci.N)
	}
	return "0 of 0"
}

// rate returns the rate with its interval.
func (c Column) rate() string {
	if c.Summary.Accuracy == nil {
		return "none"
	}
	ci := c.Summary.AccuracyCI
	return fmt.Sprintf("%s %% (95 %%: %s to %s %%)", percent(*c.Summary.Accuracy), percent(ci.Low), percent(ci.High))
}

func percent(r verdict.Rate) string { return strconv.Itoa(r.Percent()) }

// methodNames say for people what decided a verdict.
var methodNames = map[verdict.Method]string{
	verdict.ByResultSet: "rows", verdict.ByFields: "the meaning of the queries", verdict.ByValue: "the value in the text", verdict.ByJudge: "a judge",
	verdict.ByPerson: "a person", verdict.ByRefusal: "what it says itself", verdict.ByError: "the error", "": "nothing",
}

// methods counts the answers by what decided.
func (c Column) methods() string {
	counts := map[verdict.Method]int{}
	for _, t := range c.tallies {
		for _, a := range t.Asks {
			counts[a.Method]++
		}
	}
	var all []string
	for _, m := range []verdict.Method{verdict.ByResultSet, verdict.ByFields, verdict.ByValue, verdict.ByJudge, verdict.ByPerson, verdict.ByRefusal,
		verdict.ByError, ""} {
		if n := counts[m]; n > 0 {
			all = append(all, fmt.Sprintf("%s %d", methodNames[m], n))
		}
	}
	return strings.Join(all, ", ")
}
