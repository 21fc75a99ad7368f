package optimization_test

import (
	"strings"
	"testing"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain/item"
	"readiness/domain/optimization"
	"readiness/domain/proposal"
)

// sales is a definition with two measures, one of whose folders is written over
// several lines, so that it cannot be set.
func sales(t *testing.T) (definition.Definition, *semanticmodel.Model) {
	t.Helper()
	d := definition.New(definition.Part{Path: "definition/tables/Sales.tmdl", Data: []byte("table Sales\n\n\tmeasure Revenue = 1\n\t\tdisplayFolder = ```\n\t\t\t\tOld\n\t\t\t\t```\n\n" +
		"\tmeasure Cost = 2\n\n\tcolumn Year\n\t\tdataType: int64\n\t\tsummarizeBy: sum\n\t\tsourceColumn: Year\n")})
	m, err := semanticmodel.Read(d)
	if err != nil {
		t.Fatal(err)
	}
	return d, m
}

func measure(name string) proposal.Object {
	return proposal.Object{Table: "Sales", Name: name, Type: proposal.Measure}
}

// answers proposes a value for each object asked about, but for those skipped.
func answers(values map[string]string) optimization.Propose {
	return func(ask proposal.Ask) (proposal.Answer, error) {
		a := proposal.Answer{Provider: proposal.Provider{Kind: "test", Name: "Test"}}
		for _, o := range ask.Objects {
			if v, ok := values[o.Name]; ok {
				a.Proposals = append(a.Proposals, proposal.Proposal{Object: o, Value: v, Reason: "because"})
			} else {
				a.Skipped = append(a.Skipped, proposal.Skip{Object: o, Reason: proposal.NothingProposed, Message: "no idea"})
			}
		}
		return a, nil
	}
}

// What cannot be written is skipped, one object alone, and the others are
// proposed.
//
// proves: 2.12/preview/skipped 2.12/preview/properties
func TestComposeLeavesOutWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	d, m := sales(t)
	p := optimization.Preview{Kind: optimization.Properties}
	err := p.Compose(d, m, optimization.Asking{
		Targets: []optimization.Targets{
			{Type: proposal.DisplayFolder, Objects: []proposal.Object{measure("Revenue"), measure("Cost"), measure("Gone")}},
			{Type: proposal.SummarizeBy, Objects: []proposal.Object{{Table: "Sales", Name: "Year", Type: proposal.Column}}},
		},
		Propose: answers(map[string]string{"Revenue": "Money", "Cost": "Money"}),
	})
	if err != nil {
		t.Fatal(err)
	}
	var keys, skipped []string
	for _, c := range p.Changes {
		keys = append(keys, c.Key+" "+string(c.Property)+" = "+c.Proposed)
	}
	for _, s := range p.Skipped {
		skipped = append(skipped, s.Key+" "+s.Reason)
	}
	if got := strings.Join(keys, ", "); got != "Sales|Cost displayFolder = Money, Sales|Year summarizeBy = none" {
		t.Errorf("changes: %s", got)
	}
	if got := strings.Join(skipped, ", "); got != "Sales|Gone NothingProposed, Sales|Revenue NothingProposed" {
		t.Errorf("skipped: %s", got)
	}
	if p.NothingToDo != nil || p.ScoreNow == nil || p.ScoreAfter == nil {
		t.Errorf("nothing to do: %v, scores %v and %v", p.NothingToDo, p.ScoreNow, p.ScoreAfter)
	}
}

// Without its permission a data agent is asked nothing, and that is not a finding
// that nothing is needed.
//
// proves: 2.12/preview/agent 4.5/preview/7
func TestComposeWithoutTheAgentsPermission(t *testing.T) {
	t.Parallel()
	d, m := sales(t)
	for access, reason := range map[item.Access]proposal.SkipReason{
		item.ConsentRequired: proposal.PermissionRequired, item.Unavailable: proposal.PermissionRequired, item.Granted: proposal.NothingProposed,
	} {
		p := optimization.Preview{Kind: optimization.Descriptions}
		err := p.Compose(d, m, optimization.Asking{
			Targets: []optimization.Targets{{Type: proposal.Description, Objects: []proposal.Object{measure("Revenue")}}},
			Propose: answers(nil), Agent: access, AgentPermission: "DataAgent.Execute.All",
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Skipped) != 1 || p.Skipped[0].Reason != string(reason) {
			t.Errorf("%s: skipped %v", access, p.Skipped)
		}
		denied := reason == proposal.PermissionRequired
		if (p.Reason != nil) != denied || (p.NothingToDo == nil) != denied || denied && !strings.Contains(*p.Message, "DataAgent.Execute.All") {
			t.Errorf("%s: reason %v, message %v, nothing to do %v", access, p.Reason, p.Message, p.NothingToDo)
		}
	}
}
