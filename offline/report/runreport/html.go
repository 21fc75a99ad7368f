package runreport

import (
	"fmt"
	"io"
	"strconv"

	"readiness/domain/verdict"
	"readiness/offline/report/webpage"
	"readiness/offline/show"
)

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
	return p.write(webpage.Begin(w, "AI answers"))
}

func (p page) write(w *webpage.Page) error {
	w.Put("<header>\n<h1>AI answers: <bdi>%s</bdi></h1>", p.Title)
	if p.Gated {
		w.Put("\n<p class=\"%s\">%s", webpage.If(len(p.Misses) > 0, "poor", "good"), p.Outcome())
		for i, miss := range p.Misses {
			w.Put("%s %s", webpage.If(i > 0, ";", ":"), miss)
		}
		w.Put(".</p>")
	}
	w.With("\n<p>%s</p>", p.Conclusion)
	for _, note := range p.Notes {
		w.Put("\n<p>%s</p>", note)
	}
	w.Put("\n<p class=\"quiet\">Questions: %d, %s</p>\n</header>\n<main>\n", len(p.Questions), p.SetHash)
	p.matrix(w)
	w.Put("\n<section aria-labelledby=\"answers\">\n<h2 id=\"answers\">Answers</h2>")
	for _, d := range p.Details {
		d.write(w)
	}
	w.Put("\n</section>\n</main>\n")
	return w.End()
}

// matrix writes the runs, and the verdicts on each question.
func (p page) matrix(w *webpage.Page) {
	w.Put(`<section aria-labelledby="sides">
<h2 id="sides">What was asked</h2>
<table>
<caption>Scores from 0 to 100, with the 95 %% interval of the share of right questions. Times are the median and the 95th percentile. ` +
		`The cost is unknown unless the provider's prices are configured.</caption>
<thead><tr><th scope="col">Run</th><th scope="col">Answered by</th><th scope="col" class="number">Score</th><th scope="col">Answers</th>` +
		`<th scope="col">Times</th><th scope="col">Tokens</th><th scope="col" class="number">Cost</th></tr></thead>
<tbody>`)
	for _, c := range p.Columns {
		w.Put("\n<tr><th scope=\"row\">%s</th><td><bdi>%s</bdi></td><td class=\"number\">%s</td><td>%s</td><td>%s</td><td>%s</td>"+
			"<td class=\"number\">%s</td></tr>", c.Name, c.Answered, c.Score(), c.Answers(), c.Times(), c.Tokens(), c.Cost())
	}
	w.Put(`
</tbody>
</table>
</section>
<section aria-labelledby="matrix">
<h2 id="matrix">Questions</h2>
<table class="sortable">
<caption>The verdict on each question, with the median time and the tokens of its answers.</caption>
<thead><tr><th scope="col">Question</th>`)
	for _, c := range p.Columns {
		w.Put(`<th scope="col">%s</th>`, c.Name)
	}
	w.Put("%s</tr></thead>\n<tbody>", webpage.If(p.Compares, `<th scope="col">Change</th>`, ""))
	for _, r := range p.Rows {
		w.Put("\n<tr><th scope=\"row\"><a href=\"%s\"><bdi>%s</bdi></a></th>", r.Link, r.Text)
		for _, c := range r.Cells {
			w.Put(`<td><span class="%s">%s</span>`, c.Class, c.Verdict)
			w.With(`<br><span class="quiet">%s</span>`, c.Time)
			w.With(`<br><span class="quiet">%s</span>`, c.Tokens)
			w.Put("</td>")
		}
		if p.Compares {
			w.Put("<td%s>%s</td>", map[string]webpage.HTML{"regressed": ` class="poor"`, "improved": ` class="good"`}[r.Change], r.Change)
		}
		w.Put("</tr>")
	}
	w.Put("\n</tbody>\n</table>\n</section>")
}

func (d detail) write(w *webpage.Page) {
	w.Put("\n<h3 id=\"%s\"><bdi>%s</bdi></h3>\n<p>Expected: <bdi>%s</bdi>", d.ID, d.Text, d.Expected)
	w.With(" <strong>%s</strong>", d.Change)
	w.Put("</p>")
	w.With("\n<p class=\"rule\"><bdi>%s</bdi></p>", d.Query)
	w.With("\n<p class=\"quiet\">Rows of the expected query: <bdi>%s</bdi></p>", d.Rows)
	for _, a := range d.Answers {
		w.Put("\n<details open>\n<summary><h4>%s</h4> <span class=\"%s\">%s</span> <span class=\"quiet\"><bdi>%s</bdi></span></summary>", a.Column,
			a.Class, a.Verdict, a.Answered)
		for _, one := range a.Asks {
			w.Put("\n<p><bdi>%s</bdi></p>", one.Text)
			w.With("\n<p class=\"rule\"><bdi>%s</bdi></p>", one.Query)
			w.With("\n<p class=\"quiet\">Rows of the query: <bdi>%s</bdi></p>", one.Rows)
			w.Put("\n<p class=\"quiet\">%s", one.Verdict)
			w.With(" by %s", one.Method)
			w.With(", %s", one.Time)
			w.With(", %s", one.Tokens)
			w.Put(". %s</p>", one.Reason)
		}
		w.Put("\n</details>")
	}
	if len(d.Diff) == 0 {
		return
	}
	w.Put("\n<p><span class=\"quiet\">%s:</span> ", d.DiffOf)
	for _, piece := range d.Diff {
		switch {
		case piece.Gone:
			w.Put(`<del class="poor">%s</del> `, piece.Text)
		case piece.Came:
			w.Put(`<ins class="good">%s</ins> `, piece.Text)
		default:
			w.Put("%s ", piece.Text)
		}
	}
	w.Put("</p>")
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
