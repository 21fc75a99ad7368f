package questions

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/http/console/page"
	"readiness/internal/lists"
	"readiness/internal/optional"
)

// perPage is how many questions a page has.
const perPage = 20

// editing is what the page of the questions shows.
type editing struct {
	model
	client.BenchmarkQuestions
	Number, Pages int
	// Saving is the operation that saves, or saved; nil without one.
	Saving *client.Operation
}

// field is a question of the page.
type field struct {
	client.BenchmarkQuestion
	// N numbers the fields of the form: the place of the question in the set, or "new".
	N string
}

// New returns the empty question at the end of the form.
func (editing) New() field { return field{N: "new"} }

// Shown returns the questions of the page.
func (e editing) Shown() (all []field) {
	first := (e.Number - 1) * perPage
	for i, q := range e.Value[first:min(first+perPage, len(e.Value))] {
		all = append(all, field{q, strconv.Itoa(first + i)})
	}
	return all
}

// TagText returns the tags as the field has them.
func (f field) TagText() string { return strings.Join(f.Tags, "; ") }

// Fields returns what a query of the answer uses, in words; "" if it is not known.
func (f field) Fields() string {
	names := lists.Map(f.Expected.Fields, func(use client.AnswerField) string { return strings.ToLower(string(use.Role)) + " " + use.Name })
	return strings.Join(names, ", ")
}

// Earlier and Later return the number of the neighbouring page; 0 for none.
func (e editing) Earlier() int { return e.Number - 1 }

// Later returns the number of the next page; 0 on the last one.
func (e editing) Later() int {
	if e.Number == e.Pages {
		return 0
	}
	return e.Number + 1
}

// Running reports whether the questions are still being saved.
func (e editing) Running() bool { return e.Saving != nil && !e.Saving.Ended() }

// edit shows the questions.
func edit(v *page.Visit) error {
	of, err := modelOf(v)
	if err != nil {
		return err
	}
	q := v.Request.URL.Query()
	e := editing{model: of}
	p := page.Page{Title: "Questions of " + of.Name, In: in}
	if id, err := uuid.Parse(q.Get("saving")); err == nil { // read before the questions, which are then those that it saved
		got, err := v.API.GetOperationWithResponse(v.Request.Context(), id, nil)
		if err != nil {
			return err
		}
		if e.Saving = got.JSON200; e.Running() {
			p.Refresh = again
		}
	}
	got, err := v.API.GetBenchmarkQuestionsWithResponse(v.Request.Context(), of.Workspace, of.Model, nil)
	if err != nil {
		return err
	}
	e.BenchmarkQuestions = *got.JSON200
	e.Pages = max(1, (len(e.Value)+perPage-1)/perPage)
	number, _ := strconv.Atoi(q.Get("page"))
	e.Number = min(max(number, 1), e.Pages)
	p.Data = e
	return v.Show(editView, p)
}

// sent returns the model of the page and what a form sent. The form is read first, so that an ended sign-in keeps it.
func sent(v *page.Visit) (model, url.Values, error) {
	form, err := v.Form()
	if err != nil {
		return model{}, nil, err
	}
	of, err := modelOf(v)
	return of, form, err
}

// given returns the questions as they are sent.
func given(all []client.BenchmarkQuestion) (out []client.GivenBenchmarkQuestion, err error) {
	text, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	return out, json.Unmarshal(text, &out)
}

// moved is the problem of a form about questions that someone changed in the meantime.
func moved(of model) error {
	return &page.Problem{Status: http.StatusConflict, Title: "Someone else changed the questions",
		Text: "Nothing was saved. Go back to copy what you typed, and open the questions again.", Link: of.Base() + "/questions",
		LinkText: "Open the questions"}
}

// save saves the complete set: the questions of the page as the form has them, the others as they are.
func save(v *page.Visit) error {
	of, form, err := sent(v)
	if err != nil {
		return err
	}
	got, err := v.API.GetBenchmarkQuestionsWithResponse(v.Request.Context(), of.Workspace, of.Model, nil)
	if err != nil {
		return err
	}
	if got.JSON200.QuestionSetHash != form.Get("hash") {
		return moved(of)
	}
	all, err := given(got.JSON200.Value)
	if err != nil {
		return err
	}
	do, at, _ := strings.Cut(form.Get("do"), ".")
	number, err := strconv.Atoi(at)
	if do != "remove" || err != nil {
		number = -1
	}
	var kept []client.GivenBenchmarkQuestion
	for i, q := range all {
		name := strconv.Itoa(i)
		if form.Has("text." + name) {
			change(&q, form, name)
		}
		if i != number {
			kept = append(kept, q)
		}
	}
	if strings.TrimSpace(form.Get("text.new")) != "" {
		var q client.GivenBenchmarkQuestion
		change(&q, form, "new")
		kept = append(kept, q)
	}
	if len(kept) == 0 {
		return &page.Problem{Status: http.StatusBadRequest, Title: "A set has at least one question", Text: "Nothing was saved.",
			Link: of.Base() + "/questions", LinkText: "Go back to the questions"}
	}
	repeats := got.JSON200.Repeats
	if n := repeatsOf(form.Get("repeats")); n != nil {
		repeats = *n
	}
	return send(v.Request.Context(), v, of, client.SaveBenchmarkQuestionsRequest{Questions: kept, Repeats: &repeats})
}

// send saves questions, and shows the page that follows it.
func send(ctx context.Context, v *page.Visit, of model, body client.SaveBenchmarkQuestionsRequest) error {
	got, err := v.API.SaveBenchmarkQuestionsWithResponse(ctx, of.Workspace, of.Model, nil, body)
	if err != nil {
		return err
	}
	return v.See(of.Base() + "/questions?saving=" + got.JSON202.OperationID.String())
}

// change writes what a form says about a question into it.
func change(q *client.GivenBenchmarkQuestion, form url.Values, name string) {
	text := func(member string) *string {
		if t := strings.TrimSpace(strings.ReplaceAll(form.Get(member+"."+name), "\r\n", "\n")); t != "" {
			return &t
		}
		return nil
	}
	was := fmt.Sprintf("%q %q", optional.Text(q.Expected.Dax), optional.Text(q.Expected.Value))
	q.Text = strings.TrimSpace(form.Get("text." + name))
	q.Expected.Answer, q.Expected.Value, q.Expected.Dax, q.ClusterID = text("answer"), text("value"), text("dax"), text("cluster")
	if was != fmt.Sprintf("%q %q", optional.Text(q.Expected.Dax), optional.Text(q.Expected.Value)) && q.Expected.Dax != nil {
		q.Expected.Fields = nil // they were those of another answer; the query says them
	}
	q.Weight = nil
	if w, err := strconv.ParseFloat(form.Get("weight."+name), 64); err == nil && w != 1 {
		q.Weight = &w
	}
	q.Ordered = nil
	if form.Get("ordered."+name) != "" {
		q.Ordered = new(true)
	}
	q.Tags = nil
	for tag := range strings.SplitSeq(form.Get("tags."+name), ";") {
		if tag = strings.TrimSpace(tag); tag != "" && !slices.Contains(q.Tags, tag) {
			q.Tags = append(q.Tags, tag)
		}
	}
}
