package abtest_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/domain/verdict"
)

func TestFrozenQuestions(t *testing.T) {
	t.Parallel()
	run := uuid.UUID{15: 9}
	frozen := abtest.Test{Frozen: &abtest.Questions{SetHash: "h"}}
	again := abtest.RunAgain{ReuseRunID: &run}
	if err := again.CheckFrozen(frozen); err != nil {
		t.Error(err)
	}
	if err := again.CheckFrozen(abtest.Test{}); !domain.IsRefused(err, domain.ResultNotReady) {
		t.Errorf("none are frozen: got %v", err)
	}
	if err := again.CheckReused(frozen, benchmark.Run{RunAccepted: benchmark.RunAccepted{QuestionSetHash: "h"}}); err != nil {
		t.Error(err)
	}
	if err := again.CheckReused(frozen, benchmark.Run{}); !domain.IsRefused(err, domain.InvalidRequest) {
		t.Errorf("other questions: got %v", err)
	}
}

// Only a run that asks the current questions provides the test's, when no run has and
// none is in progress.
func TestRunAgainFreezes(t *testing.T) {
	t.Parallel()
	current := abtest.RunAgain{QuestionSet: new("Current")}
	for name, c := range map[string]struct {
		again abtest.RunAgain
		test  abtest.Test
		want  bool
	}{
		"after a run that broke":  {current, abtest.Test{Runs: []abtest.LatestRun{{Status: operation.StatusFailed}}}, true},
		"during a run":            {current, abtest.Test{Runs: []abtest.LatestRun{{Status: operation.StatusRunning}}}, false},
		"frozen already":          {current, abtest.Test{Frozen: &abtest.Questions{}}, false},
		"with the frozen by name": {abtest.RunAgain{}, abtest.Test{}, false},
	} {
		if got := c.again.Freezes(c.test); got != c.want {
			t.Errorf("%s: freezes %t", name, got)
		}
	}
}

func TestCheckReuse(t *testing.T) {
	t.Parallel()
	by := func(kind verdict.AgentKind, provider string) benchmark.Side {
		return benchmark.Side{AnsweredBy: benchmark.AnsweredBy{Kind: kind, ProviderID: provider}}
	}
	one, assistant := by(verdict.GenericAgent, "one"), by(verdict.PlatformAssistant, "")
	stored := benchmark.Run{RunAccepted: benchmark.RunAccepted{Side: one}}
	asks := func(id, model string) aiprovider.Provider {
		return aiprovider.Provider{Configuration: aiprovider.Configuration{ProviderID: id, Kind: aiprovider.OpenAI, Model: model}}
	}
	saved := aiprovider.Providers{All: []aiprovider.Provider{asks("two", "m"), asks("three", "n"), asks("like three", "n")}}
	for name, c := range map[string]struct {
		judge        *verdict.Judge
		sideA, sideB benchmark.Side
		naming       string
	}{
		"no judge":                        {nil, one, by(verdict.GenericAgent, "two"), ""},
		"a judge that is no side":         {&verdict.Judge{ProviderID: "three"}, one, by(verdict.GenericAgent, "two"), ""},
		"side B is the judge":             {&verdict.Judge{ProviderID: "two"}, one, by(verdict.GenericAgent, "two"), "judged by"},
		"side B asks the judge's model":   {&verdict.Judge{ProviderID: "three"}, one, by(verdict.GenericAgent, "like three"), "judged by"},
		"another provider":                {nil, by(verdict.GenericAgent, "two"), assistant, "GenericAgent that gave them"},
		"another kind":                    {nil, assistant, one, "GenericAgent that gave them"},
		"another answerer and its judge":  {&verdict.Judge{ProviderID: "one"}, assistant, one, "that gave them"},
		"the assistant beside, judged by": {&verdict.Judge{ProviderID: "three"}, one, assistant, ""},
	} {
		refusedAs(t, name, abtest.CheckReuse(stored, c.judge, c.sideA, c.sideB, saved), c.naming)
	}
}

func TestCheckReadable(t *testing.T) {
	t.Parallel()
	refusedAs(t, "readable", abtest.CheckReadable(nil), "")
	refusedAs(t, "unreadable", abtest.CheckReadable(errors.New("a broken part")), "cannot be read: a broken part")
}
