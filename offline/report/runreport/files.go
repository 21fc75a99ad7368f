package runreport

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/benchmark/evaluation"
	"readiness/domain/verdict"
	"readiness/domain/verdict/statistics"
	"readiness/internal/lists"
	"readiness/offline/show"
)

// maxListed is how many questions without a partner the notes name.
const maxListed = 10

// OfEvaluation returns the report of the answers of files. The score of each who answered is gated; regressions are those of the last.
func OfEvaluation(e *evaluation.Evaluation) *Report {
	r := &Report{Title: e.Model.Name, SetHash: e.SetHash, before: -1, left: -1}
	if len(e.Runs) == 0 {
		r.Columns = []Column{{Name: "now", tallies: map[string]verdict.Tally{}}}
	} else {
		for _, q := range e.Runs[0].Questions {
			one := Question{ID: q.QuestionID, Text: q.Text, Expected: q.Expected.Text(), Query: q.Expected.DAX}
			if one.Query == one.Expected {
				one.Query = ""
			}
			if q.Reference != nil {
				text, _ := json.Marshal(q.Reference) // values always encode
				one.Rows = shownRows(text)
			}
			r.Questions = append(r.Questions, one)
		}
	}
	last := len(e.Runs) - 1
	for i := len(e.Baseline) - 1; i >= 0 && last >= 0; i-- {
		if i == len(e.Baseline)-1 || e.Baseline[i].Who == e.Runs[last].Who {
			c := columnOfRun("before", e.Baseline[i])
			r.Columns, r.before, r.left = []Column{c}, 0, 0
		}
	}
	for i, run := range e.Runs {
		name := "now"
		if len(e.Runs) > 1 {
			name = domain.Shortened(run.Who, 40)
			if slices.ContainsFunc(e.Runs, func(o evaluation.Run) bool { return o.By != run.By && domain.Shortened(o.Who, 40) == name }) {
				name = fmt.Sprintf("%s (%d)", name, i+1)
			}
		}
		r.scored = append(r.scored, len(r.Columns))
		r.Columns = append(r.Columns, columnOfRun(name, run))
	}
	r.now = len(r.Columns) - 1
	if r.before < 0 && len(e.Runs) > 1 {
		r.left = 0
	}
	var shown []string
	for _, c := range e.Comparisons {
		shown = append(shown, c.Sentence)
		for _, u := range c.Unlike {
			r.Notes = append(r.Notes, "Not alike: "+u)
		}
		for _, k := range c.Kinds {
			if k.OnlyA+k.OnlyB > 0 {
				says := "too few to tell"
				if k.Holm < statistics.Alpha {
					says = "a difference"
				}
				r.Notes = append(r.Notes, fmt.Sprintf("Questions of the kind %s (%d): only %s is right on %d, only %s on %d: %s "+
					"(mid-p %.4f, by Holm for all kinds %.4f).", k.Kind, k.N, c.A, k.OnlyA, c.B, k.OnlyB, says, k.MidP, k.Holm))
			}
		}
	}
	r.Conclusion = strings.Join(shown, " ")
	for _, run := range e.Runs {
		repeated := lists.Count(run.Questions, func(q evaluation.Question) bool { return q.Answered > 1 })
		if n := run.Summary.FlakyQuestions; repeated > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("A/A: %s was asked %s repeatedly, and flickers on %d (right once and wrong once). Take a "+
				"difference of that size for noise.", run.Who, show.Count(repeated, "question"), n))
		}
	}
	r.Notes = append(r.Notes, e.Notes...)
	for _, u := range e.Unusable {
		r.Notes = append(r.Notes, fmt.Sprintf("Not judged: %q. %s", domain.Excerpt(u.Text), u.Reason))
	}
	r.Notes = append(r.Notes, unmatched(e.Unmatched)...)
	for _, f := range e.Files {
		for _, note := range f.Notes {
			r.Notes = append(r.Notes, f.Name+": "+note)
		}
	}
	r.inert()
	return r
}

// inert replaces characters in the texts of files that would act on whatever shows them.
func (r *Report) inert() {
	r.Title, r.Conclusion = show.Printable(r.Title), show.Printable(r.Conclusion)
	for i := range r.Notes {
		r.Notes[i] = show.Printable(r.Notes[i])
	}
	for i, q := range r.Questions {
		r.Questions[i] = Question{q.ID, show.Printable(q.Text), show.XMLText(q.Expected), show.XMLText(q.Query), show.XMLText(q.Rows)}
	}
	for i := range r.Columns {
		c := &r.Columns[i]
		c.Name, c.Answered = show.Printable(c.Name), show.Printable(c.Answered)
	}
}

// unmatched lists the questions that only one side has.
func unmatched(u benchmark.Unmatched) (all []string) {
	for _, text := range u.Questions[:min(len(u.Questions), maxListed)] {
		all = append(all, "Nobody answered: "+text)
	}
	if n := len(u.Questions) - maxListed; n > 0 {
		all = append(all, fmt.Sprintf("Nobody answered %d further questions.", n))
	}
	for _, a := range u.Answers[:min(len(u.Answers), maxListed)] {
		at := a.File
		if a.Line > 0 {
			at += fmt.Sprintf(", line %d", a.Line)
		}
		text := fmt.Sprintf("No golden question: %q (%s).", domain.Excerpt(a.Text), at)
		switch {
		case a.Why != "":
			text = fmt.Sprintf("Left out: %q (%s): %s.", domain.Excerpt(a.Text), at, a.Why)
		case a.Nearest != "":
			text += fmt.Sprintf(" The nearest is %q; write it so if it is meant.", domain.Excerpt(a.Nearest))
		}
		all = append(all, text)
	}
	if n := len(u.Answers) - maxListed + u.More; n > 0 {
		all = append(all, fmt.Sprintf("%d further answers are to no golden question.", n))
	}
	return all
}

func columnOfRun(name string, run evaluation.Run) Column {
	c := Column{Name: name, Answered: run.By.String(), Summary: run.Summary, tallies: map[string]verdict.Tally{},
		untimed: run.Summary.ResponseTime == nil, rows: map[string][]string{}}
	for _, q := range run.Questions {
		c.tallies[q.QuestionID] = q.Tally
		for _, a := range q.Asks {
			c.rows[q.QuestionID] = append(c.rows[q.QuestionID], shownRows(a.Sample))
		}
	}
	return c
}

// rowsOf returns the first rows of the query of an ask; "" if they are not known.
func (c Column) rowsOf(id string, ask int) string {
	if all := c.rows[id]; ask < len(all) {
		return all[ask]
	}
	return ""
}

// shownRows returns a sample of rows on one line.
func shownRows(sample json.RawMessage) string {
	var s struct {
		Rows [][]json.RawMessage
		More bool
	}
	if len(sample) == 0 || json.Unmarshal(sample, &s) != nil {
		return ""
	}
	if len(s.Rows) == 0 {
		return "none"
	}
	lines := make([]string, len(s.Rows))
	for i, row := range s.Rows {
		cells := make([]string, len(row))
		for j, cell := range row {
			cells[j] = string(cell)
			var text string
			if json.Unmarshal(cell, &text) == nil && string(cell) != "null" {
				cells[j] = text
			}
		}
		lines[i] = strings.Join(cells, ", ")
	}
	if s.More {
		lines = append(lines, "…")
	}
	return strings.Join(lines, "; ")
}
