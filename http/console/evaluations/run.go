package evaluations

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"readiness/client"
	"readiness/domain/benchmark"
	"readiness/domain/verdict"
	"readiness/http/console/page"
)

// answered is what the page of a benchmark run shows.
type answered struct {
	client.BenchmarkRun
	Base      string
	Ready     bool
	Judge     *client.JudgeReview
	Summary   verdict.ComparisonSide
	Questions paged
	// Imported says where imported answers are from; nil if the run asked.
	Imported *benchmark.Origin
}

// Title returns the model's name.
func (a answered) Title() string {
	if a.SemanticModelName != nil {
		return *a.SemanticModelName
	}
	return "a model"
}

// Asked returns who was asked, in words.
func (a answered) Asked() string { return Asked(a.Agent) }

// Simulated reports whether no AI was asked.
func (a answered) Simulated() bool { return a.Answerer != nil && Simulated(*a.Answerer) }

// Review returns how often persons overruled the judge, in a sentence; "" without a judge.
func (a answered) Review() string {
	if a.Judge == nil || a.Judge.Judged == 0 {
		return ""
	}
	return fmt.Sprintf("An AI judge decided some answers. Persons overruled it %d of %d times.", a.Judge.Overruled, a.Judge.Judged)
}

// showRun shows every answer of a benchmark run, or how far it is.
func showRun(v *page.Visit) error {
	w, err := parsed(v, "w")
	if err != nil {
		return err
	}
	m, err := parsed(v, "m")
	if err != nil {
		return err
	}
	id, ctx := v.Request.PathValue("run"), v.Request.Context()
	got, err := v.API.GetBenchmarkRunWithResponse(ctx, w, m, id)
	if err != nil {
		return err
	}
	a := &answered{BenchmarkRun: *got.JSON200, Base: "/models/" + w.String() + "/" + m.String(),
		Ready: got.JSON200.Status == client.OperationStatusSucceeded}
	p := page.Page{Title: "Run on " + a.Title(), In: path, Data: a}
	if a.Status == client.OperationStatusRunning || a.Status == client.OperationStatusNotStarted {
		p.Refresh = page.Again(a.CreatedAtUtc)
	}
	if !a.Ready {
		return v.Show(runView, p)
	}
	result, err := v.API.GetBenchmarkRunResultWithResponse(ctx, w, m, id)
	if err != nil {
		return err
	}
	var document benchmark.RunDocument
	if err := json.Unmarshal(result.JSON200.Document, &document); err != nil {
		return fmt.Errorf("console: the answers of run %s: %w", id, err)
	}
	number, _ := strconv.Atoi(v.Request.URL.Query().Get("page"))
	a.Judge, a.Summary, a.Imported = result.JSON200.JudgeReview, document.Summary, document.Imported
	a.read(document, number)
	return v.Show(runView, p)
}

// read puts the questions in their order: wrong ones first.
func (a *answered) read(document benchmark.RunDocument, number int) {
	address := a.Base + "/runs/" + a.RunID
	all := make([]asked, len(document.Questions))
	for i, q := range document.Questions {
		only := answerOf("Answer", q.Tally)
		only.Question, only.Key, only.Overrule = q.QuestionID, strconv.Itoa(i), address+"/verdict"
		expected := q.Expected.Text()
		if expected == q.Expected.DAX {
			expected = "" // the query is shown next to that of the answer
		}
		all[i] = asked{ID: q.QuestionID, Text: q.Text, Expected: expected, Query: q.Expected.DAX, Answers: []answer{only}}
	}
	a.Questions = ordered(all, func(q asked) int {
		switch q.Answers[0].Verdict {
		case verdict.Incorrect:
			return 0
		case verdict.Unclear, verdict.Refused:
			return 1
		case verdict.Errored:
			return 2
		case verdict.Correct:
		}
		return 3
	}, number, address)
	for i, q := range a.Questions.all {
		a.Questions.all[i].Answers[0].Back = fmt.Sprintf("%s?page=%d#q%d", address, i/perPage+1, q.Number)
	}
}

// overrule stores a person's verdict on the answers to a question.
func overrule(v *page.Visit) error {
	w, err := parsed(v, "w")
	if err != nil {
		return err
	}
	m, err := parsed(v, "m")
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	question := form.Get("question")
	if question == "" {
		return &page.Problem{Status: http.StatusBadRequest, Title: "The form is incomplete",
			Text: "Open the run, and overrule the answer there."}
	}
	run := v.Request.PathValue("run")
	if _, err := v.API.OverruleVerdictWithResponse(v.Request.Context(), w, m, run, question, client.OverruleVerdictRequest{
		Verdict: client.OverruleVerdictRequestVerdict(form.Get("verdict")), Reason: form.Get("reason")}); err != nil {
		return err
	}
	back := form.Get("back")
	if !page.Local(back) || !strings.Contains(back, "/runs/") {
		back = "/models/" + w.String() + "/" + m.String() + "/runs/" + run
	}
	return v.See(back)
}
