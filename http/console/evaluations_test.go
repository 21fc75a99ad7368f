package console_test

import (
	"bytes"
	"context"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/test/consoletest"
	"readiness/work"
)

// reportless is a platform that does not list the reports of a workspace, which the questions of a model then say.
type reportless struct{ work.Platform }

func (reportless) Reports(context.Context, item.Caller, uuid.UUID) ([]item.WorkspaceReport, error) {
	return nil, domain.Refuse(domain.PlatformUnavailable, "no")
}

// evaluated is a world with the pages of a model of the samples.
type evaluated struct {
	*reviewed
	base string
}

func newEvaluated(t *testing.T) *evaluated {
	t.Helper()
	steps := func(p work.Platform) work.Platform { return reportless{p} }
	e := &evaluated{reviewed: &reviewed{World: consoletest.Start(t, consoletest.Options{Steps: steps}), t: t}}
	w, m := modelOf(t, e.API("contoso", "ada"), "Store Operations")
	e.base = "/models/" + w.String() + "/" + m.String()
	return e
}

// followed opens the page that an answer leads to, after the operation that its address names has ended.
func (e *evaluated) followed(b *consoletest.Browser, got consoletest.Answer) consoletest.Answer {
	e.t.Helper()
	want(e.t, got, http.StatusSeeOther)
	at, err := got.Location()
	if err != nil {
		e.t.Fatal(err)
	}
	for _, value := range at.Query() {
		if id, err := uuid.Parse(value[0]); err == nil {
			e.Ended(e.API("contoso", "ada"), id)
		}
	}
	return b.Get(at.RequestURI())
}

// upload sends a file by the form of an import.
func (e *evaluated) upload(b *consoletest.Browser, text string) consoletest.Answer {
	e.t.Helper()
	return e.sendFile(b, "/questions/import", "file", text, map[string]string{"pasted": "what was typed"})
}

// sendFile sends a form with a file.
func (e *evaluated) sendFile(b *consoletest.Browser, path, field, text string, fields map[string]string) consoletest.Answer {
	e.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	file, err := w.CreateFormFile(field, "sent.csv")
	if err != nil {
		e.t.Fatal(err)
	}
	if _, err := file.Write([]byte(text)); err != nil {
		e.t.Fatal(err)
	}
	for name, value := range fields {
		if err := w.WriteField(name, value); err != nil {
			e.t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		e.t.Fatal(err)
	}
	return b.SendBody(e.base+path, w.FormDataContentType(), body.String())
}

// golden is a file of questions.
const golden = "question,expectedValue,dax,cluster,weight\n" +
	"What is the footfall?,1,,,\n\"How many <script>alert(1)</script> are there?\",2,,,2\nWhat is the total of nothing?,3,,,\n"

// TestQuestions writes, changes and removes questions, imports and exports them, and says by line and column what is wrong with a file.
// A form about questions that someone changed in the meantime saves nothing.
func TestQuestions(t *testing.T) {
	t.Parallel()
	e := newEvaluated(t)
	ada := e.As("contoso", "ada")
	path := e.base + "/questions"
	got := ada.Get(path)
	want(t, got, http.StatusOK, "Questions of <bdi>Store Operations</bdi>", "A new question")
	ada.CheckPage(got)
	empty := form(got.Body)

	faulty := e.upload(ada, "question,expectedValue,weight\nHow many?,5,x\n,6,1\n")
	want(t, faulty, http.StatusBadRequest, "line 2, column 13 (weight)", "line 3, column 1", "Nothing was saved", "How many?,5,x\n,6,1")
	ada.CheckPage(faulty)
	want(t, e.upload(ada, strings.Repeat("x", 1<<20)), http.StatusRequestEntityTooLarge, "more than 1 MiB")
	want(t, ada.Get(path), http.StatusOK, "0\u00a0questions")

	const gone = "question,dax\nWhat was the fee?,\"EVALUATE ROW(\"\"x\"\", [Fee])\"\n"
	got = e.followed(ada, e.upload(ada, gone))
	want(t, got, http.StatusOK, "Nothing was saved: 1 of 1 questions cannot run", "Question 1: The model has no measure [Fee]", "keep those that cannot run", "0\u00a0questions")
	got = e.followed(ada, e.sendFile(ada, "/questions/import", "file", gone, map[string]string{"keep": "yes"}))
	want(t, got, http.StatusOK, "The questions are saved.", "1\u00a0question, 0 can run")

	got = e.followed(ada, e.upload(ada, golden))
	want(t, got, http.StatusOK, "The questions are saved.", "3\u00a0questions", "What is the footfall?", "How many &lt;script&gt;alert(1)&lt;/script&gt; are there?")
	ada.CheckPage(got)
	fields := func() url.Values {
		shown := form(ada.Get(path).Body)
		for i, text := range []string{"What is the footfall?", "How many <b>?", "What is the total of nothing?"} {
			n := string(rune('0' + i))
			shown.Set("text."+n, text)
			shown.Set("value."+n, n)
		}
		return shown
	}
	stale := fields()
	changed := fields()
	changed.Set("do", "remove.2")
	changed.Set("text.new", "Which store has most?")
	changed.Set("answer.new", "Berlin")
	changed.Set("tags.new", "a; b; a")
	got = e.followed(ada, ada.Send(path, changed))
	want(t, got, http.StatusOK, "The questions are saved.", "How many &lt;b&gt;?", "Which store has most?", `value="a; b"`)
	if strings.Contains(got.Body, "the total of nothing") {
		t.Error("a removed question is still there")
	}
	for name, fields := range map[string]url.Values{"stale": stale, "before the first": empty} {
		fields.Set("do", "remove.0")
		if got := ada.Send(path, fields); got.StatusCode != http.StatusConflict || !strings.Contains(got.Body, "Nothing was saved") {
			t.Errorf("%s: got %d %s", name, got.StatusCode, got.Body)
		}
	}
	csv := ada.Get(path + ".csv")
	if want(t, csv, http.StatusOK, "Which store has most?"); csv.Header.Get("Content-Disposition") != "attachment; filename=questions.csv" {
		t.Errorf("got %v", csv.Header)
	}
	got = e.followed(ada, ada.Send(path+"/generate", nil))
	want(t, got, http.StatusOK, "Generated questions", "Add the checked questions", "the reports of the workspace could not be listed")
	ada.CheckPage(got)
	kept := form(got.Body)
	kept["question"] = []string{regexp.MustCompile(`name="question" id="q0" value="([^"]*)"`).FindStringSubmatch(got.Body)[1], "no such question"}
	want(t, e.followed(ada, ada.Send(path+"/proposed", kept)), http.StatusOK, "4\u00a0questions")
	want(t, ada.Send(path+"/proposed", url.Values{"operation": {"x"}}), http.StatusBadRequest)
	margaret := e.As("fabrikam", "margaret")
	for _, page := range []string{path, path + ".csv", path + "/import", e.base + "/evaluation"} { // the workspace is open to other accounts
		if got := margaret.Get(page); strings.Contains(got.Body, "Which store has most?") || got.StatusCode != http.StatusOK {
			t.Errorf("%s: another account got %d %s", page, got.StatusCode, got.Body)
		}
	}
	want(t, margaret.Send(path, changed), http.StatusConflict)
	want(t, ada.Get(path), http.StatusOK, "4\u00a0questions")
}

// TestImportedAnswers judges the answers of a file, says what has no counterpart, and compares them with another side. Who answered is
// named, and a text of the file is only text.
func TestImportedAnswers(t *testing.T) {
	t.Parallel()
	e := newEvaluated(t)
	ada := e.As("contoso", "ada")
	e.followed(ada, e.upload(ada, golden))
	send := func(text, once string) consoletest.Answer {
		return e.sendFile(ada, "/evaluation/import", "answers", text, map[string]string{"once": once, "who": "Copilot <b>"})
	}
	for text, says := range map[string]string{"": "No file was chosen", "Dear all": "sent.csv: ", "question,answer\nHow?,1\n": "nothing to import",
		"PAR1\xff\xfe": "sent.csv: it is a Parquet file, and it does not end as one"} {
		refused := send(text, "refused")
		want(t, refused, http.StatusBadRequest, says)
		ada.CheckPage(refused)
	}
	const answers = "question,answer\nWhat is the footfall?,1\n\"How many <script>alert(1)</script> are there?\",\"<img src=x> 5\"\nWhat is <i>?,2\n"
	started := send(answers, "one")
	want(t, started, http.StatusSeeOther)
	run := started.Header.Get("Location")
	if again := send(answers, "one").Header.Get("Location"); again != run {
		t.Errorf("two clicks started %q and %q", run, again)
	}
	e.Ended(e.API("contoso", "ada"), uuid.MustParse(run[strings.LastIndex(run, "/")+1:]))
	got := ada.Get(run)
	want(t, got, http.StatusOK, "Copilot &lt;b&gt;, elsewhere (imported)", "Nobody was asked: the answers are from <bdi>sent.csv</bdi> (table)",
		"1\u00a0question without an answer", "What is the total of nothing?", "1\u00a0answer left out", "What is &lt;i&gt;?", "&lt;img src=x&gt; 5")
	ada.CheckPage(got)
	shown := ada.Get(e.base + "/evaluation")
	want(t, shown, http.StatusOK, "Judge answers from elsewhere", `<option value="Imported/`+run[strings.LastIndex(run, "/")+1:]+`">Copilot &lt;b&gt;, imported `)
	ada.CheckPage(shown)
	fields := form(shown.Body)
	want(t, shown, http.StatusOK, `name="answererB" required><option value="">Choose</option>`)
	fields.Set("name", "Copilot or the assistant")
	fields.Set("answererA", "Imported/"+run[strings.LastIndex(run, "/")+1:])
	fields.Set("answererB", "PlatformAssistant")
	fields.Set("modelB", strings.TrimPrefix(e.base, "/models/"))
	compared := ada.Send(e.base+"/evaluation/tests", fields)
	want(t, compared, http.StatusSeeOther)
	result := compared.Header.Get("Location")
	e.Ended(e.API("contoso", "ada"), uuid.MustParse(result[strings.LastIndex(result, "/")+1:]))
	got = ada.Get(result)
	want(t, got, http.StatusOK, "Copilot &lt;b&gt;, elsewhere (imported)")
	ada.CheckPage(got)
}

// TestEvaluation asks one side and compares two: each answer has its verdict and why, regressions come first, and a person's verdict
// counts. Nothing is shown to another account, and an incomplete form starts nothing.
func TestEvaluation(t *testing.T) {
	t.Parallel()
	e := newEvaluated(t)
	ada, margaret := e.As("contoso", "ada"), e.As("fabrikam", "margaret")
	want(t, ada.Get("/evaluations"), http.StatusOK, "No test is set up yet")
	want(t, ada.Get(e.base+"/evaluation"), http.StatusOK, "No question is saved yet")
	e.followed(ada, e.upload(ada, golden))
	shown := ada.Get(e.base + "/evaluation")
	want(t, shown, http.StatusOK, "Ask one side", "Compare two sides", "The platform&#39;s assistant")
	ada.CheckPage(shown)
	fields := form(shown.Body)
	for _, wrong := range []url.Values{{"answerer": {"DataAgent/x"}}, {"answerer": {""}}} {
		want(t, ada.Send(e.base+"/evaluation/runs", wrong), http.StatusBadRequest)
	}
	want(t, ada.Send(e.base+"/evaluation/tests", url.Values{"answererA": {"PlatformAssistant"}, "modelB": {"x/y"}}), http.StatusBadRequest)
	fields.Set("answerer", "PlatformAssistant")
	started := ada.Send(e.base+"/evaluation/runs", fields)
	want(t, started, http.StatusSeeOther)
	run := started.Header.Get("Location")
	if again := ada.Send(e.base+"/evaluation/runs", fields).Header.Get("Location"); again != run {
		t.Errorf("two clicks started %q and %q", run, again)
	}
	e.Ended(e.API("contoso", "ada"), uuid.MustParse(run[strings.LastIndex(run, "/")+1:]))
	got := ada.Get(run)
	want(t, got, http.StatusOK, "Run on <bdi>Store Operations</bdi>", "wrong answers first", "No AI was asked", "How many &lt;script&gt;")
	ada.CheckPage(got)
	e.overrules(ada, margaret, run)

	fields.Set("name", `Test <script>`)
	fields.Set("answererA", "PlatformAssistant")
	fields.Set("answererB", "GenericAgent/embedded")
	fields.Set("modelB", strings.TrimPrefix(e.base, "/models/"))
	started = ada.Send(e.base+"/evaluation/tests", fields)
	want(t, started, http.StatusSeeOther)
	compared := started.Header.Get("Location")
	if !strings.HasPrefix(compared, "/evaluations/") {
		t.Fatalf("the test leads to %q", compared)
	}
	runID := compared[strings.LastIndex(compared, "/")+1:]
	e.Ended(e.API("contoso", "ada"), uuid.MustParse(runID))
	got = ada.Get(compared)
	want(t, got, http.StatusOK, "Run of <bdi>Test &lt;script&gt;</bdi>", "Side B minus side A", "What answered", "regressions first", "McNemar", "Overrule")
	ada.CheckPage(got)
	test := strings.TrimSuffix(compared, "/runs/"+runID)
	for _, page := range []string{"/evaluations", test, e.base + "/evaluation"} {
		got := ada.Get(page)
		want(t, got, http.StatusOK, "Test &lt;script&gt;")
		ada.CheckPage(got)
		if other := margaret.Get(page); strings.Contains(other.Body, "Test &lt;script&gt;") {
			t.Errorf("%s shows another account's test", page)
		}
	}
	for _, page := range []string{test, compared, run} {
		want(t, margaret.Get(page), http.StatusNotFound)
	}
	want(t, margaret.Send(test+"/runs", url.Values{"once": {"x"}}), http.StatusNotFound)
	want(t, ada.Send(test+"/runs", nil), http.StatusBadRequest, "The form is incomplete")
	want(t, ada.Send(test+"/runs", form(ada.Get(test).Body)), http.StatusSeeOther)
	for _, page := range []string{"/evaluations/x", "/evaluations/" + uuid.NewString(), compared + "x"} {
		want(t, ada.Get(page), http.StatusNotFound)
	}
}

// overrules gives a verdict on the first answer of a run; a reason is needed, and a person of another account changes nothing.
func (e *evaluated) overrules(ada, margaret *consoletest.Browser, run string) {
	e.t.Helper()
	body := ada.Get(run).Body
	question := regexp.MustCompile(`name="question" value="([^"]*)"`).FindStringSubmatch(body)
	if question == nil {
		e.t.Fatalf("no answer can be overruled: %s", body)
	}
	fields := url.Values{"question": {question[1]}, "verdict": {"correct"}, "reason": {"it <i>is</i> right"}, "back": {"//elsewhere"}}
	want(e.t, margaret.Send(run+"/verdict", fields), http.StatusNotFound)
	want(e.t, ada.Send(run+"/verdict", url.Values{"question": fields["question"], "verdict": {"correct"}}), http.StatusBadRequest, "reason")
	want(e.t, ada.Send(run+"/verdict", url.Values{}), http.StatusBadRequest, "The form is incomplete")
	if strings.Contains(ada.Get(run).Body, "The service decided") {
		e.t.Error("a refused verdict is stored")
	}
	got := ada.Send(run+"/verdict", fields)
	want(e.t, got, http.StatusSeeOther)
	if to := got.Header.Get("Location"); to != run {
		e.t.Errorf("the verdict leads to %q", to)
	}
	got = ada.Get(run)
	want(e.t, got, http.StatusOK, "by a person", "it &lt;i&gt;is&lt;/i&gt; right", "The service decided", "1\u00a0answer")
	ada.CheckPage(got)
}
