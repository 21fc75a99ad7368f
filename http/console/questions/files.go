package questions

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/domain/benchmark"
	"readiness/domain/benchmark/goldenset"
	"readiness/http/console/page"
	"readiness/internal/lists"
)

// export sends the saved questions as a file.
func export(v *page.Visit) error {
	of, err := modelOf(v)
	if err != nil {
		return err
	}
	got, err := v.API.GetBenchmarkQuestionsWithResponse(v.Request.Context(), of.Workspace, of.Model,
		&client.GetBenchmarkQuestionsParams{Format: new(client.GetBenchmarkQuestionsParamsFormat("csv"))})
	if err != nil {
		return err
	}
	return v.File("questions.csv", "text/csv; charset=utf-8", got.Body)
}

// imported is what the page of an import shows.
type imported struct {
	model
	// Text is the sent text, so that it can be corrected in place.
	Text string
	// Why is why it was not saved; Faults are its places.
	Why    string
	Faults []client.ErrorParameter
}

// showImport shows the form of an import.
func showImport(v *page.Visit) error {
	of, err := modelOf(v)
	if err != nil {
		return err
	}
	return imported{model: of}.show(v, http.StatusOK)
}

func (i imported) show(v *page.Visit, status int) error {
	return v.Show(importView, page.Page{Title: "Import questions", In: in, Status: status, Data: i})
}

// importFile saves the questions of a file in place of the saved ones. Its faults are shown by line and column.
func importFile(v *page.Visit) error {
	of, form, err := sent(v)
	if err != nil {
		return err
	}
	text, kind := form.Get("file"), "text/csv"
	if text == "" {
		text = form.Get("pasted")
	}
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		kind = "application/x-ndjson"
	}
	body := []byte(text)
	f, _ := goldenset.FormatOfMedia(kind)
	all, err := goldenset.Read(f, body)
	set, wrong := benchmark.Set{Questions: all, Repeats: benchmark.DefaultRepeats}.Admit()
	if err == nil && wrong == nil && form.Get("keep") == "" { // a file has no such member; what is wrong with it, the service says
		kind = "application/json"
		if body, err = json.Marshal(map[string]any{"questions": set.Questions, "runnable": client.Required}); err != nil {
			return err
		}
	}
	got, err := v.API.SaveBenchmarkQuestionsWithResponse(v.Request.Context(), of.Workspace, of.Model, nil,
		client.SaveBenchmarkQuestionsRequest{}, client.WithBody(kind, body))
	refused, ok := errors.AsType[*client.Error](err)
	if ok && (refused.Status == http.StatusBadRequest || refused.Status == http.StatusRequestEntityTooLarge) {
		return imported{of, text, refused.Message, refused.Parameters}.show(v, refused.Status)
	}
	if err != nil {
		return err
	}
	return v.See(of.Base() + "/questions?saving=" + got.JSON202.OperationID.String())
}

// generate starts the generation of questions.
func generate(v *page.Visit) error {
	of, _, err := sent(v)
	if err != nil {
		return err
	}
	got, err := v.API.GenerateBenchmarkQuestionsWithResponse(v.Request.Context(), of.Workspace, of.Model, nil,
		client.GenerateBenchmarkQuestionsRequest{})
	if err != nil {
		return err
	}
	return v.See(of.Base() + "/questions/proposed?operation=" + got.JSON202.OperationID.String())
}

// generated is what the page of generated questions shows.
type generated struct {
	model
	Operation client.Operation
	Questions []client.BenchmarkQuestion
	// Warnings are what the questions do not consider.
	Warnings []string
}

// proposed shows generated questions. People choose those to keep.
func proposed(v *page.Visit) error {
	of, err := modelOf(v)
	if err != nil {
		return err
	}
	id, err := uuid.Parse(v.Request.URL.Query().Get("operation"))
	if err != nil {
		return page.NotFound
	}
	g := generated{model: of}
	p := page.Page{Title: "Generated questions", In: in}
	got, err := v.API.GetOperationWithResponse(v.Request.Context(), id, nil)
	if err != nil {
		return err
	}
	g.Operation = *got.JSON200
	if !g.Operation.Ended() {
		p.Refresh = again
	}
	if g.Operation.Status == client.OperationStatusSucceeded {
		set, err := read(v, id)
		if err != nil {
			return err
		}
		g.Questions, g.Warnings = set.Value, set.Warnings
	}
	p.Data = g
	return v.Show(proposedView, p)
}

// read returns the questions that an operation generated.
func read(v *page.Visit, id uuid.UUID) (set client.BenchmarkQuestions, err error) {
	got, err := v.API.GetOperationResultWithResponse(v.Request.Context(), id)
	if err != nil {
		return set, err
	}
	return set, json.Unmarshal(got.Body, &set)
}

// keep adds the chosen questions to the saved ones.
func keep(v *page.Visit) error {
	of, form, err := sent(v)
	if err != nil {
		return err
	}
	id, err := uuid.Parse(form.Get("operation"))
	if err != nil {
		return incomplete
	}
	all, err := read(v, id)
	if err != nil {
		return err
	}
	got, err := v.API.GetBenchmarkQuestionsWithResponse(v.Request.Context(), of.Workspace, of.Model, nil)
	if err != nil {
		return err
	}
	kept, saved := got.JSON200.Value, map[string]bool{}
	for _, q := range kept {
		saved[q.QuestionID] = true
	}
	chosen := lists.Set(form["question"])
	for _, q := range all.Value {
		if chosen[q.QuestionID] && !saved[q.QuestionID] {
			kept = append(kept, q)
		}
	}
	if len(kept) == 0 {
		return &page.Problem{Status: http.StatusBadRequest, Title: "No question is chosen", Text: "Check the questions to keep."}
	}
	questions, err := given(kept)
	if err != nil {
		return err
	}
	return send(v.Request.Context(), v, of, client.SaveBenchmarkQuestionsRequest{Questions: questions, Repeats: &got.JSON200.Repeats})
}
