package optimization_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/optimization"
	"readiness/domain/proposal"
	"readiness/domain/readiness/finding"
)

// instructed returns a preview of AI instructions of a model with the definition.pbism
// ("" for none). text is what the provider proposes, "" for nothing.
func instructed(t *testing.T, pbism, text string, ignore func(string, finding.Key) bool) (definition.Definition, optimization.Preview) {
	t.Helper()
	d, _ := sales(t)
	if pbism != "" {
		d = definition.New(append(d.Parts, definition.Part{Path: "definition.pbism", Data: []byte(pbism)})...)
	}
	m, err := semanticmodel.Read(d)
	if err != nil {
		t.Fatal(err)
	}
	p := optimization.Preview{Kind: optimization.AIInstructions}
	err = p.Compose(d, m, optimization.Asking{Ignore: ignore, Propose: func(proposal.Ask) (a proposal.Answer, err error) {
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
	return d, p
}

// Q&A is turned on together with the AI instructions that it makes readable.
//
// proves: 2.12/preview/qna
func TestComposeTurnsOnQnA(t *testing.T) {
	t.Parallel()
	const text, off = "Use [Revenue].", `{"settings":{"qnaEnabled":false}}`
	both := []string{"aiInstructions = Use [Revenue].", "qnaEnabled = true"}
	none := func(string, finding.Key) bool { return false }
	qna := func(rule string, key finding.Key) bool {
		return rule == "INS-10" && key == (finding.Key{ObjectName: "#INS-10"})
	}
	for name, test := range map[string]struct {
		pbism, text string
		ignore      func(string, finding.Key) bool
		changes     []string
		current     string // of Q&A
		skipped     string
	}{
		"no part":              {"", text, nil, both[:1], "", ""},
		"on":                   {`{"settings":{"qnaEnabled":true}}`, text, nil, both[:1], "", ""},
		"off":                  {off, text, none, both, "false", ""},
		"absent":               {`{"version":"4.2"}`, text, nil, both, "", ""},
		"null":                 {`{"settings":null}`, text, nil, both, "", ""},
		"no JSON":              {`{`, text, nil, both[:1], "", "qnaEnabled: Q&A cannot be turned on: definition.pbism is missing or not a JSON object; correct it, and set settings.qnaEnabled to true there"},
		"ignored":              {off, text, qna, both[:1], "", ""},
		"absent, nothing else": {`{"version":"4.2"}`, "", nil, nil, "", "aiInstructions: nothing"},
		"on, nothing else":     {`{"settings":{"qnaEnabled":true}}`, "", nil, nil, "", "aiInstructions: nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, p := instructed(t, test.pbism, test.text, test.ignore)
			var changes, skipped []string
			for _, c := range p.Changes {
				changes = append(changes, c.Key+" = "+c.Proposed)
				if c.Type != proposal.QnAEnabled {
					continue
				}
				if c.Property != rewrite.QnAEnabled || c.ObjectType != proposal.Model || deref(c.Current) != test.current || (c.Current == nil) != (test.current == "") ||
					!c.Recommended || !strings.Contains(c.Reason, "INS-10") {
					t.Errorf("the change is %+v", c)
				}
			}
			for _, s := range p.Skipped {
				skipped = append(skipped, s.Key+": "+s.Message)
			}
			if diff := cmp.Diff(test.changes, changes); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			if got := strings.Join(skipped, "; "); got != test.skipped {
				t.Errorf("skipped %s", got)
			}
			if (p.NothingToDo == nil) != (len(test.changes) > 0) {
				t.Errorf("nothing to do: %v", p.NothingToDo)
			}
		})
	}
}

// Both changes are one write, also where its objects do not fit into one event. Keys
// select one of them, and Q&A takes no other value.
//
// proves: 2.12/apply/qna
func TestQnAIsWrittenWithTheInstructions(t *testing.T) {
	t.Parallel()
	_, p := instructed(t, "{}", strings.Repeat("x", 9_000), nil)
	long := strings.Repeat("é", 64<<10)
	p.Changes[0].Current = &long
	writes, err := optimization.ApplyPreview{}.Select(p)
	if err != nil || len(writes) != 1 || writes[0].Type != proposal.AIInstructions || len(writes[0].Objects) != 2 {
		t.Fatalf("%v, %v", written(writes), err)
	}
	w := apply(t, operationID(1), optimization.AIInstructions, writes)
	if diff := cmp.Diff(writes, w.Writes); diff != "" {
		t.Errorf("the writes of the log (-selected +logged):\n%s", diff)
	}
	keys := []string{"qnaEnabled"}
	writes, err = optimization.ApplyPreview{Keys: &keys}.Select(p)
	if diff := cmp.Diff([][]string{{"aiInstructions", "qnaEnabled = true"}}, written(writes)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	_, err = optimization.ApplyPreview{Values: map[string]string{"qnaEnabled": "false"}}.Select(p)
	refused(t, err, domain.InvalidRequest, "qnaEnabled")
}

// A setting that someone changed is skipped, and the AI instructions are still written or
// put back.
//
// proves: 2.12/apply/qna
func TestQnAThatWasChangedIsSkipped(t *testing.T) {
	t.Parallel()
	_, p := instructed(t, "{}", "Use [Revenue].", nil)
	writes, err := optimization.ApplyPreview{}.Select(p)
	if err != nil {
		t.Fatal(err)
	}
	w := apply(t, operationID(1), optimization.AIInstructions, writes)
	revert := optimization.Work{Reverts: new(operationID(1)), Kind: w.Kind, Progress: make([]optimization.Progress, 1)}
	if revert.Writes, err = (optimization.RevertApply{ApplyID: operationID(1), AccountID: "contoso", ModelID: model, Now: noon}).Writes(
		applied(t, operationID(1), optimization.AIInstructions, writes), nil); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		work              optimization.Work
		instructions, qna string
		says              string // "" if nothing is skipped
		objects           int
	}{
		"as before":            {w, "", "", "", 2},
		"turned on since":      {w, "", "true", "changed after the preview", 1},
		"gone since":           {w, "", "gone", "definition.pbism", 1},
		"as written":           {revert, "Use [Revenue].", "true", "", 2},
		"turned off since":     {revert, "Use [Revenue].", "false", "changed after the apply", 1},
		"gone since the apply": {revert, "Use [Revenue].", "gone", "definition.pbism", 1},
		"no longer said":       {revert, "Use [Revenue].", "", "changed after the apply", 1},
		"reformatted, and off": {revert, "Use [Revenue].\r\n", "false", "changed after the apply", 1},
	} {
		plan, err := test.work.Plan(0, optimization.Now{Values: values(test.instructions, test.qna)})
		if err != nil || len(plan.Objects) != test.objects || len(plan.Skipped) != 2-test.objects ||
			len(plan.Skipped) > 0 && (plan.Skipped[0].Key != "qnaEnabled" || !strings.Contains(plan.Skipped[0].Message, test.says)) {
			t.Errorf("%s: %v, skipped %v, %v", name, keysOf(plan.Objects), plan.Skipped, err)
		}
	}
	_, err = revert.Plan(0, optimization.Now{Values: values("Use [Cost].", "true")})
	refused(t, err, domain.ItemChanged, "changed after the apply")
}
