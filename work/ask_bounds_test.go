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

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/domain/verdict"
	"readiness/eventstore"
	"readiness/internal/database"
	"readiness/test/testworld"
	"readiness/work"
)

// unanswered is a reply without an answer.
func unanswered(benchmark.Side, string, int) (benchmark.Reply, error) {
	return benchmark.Reply{Failure: &verdict.Failure{Code: "unavailable", Message: "nobody answered"}, Attempts: 3}, nil
}

// Ten consecutive asks without an answer end a run, even if several steps made
// them: a step that continues another's work continues its count.
func TestUnansweredRunEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 24, 1)
	id := b.benchmarkRun(t)
	died := errors.New("the process died")
	r := &respondent{reply: func(s benchmark.Side, q string, n int) (benchmark.Reply, error) {
		if n >= 9 { // nothing asked while it dies is answered
			return benchmark.Reply{}, died
		}
		return unanswered(s, q, n)
	}}
	if err := b.carryAsk(t, r); !errors.Is(err, died) {
		t.Fatal(err)
	}
	if n := len(b.asking(t, id).Run.Asks); n < 5 || n > 8 {
		t.Fatalf("%d asks are recorded before the fault", n)
	}
	r.reply = unanswered
	check(t, b.carryAsk(t, r))
	a := b.asking(t, id)
	if a.Own.Status != operation.StatusFailed || a.Own.Failure.Code != domain.BenchmarkRunFailed || len(a.Run.Asks) != 10 {
		t.Errorf("the operation is %s after %d asks without an answer", a.Own.Status, len(a.Run.Asks))
	}
}

// If a process dies between the tenth unanswered ask and the run's end, the next
// step ends the run.
func TestUnansweredRunEndsAfterCrash(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 14, 1)
	id := b.benchmarkRun(t)
	died := errors.New("the process died")
	if err := b.carryAsk(t, &respondent{refuse: func(benchmark.Side) error { return died }}); !errors.Is(err, died) {
		t.Fatal(err)
	}
	for n := range 10 {
		made := benchmark.Asked{QuestionID: fmt.Sprintf("Q%d", n+1), N: 1, Verdict: verdict.Errored}
		if _, err := b.Benchmarks.Runs.RecordAsk(t.Context(), eventstore.Metadata{Account: "contoso"}, b.asking(t, id), made, database.Statement{SQL: "SELECT"}); err != nil {
			t.Fatal(err)
		}
	}
	r := &respondent{}
	b.Work.Asker = r
	check(t, work.CarryAsk(t.Context(), b.Work, b.ask[0], 0))
	if op := b.operation(t, id); op.Status != operation.StatusFailed || op.Failure.Code != domain.BenchmarkRunFailed || len(r.asked) != 0 {
		t.Errorf("the operation is %s, asked %v", op.Status, r.asked)
	}
}

// An ask whose turn did not come was not made: it is left for the next step and
// does not count as a failure of the provider.
func TestAskWithoutTurnIsLeft(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 3, 1)
	id := b.benchmarkRun(t)
	late := true
	var mu sync.Mutex
	if err := b.carryAsk(t, &respondent{reply: func(_ benchmark.Side, q string, _ int) (benchmark.Reply, error) {
		mu.Lock()
		defer mu.Unlock()
		if q == "Q2" && late {
			late = false
			return benchmark.Reply{}, fmt.Errorf("its turn: %w", context.DeadlineExceeded)
		}
		return right(q), nil
	}}); err != nil {
		t.Fatal(err)
	}
	if o := b.asking(t, id).Run.Outcome; late || o == nil || o.Verdicts != (verdict.Counts{Correct: 3}) {
		t.Errorf("the run's outcome is %+v", o)
	}
}

// An ask that got no answer in time is a failed ask.
func TestUnansweredAskFails(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 2, 1)
	id := b.benchmarkRun(t)
	if err := b.carryAsk(t, &respondent{reply: func(_ benchmark.Side, q string, _ int) (benchmark.Reply, error) {
		if q == "Q1" {
			return right(q), nil
		}
		return benchmark.Reply{Attempts: 2}, context.DeadlineExceeded
	}}); err != nil {
		t.Fatal(err)
	}
	if o := b.asking(t, id).Run.Outcome; o == nil || o.Verdicts != (verdict.Counts{Correct: 1, Error: 1}) || o.Scored != 1 {
		t.Errorf("the run's outcome is %+v", o)
	}
}

// Version conflicts with other writers do not fail a run.
func TestBenchmarkRunOutlivesFasterWriters(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 1, 1)
	id := b.benchmarkRun(t)
	faster := fmt.Errorf("%w: %w", eventstore.ErrConflict, domain.Refuse(domain.OperationInProgress, "others"))
	b.Work.Asker = &respondent{refuse: func(benchmark.Side) error { return faster }}
	if err := work.CarryAsk(t.Context(), b.Work, b.ask[0], work.Patience); !errors.Is(err, eventstore.ErrConflict) {
		t.Errorf("got %v, want another attempt", err)
	}
	if op := b.operation(t, id); op.Status.Ended() {
		t.Errorf("the operation is %s: %+v", op.Status, op.Failure)
	}
	b.Clock.Advance(work.FaultLife + time.Second)
	b.Work.Asker = &respondent{refuse: func(benchmark.Side) error { return faster }}
	if err := work.CarryAsk(t.Context(), b.Work, b.ask[0], work.Patience); err != nil || b.operation(t, id).Status != operation.StatusFailed {
		t.Errorf("it is retried indefinitely: %v", err)
	}
}

// The run's document has the tokens that providers counted, over all asks of all
// questions.
func TestRunCountsTokens(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 2, 2)
	id := b.benchmarkRun(t)
	if err := b.carryAsk(t, &respondent{reply: func(_ benchmark.Side, q string, _ int) (benchmark.Reply, error) {
		r := right(q)
		r.Usage = &verdict.TokenUsage{InputTokens: 100, OutputTokens: 7}
		return r, nil
	}}); err != nil {
		t.Fatal(err)
	}
	body, err := b.Work.Documents.Get(t.Context(), b.asking(t, id).Run.Outcome.DocumentHash)
	check(t, err)
	var d benchmark.RunDocument
	check(t, json.Unmarshal(body, &d))
	if u := d.Summary.Usage; u == nil || *u != (verdict.TokenUsage{InputTokens: 400, OutputTokens: 28}) {
		t.Errorf("the run's usage is %+v", u)
	}
}

// judges records which providers are sides, and judges nothing.
type judges struct {
	*respondent
	mu    sync.Mutex
	sides []string
}

func (j *judges) Judge(_ context.Context, _ string, sides []string, _ benchmark.Case) (verdict.Judgement, verdict.Judge, bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.sides = append(j.sides, sides...)
	return verdict.Judgement{}, verdict.Judge{}, false, nil
}

// The language model that runs a ServiceTestAgent is a side and does not judge,
// even if a data agent was saved for that purpose before it: a data agent cannot
// run one.
func TestModelOfTestAgentDoesNotJudge(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.publish(t)
	b.saveSet(t, good, benchmark.Set{Repeats: 1, Questions: []benchmark.Question{
		{QuestionID: "q", Text: "Judged", Expected: benchmark.Expected{Value: "a long sentence that decides nothing"}, Source: benchmark.Customer},
	}})
	model := uuid.NewString()
	b.saysWith(t, aiprovider.Configuration{ProviderID: uuid.NewString(), Name: "Agent", Kind: aiprovider.DataAgent, WorkspaceID: workspace, DataAgentID: agent, Purposes: []aiprovider.Purpose{aiprovider.Agent}, Enabled: true})
	b.saysWith(t, aiprovider.Configuration{ProviderID: model, Name: "Model", Kind: aiprovider.OpenAICompatible, BaseURL: "https://ai.example", Model: "m", Purposes: []aiprovider.Purpose{aiprovider.Judge, aiprovider.Agent}, Enabled: true})
	by := abtest.AnswererRequest{Kind: string(verdict.ServiceTestAgent), DataAgentID: &agent}
	if _, err := b.Benchmarks.StartRun(t.Context(), b.ana(), workspace, good, by, nil); err != nil {
		t.Fatal(err)
	}
	j := &judges{respondent: &respondent{reply: func(benchmark.Side, string, int) (benchmark.Reply, error) {
		return benchmark.Reply{Answer: verdict.Answer{Text: "Words."}, Attempts: 1}, nil
	}}}
	b.Work.Asker = j
	check(t, work.CarryAsk(t.Context(), b.Work, b.ask[0], 0))
	if !slices.Contains(j.sides, model) {
		t.Errorf("the sides are %q, without %s, which runs the agent", j.sides, model)
	}
}

// The data agent of a saved provider is looked up as the caller, like one that a
// side names.
func TestDataAgentOfAProviderIsLookedUp(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 1, 1)
	id := uuid.NewString()
	b.saysWith(t, aiprovider.Configuration{ProviderID: id, Name: "Agent", Kind: aiprovider.DataAgent, WorkspaceID: workspace, DataAgentID: agent, Purposes: []aiprovider.Purpose{aiprovider.Agent}, Enabled: true})
	by := abtest.AnswererRequest{Kind: string(verdict.GenericAgent), ProviderID: &id}
	before := b.positions(t)
	if _, err := b.Benchmarks.StartRun(t.Context(), b.ana(), workspace, good, by, nil); !domain.IsRefused(err, domain.ItemNotFound) || b.positions(t) != before || len(b.ask) != 0 {
		t.Errorf("an agent that does not exist: %v, %d events, %d steps", err, b.positions(t)-before, len(b.ask))
	}
	b.publish(t)
	if _, err := b.Benchmarks.StartRun(t.Context(), b.ana(), workspace, good, by, nil); err != nil {
		t.Error(err)
	}
}

// A stored run cannot be kept as a side if the other side's provider judged it: a
// judge is never a side.
func TestJudgeOfKeptRunIsNotASide(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveSet(t, good, benchmark.Set{Repeats: 1, Questions: []benchmark.Question{
		{QuestionID: "q", Text: "Judged", Expected: benchmark.Expected{Value: "a long sentence that decides nothing"}, Source: benchmark.Customer},
	}})
	stored := b.benchmarkRun(t)
	check(t, b.carryAsk(t, &respondent{judge: &verdict.Judgement{Class: verdict.SameClass, Confidence: 1, Reason: "The same."}}))
	for id, model := range map[string]string{"judge": "m", "alias": "m", "another": "n"} {
		b.saysWith(t, aiprovider.Configuration{ProviderID: id, Name: id, Kind: aiprovider.OpenAICompatible, BaseURL: "https://ai.example", Model: model, Purposes: []aiprovider.Purpose{aiprovider.Judge, aiprovider.Agent}, Enabled: true})
	}
	create := func(provider string, reuse bool) error {
		r := abtest.CreateRequest{
			Words: abtest.Words{Name: "Kept"}, SideA: side(good), SideB: side(gone), ReuseSideA: reuse,
			Source: abtest.SourceRequest{Kind: string(abtest.FromRun), RunID: &stored},
		}
		r.SideB.AnsweredBy = abtest.AnswererRequest{Kind: string(verdict.GenericAgent), ProviderID: &provider}
		_, err := b.ABTests.Create(t.Context(), b.ana(), r)
		return err
	}
	before := b.positions(t)
	for _, same := range []string{"judge", "alias"} {
		if err := create(same, true); !domain.IsRefused(err, domain.InvalidRequest) || b.positions(t) != before {
			t.Errorf("the judge as side B, called %s: %v, %d events", same, err, b.positions(t)-before)
		}
	}
	for _, err := range []error{create("another", true), create("judge", false)} {
		if err != nil {
			t.Error(err)
		}
	}
}

// The provider is looked up before the state of the workspace is checked.
func TestProviderIsLookedUpFirst(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 1, 1)
	b.Workspace(t, testworld.Workspace{ID: workspace, Name: "Retail", Paused: true})
	ana := b.ana()
	ana.Settings.CapacityDetails = true
	by := abtest.AnswererRequest{Kind: string(verdict.GenericAgent), ProviderID: new("nobody")}
	if _, err := b.Benchmarks.StartRun(t.Context(), ana, workspace, good, by, nil); !domain.IsRefused(err, domain.AiProviderNotFound) {
		t.Errorf("got %v", err)
	}
}
