package work_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/benchmark/modelquery"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/verdict"
	"readiness/eventstore"
	"readiness/test/testworld"
	"readiness/work"
)

const soldTable = "table Sales\n\n\tmeasure 'Sales Qty' = SUM(Sales[Qty])\n\n\tmeasure Revenue = SUM(Sales[Amount])\n\n\tcolumn Region\n\t\tdataType: string\n\n\tcolumn Qty\n\t\tdataType: int64\n\n\tcolumn Amount\n\t\tdataType: double\n"

// newQuestions is a bench whose good model has measures.
func newQuestions(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.sells(t, soldTable)
	return b
}

func (b *bench) sells(t *testing.T, table string) {
	t.Helper()
	write(t, filepath.Join(b.Root, "Retail", good.String()+".SemanticModel", "definition", "tables", "Sales.tmdl"), table)
}

func (b *bench) generate(t *testing.T, modelID uuid.UUID, count int) uuid.UUID {
	t.Helper()
	got, err := b.Benchmarks.GenerateQuestions(t.Context(), b.ana(), workspace, modelID, count)
	check(t, err)
	return got.OperationID
}

func (b *bench) save(t *testing.T, questions ...benchmark.Question) uuid.UUID {
	t.Helper()
	return b.saveRunnable(t, false, questions...)
}

func (b *bench) saveRunnable(t *testing.T, runnable bool, questions ...benchmark.Question) uuid.UUID {
	t.Helper()
	got, err := b.Benchmarks.SaveQuestions(t.Context(), b.ana(), workspace, good, benchmark.Set{Questions: questions, Repeats: 2}, runnable)
	check(t, err)
	return got.OperationID
}

// carryQuestions carries out the n-th step, retrying as long as it returns an
// error.
func (b *bench) carryQuestions(t *testing.T, n int) {
	t.Helper()
	for range 2 {
		check(t, work.CarryQuestions(t.Context(), b.Work, b.questions[n], 0, 0, noon))
	}
}

func (b *bench) result(t *testing.T, id uuid.UUID) (r benchmark.QuestionsResult) {
	t.Helper()
	w, err := b.Views.QuestionWork(t.Context(), id)
	if err != nil || w.Made == nil {
		t.Fatalf("%+v, %v", w, err)
	}
	body, err := b.Views.Document(t.Context(), w.Made.DocumentHash)
	check(t, err)
	check(t, json.Unmarshal(body, &r))
	if r.Count != w.Made.Count || r.CanRun != w.Made.CanRun || r.QuestionSetHash != w.Made.QuestionSetHash || r.Count != len(r.Value) {
		t.Errorf("the log says %+v, the document %+v", w.Made, r)
	}
	return r
}

func (b *bench) saved(t *testing.T) benchmark.QuestionsResult {
	t.Helper()
	r, err := b.Benchmarks.SavedQuestions(t.Context(), b.ana(), workspace, good)
	check(t, err)
	return r
}

func (b *bench) builds(t *testing.T) int {
	t.Helper()
	return b.used(t, account.BenchmarkBuilds, account.Day)
}

func asked(id, text string, expected benchmark.Expected) benchmark.Question {
	return benchmark.Question{QuestionID: id, Text: text, Expected: expected}
}

var revenue = benchmark.Expected{Fields: []verdict.Field{{Role: verdict.MeasureField, Table: "Sales", Name: "Revenue"}}}

// A generation spends one build, however often its step is carried out, and makes
// questions about the business. It saves and tracks nothing.
//
// proves: 2.7/operationType/GenerateBenchmarkQuestions 4.2/result/3-BenchmarkQuestions
func TestGenerate(t *testing.T) {
	t.Parallel()
	b := newQuestions(t)
	id := b.generate(t, good, 4)
	if op := b.operation(t, id); op.Type != operation.GenerateBenchmarkQuestions || *op.Impact.BenchmarkBuilds != 1 || op.Impact.BenchmarkRuns != nil {
		t.Errorf("accepted as %+v", op)
	}
	b.carryQuestions(t, 0)
	if op := b.operation(t, id); op.Status != operation.StatusSucceeded || *op.Impact.BenchmarkBuilds != 1 {
		t.Errorf("the operation is %s: %+v", op.Status, op.Failure)
	}
	r := b.result(t, id)
	if r.Count != 4 || r.CanRun != 4 || r.Repeats != 1 || r.SemanticModelID != good {
		t.Errorf("the result is %+v", r)
	}
	quantity := false
	for _, q := range r.Value {
		quantity = quantity || strings.Contains(q.Text, "sales quantity")
		if q.Source != benchmark.Generated || len(q.Expected.Fields) == 0 || q.Expected.DAX == "" || strings.Contains(q.Text, "Qty") {
			t.Errorf("generated %+v", q)
		}
	}
	if !quantity {
		t.Errorf("no question asks for the quantity: %+v", r.Value)
	}
	if b.builds(t) != 1 || b.saved(t).Count != 0 {
		t.Errorf("%d builds, %d saved", b.builds(t), b.saved(t).Count)
	}
	for what, sql := range map[string]string{
		"tokens":        `SELECT count(*) FROM step_tokens`,
		"tracked items": `SELECT count(*) FROM streams WHERE stream LIKE 'tracked%'`,
		"texts told":    `SELECT count(*) FROM events WHERE data::text LIKE '%sales quantity%' OR data::text LIKE '%EVALUATE%'`,
		"other results": `SELECT count(*) - 1 FROM events WHERE type = 'benchmark.questions-made'`,
		"sets":          `SELECT count(*) FROM events WHERE type = 'benchmark.questions-saved'`,
	} {
		if n := b.Count(t, sql); n != 0 {
			t.Errorf("%d %s", n, what)
		}
	}
	again := b.generate(t, good, 4)
	b.carryQuestions(t, 1)
	if d := cmp.Diff(r, b.result(t, again)); d != "" {
		t.Errorf("a second generation has other questions:\n%s", d)
	}
}

// reportless is a platform that does not list the reports of a workspace.
type reportless struct{ work.Platform }

func (reportless) Reports(context.Context, item.Caller, uuid.UUID) ([]item.WorkspaceReport, error) {
	return nil, domain.Refuse(domain.PlatformUnavailable, "no")
}

// Questions say in their warnings that what reports show is not considered, and say nothing where it is.
func TestGenerateSaysWhatItDoesNotConsider(t *testing.T) {
	t.Parallel()
	b := newQuestions(t)
	id := b.generate(t, good, 4)
	b.carryQuestions(t, 0)
	if r := b.result(t, id); r.Count != 4 || r.Warnings != nil {
		t.Errorf("with the reports: %d questions, warnings %q", r.Count, r.Warnings)
	}
	b.Work.Platform = reportless{b.Work.Platform}
	id = b.generate(t, good, 4)
	b.carryQuestions(t, 1)
	const warning = "the reports of the workspace could not be listed, so what they show is not considered"
	if r := b.result(t, id); r.Count != 4 || !slices.Equal(r.Warnings, []string{warning}) {
		t.Errorf("without the reports: %d questions, warnings %q", r.Count, r.Warnings)
	}
}

// Two workers that carry out the same step at once make one result.
func TestGenerateTwiceAtOnce(t *testing.T) {
	t.Parallel()
	b := newQuestions(t)
	id := b.generate(t, good, 4)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := work.CarryQuestions(t.Context(), b.Work, b.questions[0], 0, 0, noon); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := b.Count(t, `SELECT count(*) FROM events WHERE type IN ('benchmark.questions-made', 'operation.succeeded')`); n != 2 || b.builds(t) != 1 {
		t.Errorf("%d events, %d builds", n, b.builds(t))
	}
	b.result(t, id)
}

// refusing is a platform that refuses to read definitions.
type refusing struct {
	work.Platform
	err error
}

func (p refusing) Definition(context.Context, item.Caller, item.Item) (definition.Definition, error) {
	return definition.Definition{}, p.err
}

// The build is refunded when the generation failed before it did anything.
//
// proves: 2.7/error/QuestionsNotGenerated
func TestGenerateFails(t *testing.T) {
	t.Parallel()
	b := newQuestions(t)
	whole := b.Work.Platform
	for _, tt := range []struct {
		name   string
		model  uuid.UUID
		err    error         // from the platform
		later  time.Duration // after the call
		failed int           // attempts before this one
		code   domain.Code
		builds int // that stay spent
	}{
		{"paused", good, domain.Refuse(domain.CapacityPaused, "no"), 0, 0, domain.CapacityPaused, 0},
		{"busy", good, domain.Refuse(domain.CapacityBusy, "no"), 0, 0, domain.CapacityBusy, 0},
		{"unavailable", good, domain.Refuse(domain.PlatformUnavailable, "no"), 0, work.Patience, domain.PlatformUnavailable, 0},
		{"no token", good, nil, 2 * time.Hour, 0, domain.QuestionsNotGenerated, 0},
		{"an internal error", good, errors.New("out of order"), 50 * time.Minute, work.Patience, domain.QuestionsNotGenerated, 0},
		{"denied", good, domain.Refuse(domain.PlatformAccessDenied, "no"), 0, 0, domain.PlatformAccessDenied, 1},
		{"not there", good, domain.Refuse(domain.WorkspaceNotFound, "no"), 0, 0, domain.ItemNotFound, 1},
		{"no sense", broken, nil, 0, 0, domain.ItemNotReadable, 1},
		{"nothing to ask", gone, nil, 0, 0, domain.QuestionsNotGenerated, 1},
	} {
		before := b.builds(t)
		id := b.generate(t, tt.model, 4)
		b.Clock.Set(noon.Add(tt.later))
		if tt.err != nil {
			b.Work.Platform = refusing{whole, tt.err}
		}
		for range 2 {
			if err := work.CarryQuestions(t.Context(), b.Work, b.questions[len(b.questions)-1], tt.failed, 0, noon.Add(-20*time.Minute)); err != nil {
				t.Fatal(tt.name, err)
			}
		}
		b.Clock.Set(noon)
		b.Work.Platform = whole
		op := b.operation(t, id)
		if op.Status != operation.StatusFailed || op.Failure.Code != tt.code || *op.Impact.BenchmarkBuilds != tt.builds || b.builds(t)-before != tt.builds {
			t.Errorf("%s: the operation is %s: %+v, impact %d, %d builds used", tt.name, op.Status, op.Failure, *op.Impact.BenchmarkBuilds, b.builds(t)-before)
		}
	}
	if n := b.Count(t, `SELECT count(*) FROM step_tokens`); n != 0 {
		t.Errorf("%d tokens are left", n)
	}
}

// A failure that may pass is retried, and until then the operation does not end.
func TestGenerateAgain(t *testing.T) {
	t.Parallel()
	b := newQuestions(t)
	id := b.generate(t, good, 4)
	whole := b.Work.Platform
	for _, err := range []error{domain.Refuse(domain.PlatformUnavailable, "no"), errors.New("out of order")} {
		b.Work.Platform = refusing{whole, err}
		if got := work.CarryQuestions(t.Context(), b.Work, b.questions[0], 0, 0, noon); !errors.Is(got, err) {
			t.Errorf("got %v, want %v", got, err)
		}
		if op := b.operation(t, id); op.Status != operation.StatusRunning {
			t.Errorf("the operation is %s", op.Status)
		}
	}
	b.Work.Platform = whole
	b.carryQuestions(t, 0)
	if b.result(t, id); b.builds(t) != 1 {
		t.Errorf("%d builds", b.builds(t))
	}
	last := b.generate(t, good, 4)
	check(t, work.CarryQuestions(t.Context(), b.Work, b.questions[1], 0, work.MaxCrashes, noon))
	if op := b.operation(t, last); op.Status != operation.StatusFailed || op.Failure.Code != domain.QuestionsNotGenerated || b.builds(t) != 2 {
		t.Errorf("the operation that always crashes its process is %s: %+v", op.Status, op.Failure)
	}
}

// phraser records what the step passes to it and returns prepared texts.
type phraser struct {
	settings aiprovider.Settings
	text     func(i int) string
}

func (p *phraser) Phrase(_ context.Context, s aiprovider.Settings, _ *semanticmodel.Model, queries []modelquery.Query, _ int) ([]string, error) {
	p.settings = s
	texts := make([]string, len(queries))
	for i := range texts {
		texts[i] = p.text(i)
	}
	return texts, nil
}

// Texts that cannot be questions, and duplicates, are left out, whichever provider
// wrote them.
func TestGenerateWithBadTexts(t *testing.T) {
	t.Parallel()
	b := newQuestions(t)
	p := &phraser{text: func(i int) string {
		return []string{"", "Two\nlines?", strings.Repeat("x", 1001), "How many?", "how  MANY?", "How much?", "HOW MUCH?"}[i%7]
	}}
	b.Work.Phraser = p
	id := b.generate(t, good, 50)
	b.carryQuestions(t, 0)
	r := b.result(t, id)
	if r.Count < 2 || r.Value[0].Text != "How many?" || !p.settings.IsEmbedded() {
		t.Errorf("got %+v of %+v", r.Value, p.settings)
	}
	b.saysWith(t, aiprovider.Configuration{ProviderID: uuid.NewString(), Name: "Ours", Kind: aiprovider.OpenAICompatible, BaseURL: "https://ai.example", Model: "m", Purposes: []aiprovider.Purpose{aiprovider.Questions}, Enabled: true})
	p.text = func(int) string { return "" }
	last := b.generate(t, good, 50)
	b.carryQuestions(t, 1)
	if op := b.operation(t, last); op.Status != operation.StatusFailed || op.Failure.Code != domain.QuestionsNotGenerated {
		t.Errorf("without any text the operation is %s: %+v", op.Status, op.Failure)
	}
	if p.settings.Name != "Ours" {
		t.Errorf("asked %+v, want the account's provider for questions", p.settings)
	}
}

// saysWith saves a provider.
func (b *bench) saysWith(t *testing.T, c aiprovider.Configuration) {
	t.Helper()
	all := eventstore.Fold(aiprovider.Stream("contoso"), aiprovider.Evolve)
	testworld.Record(t, b.World, "contoso", all, domain.Command[aiprovider.Providers](says{aiprovider.Saved{Configuration: c, At: b.Now()}}))
}

type says struct{ aiprovider.Saved }

func (s says) Decide(aiprovider.Providers) ([]domain.Event, error) {
	return []domain.Event{s.Saved}, nil
}

// A saved set replaces the model's set. It has the fields that its queries use, and
// says which questions can run. Saving spends nothing.
//
// proves: 2.7/operationType/SaveBenchmarkQuestions 4.2/result/3-BenchmarkQuestions
func TestSave(t *testing.T) {
	t.Parallel()
	b := newQuestions(t)
	query := modelquery.Query{Measures: []modelquery.Field{{Table: "Sales", Name: "Revenue"}}, Groupings: []modelquery.Field{{Table: "Sales", Name: "Region"}}}
	id := b.save(t,
		asked("by fields", "What is the revenue?", revenue),
		asked("by query", "What is the revenue by region?", benchmark.Expected{DAX: query.DAX()}),
		asked("by value", "How many?", benchmark.Expected{Value: "12"}),
		asked("gone", "What is the cost?", benchmark.Expected{Fields: []verdict.Field{{Role: verdict.MeasureField, Name: "Cost"}}}),
	)
	if b.saved(t).Count != 0 {
		t.Error("a set is saved before its step")
	}
	b.carryQuestions(t, 0)
	op := b.operation(t, id)
	if op.Type != operation.SaveBenchmarkQuestions || op.Status != operation.StatusSucceeded || op.Impact != (operation.Impact{}) {
		t.Errorf("the operation is %+v", op)
	}
	r := b.result(t, id)
	if r.Count != 4 || r.CanRun != 3 || r.Repeats != 2 {
		t.Errorf("the result is %+v", r)
	}
	if fields := r.Value[1].Expected.Fields; !cmp.Equal(fields, query.Fields()) {
		t.Errorf("the query uses %v", fields)
	}
	if q := r.Value[3]; q.CanRun || q.Reason == nil || !strings.Contains(*q.Reason, "[Cost]") || q.Source != benchmark.Customer {
		t.Errorf("a question with a missing field: %+v", q)
	}
	if d := cmp.Diff(r, b.saved(t)); d != "" {
		t.Errorf("the set read is not the set saved:\n%s", d)
	}
	if n := b.Count(t, `SELECT count(*) FROM events WHERE type = 'benchmark.questions-saved'`) + b.Count(t, `SELECT count(*) FROM streams WHERE stream LIKE 'allowance%'`); n != 1 {
		t.Errorf("saved or counted %d times", n)
	}
	if n := b.Count(t, `SELECT count(*) FROM events WHERE data::text LIKE '%the revenue%'`); n != 0 {
		t.Errorf("%d events contain a question's text", n)
	}

	// Whether a question can run depends on the current model.
	b.sells(t, strings.ReplaceAll(soldTable, "Region", "Area"))
	if r := b.saved(t); r.Count != 4 || r.CanRun != 2 || r.Value[1].CanRun || !strings.Contains(*r.Value[1].Reason, "'Sales'[Region]") {
		t.Errorf("after a column was renamed: %+v", r)
	}
	b.sells(t, "table = = =")
	if r := b.saved(t); r.Count != 4 || r.CanRun != 0 || r.Value[0].Reason == nil {
		t.Errorf("with an unreadable definition: %+v", r)
	}
	none := b.save(t) // an empty set needs no readable model
	b.carryQuestions(t, 1)
	if r := b.result(t, none); r.Count != 0 || r.Repeats != 2 || b.saved(t).Count != 0 {
		t.Errorf("after an empty set: %+v", r)
	}
	if b.result(t, id).Count != 4 {
		t.Error("the result of the first save is gone")
	}
}

// The set of the later call is kept, whichever step ends first.
func TestSaveTwoAtOnce(t *testing.T) {
	t.Parallel()
	for name, order := range map[string][]int{"in turn": {0, 1}, "the later first": {1, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newQuestions(t)
			first, second := b.save(t, asked("a", "What is the revenue?", revenue)), b.save(t, asked("b", "How much is the revenue?", revenue), asked("c", "Revenue?", revenue))
			for _, n := range order {
				b.carryQuestions(t, n)
			}
			for _, id := range []uuid.UUID{first, second} {
				if op := b.operation(t, id); op.Status != operation.StatusSucceeded {
					t.Errorf("an operation is %s: %+v", op.Status, op.Failure)
				}
			}
			if r := b.saved(t); r.Count != 2 || r.Value[0].QuestionID != "b" || !cmp.Equal(r, b.result(t, second)) {
				t.Errorf("the saved set is %+v", r)
			}
			if b.result(t, first).Count != 1 {
				t.Error("the first call has another's result")
			}
		})
	}
}

// A failed save keeps the previous set.
func TestSaveFails(t *testing.T) {
	t.Parallel()
	b := newQuestions(t)
	b.save(t, asked("a", "What is the revenue?", revenue))
	b.carryQuestions(t, 0)
	whole := b.Work.Platform
	for i, code := range []domain.Code{domain.CapacityPaused, domain.ItemNotReadable, domain.ItemNotFound} {
		id := b.save(t, asked("b", "How much?", revenue))
		b.Work.Platform = refusing{whole, domain.Refuse(code, "no")}
		b.carryQuestions(t, 1+i)
		if op := b.operation(t, id); op.Status != operation.StatusFailed || op.Failure.Code != code || op.Impact != (operation.Impact{}) {
			t.Errorf("the operation is %s: %+v", op.Status, op.Failure)
		}
	}
	if r := b.saved(t); r.Count != 1 || r.Value[0].QuestionID != "a" {
		t.Errorf("saved is %+v", r)
	}
	b.Work.Platform = whole
	last := b.save(t, asked("c", "How much?", revenue))
	b.carryQuestions(t, 4)
	if r := b.saved(t); r.Value[0].QuestionID != "c" || b.operation(t, last).Status != operation.StatusSucceeded {
		t.Errorf("saved is %+v", r)
	}
}

// A set that must be runnable is saved if every question can run, and else replaces nothing, so that a correction can be saved.
//
// proves: decisions/7/runnable
func TestSaveRunnable(t *testing.T) {
	t.Parallel()
	b := newQuestions(t)
	gone := asked("gone", "What did it cost us?", benchmark.Expected{DAX: `EVALUATE ROW("x", [Cost])`})
	good := asked("a", "What is the revenue?", revenue)
	saves := func(status operation.Status, questions ...benchmark.Question) operation.Operation {
		t.Helper()
		id := b.saveRunnable(t, true, questions...)
		b.carryQuestions(t, len(b.questions)-1)
		op := b.operation(t, id)
		if op.Status != status || op.Impact != (operation.Impact{}) {
			t.Errorf("the operation is %s: %+v", op.Status, op)
		}
		return operation.Operation{Failure: op.Failure}
	}
	saves(operation.StatusSucceeded, good)
	saved, documents := b.saved(t), b.Count(t, `SELECT count(*) FROM documents`)
	failed := saves(operation.StatusFailed, good, gone).Failure
	want := "1 of 2 questions cannot run, and none is saved. The first 1: Question 2: The model has no measure [Cost], which the expected query names: it was renamed or deleted, or is misspelled."
	if failed == nil || failed.Code != domain.InvalidRequest || failed.Message != want {
		t.Errorf("it failed with %+v", failed)
	}
	if d := cmp.Diff(saved, b.saved(t)); d != "" {
		t.Errorf("the saved set changed:\n%s", d)
	}
	if n := b.Count(t, `SELECT count(*) FROM documents`) - documents; n != 1 { // what was sent, which expires
		t.Errorf("%d documents are stored", n)
	}
	if n := b.Count(t, `SELECT count(*) FROM events WHERE data::text LIKE '%cost us%'`) + b.Count(t, `SELECT count(*) FROM step_tokens`); n != 0 {
		t.Errorf("%d events contain a question's text, or tokens are left", n)
	}
	saves(operation.StatusSucceeded)
	if b.saved(t).Count != 0 {
		t.Error("an empty set is not saved")
	}
}

// Deleting a model's results keeps its questions; another account has none.
func TestQuestionsStay(t *testing.T) {
	t.Parallel()
	b := newQuestions(t)
	b.save(t, asked("a", "What is the revenue?", revenue))
	b.carryQuestions(t, 0)
	b.start(t, good)
	check(t, work.Carry(t.Context(), b.Work, b.steps[0], 0))
	if n, err := b.Assessments.DeleteResults(t.Context(), b.ana(), workspace, good); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	if b.saved(t).Count != 1 {
		t.Error("the questions are gone with the results")
	}
	other := b.ana()
	other.Account = "fabrikam"
	if r, err := b.Benchmarks.SavedQuestions(t.Context(), other, workspace, good); err != nil || r.Count != 0 {
		t.Errorf("another account reads %+v, %v", r, err)
	}
}

const unusedCard = `{"name":"v2","position":{"x":1,"y":1,"z":5,"height":10,"width":10,"tabOrder":0},"visual":{"visualType":"card","query":{"queryState":{"Values":{"projections":[{"field":{"Column":{"Expression":{"SourceRef":{"Entity":"Sales"}},"Property":"Unused"}},"queryRef":"x"}]}}}}}`

// Fields that reports show are asked about first, without the usage permission;
// fields that people view come before them.
func TestGenerateFromReports(t *testing.T) {
	t.Parallel()
	b := newViewed(t)
	write(t, filepath.Join(b.report(report2), "definition/pages/p1/visuals/v2/visual.json"), unusedCard)
	remove(t, filepath.Join(b.report(report2), "definition/pages/p1/visuals/v1"))
	first := func(access item.Access, platform work.Platform) string {
		b.access[item.PermissionUsage], b.Work.Platform = access, platform
		id := b.generate(t, good, 1)
		b.carryQuestions(t, len(b.questions)-1)
		return b.result(t, id).Value[0].Expected.Fields[1].Name
	}
	whole := b.Work.Platform
	if got := first(item.ConsentRequired, whole); got != "Unused" {
		t.Errorf("asked by %s first, want a field that a report shows", got)
	}
	if got := first(item.ConsentRequired, listless{whole}); got != "Region" {
		t.Errorf("asked by %s first where no report is seen", got)
	}
	write(t, filepath.Join(b.report(report1), "definition/pages/p2/visuals/v1/visual.json"), strings.ReplaceAll(unusedCard, "Unused", "Region"))
	b.look(t, report1, "p2", 5, 1)
	if got := first(item.Granted, whole); got != "Region" {
		t.Errorf("asked by %s first, want a field that people view", got)
	}
}

// listless is a platform that refuses to list.
type listless struct{ work.Platform }

func (listless) Reports(context.Context, item.Caller, uuid.UUID) ([]item.WorkspaceReport, error) {
	return nil, domain.Refuse(domain.PlatformUnavailable, "no")
}
