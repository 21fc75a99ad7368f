package benchmark_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
)

func TestCheckCount(t *testing.T) {
	t.Parallel()
	for questions, ok := range map[int]bool{-1: false, 0: false, 1: true, benchmark.MaxQuestions: true, benchmark.MaxQuestions + 1: false} {
		if err := benchmark.CheckCount(questions); (err == nil) != ok || err != nil && !domain.IsRefused(err, domain.InvalidRequest) {
			t.Errorf("%d questions: got %v", questions, err)
		}
	}
}

func TestCheckRunnable(t *testing.T) {
	t.Parallel()
	none, some := benchmark.Set{}, benchmark.Set{Questions: make([]benchmark.Question, 2)}
	for name, c := range map[string]struct {
		saved, runnable benchmark.Set
		says            string
	}{
		"some can run":  {some, benchmark.Set{Questions: make([]benchmark.Question, 1)}, ""},
		"none can run":  {some, none, "none of the 2 saved"},
		"none is saved": {none, none, "has no saved"},
	} {
		err := c.saved.CheckRunnable(uuid.UUID{15: 1}, c.runnable)
		if c.says == "" && err == nil {
			continue
		}
		if c.says == "" || !domain.IsRefused(err, domain.BenchmarkQuestionsMissing) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A run is stored when it ended with answers; a run of another account, of another
// model, or a deleted one is not found, whatever names it.
func TestStoredAndNamedRuns(t *testing.T) {
	t.Parallel()
	id, model, other := uuid.UUID{15: 1}, uuid.UUID{15: 2}, uuid.UUID{15: 3}
	run := benchmark.Run{RunAccepted: benchmark.RunAccepted{RunID: id, AccountID: "contoso",
		Side: benchmark.Side{SemanticModelID: model}}, Outcome: &benchmark.Outcome{}}
	unanswered, deleted := run, run
	unanswered.Outcome, deleted.Deleted = nil, true
	for name, c := range map[string]struct {
		run           benchmark.Run
		account       string
		model         uuid.UUID
		stored, named bool
	}{
		"stored":               {run, "contoso", model, true, true},
		"without answers":      {unanswered, "contoso", model, false, true},
		"another account's":    {run, "acme", model, false, false},
		"another model's":      {run, "contoso", other, false, false},
		"deleted":              {deleted, "contoso", model, false, false},
		"that never was begun": {benchmark.Run{}, "", uuid.Nil, false, false},
	} {
		if err := c.run.CheckStored(c.account, c.model, id); (err == nil) != c.stored ||
			err != nil && !domain.IsRefused(err, domain.RunNotFound) {
			t.Errorf("%s: stored: got %v", name, err)
		}
		named := benchmark.NamedRun{Text: id.String(), AccountID: c.account, ModelID: c.model}
		if err := named.Check(c.run); (err == nil) != c.named || err != nil && !domain.IsRefused(err, domain.RunNotFound) {
			t.Errorf("%s: named: got %v", name, err)
		}
		if got, err := named.ID(); got != id || err != nil {
			t.Errorf("%s: its id is %s, %v", name, got, err)
		}
	}
	_, err := benchmark.NamedRun{Text: strings.Repeat("x", 50), ModelID: model}.ID()
	r, refused := domain.Refused(err)
	if !refused || r.Code != domain.RunNotFound || len(r.Params) != 1 || r.Params[0].Value != strings.Repeat("x", 36) {
		t.Errorf("a text that is no id: got %+v", r)
	}
}

// A run tracks its model once it asked something and it or its operation ended.
func TestRunTracks(t *testing.T) {
	t.Parallel()
	asks := make([]benchmark.Asked, 1)
	for _, c := range []struct {
		run      benchmark.Run
		opEnded  bool
		tracking bool
	}{
		{benchmark.Run{Status: operation.StatusRunning}, false, false},
		{benchmark.Run{Status: operation.StatusRunning}, true, false},
		{benchmark.Run{Status: operation.StatusFailed}, true, false},
		{benchmark.Run{Status: operation.StatusRunning, Asks: asks}, false, false},
		{benchmark.Run{Status: operation.StatusRunning, Asks: asks}, true, true},
		{benchmark.Run{Status: operation.StatusSucceeded, Asks: asks}, false, true},
	} {
		if got := c.run.Tracks(c.opEnded); got != c.tracking {
			t.Errorf("%s with %d asks, operation ended %t: tracks %t", c.run.Status, len(c.run.Asks), c.opEnded, got)
		}
	}
}
