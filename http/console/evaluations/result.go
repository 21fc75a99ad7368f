package evaluations

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/domain/verdict"
	"readiness/http/console/page"
)

// compared is what the page of a run of a test shows.
type compared struct {
	Test    test
	Run     run
	Summary aggregate
	// Answerers say what answered on each side.
	Answerers [2]string
	Sides     [2]verdict.ComparisonSide
	Questions paged
	// Ready is whether the comparison is stored.
	Ready bool
	// Waiting is whether the run waits for a read by the person who started it.
	Waiting bool
}

// Simulated reports whether no AI was asked on either side.
func (c compared) Simulated() bool { return Simulated(c.Answerers[0]) && Simulated(c.Answerers[1]) }

// Sentence returns the sentence of the summary.
func (c compared) Sentence() string { return c.Summary.Sentence }

// Progress returns how many asks of the run are made, in percent.
func (c compared) Progress() int {
	if c.Run.Asks == nil || c.Run.Asks.Total == 0 {
		return 0
	}
	return 100 * c.Run.Asks.Made / c.Run.Asks.Total
}

// showResult shows the comparison of a run, or how far it is. While it runs, the page reads its operation: read by
// its owner, side B starts.
func showResult(v *page.Visit) error {
	id, err := parsed(v, "id")
	if err != nil {
		return err
	}
	runID, err := parsed(v, "run")
	if err != nil {
		return err
	}
	ctx := v.Request.Context()
	got, err := v.API.GetAbTestWithResponse(ctx, id.String(), nil)
	if err != nil {
		return err
	}
	read, err := v.API.GetAbTestRunWithResponse(ctx, id.String(), runID.String())
	if err != nil {
		return err
	}
	c := compared{Test: test{*got.JSON200}, Run: run{*read.JSON200}}
	c.Ready = c.Run.State() == client.AbTestRunStatusSucceeded
	p := page.Page{Title: "Run of " + c.Test.Name, In: path, Data: &c}
	if c.Run.State() == client.AbTestRunStatusRunning {
		o, err := v.API.GetOperationWithResponse(ctx, runID, nil)
		if err != nil {
			return err
		}
		c.Waiting, p.Refresh = o.JSON200.WaitingFor != nil, page.Again(o.JSON200.CreatedTimeUtc)
	}
	if c.Ready {
		if err := c.read(v, id, runID); err != nil {
			return err
		}
	}
	return v.Show(resultView, p)
}

// read reads the stored comparison.
func (c *compared) read(v *page.Visit, id, runID uuid.UUID) error {
	got, err := v.API.GetAbTestRunResultWithResponse(v.Request.Context(), id.String(), runID.String())
	if err != nil {
		return err
	}
	var document verdict.Document
	if err := json.Unmarshal(got.JSON200.Document, &document); err != nil {
		return fmt.Errorf("console: the comparison of run %s: %w", runID, err)
	}
	c.Summary = aggregateOf(got.JSON200.Aggregate)
	c.Sides = [2]verdict.ComparisonSide{document.A, document.B}
	c.Answerers = [2]string{document.A.Answerer(), document.B.Answerer()}
	excluded := map[string]string{}
	for _, e := range document.Excluded {
		excluded[e.QuestionID] = page.Words(e.Reason)
	}
	address := path + "/" + id.String() + "/runs/" + runID.String()
	number, _ := strconv.Atoi(v.Request.URL.Query().Get("page"))
	all := make([]asked, len(document.Questions))
	for i, q := range document.Questions {
		a, b := answerOf("Side A", q.A), answerOf("Side B", q.B)
		a.of(c.Test.SideA, c.Run.SideA.BenchmarkRunID, q.QuestionID, fmt.Sprintf("a%d", i))
		b.of(c.Test.SideB, c.Run.SideB.BenchmarkRunID, q.QuestionID, fmt.Sprintf("b%d", i))
		all[i] = asked{ID: q.QuestionID, Text: q.Text, Expected: q.Expected, Note: excluded[q.QuestionID], Change: q.Change,
			Answers: []answer{a, b}}
	}
	c.Questions = ordered(all, rank, number, address)
	for i, q := range c.Questions.all {
		for n := range q.Answers {
			c.Questions.all[i].Answers[n].Back = fmt.Sprintf("%s?page=%d#q%d", address, i/perPage+1, q.Number)
		}
	}
	return nil
}

// of sets the address for a verdict on the answer: that of the benchmark run of its side.
func (a *answer) of(s client.AbTestSide, runID *string, questionID, key string) {
	a.Question, a.Key = questionID, key
	if runID != nil && s.WorkspaceID != nil && s.SemanticModelID != nil {
		a.Overrule = "/models/" + *s.WorkspaceID + "/" + *s.SemanticModelID + "/runs/" + *runID + "/verdict"
	}
}

// rank puts regressions first, then improvements, then what cannot be compared, both wrong, and both correct.
func rank(q asked) int {
	switch q.Change {
	case verdict.Regressed:
		return 0
	case verdict.Improved:
		return 1
	case verdict.NotComparable:
		return 2
	case verdict.SameWrong:
		return 3
	case verdict.SameCorrect:
	}
	return 4
}

// Choices are the verdicts that a person can give.
func (answer) Choices() []string {
	return []string{string(verdict.Correct), string(verdict.Incorrect), string(verdict.Unclear), string(verdict.Refused)}
}
