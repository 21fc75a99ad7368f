package benchmark_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/verdict"
)

func ask(n int, v verdict.Verdict, m verdict.Method) verdict.Ask {
	return verdict.Ask{N: n, Decision: verdict.Decision{Verdict: v, Method: m, Reason: "the service's"}}
}

// answered is the document of a run: q1 with an ask that a judge decided and one that the fields did, q2 without an answer.
func answered() benchmark.RunDocument {
	set := benchmark.Set{Questions: []benchmark.Question{{QuestionID: "q1"}, {QuestionID: "q2"}}}
	run := benchmark.Run{RunAccepted: benchmark.RunAccepted{RunID: runOne, Repeats: 2}}
	return benchmark.NewRunDocument(run, verdict.Target{}, &verdict.Judge{ProviderID: "j"}, set, map[benchmark.AskKey]verdict.Ask{
		{QuestionID: "q1", N: 1}: ask(1, verdict.Correct, verdict.ByJudge),
		{QuestionID: "q1", N: 2}: ask(2, verdict.Correct, verdict.ByFields),
		{QuestionID: "q2", N: 1}: ask(1, verdict.Errored, verdict.ByError),
		{QuestionID: "q2", N: 2}: ask(2, verdict.Errored, verdict.ByError),
	})
}

// proves: decisions/16/both decisions/16/refused decisions/16/idempotent
func TestOverruledDocument(t *testing.T) {
	t.Parallel()
	const because = "It is rounded."
	counts := func(d benchmark.RunDocument) [4]int {
		o := d.Outcome("hash")
		return [4]int{o.Verdicts.Correct, o.Overruled, o.Judged, o.JudgeOverruled}
	}
	all := benchmark.Overrule{QuestionID: "q1", Verdict: verdict.Incorrect, Reason: because}
	for name, row := range map[string]struct {
		change func(*benchmark.Overrule)
		want   [4]int // correct asks, overruled, judged, overruled of the judged
		code   domain.Code
	}{
		"every answer":            {nil, [4]int{0, 2, 1, 1}, ""},
		"the judge's alone":       {func(o *benchmark.Overrule) { o.N = 1 }, [4]int{1, 1, 1, 1}, ""},
		"the other alone":         {func(o *benchmark.Overrule) { o.N = 2 }, [4]int{1, 1, 1, 0}, ""},
		"the same verdict":        {func(o *benchmark.Overrule) { o.Verdict = verdict.Correct }, [4]int{2, 0, 1, 0}, ""},
		"a question of no answer": {func(o *benchmark.Overrule) { o.QuestionID = "q2" }, [4]int{2, 0, 1, 0}, domain.InvalidRequest},
		"an ask that was not":     {func(o *benchmark.Overrule) { o.N = 3 }, [4]int{2, 0, 1, 0}, domain.InvalidRequest},
		"an unknown question":     {func(o *benchmark.Overrule) { o.QuestionID = "q3" }, [4]int{2, 0, 1, 0}, domain.RunNotFound},
	} {
		o, before := all, answered()
		if row.change != nil {
			row.change(&o)
		}
		after, changed, err := before.Overruled(o)
		if row.code != "" != domain.IsRefused(err, row.code) || changed != (row.code == "") || counts(after) != row.want {
			t.Errorf("%s: got %v, changed %v, %v", name, counts(after), changed, err)
		}
		if diff := cmp.Diff(counts(answered()), counts(before)); diff != "" {
			t.Errorf("%s: the document that was given changed:\n%s", name, diff)
		}
		if row.code != "" {
			continue
		}
		if again, changed, err := after.Overruled(o); changed || err != nil || counts(again) != row.want {
			t.Errorf("%s, again: got %v, changed %v, %v", name, counts(again), changed, err)
		}
	}
	once, _, _ := answered().Overruled(all)
	all.Verdict, all.Reason = verdict.Refused, "It does not answer."
	twice, _, err := once.Overruled(all)
	first := twice.Questions[0].Asks[0]
	if err != nil || first.Reason != all.Reason || first.Machine.Method != verdict.ByJudge || first.Machine.Reason != "the service's" {
		t.Errorf("got %+v, %v; want the person's second reason and the service's own verdict", first, err)
	}
}

// proves: decisions/16/who decisions/16/refused
func TestOverruleVerdict(t *testing.T) {
	t.Parallel()
	ann, bob := item.PersonID("ann"), item.PersonID("bob")
	succeeded := benchmark.Run{Status: operation.StatusSucceeded, Outcome: &benchmark.Outcome{DocumentHash: "d"}}
	with := func(s operation.Status) benchmark.Run { return benchmark.Run{Status: s} }
	good := benchmark.OverruleVerdict{
		VerdictOverruled: benchmark.VerdictOverruled{Overrule: benchmark.Overrule{QuestionID: "q1", Verdict: verdict.Correct, Reason: "Yes."},
			Outcome: benchmark.Outcome{DocumentHash: "e"}, At: noon},
		Overruler: benchmark.Overruler{By: ann, Starter: ann}, From: "d",
	}
	for name, row := range map[string]struct {
		run    benchmark.Run
		change func(*benchmark.OverruleVerdict)
		code   domain.Code
	}{
		"the starter": {succeeded, nil, ""},
		"an administrator": {succeeded, func(c *benchmark.OverruleVerdict) {
			c.Overruler = benchmark.Overruler{By: bob, Admin: true, Starter: ann}
		}, ""},
		"a reason of 500":           {succeeded, func(c *benchmark.OverruleVerdict) { c.Reason = strings.Repeat("ß", 500) }, ""},
		"a reason of 501":           {succeeded, func(c *benchmark.OverruleVerdict) { c.Reason = strings.Repeat("ß", 501) }, domain.InvalidRequest},
		"no reason":                 {succeeded, func(c *benchmark.OverruleVerdict) { c.Reason = "" }, domain.InvalidRequest},
		"a reason of white space":   {succeeded, func(c *benchmark.OverruleVerdict) { c.Reason = "\t\u00a0" }, domain.InvalidRequest},
		"no verdict":                {succeeded, func(c *benchmark.OverruleVerdict) { c.Verdict = "" }, domain.InvalidRequest},
		"an error as the verdict":   {succeeded, func(c *benchmark.OverruleVerdict) { c.Verdict = verdict.Errored }, domain.InvalidRequest},
		"somebody else":             {succeeded, func(c *benchmark.OverruleVerdict) { c.Overruler.By = bob }, domain.AdminRoleRequired},
		"somebody else, unfinished": {with(operation.StatusRunning), func(c *benchmark.OverruleVerdict) { c.Overruler.By = bob }, domain.AdminRoleRequired},
		"not started":               {with(operation.StatusNotStarted), nil, domain.ResultNotReady},
		"running":                   {with(operation.StatusRunning), nil, domain.ResultNotReady},
		"failed":                    {with(operation.StatusFailed), nil, domain.OperationHasNoResult},
		"cancelled":                 {with(operation.StatusCancelled), nil, domain.OperationHasNoResult},
	} {
		c := good
		if row.change != nil {
			row.change(&c)
		}
		events, err := c.Decide(row.run)
		if row.code == "" != (err == nil && len(events) == 1) || row.code != "" && (!domain.IsRefused(err, row.code) || events != nil) {
			t.Errorf("%s: got %v, %v", name, events, err)
		}
	}
	stale := good
	stale.From = "c"
	if events, err := stale.Decide(succeeded); events != nil || !errors.Is(err, benchmark.ErrOutcomeMoved) {
		t.Errorf("on a replaced outcome: got %v, %v", events, err)
	}
	if r := benchmark.EvolveRun(succeeded, good.VerdictOverruled); r.Outcome.DocumentHash != "e" || succeeded.Outcome.DocumentHash != "d" {
		t.Errorf("got the outcome %+v", r.Outcome)
	}
}
