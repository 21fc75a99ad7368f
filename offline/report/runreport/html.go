package runreport

import (
	"bufio"
	_ "embed" // the page
	"fmt"
	"io"
	"strconv"

	"readiness/domain/verdict"
	"readiness/offline/report/webpage"
	"readiness/offline/show"
)

//go:embed report.gohtml
var pageText string

var pageTemplate = webpage.New(pageText)

type (
	page struct {
		*Report
		Compares bool // whether questions can have changed
		Rows     []matrixRow
		Details  []detail
	}
	matrixRow struct {
		ID, Text, Link, Change string
		Cells                  []matrixCell
	}
	matrixCell struct{ Verdict, Class, Time, Tokens string }
	detail     struct {
		ID, Text, Expected, Query, Rows, Change string
		Answers                                 []pageAnswer
		Diff                                    []piece
		DiffOf                                  string
	}
	pageAnswer struct {
		Column, Answered, Verdict, Class string
		Asks                             []pageAsk
	}
	pageAsk struct {
		N                                                        int
		Verdict, Method, Reason, Text, Query, Rows, Time, Tokens string
	}
)

// WriteHTML writes the run as one HTML page that loads nothing.
func (r *Report) WriteHTML(w io.Writer) error {
	p := page{Report: r, Compares: r.left >= 0}
	change := map[string]string{}
	for _, q := range r.Regressed() {
		change[q.ID] = "regressed"
	}
	for _, q := range r.Improved() {
		change[q.ID] = "improved"
	}
	for i, q := range r.Questions {
		d := r.detail(q)
		d.ID, d.Change = "question-"+strconv.Itoa(i+1), change[q.ID]
		row := matrixRow{ID: q.ID, Text: q.Text, Link: "#" + d.ID, Change: d.Change}
		for _, c := range r.Columns {
			t, asked := c.Tally(q.ID)
			row.Cells = append(row.Cells, matrixCell{shownVerdict(t, asked), verdictClass(t, asked), shownTime(t.MedianMS),
				tokensOf(usageOf(t))})
		}
		p.Rows, p.Details = append(p.Rows, row), append(p.Details, d)
	}
	out := bufio.NewWriter(w)
	if err := pageTemplate.Execute(out, p); err != nil {
		return err
	}
	return out.Flush()
}

// verdictClass returns the CSS class of a question's verdict.
func verdictClass(t verdict.Tally, asked bool) string {
	switch {
	case !asked || len(t.Asks) == 0:
		return ""
	case mostlyCorrect(t):
		return "good"
	case t.Verdict == verdict.Incorrect || t.Verdict == verdict.Errored:
		return "poor"
	}
	return "fair"
}

func tokensOf(u *verdict.TokenUsage) string {
	if u == nil {
		return ""
	}
	return shownTokens(u)
}

func (r *Report) detail(q Question) detail {
	d := detail{Text: show.XMLText(q.Text), Expected: show.XMLText(q.Expected), Query: show.XMLText(q.Query), Rows: show.XMLText(q.Rows)}
	for _, c := range r.Columns {
		t, asked := c.Tally(q.ID)
		a := pageAnswer{Column: c.Name, Answered: c.Answered, Verdict: shownVerdict(t, asked), Class: verdictClass(t, asked)}
		for i, one := range t.Asks {
			used := tokensOf(one.Usage)
			if cost := c.Summary.Target.Prices.Cost(one.Usage); cost != nil {
				used += ", cost " + shownCost(cost)
			}
			a.Asks = append(a.Asks, pageAsk{one.N, string(one.Verdict), string(one.Method), show.XMLText(one.Reason),
				show.XMLText(answerOf(one)), show.XMLText(one.Query), show.XMLText(c.rowsOf(q.ID, i)),
				c.time(one), used})
		}
		d.Answers = append(d.Answers, a)
	}
	if r.left < 0 {
		return d
	}
	was, _ := r.Columns[r.left].Tally(q.ID)
	is, _ := r.Now().Tally(q.ID)
	before, asked := askOf(was)
	now, ok := askOf(is)
	if asked && ok && answerOf(before)+before.Query != answerOf(now)+now.Query {
		d.Diff = wordDiff(show.XMLText(answerOf(before)+"\n"+before.Query), show.XMLText(answerOf(now)+"\n"+now.Query))
		d.DiffOf = r.Columns[r.left].Name + " → " + r.Now().Name
	}
	return d
}

// The methods that the page calls.

// Score returns the score with its interval.
func (c Column) Score() string {
	if ci := c.Summary.AccuracyCI; ci != nil {
		return fmt.Sprintf("%s (%s to %s)", show.Number(c.Summary.Score), percent(ci.Low), percent(ci.High))
	}
	return show.Number(c.Summary.Score)
}

// Answers counts the answers by verdict, and the asks that got none. The summary has no questions that nothing answered.
func (c Column) Answers() string {
	v := c.Summary.Verdicts
	for _, t := range c.tallies {
		if t.Answered == 0 {
			v.Count(t.Asks)
		}
	}
	return verdictCounts(v)
}

// Times returns the median and the 95th percentile of the response times.
func (c Column) Times() string {
	t := c.Summary.ResponseTime
	if t == nil {
		return ""
	}
	return shownTime(&t.MedianMS) + ", " + shownTime(&t.P95MS)
}

// Tokens returns the tokens that the answerer counted.
func (c Column) Tokens() string { return shownTokens(c.Summary.Usage) }

// Cost returns what the tokens cost at the provider's configured prices.
func (c Column) Cost() string { return shownCost(c.Summary.Cost) }
