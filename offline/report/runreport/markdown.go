package runreport

import (
	"fmt"
	"io"
	"strings"

	"readiness/domain"
	"readiness/offline/report"
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
	line("| | Answered by | Score | Answers | Median time | Tokens | Cost |\n| --- | --- | ---: | --- | ---: | --- | ---: |")
	for _, c := range r.Columns {
		line("| %s | %s | %s | %s | %s | %s | %s |", cut(c.Name), cut(c.Answered), c.Score(),
			c.Answers(),
			shownTime(medianOf(c)), shownTokens(c.Summary.Usage), shownCost(c.Summary.Cost))
	}
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

// listed writes questions with their verdicts and this run's answer.
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
		t, _ := r.Now().Tally(q.ID)
		answer := ""
		if a, ok := askOf(t); ok {
			answer = answerOf(a)
		}
		line("| %s | %s |%s %s |", cut(q.Text), cut(q.Expected), verdicts, cut(answer))
	}
	if left := len(all) - maxRows; left > 0 {
		line("\n… and %d more.", left)
	}
}

// cut returns a text of bounded length that Markdown shows unchanged, on one line.
func cut(text string) string {
	return report.MarkdownText(domain.Shortened(strings.Join(strings.Fields(text), " "), maxText))
}
