package optimization_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/optimization"
	"readiness/domain/proposal"
)

// A preview of AI instructions has one change or none, whatever the model says about Q&A.
//
// proves: 2.12/preview/key-aiInstructions 2.12/preview/change-types decisions/6/qna
func TestInstructionsAreOneChange(t *testing.T) {
	t.Parallel()
	for name, pbism := range map[string]string{"none": "", "on": `{"settings":{"qnaEnabled":true}}`, "off": `{"settings":{"qnaEnabled":false}}`,
		"the format with a folder Copilot": `{"version":"5.0","settings":{"qnaEnabled":false}}`, "absent": `{"version":"4.2"}`, "no JSON": `{`} {
		for _, text := range []string{"Use [Revenue].", ""} {
			d, _ := sales(t)
			if pbism != "" {
				d = definition.New(append(d.Parts, definition.Part{Path: "definition.pbism", Data: []byte(pbism)})...)
			}
			m, err := semanticmodel.Read(d)
			if err != nil {
				t.Fatal(err)
			}
			p := optimization.Preview{Kind: optimization.AIInstructions}
			err = p.Compose(d, m, optimization.Asking{Propose: func(proposal.Ask) (a proposal.Answer, err error) {
				o := proposal.Object{Type: proposal.Model}
				if text == "" {
					a.Skipped = []proposal.Skip{{Object: o, Reason: proposal.NothingProposed, Message: "nothing"}}
				} else {
					a.Proposals = []proposal.Proposal{{Object: o, Value: text, Reason: "because"}}
				}
				return a, nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			if want := len(text) > 0; len(p.Changes) > 1 || (len(p.Changes) == 1) != want || want && p.Changes[0].Type != proposal.AIInstructions || (p.NothingToDo == nil) != want {
				t.Errorf("%s, %q: got %+v", name, text, p.Changes)
			}
		}
	}
}

// What earlier versions stored, with separate types for Q&A and synonyms.
const (
	oldInstructions = `{"key":"aiInstructions","type":"aiInstructions","table":"","object":"","objectType":"Model","property":"instructions","previous":null,"written":"Use [Revenue]."}`
	oldQnA          = `{"key":"qnaEnabled","type":"qnaEnabled","table":"","object":"","objectType":"Model","property":"qnaEnabled","previous":null,"written":"true"}`
	oldSynonyms     = `{"key":"Sales||synonyms","type":"synonyms","table":"Sales","object":"","objectType":"Table","property":"synonyms","previous":null,"written":"deals"}`
)

func oldWrites(t *testing.T, kind proposal.Type, objects ...string) (writes []optimization.Write) {
	t.Helper()
	text := `[{"type":"` + string(kind) + `","objects":[` + strings.Join(objects, ",") + `]}]`
	if err := json.Unmarshal([]byte(text), &writes); err != nil {
		t.Fatal(err)
	}
	return writes
}

// What earlier versions wrote has a type that the specification names, and a revert restores it. A setting of Q&A
// that someone changed since is skipped, and the AI instructions are still put back.
//
// proves: 2.12/apply/record 2.12/preview/change-types decisions/6/qna
func TestRevertOfWhatEarlierVersionsWrote(t *testing.T) {
	t.Parallel()
	words := applied(t, operationID(1), optimization.AIDataSchema, oldWrites(t, proposal.AIDataSchema, oldSynonyms))
	if o := words.Applied(); len(o) != 1 || o[0].Type != proposal.AIDataSchema || o[0].Property != rewrite.Synonyms {
		t.Errorf("synonyms read %+v", o)
	}
	writes := oldWrites(t, proposal.AIInstructions, oldInstructions, oldQnA)
	w := applied(t, operationID(1), optimization.AIInstructions, writes)
	for _, o := range w.Applied() {
		if o.Type != proposal.AIInstructions {
			t.Errorf("the record has the type %s", o.Type)
		}
	}
	revert := optimization.Work{Reverts: new(operationID(1)), Kind: w.Kind, Progress: make([]optimization.Progress, 1)}
	var err error
	if revert.Writes, err = (optimization.RevertApply{ApplyID: operationID(1), AccountID: "contoso", ModelID: model, Now: noon}).Writes(w, nil); err != nil || len(revert.Writes) != 1 {
		t.Fatal(revert.Writes, err)
	}
	for name, test := range map[string]struct {
		instructions, qna string
		says              string // "" if nothing is skipped
	}{
		"as written":           {"Use [Revenue].", "true", ""},
		"turned off since":     {"Use [Revenue].", "false", "changed after the apply"},
		"gone since":           {"Use [Revenue].", "gone", "definition.pbism"},
		"no longer said":       {"Use [Revenue].", "", "changed after the apply"},
		"reformatted, and off": {"Use [Revenue].\r\n", "false", "changed after the apply"},
	} {
		plan, err := revert.Plan(0, optimization.Now{Values: values(test.instructions, test.qna)})
		skipped := map[bool]int{true: 1}[test.says != ""]
		if err != nil || len(plan.Objects) != 2-skipped || len(plan.Skipped) != skipped ||
			skipped > 0 && (plan.Skipped[0].Key != "qnaEnabled" || !strings.Contains(plan.Skipped[0].Message, test.says)) {
			t.Errorf("%s: %v, skipped %v, %v", name, keysOf(plan.Objects), plan.Skipped, err)
		}
	}
	_, err = revert.Plan(0, optimization.Now{Values: values("Use [Cost].", "true")})
	refused(t, err, domain.ItemChanged, "changed after the apply")
}

// An apply that an earlier version accepted writes the AI instructions and leaves Q&A as it is, also when it was interrupted.
// A preview of an earlier version no longer has the change.
//
// proves: decisions/6/qna
func TestQnAIsNotWritten(t *testing.T) {
	t.Parallel()
	w := apply(t, operationID(1), optimization.AIInstructions, oldWrites(t, proposal.AIInstructions, oldInstructions, oldQnA))
	interrupted := w
	intended := &optimization.WriteIntended{Undo: []rewrite.Undo{{Target: rewrite.Target{Property: rewrite.Instructions}, Written: "Use [Revenue]."},
		{Target: rewrite.Target{Property: rewrite.QnAEnabled}, Written: "true"}}}
	interrupted.Progress = []optimization.Progress{{Started: true, Intended: intended}}
	for name, work := range map[string]optimization.Work{"accepted": w, "interrupted": interrupted} {
		for _, qna := range []string{"", "false", "gone"} {
			plan, err := work.Plan(0, optimization.Now{Values: values("", qna)})
			if err != nil || len(plan.Objects) != 1 || plan.Objects[0].Key != "aiInstructions" || len(plan.Skipped) != 1 || plan.Skipped[0].Key != "qnaEnabled" {
				t.Errorf("%s, %q: the plan is %+v, %v", name, qna, plan, err)
			}
		}
	}
	if plan, err := interrupted.Plan(0, optimization.Now{Values: values("Use [Revenue].", "true")}); err != nil || !plan.Landed {
		t.Errorf("written before the interruption: %+v, %v", plan, err)
	}
	for changes, want := range map[string][]string{
		oldInstructions + "," + oldQnA: {"aiInstructions"}, oldQnA: nil, oldInstructions: {"aiInstructions"},
	} {
		var p optimization.Preview
		if err := json.Unmarshal([]byte(`{"kind":"aiInstructions","changes":[`+changes+`]}`), &p); err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, c := range p.Changes {
			keys = append(keys, c.Key)
		}
		if diff := cmp.Diff(want, keys); diff != "" || (p.NothingToDo == nil) != (want != nil) {
			t.Errorf("%s (-want +got):\n%s", changes, diff)
		}
	}
}
