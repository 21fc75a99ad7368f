// Package runreport says whether the result of a benchmark run or an A/B run passes a
// gate, and writes reports of it: JUnit, Markdown and HTML. It reads the documents that
// the service stores with the results, and the evaluations of files.
package runreport

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"readiness/domain/benchmark"
	"readiness/domain/verdict"
)

// Report is what is reported of a run: its questions, what was asked, and the answers.
type Report struct {
	// Title names the semantic model or the A/B test.
	Title string
	// SetHash identifies the questions.
	SetHash string
	// Conclusion is what an A/B run shows, in words; "" for a benchmark run.
	Conclusion string
	Questions  []Question
	// Columns are what was asked: an earlier run and this one, or both sides of an A/B
	// run and the earlier run of side B.
	Columns []Column
	// Notes are sentences about what could not be compared.
	Notes []string
	// Misses are the reasons for which the gate fails; empty when it passes.
	Misses []string
	// Gated is true when a gate was set.
	Gated bool

	now, before, left int // indices of Columns; before and left are -1 when there is none
	// scored are the columns whose score is gated; only now if it is empty.
	scored []int
}

// Question is a question of the set. Query is its expected query if it is not Expected, and Rows are the first rows of that, as far as
// they are known.
type Question struct{ ID, Text, Expected, Query, Rows string }

// Column is one answerer's answers to the questions.
type Column struct {
	Name string // such as "now", "before", "side A"
	// Answered says what answered, as Answered returns it.
	Answered string
	Summary  verdict.ComparisonSide
	tallies  map[string]verdict.Tally
	// untimed is true if nobody knows how long the answers took.
	untimed bool
	// rows are the first rows of the answers' queries, by question and ask.
	rows map[string][]string
}

// Tally returns the answers to a question; false when it was not asked.
func (c Column) Tally(id string) (verdict.Tally, bool) {
	t, ok := c.tallies[id]
	return t, ok
}

// Baseline is an earlier run that a run is compared with.
type Baseline struct {
	RunID string
	At    time.Time
	// Document is the stored document of the run.
	Document json.RawMessage
}

// OfRun returns the report of a benchmark run from its stored document. before is nil
// when there is no earlier run.
func OfRun(title string, document []byte, before *Baseline) (*Report, error) {
	d, err := readRun(document)
	if err != nil {
		return nil, err
	}
	r := &Report{Title: title, SetHash: d.QuestionSetHash, before: -1, left: -1}
	for _, q := range d.Questions {
		r.Questions = append(r.Questions, Question{ID: q.QuestionID, Text: q.Text, Expected: q.Expected.Text()})
	}
	if before != nil {
		if err := r.add(before); err != nil {
			return nil, err
		}
		r.left = r.before
	}
	r.Columns = append(r.Columns, columnOf("now", d))
	r.now = len(r.Columns) - 1
	r.noteRuntimes()
	byPeople := func(q benchmark.AnsweredQuestion) bool { return q.Source != benchmark.Generated }
	if len(d.Questions) > 0 && !slices.ContainsFunc(d.Questions, byPeople) {
		r.Notes = append(r.Notes, "All questions were generated from the model. They are a start: ask what people really ask.")
	}
	return r, nil
}

// OfTest returns the report of an A/B run from the stored document of its comparison.
// before is an earlier run of side B, nil when there is none.
func OfTest(title, conclusion string, document []byte, before *Baseline) (*Report, error) {
	var d verdict.Document
	if err := json.Unmarshal(document, &d); err != nil {
		return nil, fmt.Errorf("the stored comparison cannot be read: %w", err)
	}
	r := &Report{Title: title, SetHash: d.Benchmark.Hash, Conclusion: conclusion, before: -1}
	a, b := map[string]verdict.Tally{}, map[string]verdict.Tally{}
	for _, q := range d.Questions {
		r.Questions = append(r.Questions, Question{ID: q.QuestionID, Text: q.Text, Expected: q.Expected})
		a[q.QuestionID], b[q.QuestionID] = q.A, q.B
	}
	r.Columns = append(r.Columns, Column{Name: "side A", Answered: d.A.Answerer(), Summary: d.A, tallies: a})
	if before != nil {
		if err := r.add(before); err != nil {
			return nil, err
		}
	}
	r.Columns = append(r.Columns, Column{Name: "side B", Answered: d.B.Answerer(), Summary: d.B, tallies: b})
	r.now = len(r.Columns) - 1
	r.noteRuntimes()
	return r, nil
}

// noteRuntimes notes that a data agent of the earlier run had another runtime.
func (r *Report) noteRuntimes() {
	if r.before < 0 {
		return
	}
	if unlike := verdict.UnlikeRuntimes(r.Columns[r.before].Summary.Side, r.Now().Summary.Side); unlike != "" {
		r.Notes = append(r.Notes, "Before and now: "+unlike)
	}
}

// add adds the column of an earlier run.
func (r *Report) add(b *Baseline) error {
	d, err := readRun(b.Document)
	if err != nil {
		return fmt.Errorf("run %s: %w", b.RunID, err)
	}
	r.before = len(r.Columns)
	r.Columns = append(r.Columns, columnOf("before", d))
	asked := map[string]string{}
	for _, q := range d.Questions {
		asked[q.QuestionID] = q.Text
	}
	other := 0
	for _, q := range r.Questions {
		if text, ok := asked[q.ID]; !ok || text != q.Text {
			delete(r.Columns[r.before].tallies, q.ID)
			other++
		}
	}
	at := "Compared with run " + b.RunID
	if !b.At.IsZero() {
		at += " of " + b.At.UTC().Format(time.DateTime) + " UTC"
	}
	r.Notes = append(r.Notes, at+".")
	if other > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("That run did not ask %d of the %d questions, or worded them differently; "+
			"they are not compared.", other, len(r.Questions)))
	}
	return nil
}

func readRun(document []byte) (d benchmark.RunDocument, err error) {
	if err := json.Unmarshal(document, &d); err != nil {
		return d, fmt.Errorf("the stored run cannot be read: %w", err)
	}
	return d, nil
}

func columnOf(name string, d benchmark.RunDocument) Column {
	c := Column{Name: name, Answered: d.Summary.Answerer(), Summary: d.Summary, tallies: map[string]verdict.Tally{}}
	for _, q := range d.Questions {
		c.tallies[q.QuestionID] = q.Tally
	}
	return c
}

// Now returns the column that the gate judges: the run's own, or side B.
func (r *Report) Now() Column { return r.Columns[r.now] }
