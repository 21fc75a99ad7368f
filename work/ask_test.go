package work_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"readiness/commands"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/account"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/trackeditem"
	"readiness/domain/verdict"
	"readiness/eventstore"
	"readiness/work"
)

// respondent answers every question as a test prescribes, and records the questions
// and tokens.
type respondent struct {
	mu     sync.Mutex
	asked  []string
	tokens []string
	// refuse, if it returns an error, keeps a side from answering at all.
	refuse func(benchmark.Side) error
	// reply returns the answer to the n-th question asked, from 1; if nil, every
	// answer is correct.
	reply func(side benchmark.Side, question string, n int) (benchmark.Reply, error)
	judge *verdict.Judgement
}

func right(question string) benchmark.Reply {
	return benchmark.Reply{Answer: verdict.Answer{Text: "So much.", Query: "EVALUATE { [" + question + "] }", Fields: field(question)}, DurationMS: 10, Attempts: 1}
}

func field(question string) []verdict.Field {
	return []verdict.Field{{Role: verdict.MeasureField, Table: "Sales", Name: question}}
}

// answered is the model that questions are about: a measure for each.
var answered = func() *semanticmodel.Model {
	sales := semanticmodel.Table{Name: "Sales"}
	for _, name := range append(numbered(500), "SameFields", "OtherFields", "CopiedFields", "x") {
		sales.Columns = append(sales.Columns, semanticmodel.Column{Name: "of " + name, DataType: semanticmodel.Double})
		sales.Measures = append(sales.Measures, semanticmodel.Measure{Name: name, Expression: "SUM(Sales[of " + name + "])"})
	}
	return &semanticmodel.Model{Tables: []semanticmodel.Table{sales}}
}()

func numbered(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("Q%d", i+1))
	}
	return all
}

func (r *respondent) Open(_ context.Context, as item.Caller, side benchmark.Side) (verdict.Target, *semanticmodel.Model, func(context.Context, string) (benchmark.Reply, error), error) {
	r.mu.Lock()
	r.tokens = append(r.tokens, as.Token)
	r.mu.Unlock()
	if r.refuse != nil {
		if err := r.refuse(side); err != nil {
			return verdict.Target{}, nil, nil, err
		}
	}
	return verdict.Target{Transport: "test"}, answered, func(_ context.Context, question string) (benchmark.Reply, error) {
		r.mu.Lock()
		r.asked = append(r.asked, question)
		n := len(r.asked)
		r.mu.Unlock()
		if r.reply != nil {
			return r.reply(side, question, n)
		}
		return right(question), nil
	}, nil
}

func (r *respondent) Judge(context.Context, string, []string, benchmark.Case) (verdict.Judgement, verdict.Judge, bool, error) {
	if r.judge == nil {
		return verdict.Judgement{}, verdict.Judge{}, false, nil
	}
	return *r.judge, verdict.Judge{ProviderID: "judge"}, true, nil
}

// saveQuestions saves n questions of a model, Q1 to Qn, each about a field of the
// same name.
func (b *bench) saveQuestions(t *testing.T, modelID uuid.UUID, n, repeats int) {
	t.Helper()
	set := benchmark.Set{Repeats: repeats}
	for i := 1; i <= n; i++ {
		q := fmt.Sprintf("Q%d", i)
		set.Questions = append(set.Questions, benchmark.Question{QuestionID: q, Text: q, Expected: benchmark.Expected{Fields: field(q)}, Source: benchmark.Customer})
	}
	b.saveSet(t, modelID, set)
}

func (b *bench) saveSet(t *testing.T, modelID uuid.UUID, set benchmark.Set) {
	t.Helper()
	body, err := json.Marshal(set)
	check(t, err)
	hash, stored, err := b.Work.Documents.Put(t.Context(), body)
	check(t, err)
	past := eventstore.FoldLast[benchmark.SavedQuestions](benchmark.QuestionsStream("contoso", modelID))
	if err := b.Store.Change(t.Context(), eventstore.Metadata{Account: "contoso"}, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		if err := eventstore.Decide(c, past, benchmark.AcceptSave{}); err != nil {
			return err
		}
		c.Queue(stored)
		return eventstore.Decide(c, past, benchmark.SaveSet{Set: benchmark.SavedSet{DocumentHash: hash, QuestionSetHash: set.Hash(), Count: len(set.Questions), Repeats: set.Repeats, Number: past.State.Accepted}})
	}); err != nil {
		t.Fatal(err)
	}
	// The model has the fields.
	table := "table Sales\n"
	for _, q := range set.Questions {
		table += fmt.Sprintf("\n\tmeasure %s = 1\n", q.Text)
	}
	write(t, b.Root+"/Retail/"+modelID.String()+".SemanticModel/definition/tables/Sales.tmdl", table)
}

var assistant = abtest.AnswererRequest{Kind: string(verdict.PlatformAssistant)}

// benchmarkRun starts a run of good's questions.
func (b *bench) benchmarkRun(t *testing.T) uuid.UUID {
	t.Helper()
	got, err := b.Benchmarks.StartRun(t.Context(), b.ana(), workspace, good, assistant, nil)
	check(t, err)
	return got.OperationID
}

// carryAsk carries out the last enqueued ask step until nothing of it is left.
func (b *bench) carryAsk(t *testing.T, r *respondent) error {
	t.Helper()
	b.Work.Asker = r
	for {
		err := work.CarryAsk(t.Context(), b.Work, b.ask[len(b.ask)-1], 0)
		if _, more := errors.AsType[*river.JobSnoozeError](err); !more {
			return err
		}
	}
}

func (b *bench) asking(t *testing.T, id uuid.UUID) commands.Asking {
	t.Helper()
	a, err := b.Benchmarks.Runs.Load(t.Context(), id)
	check(t, err)
	return a
}

// runsUsed returns how many benchmark runs the account has spent.
func (b *bench) runsUsed(t *testing.T) int {
	t.Helper()
	past := eventstore.FoldLast[account.Usage](account.AllowanceStream("contoso", account.BenchmarkRuns, account.DefaultPlans()[account.Team].BenchmarkRuns.Period, b.Now()))
	check(t, b.Store.Load(t.Context(), past))
	return past.State.Used
}

func TestBenchmarkRun(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 3, 2)
	id := b.benchmarkRun(t)
	r := &respondent{reply: func(_ benchmark.Side, q string, n int) (benchmark.Reply, error) {
		if q == "Q2" {
			return benchmark.Reply{Answer: verdict.Answer{CannotAnswer: true}, DurationMS: 5, Attempts: 1}, nil
		}
		if q == "Q3" {
			return benchmark.Reply{Failure: &verdict.Failure{Code: "timeout", Message: "nobody answered"}, Attempts: 3}, nil
		}
		return right(q), nil
	}}
	check(t, b.carryAsk(t, r))
	if slices.Sort(r.asked); !slices.Equal(r.asked, []string{"Q1", "Q1", "Q2", "Q2", "Q3", "Q3"}) {
		t.Errorf("asked %v, not each question twice", r.asked)
	}
	op := b.operation(t, id)
	if op.Status != operation.StatusSucceeded || *op.Impact.BenchmarkRuns != 1 || !*op.Impact.TrackedItem {
		t.Errorf("the operation is %+v", op)
	}
	a := b.asking(t, id)
	if o := a.Run.Outcome; o == nil || *o.Score != 50 || o.Scored != 2 || o.Stable != 2 || o.Verdicts != (verdict.Counts{Correct: 2, Refused: 2, Error: 2}) {
		t.Errorf("the run's outcome is %+v", a.Run.Outcome)
	}
	tracked := eventstore.FoldLast[trackeditem.Item](trackeditem.Stream("contoso", good))
	if err := b.Store.Load(t.Context(), tracked); err != nil || tracked.State.ClaimedVia != trackeditem.ViaBenchmark {
		t.Errorf("the model is tracked as %+v, %v", tracked.State, err)
	}
	if n := b.runsUsed(t); n != 1 {
		t.Errorf("%d benchmark runs are counted, want 1", n)
	}
	if _, kept, err := b.Vault.Token(t.Context(), id, b.Now()); kept || err != nil {
		t.Errorf("the token is stored after the end: %v, %v", kept, err)
	}
	// Carry out the step again, as after a crash before River recorded its end.
	if err := b.carryAsk(t, r); err != nil || len(r.asked) != 6 {
		t.Errorf("a step of an ended run asked again: %v, %v", r.asked, err)
	}
}

// If a process dies in the middle of a run, the next step asks the rest, and
// nothing that was recorded is asked again.
func TestBenchmarkRunResumes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 12, 1)
	id := b.benchmarkRun(t)
	died := errors.New("the process died")
	r := &respondent{reply: func(_ benchmark.Side, q string, n int) (benchmark.Reply, error) {
		if n == 6 {
			return benchmark.Reply{}, died
		}
		return right(q), nil
	}}
	if err := b.carryAsk(t, r); !errors.Is(err, died) {
		t.Fatalf("got %v, want the fault", err)
	}
	before := b.asking(t, id).Run
	if n := len(before.Asks); n == 0 || n == 12 {
		t.Fatalf("%d asks are recorded before the fault", n)
	}
	r.mu.Lock()
	r.asked, r.reply = nil, nil
	r.mu.Unlock()
	check(t, b.carryAsk(t, r))
	// An ask whose commit the fault cut off may still be recorded after the look at the log.
	if len(before.Asks)+len(r.asked) > 12 || slices.ContainsFunc(before.Asks, func(made benchmark.Asked) bool { return slices.Contains(r.asked, made.QuestionID) }) {
		t.Errorf("%v were recorded, then %v asked", before.Asks, r.asked)
	}
	seen := map[benchmark.AskKey]bool{}
	for _, made := range b.asking(t, id).Run.Asks {
		if seen[made.Key()] {
			t.Errorf("%v is in the log twice", made.Key())
		}
		seen[made.Key()] = true
	}
	if len(seen) != 12 || b.operation(t, id).Status != operation.StatusSucceeded {
		t.Errorf("%d questions are in the log, and the operation is %s", len(seen), b.operation(t, id).Status)
	}
}

// Two workers on one run, as when River considers a step stuck, record each ask
// once.
func TestBenchmarkRunAskedByTwo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 8, 1)
	id := b.benchmarkRun(t)
	b.Work.Asker = &respondent{}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if err := work.CarryAsk(t.Context(), b.Work, b.ask[0], 0); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if a := b.asking(t, id); len(a.Run.Asks) != 8 || a.Run.Status != operation.StatusSucceeded || a.Own.Status != operation.StatusSucceeded {
		t.Errorf("%d asks are recorded, the run is %s, its operation %s", len(a.Run.Asks), a.Run.Status, a.Own.Status)
	}
}

// proves: 2.7/error/BenchmarkRunFailed
func TestBenchmarkRunFails(t *testing.T) {
	t.Parallel()
	refuse := func(c domain.Code) func(*respondent) {
		return func(r *respondent) {
			r.refuse = func(benchmark.Side) error { return domain.Refuse(c, "it does not") }
		}
	}
	for name, tt := range map[string]struct {
		given func(*respondent)
		late  bool
		code  domain.Code
		spent int
	}{
		"paused capacity":               {refuse(domain.CapacityPaused), false, domain.CapacityPaused, 0},
		"busy capacity":                 {refuse(domain.CapacityBusy), false, domain.CapacityBusy, 0},
		"unreadable":                    {refuse(domain.ItemNotReadable), false, domain.ItemNotReadable, 1},
		"gone":                          {refuse(domain.ItemNotFound), false, domain.ItemNotFound, 1},
		"workspace gone":                {refuse(domain.WorkspaceNotFound), false, domain.ItemNotFound, 1},
		"denied":                        {refuse(domain.PlatformAccessDenied), false, domain.PlatformAccessDenied, 1},
		"provider without a key":        {refuse(domain.AiCredentialNotFound), false, domain.BenchmarkRunFailed, 0},
		"token expired before it began": {func(*respondent) {}, true, domain.BenchmarkRunFailed, 0},
		"nobody answers": {func(r *respondent) {
			r.reply = func(benchmark.Side, string, int) (benchmark.Reply, error) {
				return benchmark.Reply{Failure: &verdict.Failure{Code: "unavailable", Message: "nobody answered"}, Attempts: 3}, nil
			}
		}, false, domain.BenchmarkRunFailed, 0},
		"denied after some": {func(r *respondent) {
			r.reply = func(_ benchmark.Side, q string, n int) (benchmark.Reply, error) {
				if n == 9 {
					return benchmark.Reply{}, domain.Refuse(domain.CapacityPaused, "it sleeps")
				}
				return right(q), nil
			}
		}, false, domain.CapacityPaused, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.saveQuestions(t, good, 14, 1)
			id := b.benchmarkRun(t)
			r := &respondent{}
			tt.given(r)
			if tt.late {
				b.Clock.Advance(2 * time.Hour)
			}
			check(t, b.carryAsk(t, r))
			op := b.operation(t, id)
			if op.Status != operation.StatusFailed || op.Failure.Code != tt.code || op.Failure.Message == "" {
				t.Errorf("the operation is %s: %+v", op.Status, op.Failure)
			}
			b.Clock.Set(noon)
			if n := b.runsUsed(t); n != tt.spent || *op.Impact.BenchmarkRuns != tt.spent {
				t.Errorf("%d benchmark runs are counted and the impact says %d, want %d", n, *op.Impact.BenchmarkRuns, tt.spent)
			}
			if run := b.asking(t, id).Run; run.Status != operation.StatusFailed {
				t.Errorf("the run is %s", run.Status)
			}
		})
	}
}

// rows is a platform that runs queries: every query answers as the test prescribes.
type rows map[string]verdict.ResultSet

func (r rows) Rows(ctx context.Context, _ item.Caller, _, _ uuid.UUID, dax string) (verdict.ResultSet, error) {
	if end, ok := ctx.Deadline(); !ok || time.Until(end) > 10*time.Second {
		return verdict.ResultSet{}, errors.New("the query may run longer than 10 s")
	}
	set, ok := r[dax]
	if !ok {
		return set, errors.New("no such query")
	}
	return set, nil
}

// proves: decisions/10/sample-cut
func TestVerdictsOfARun(t *testing.T) {
	t.Parallel()
	ten, eleven := verdict.Number(10), verdict.Number(11)
	asks := func(text, dax, value string) benchmark.Question {
		q := benchmark.Question{QuestionID: text, Text: text, Expected: benchmark.Expected{DAX: dax, Value: value}, Source: benchmark.Customer}
		if dax == "" && value == "" {
			q.Expected.Fields = field(text)
		}
		return q
	}
	b := newBench(t)
	b.saveSet(t, good, benchmark.Set{Repeats: 1, Questions: []benchmark.Question{
		asks("SameRows", "EVALUATE reference", ""), asks("OtherRows", "EVALUATE reference", ""), asks("OtherOrder", "EVALUATE T(Sales, \"x\") ORDER BY [x]", ""), asks("Unrun", "EVALUATE unknown", ""),
		asks("MostRows", "EVALUATE MOST(Sales)", ""), asks("TooManyRows", "EVALUATE TOOMANY(Sales)", ""), asks("ValueOfRows", "EVALUATE reference", ""), asks("NoValue", "EVALUATE reference", ""),
		asks("SameFields", "", ""), asks("OtherFields", "", ""), asks("CopiedFields", "", ""), asks("Value", "", "42"), asks("Judged", "", "a long sentence that decides nothing"),
	}})
	id := b.benchmarkRun(t)
	most := make([][]verdict.Value, 100_000)
	for i := range most {
		most[i] = []verdict.Value{ten}
	}
	b.Work.Queries = rows{
		"EVALUATE MOST(Sales)": {Rows: most}, "EVALUATE TOOMANY(Sales)": {Rows: append(slices.Clone(most), []verdict.Value{ten})},
		"EVALUATE T(Sales, \"x\") ORDER BY [x]": {Rows: [][]verdict.Value{{ten}, {eleven}}}, "EVALUATE T(Sales, \"x\")": {Rows: [][]verdict.Value{{eleven}, {ten}}},
		"EVALUATE reference": {Rows: [][]verdict.Value{{ten}}}, "EVALUATE MINE(Sales)": {Rows: [][]verdict.Value{{ten}}}, "EVALUATE OTHER(Sales)": {Rows: [][]verdict.Value{{eleven}}},
	}
	answers := map[string]verdict.Answer{
		"SameRows": {Query: "EVALUATE MINE(Sales)", Fields: field("x")}, "OtherRows": {Query: "EVALUATE OTHER(Sales)"}, "OtherOrder": {Query: "EVALUATE T(Sales, \"x\")"}, "Unrun": {Text: "Something."},
		"MostRows": {Query: "EVALUATE MOST(Sales)"}, "TooManyRows": {Query: "EVALUATE TOOMANY(Sales)"}, "ValueOfRows": {Text: "It is 10."}, "NoValue": {Text: "It is fine."},
		"SameFields": {Query: "EVALUATE { SUM(Sales[of SameFields]) }", Text: "So."}, "OtherFields": {Query: "EVALUATE { [SameFields] }"},
		"CopiedFields": {Query: `EVALUATE ROW("x", 1)`, Fields: field("CopiedFields"), Text: "So."}, "Value": {Text: "It is 42."}, "Judged": {Text: "Words."},
	}
	r := &respondent{
		judge: &verdict.Judgement{Class: verdict.ConflictClass, Confidence: 1, Reason: "It says something else."},
		reply: func(_ benchmark.Side, q string, _ int) (benchmark.Reply, error) {
			return benchmark.Reply{Answer: answers[q], DurationMS: 1, Attempts: 1}, nil
		},
	}
	check(t, b.carryAsk(t, r))
	got := map[string]verdict.Decision{}
	for _, made := range b.asking(t, id).Run.Asks {
		got[made.QuestionID] = verdict.Decision{Verdict: made.Verdict, Method: made.Method}
	}
	want := map[string]verdict.Decision{
		"SameRows":     {Verdict: verdict.Correct, Method: verdict.ByResultSet},
		"OtherRows":    {Verdict: verdict.Incorrect, Method: verdict.ByResultSet},
		"OtherOrder":   {Verdict: verdict.Correct, Method: verdict.ByResultSet}, // no question requires an order
		"Unrun":        {Verdict: verdict.Incorrect, Method: verdict.ByJudge},
		"MostRows":     {Verdict: verdict.Correct, Method: verdict.ByResultSet},
		"TooManyRows":  {Verdict: verdict.Incorrect, Method: verdict.ByJudge},
		"ValueOfRows":  {Verdict: verdict.Correct, Method: verdict.ByValue},
		"NoValue":      {Verdict: verdict.Unclear, Method: verdict.ByValue},
		"SameFields":   {Verdict: verdict.Correct, Method: verdict.ByFields},
		"OtherFields":  {Verdict: verdict.Incorrect, Method: verdict.ByFields},
		"CopiedFields": {Verdict: verdict.Incorrect, Method: verdict.ByFields},
		"Value":        {Verdict: verdict.Correct, Method: verdict.ByValue},
		"Judged":       {Verdict: verdict.Incorrect, Method: verdict.ByJudge},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
