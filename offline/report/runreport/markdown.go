package runreport

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"readiness/domain"
	"readiness/domain/verdict"
	"readiness/offline/show"
)

// The bounds of Markdown, so that it fits into a comment on a pull request.
const (
	maxRows = 30
	maxText = 300 // characters of a text
)

// WriteMarkdown writes the run as Markdown for a comment or a job's summary.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("## AI answers: %s\n", cut(r.Title))
	if r.Gated {
		line("**%s**%s\n", r.Outcome(), because(r.Misses))
	}
	if r.Conclusion != "" {
		line("%s\n", cut(r.Conclusion))
	}
	head, rule := "| | Answered by | Score, % | Answers |", "| --- | --- | ---: | --- |"
	measured := []struct {
		name  string
		known func(Column) bool
		shown func(Column) string
	}{
		{"Median time", func(c Column) bool { return medianOf(c) != nil }, func(c Column) string { return shownTime(medianOf(c)) }},
		{"Tokens", func(c Column) bool { return c.Summary.Usage != nil }, func(c Column) string { return shownTokens(c.Summary.Usage) }},
		{"Cost", func(c Column) bool { return c.Summary.Cost != nil }, func(c Column) string { return shownCost(c.Summary.Cost) }},
	}
	rows := make([]string, len(r.Columns))
	for i, c := range r.Columns {
		rows[i] = fmt.Sprintf("| %s | %s | %s | %s |", cut(c.Name), cut(c.Answered), c.Score(), c.Answers())
	}
	for _, m := range measured {
		if !slices.ContainsFunc(r.Columns, m.known) {
			continue
		}
		head, rule = head+" "+m.name+" |", rule+" ---: |"
		for i, c := range r.Columns {
			rows[i] += " " + m.shown(c) + " |"
		}
	}
	line("%s\n%s\n%s", head, rule, strings.Join(rows, "\n"))
	for _, note := range r.Notes {
		line("\n%s", cut(note))
	}
	r.listed(line, "Regressed", r.Regressed())
	r.listed(line, "Improved", r.Improved())
	r.listed(line, "Not right", r.NotRight())
	_, err := io.WriteString(w, b.String())
	return err
}

func medianOf(c Column) *int64 {
	if c.Summary.ResponseTime == nil {
		return nil
	}
	return &c.Summary.ResponseTime.MedianMS
}

func because(misses []string) string {
	if len(misses) == 0 {
		return ""
	}
	return ": " + cut(strings.Join(misses, "; "))
}

// answers returns this run's answer to a question, and those of others that are not right, with their queries.
func (r *Report) answers(q Question) (all []string) {
	for i, c := range r.Columns {
		t, _ := c.Tally(q.ID)
		a, asked := askOf(t)
		if !asked || i != r.now && t.Verdict == verdict.Correct {
			continue
		}
		text := answerOf(a)
		if a.Query != "" {
			text += " (" + a.Query + ")"
		}
		if len(r.Columns) > 1 {
			text = c.Name + ": " + text
		}
		all = append(all, cut(text))
	}
	return all
}

// listed writes questions with their verdicts, and answers.
func (r *Report) listed(line func(string, ...any), title string, all []Question) {
	if len(all) == 0 {
		return
	}
	line("\n### %s\n", title)
	names, rule := "", ""
	for _, c := range r.Columns {
		names, rule = names+" "+cut(c.Name)+" |", rule+" --- |"
	}
	line("| Question | Expected |%s Answer |\n| --- | --- |%s --- |", names, rule)
	for _, q := range all[:min(len(all), maxRows)] {
		verdicts := ""
		for _, c := range r.Columns {
			t, asked := c.Tally(q.ID)
			verdicts += " " + shownVerdict(t, asked) + " |"
		}
		line("| %s | %s |%s %s |", cut(q.Text), cut(q.Expected), verdicts, strings.Join(r.answers(q), "<br>"))
	}
	if left := len(all) - maxRows; left > 0 {
		line("\n… and %d more.", left)
	}
}

// cut returns a text of bounded length that Markdown shows unchanged, on one line.
func cut(text string) string {
	return show.MarkdownText(domain.Shortened(strings.Join(strings.Fields(text), " "), maxText))
}
