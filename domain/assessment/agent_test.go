package assessment_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/operation"
)

// Scores of different stages are not comparable, so a published agent is not compared
// with a draft.
func TestStagesAreNotCompared(t *testing.T) {
	t.Parallel()
	record := func(stage assessment.Stage) assessment.Record {
		return assessment.Record{Assessment: assessment.Assessment{ModelID: sales, RegimeID: "2026-11", DataAgent: &assessment.DataAgent{Stage: stage}}}
	}
	s, events := decide(
		t, assessment.Standing{}, record(assessment.Draft), record(assessment.Draft), record(assessment.Published), record(assessment.Published), record(assessment.Draft),
	)
	var got []bool
	for _, e := range events {
		got = append(got, e.(assessment.Recorded).ComparableWithPrevious)
	}
	if want := []bool{false, true, false, true, false}; !cmp.Equal(got, want) {
		t.Errorf("comparable %v, want %v", got, want)
	}
	if s.Stage != assessment.Draft {
		t.Errorf("the standing reads %+v", s)
	}
	s, _ = decide(t, s, assessment.DeleteResults{ModelID: sales, Stored: make([]assessment.Stored, s.Recorded)})
	if s.Stage != "" {
		t.Errorf("after all were deleted the standing is %+v", s)
	}
}

// A run over a data agent is a single assessment.
func TestRunOverADataAgent(t *testing.T) {
	t.Parallel()
	agent := accepted(operation.AssessDataAgent, sales)
	for name, c := range map[string]struct {
		given assessment.Run
		when  domain.Command[assessment.Run]
		last  domain.Event
	}{
		"begins without progress": {agent, assessment.Begin{}, operation.Started{}},
		"succeeds":                {agent, assessment.EndModel{Result: done(sales)}, operation.Succeeded{}},
	} {
		events, err := c.when.Decide(c.given)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.last, events[len(events)-1]); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	events, err := assessment.EndModel{Result: failed(sales, domain.CapacityPaused)}.Decide(agent)
	if err != nil {
		t.Fatal(err)
	}
	if broken, ok := events[len(events)-1].(operation.Failed); !ok || broken.Failure.Code != domain.CapacityPaused || *broken.Impact.Assessments != 0 {
		t.Errorf("a failure ends as %+v", events)
	}
}

// The stored assessment of a data agent has a dataAgent member, and that of a model
// does not.
func TestStoredAgent(t *testing.T) {
	t.Parallel()
	agent := assessment.Recorded{Assessment: assessment.Assessment{ModelID: sales, DataAgent: &assessment.DataAgent{
		Stage:   assessment.Published,
		Sources: []assessment.Source{{ID: stock.String(), Name: "Stock", Type: "kusto", WorkspaceID: workspace, Reason: assessment.NoSemanticModel, Message: "no"}},
	}}, Standing: assessment.Standing{Recorded: 1, Basis: assessment.Basis{Stage: assessment.Published}}}
	text, err := json.Marshal(agent)
	if err != nil {
		t.Fatal(err)
	}
	var got assessment.Recorded
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(agent, got); d != "" {
		t.Errorf("an agent's (-stored +read):\n%s", d)
	}
	text, err = json.Marshal(assessment.Recorded{})
	var members map[string]any
	if err != nil || json.Unmarshal(text, &members) != nil || members["dataAgent"] != nil {
		t.Errorf("a model's is stored as %s", text)
	}
	events, err := assessment.Accept{OperationID: op, WorkspaceID: workspace, ModelID: sales, ItemType: item.DataAgent}.Decide(assessment.Standing{})
	if a, ok := events[0].(assessment.Accepted); err != nil || !ok || a.ItemType != item.DataAgent || !a.FirstLook {
		t.Errorf("accepted as %+v", events)
	}
}
