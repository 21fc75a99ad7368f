package assessment_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/operation"
)

var (
	op        = uuid.MustParse("00000000-0000-0000-0000-0000000000a1")
	other     = uuid.MustParse("00000000-0000-0000-0000-0000000000a2")
	workspace = uuid.MustParse("00000000-0000-0000-0000-0000000000b1")
	sales     = uuid.MustParse("00000000-0000-0000-0000-0000000000c1")
	finance   = uuid.MustParse("00000000-0000-0000-0000-0000000000c2")
	stock     = uuid.MustParse("00000000-0000-0000-0000-0000000000c3")
)

func standing(events ...domain.Event) (s assessment.Standing) {
	for _, e := range events {
		s = e.(domain.Carries[assessment.Standing]).After()
	}
	return s
}

// decide applies each command in turn and returns the standing after them.
func decide(t *testing.T, s assessment.Standing, cmds ...domain.Command[assessment.Standing]) (assessment.Standing, []domain.Event) {
	t.Helper()
	var all []domain.Event
	for _, c := range cmds {
		events, err := c.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, events...)
		s = standing(events...)
	}
	return s, all
}

// The first assessment of a model in an account spends a first look, and a later one
// does not. A refunded one does not count (docs/decisions.md 5).
func TestFirstLook(t *testing.T) {
	t.Parallel()
	accept := assessment.Accept{OperationID: op, WorkspaceID: workspace, ModelID: sales}
	s, events := decide(t, assessment.Standing{}, accept, accept, assessment.Refund{OperationID: op}, assessment.Refund{OperationID: op}, accept)
	var looks []bool
	for _, e := range events {
		if e, ok := e.(assessment.Accepted); ok {
			looks = append(looks, e.FirstLook)
		}
	}
	if want := []bool{true, false, true}; !cmp.Equal(looks, want) || s.Accepted != 1 {
		t.Errorf("first looks %v, standing %+v; want %v", looks, s, want)
	}
}

// An assessment is comparable with the previous one when both used the same rules and
// the same weighting; the first never is.
//
// proves: 2.8/comparableWithPrevious
func TestComparableWithPrevious(t *testing.T) {
	t.Parallel()
	record := func(regime string, weighted bool) assessment.Record {
		return assessment.Record{Assessment: assessment.Assessment{ModelID: sales, RegimeID: regime, UsageInScoring: weighted}}
	}
	s, events := decide(
		t, assessment.Standing{}, record("2026-11", false), record("2026-11", false), record("2027-05", false), record("2027-05", false), record("2026-11", false),
		record("2026-11", true), record("2026-11", true), record("2027-05", true), record("2027-05", false), record("2027-05", false),
	)
	var got []bool
	for _, e := range events {
		got = append(got, e.(assessment.Recorded).ComparableWithPrevious)
	}
	if want := []bool{false, true, false, true, false, false, true, false, false, true}; !cmp.Equal(got, want) {
		t.Errorf("comparable %v, want %v", got, want)
	}
	// A standing from before usage was recorded is that of an unweighted assessment.
	old := assessment.Standing{Accepted: 1, Recorded: 1, Basis: assessment.Basis{RegimeID: "2026-11"}}
	for weighted, want := range map[bool]bool{true: false, false: true} {
		if _, events := decide(t, old, record("2026-11", weighted)); events[0].(assessment.Recorded).ComparableWithPrevious != want {
			t.Errorf("weighted %v after an old one: comparable is %v", weighted, !want)
		}
	}
	// Once all results are deleted, there is nothing to compare with.
	s, _ = decide(t, s, record("2027-05", true), assessment.DeleteResults{ModelID: sales, Stored: make([]assessment.Stored, s.Recorded+1)})
	if s.RegimeID != "" || s.UsageInScoring || s.Recorded != 0 {
		t.Errorf("after all were deleted the standing is %+v", s)
	}
}

func bulk(models ...uuid.UUID) assessment.Run {
	return accepted(operation.AssessSemanticModels, models...)
}

func accepted(kind operation.Type, models ...uuid.UUID) assessment.Run {
	named := make([]assessment.Model, len(models))
	for i, m := range models {
		named[i] = assessment.Model{ModelID: m, ModelName: "model", FirstLook: i == 0}
	}
	return apply(assessment.Run{},
		operation.Accepted{OperationID: op, AccountID: "contoso", Type: kind},
		assessment.RunAccepted{WorkspaceID: workspace, WorkspaceName: "Retail", Models: named})
}

func apply(r assessment.Run, events ...domain.Event) assessment.Run {
	for _, e := range events {
		r = assessment.EvolveRun(r, e)
	}
	return r
}

func done(model uuid.UUID) assessment.Result {
	return assessment.Result{ModelID: model, Outcome: assessment.Assessed, AssessmentID: &other}
}

func failed(model uuid.UUID, code domain.Code) assessment.Result {
	return assessment.Result{ModelID: model, Outcome: assessment.OutcomeOf(code), Error: &operation.Failure{Code: code, Message: "because"}}
}

func TestRun(t *testing.T) {
	t.Parallel()
	none, one, yes, no, gone := 0, 1, true, false, 0
	for name, c := range map[string]struct {
		given assessment.Run
		when  domain.Command[assessment.Run]
		then  []domain.Event
	}{
		"work begins on many":            {bulk(sales, finance), assessment.Begin{}, []domain.Event{operation.Started{Percent: &none}}},
		"work begins on one":             {accepted(operation.AssessSemanticModel, sales), assessment.Begin{}, []domain.Event{operation.Started{}}},
		"work begins once":               {apply(bulk(sales, finance), operation.Started{}), assessment.Begin{}, nil},
		"work does not begin at the end": {apply(bulk(sales), operation.Started{}, assessment.ModelEnded{Result: done(sales)}, operation.Succeeded{}), assessment.Begin{}, nil},

		"one of three": {apply(bulk(sales, finance, stock), operation.Started{}), assessment.EndModel{Result: done(finance)},
			[]domain.Event{assessment.ModelEnded{Result: done(finance)}, operation.Progressed{Percent: 33}}},
		"the last of three": {apply(bulk(sales, finance, stock), assessment.ModelEnded{Result: done(sales)}, assessment.ModelEnded{Result: failed(finance, domain.ItemNotReadable)}),
			assessment.EndModel{Result: done(stock)}, []domain.Event{assessment.ModelEnded{Result: done(stock)}, operation.Succeeded{}}},
		"many fail one by one, the run succeeds": {apply(bulk(sales, finance), assessment.ModelEnded{Result: failed(sales, domain.ItemNotReadable)}),
			assessment.EndModel{Result: failed(finance, domain.ItemNotFound)}, []domain.Event{assessment.ModelEnded{Result: failed(finance, domain.ItemNotFound)}, operation.Succeeded{}}},
		"a second outcome changes nothing": {apply(bulk(sales, finance), assessment.ModelEnded{Result: done(sales)}), assessment.EndModel{Result: failed(sales, domain.AssessmentFailed)}, nil},
		"a model of another run":           {bulk(sales, finance), assessment.EndModel{Result: done(stock)}, nil},
		"an outcome after the end":         {apply(bulk(sales, finance), operation.Cancelled{}), assessment.EndModel{Result: done(sales)}, nil},

		"one succeeds": {accepted(operation.AssessSemanticModel, sales), assessment.EndModel{Result: done(sales)},
			[]domain.Event{assessment.ModelEnded{Result: done(sales)}, operation.Succeeded{}}},
		"one fails and stays counted": {accepted(operation.AssessSemanticModel, sales), assessment.EndModel{Result: failed(sales, domain.ItemNotReadable)},
			[]domain.Event{assessment.ModelEnded{Result: failed(sales, domain.ItemNotReadable)}, operation.Failed{
				Failure: operation.Failure{Code: domain.ItemNotReadable, Message: "because"}, Impact: operation.Impact{Assessments: &one, FirstLook: &yes},
			}}},
		"one fails and is given back": {accepted(operation.AssessSemanticModel, sales), assessment.EndModel{Result: failed(sales, domain.PlatformUnavailable), Standing: assessment.Standing{Accepted: 1}},
			[]domain.Event{assessment.ModelEnded{Result: failed(sales, domain.PlatformUnavailable)}, operation.Failed{
				Failure: operation.Failure{Code: domain.PlatformUnavailable, Message: "because"}, Impact: operation.Impact{Assessments: &gone, FirstLook: &no},
			}}},
		"one is given back while another stands on its first look": {accepted(operation.AssessSemanticModel, sales), assessment.EndModel{Result: failed(sales, domain.PlatformUnavailable), Standing: assessment.Standing{Accepted: 2}},
			[]domain.Event{assessment.ModelEnded{Result: failed(sales, domain.PlatformUnavailable)}, operation.Failed{
				Failure: operation.Failure{Code: domain.PlatformUnavailable, Message: "because"}, Impact: operation.Impact{Assessments: &gone, FirstLook: &yes},
			}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := c.when.Decide(c.given)
			if err != nil || !cmp.Equal(got, c.then) {
				t.Errorf("got %v (%v)\n%s", got, err, cmp.Diff(c.then, got))
			}
		})
	}
}

// Which failures are refunded, and that a row of a bulk run is not (docs/decisions.md 5
// and 8.5).
func TestRefunds(t *testing.T) {
	t.Parallel()
	want := map[domain.Code]bool{
		domain.AssessmentNotStarted: true, domain.PlatformUnavailable: true, domain.CapacityPaused: true, domain.CapacityBusy: true,
		domain.ItemChanged: false, domain.ItemNotReadable: false, domain.ItemNotFound: false, domain.PlatformAccessDenied: false,
		domain.AssessmentFailed: false, domain.AssessmentTimedOut: false,
	}
	for code, back := range want {
		if got := accepted(operation.AssessSemanticModel, sales).Refunds(code); got != back {
			t.Errorf("a single assessment that fails with %s is refunded: %v, want %v", code, got, back)
		}
		if bulk(sales).Refunds(code) {
			t.Errorf("a bulk row that fails with %s is refunded", code)
		}
	}
}

func TestOutcomeOf(t *testing.T) {
	t.Parallel()
	for code, want := range map[domain.Code]assessment.Outcome{
		domain.ItemNotReadable: assessment.Failed, domain.AssessmentFailed: assessment.Failed, domain.AssessmentTimedOut: assessment.Failed,
		domain.ItemNotFound: assessment.NotAssessed, domain.PlatformUnavailable: assessment.NotAssessed, domain.AssessmentNotStarted: assessment.NotAssessed,
		domain.CapacityPaused: assessment.NotAssessed, domain.PlatformAccessDenied: assessment.NotAssessed,
	} {
		if got := assessment.OutcomeOf(code); got != want {
			t.Errorf("%s is %s, want %s", code, got, want)
		}
	}
}

// However often and in whatever order the steps are executed, a run ends exactly once,
// when every model has exactly one outcome. Its percentage never falls.
func TestRunEndsOnce(t *testing.T) {
	t.Parallel()
	all := []uuid.UUID{sales, finance, stock, other}
	rapid.Check(t, func(t *rapid.T) {
		models := all[:rapid.IntRange(1, len(all)).Draw(t, "models")]
		r := bulk(models...)
		ends, percent := 0, 0
		for !r.Operation.Status.Ended() {
			m := rapid.SampledFrom(models).Draw(t, "model")
			result := done(m)
			if rapid.Bool().Draw(t, "fails") {
				result = failed(m, domain.ItemNotReadable)
			}
			var cmd domain.Command[assessment.Run] = assessment.EndModel{Result: result}
			if rapid.Bool().Draw(t, "begin") {
				cmd = assessment.Begin{}
			}
			events, err := cmd.Decide(r)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				if _, ok := e.(operation.Succeeded); ok {
					ends++
				}
			}
			r = apply(r, events...)
			if r.Operation.Percent < percent {
				t.Fatalf("the percentage fell from %d to %d", percent, r.Operation.Percent)
			}
			percent = r.Operation.Percent
		}
		if ends != 1 || len(r.Results) != len(models) || percent != 100 {
			t.Fatalf("ended %d times with %d of %d outcomes at %d %%", ends, len(r.Results), len(models), percent)
		}
		for _, m := range models {
			if _, ok := r.Result(m); !ok {
				t.Fatalf("%s has no outcome", m)
			}
		}
	})
}
