package optimization_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"readiness/definition/rewrite"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/proposal"
)

// object returns an object of a write; "" means no value.
func object(kind proposal.Type, name, previous, written string) optimization.Object {
	c := change(kind, "Sales", name, previous, written)
	o := optimization.Object{Key: c.Key, Type: kind, Table: c.Table, Object: name, ObjectType: c.ObjectType, Property: c.Property, Previous: c.Current}
	if written != "" {
		o.Written = &written
	}
	return o
}

// twoWrites returns the writes of an apply of properties.
func twoWrites() []optimization.Write {
	return []optimization.Write{
		{Type: proposal.DisplayFolder, Objects: []optimization.Object{object(proposal.DisplayFolder, "Revenue", "", "Money"), object(proposal.DisplayFolder, "Cost", "Old", "Money")}},
		{Type: proposal.SummarizeBy, Objects: []optimization.Object{object(proposal.SummarizeBy, "Year", "sum", "none")}},
	}
}

// apply returns an accepted apply with the writes.
func apply(t *testing.T, id uuid.UUID, kind optimization.Kind, writes []optimization.Write) optimization.Work {
	t.Helper()
	n := len(writes)
	return decide(t, optimization.Evolve, optimization.Work{}, optimization.AcceptWrite{
		Operation: operation.Accepted{
			OperationID: id, AccountID: "contoso", Type: operation.ApplyOptimization, Owner: item.PersonID("ana"),
			Resource: operation.Resource{ItemID: &model}, Impact: operation.Impact{OptimizationApplies: &n},
		},
		Apply: optimization.ApplyAccepted{Kind: kind, Writes: writes, Applies: n},
	})
}

// intend records the intent of a write on an unchanged model, without the objects to
// leave out.
func intend(t *testing.T, w optimization.Work, at int, leave ...string) optimization.Work {
	t.Helper()
	i := optimization.WriteIntended{Write: at, DefinitionHash: "sha256:1"}
	for _, o := range w.Writes[at].Objects {
		if len(leave) > 0 && o.Object == leave[0] {
			i.Skipped = append(i.Skipped, optimization.Skip{Key: o.Key, Reason: "ItemChanged", Message: "changed"})
			continue
		}
		i.Undo = append(i.Undo, rewrite.Undo{Target: o.Target(), Written: deref(o.Written)})
	}
	return decide(t, optimization.Evolve, w, optimization.Intend{Intended: i})
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func land(t *testing.T, w optimization.Work, at int) optimization.Work {
	t.Helper()
	return decide(t, optimization.Evolve, w, optimization.Land{Write: at, At: noon})
}

// applied returns an apply whose writes have all landed.
func applied(t *testing.T, id uuid.UUID, kind optimization.Kind, writes []optimization.Write) optimization.Work {
	t.Helper()
	w := apply(t, id, kind, writes)
	for at := range writes {
		w = decide(t, optimization.Evolve, w, optimization.StartWrite{})
		w = land(t, intend(t, w, at), at)
	}
	if w.Operation.Status != operation.StatusSucceeded {
		t.Fatalf("the apply is %s", w.Operation.Status)
	}
	return w
}

func keysOf(objects []optimization.Object) []string {
	keys := []string{}
	for _, o := range objects {
		keys = append(keys, o.Key)
	}
	return keys
}

func values(texts ...string) []rewrite.Value {
	all := make([]rewrite.Value, len(texts))
	for i, text := range texts {
		switch text {
		case "gone":
		case "":
			all[i].Found = true
		default:
			all[i] = rewrite.Value{Found: true, Text: &text}
		}
	}
	return all
}

func TestTheFirstWriteStartsWithTheCallAndTheSecondWaits(t *testing.T) {
	t.Parallel()
	w := apply(t, operationID(1), optimization.Properties, twoWrites())
	if w.Next() != 0 || !w.Progress[0].Started || w.Progress[1].Started {
		t.Fatalf("after the call the writes are %+v", w.Progress)
	}
	if again := decide(t, optimization.Evolve, w, optimization.StartWrite{}); !cmp.Equal(w, again) {
		t.Error("a read started something while nothing waited")
	}
	w = land(t, intend(t, w, 0), 0)
	if w.Operation.Waiting == nil || w.Progress[1].Started || w.Operation.Status.Ended() {
		t.Fatalf("after the first write: %+v", w)
	}
	if events, err := (optimization.Land{Write: 1, At: noon}).Decide(w); err != nil || events != nil {
		t.Errorf("a write that was not started landed: %v, %v", events, err)
	}
	w = decide(t, optimization.Evolve, w, optimization.StartWrite{})
	if w.Operation.Waiting != nil || !w.Progress[1].Started {
		t.Fatalf("after the owner's read: %+v", w)
	}
	if events, err := (optimization.StartWrite{}).Decide(w); err != nil || events != nil {
		t.Errorf("a second read started it again: %v, %v", events, err)
	}
	w = land(t, intend(t, w, 1), 1)
	if w.Operation.Status != operation.StatusSucceeded || len(w.Applied()) != 3 || len(w.LeftOut()) != 0 {
		t.Errorf("in the end it is %s, applied %v", w.Operation.Status, keysOf(w.Applied()))
	}
}

func TestAFailureAfterAWriteSucceedsInPart(t *testing.T) {
	t.Parallel()
	w := apply(t, operationID(1), optimization.Properties, twoWrites())
	w = land(t, intend(t, w, 0, "Cost"), 0)
	w = decide(t, optimization.Evolve, w, optimization.StartWrite{})
	w = decide(t, optimization.Evolve, w, optimization.Fail{Failure: operation.Failure{Code: domain.PlatformUnavailable, Message: "gone"}})
	if w.Operation.Status != operation.StatusSucceeded {
		t.Errorf("it is %s", w.Operation.Status)
	}
	if d := cmp.Diff([]string{"Sales|Revenue"}, keysOf(w.Applied())); d != "" {
		t.Error(d)
	}
	want := []optimization.Skip{{Key: "Sales|Cost", Reason: "ItemChanged", Message: "changed"}, {Key: "Sales|Year", Reason: "PlatformUnavailable", Message: "gone"}}
	if d := cmp.Diff(want, w.LeftOut()); d != "" {
		t.Error(d)
	}
	if n := *w.Operation.Impact.OptimizationApplies; n != 2 {
		t.Errorf("%d applies are spent; work that has done something is not refunded", n)
	}
}

// Work that fails before it wrote anything is refunded if the platform was the cause
// (docs/decisions.md 5 and 8.5).
func TestAFailureBeforeAnyWrite(t *testing.T) {
	t.Parallel()
	for code, spent := range map[domain.Code]int{
		domain.PlatformUnavailable: 0, domain.CapacityPaused: 0, domain.CapacityBusy: 0,
		domain.ItemChanged: 2, domain.ItemNotReadable: 2, domain.OptimizationFailed: 2, domain.PlatformAccessDenied: 2, domain.ItemNotFound: 2,
	} {
		w := apply(t, operationID(1), optimization.Properties, twoWrites())
		w = decide(t, optimization.Evolve, w, optimization.Fail{Failure: operation.Failure{Code: code, Message: "no"}})
		if w.Operation.Status != operation.StatusFailed || w.Operation.Failure.Code != code || len(w.Applied()) != 0 {
			t.Errorf("%s: it is %s with %v", code, w.Operation.Status, w.Operation.Failure)
		}
		if n := *w.Operation.Impact.OptimizationApplies; n != spent {
			t.Errorf("%s: %d applies stay spent, want %d", code, n, spent)
		}
	}
}

// Work that may have written something is not refunded.
func TestWriteInDoubtIsNotRefunded(t *testing.T) {
	t.Parallel()
	for code, spent := range map[domain.Code]int{domain.PlatformUnavailable: 2, domain.CapacityBusy: 0} {
		w := intend(t, apply(t, operationID(1), optimization.Properties, twoWrites()), 0)
		w = decide(t, optimization.Evolve, w, optimization.Fail{Failure: operation.Failure{Code: code, Message: "no"}})
		if n := *w.Operation.Impact.OptimizationApplies; w.Operation.Status != operation.StatusFailed || n != spent {
			t.Errorf("%s: it is %s with %d applies spent, want %d", code, w.Operation.Status, n, spent)
		}
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	describe := []optimization.Write{{Type: proposal.Description, Objects: []optimization.Object{
		object(proposal.Description, "Revenue", "old", "new"), object(proposal.Description, "Cost", "", "new"),
	}}}
	folders := twoWrites()[:1]
	tests := map[string]struct {
		kind    optimization.Kind
		writes  []optimization.Write
		reverts bool
		now     []rewrite.Value
		objects []string
		skipped []string
		changed bool
	}{
		"as it was":                          {optimization.Descriptions, describe, false, values("old", ""), []string{"Sales|Revenue", "Sales|Cost"}, nil, false},
		"a described object gone":            {optimization.Descriptions, describe, false, values("gone", ""), []string{"Sales|Cost"}, []string{"Sales|Revenue"}, false},
		"every described object gone":        {optimization.Descriptions, describe, false, values("gone", "gone"), nil, []string{"Sales|Revenue", "Sales|Cost"}, false},
		"a description changed":              {optimization.Descriptions, describe, false, values("other", ""), nil, nil, true},
		"a description removed":              {optimization.Descriptions, describe, false, values("", ""), nil, nil, true},
		"a description that is new":          {optimization.Descriptions, describe, false, values("old", "someone's"), nil, nil, true},
		"gone, when it is put back":          {optimization.Descriptions, describe, true, values("gone", ""), nil, nil, true},
		"a measure in another folder":        {optimization.Properties, folders, false, values("KPIs", "Old"), []string{"Sales|Cost"}, []string{"Sales|Revenue"}, false},
		"a measure gone":                     {optimization.Properties, folders, false, values("", "gone"), []string{"Sales|Revenue"}, []string{"Sales|Cost"}, false},
		"a default changed":                  {optimization.Properties, twoWrites()[1:], false, values("count"), nil, nil, true},
		"a default already as proposed":      {optimization.Properties, twoWrites()[1:], false, values("none"), nil, nil, true},
		"a column gone":                      {optimization.Properties, twoWrites()[1:], false, values("gone"), nil, []string{"Sales|Year"}, false},
		"a default changed before a revert":  {optimization.Properties, twoWrites()[1:], true, values("count"), nil, []string{"Sales|Year"}, false},
		"an entry gone from the data schema": {optimization.AIDataSchema, describe, false, values("gone", ""), nil, nil, true},
		"a folder changed before the revert": {optimization.Properties, folders, true, values("KPIs", "Old"), []string{"Sales|Cost"}, []string{"Sales|Revenue"}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := apply(t, operationID(1), test.kind, test.writes)
			if test.reverts {
				of := operationID(9)
				w.Reverts = &of
			}
			plan, err := w.Plan(0, optimization.Now{Values: test.now})
			if test.changed {
				remedy := map[bool]string{true: "by hand", false: "a new preview"}[test.reverts]
				refused(t, err, domain.ItemChanged, "this write changed nothing", remedy)
				return
			}
			if err != nil || plan.Landed {
				t.Fatalf("%v, landed %v", err, plan.Landed)
			}
			var skipped []string
			for _, s := range plan.Skipped {
				skipped = append(skipped, s.Key)
			}
			if d := cmp.Diff(append([]string{}, test.objects...), keysOf(plan.Objects)); d != "" {
				t.Errorf("written (-want +got):\n%s", d)
			}
			if d := cmp.Diff(test.skipped, skipped); d != "" {
				t.Errorf("skipped (-want +got):\n%s", d)
			}
		})
	}
}

// A platform that reformats parts changes the line ends of instructions and the blanks
// around them; they count as unchanged. A write that changes only layout is compared
// exactly, so that it is not made again.
func TestPlanOfReformattedInstructions(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	for name, c := range map[string]struct {
		previous, written, now string
		intended               bool
		landed, changed        bool
	}{
		"as it was":                           {previous: "a\n\nb\n", written: "c", now: "a\n\nb\n"},
		"in CRLF, trimmed":                    {previous: "a\n\nb\n", written: "c", now: "a\r\n\r\nb"},
		"another text":                        {previous: "a\n\nb\n", written: "c", now: "a\nb\n", changed: true},
		"made, in CRLF, trimmed":              {previous: "c", written: "a\nb\n", now: "a\r\nb", intended: true, landed: true},
		"not made, in CRLF":                   {previous: "a\nb", written: "c", now: "a\r\nb\r\n", intended: true},
		"neither":                             {previous: "a", written: "b", now: "c", intended: true, changed: true},
		"made, of what layout alone changes":  {previous: "a\n", written: "a", now: "a", intended: true, landed: true},
		"not made, of what layout alone does": {previous: "a\n", written: "a", now: "a\n", intended: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := optimization.Object{Key: "model", Type: proposal.AIInstructions, ObjectType: proposal.Model, Property: "instructions", Previous: &c.previous, Written: &c.written}
			w := apply(t, operationID(1), optimization.AIInstructions, []optimization.Write{{Type: proposal.AIInstructions, Objects: []optimization.Object{o}}})
			if c.intended {
				w = intend(t, w, 0)
			}
			plan, err := w.Plan(0, optimization.Now{Values: []rewrite.Value{{Found: true, Text: text(c.now)}}})
			switch {
			case c.changed:
				refused(t, err, domain.ItemChanged, "this write changed nothing")
			case err != nil || plan.Landed != c.landed:
				t.Errorf("landed %v, %v; want %v", plan.Landed, err, c.landed)
			case !plan.Landed && len(plan.Objects) != 1:
				t.Errorf("%d objects are written, want 1", len(plan.Objects))
			}
		})
	}
}

// After a crash the model shows whether a write was made: completely, not at all, or
// someone else changed it.
func TestPlanAfterACrash(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		now     []rewrite.Value
		landed  bool
		changed bool
	}{
		"not made":                              {values("", "Old"), false, false},
		"made":                                  {values("Money", "Money"), true, false},
		"made, and one changed since":           {values("Money", "Theirs"), true, false},
		"made, and one removed since":           {values("Money", "gone"), true, false},
		"not made, and one changed":             {values("", "Theirs"), false, true},
		"everything changed":                    {values("A", "B"), false, true},
		"everything gone":                       {values("gone", "gone"), false, true},
		"not made, and one is as if it was not": {values("Money", "Old"), true, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := intend(t, apply(t, operationID(1), optimization.Properties, twoWrites()), 0)
			plan, err := w.Plan(0, optimization.Now{Values: test.now})
			switch {
			case test.changed:
				refused(t, err, domain.ItemChanged, "interrupted")
			case err != nil || plan.Landed != test.landed:
				t.Errorf("landed %v, %v; want %v", plan.Landed, err, test.landed)
			case !plan.Landed && len(plan.Objects) != 2:
				t.Errorf("%d objects are written again, want 2", len(plan.Objects))
			}
		})
	}
}

// A write that the platform says it made has landed only if every value is the written one.
func TestPlanOfAReadBack(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		now  []rewrite.Value
		code domain.Code // "" for landed
		says string
	}{
		"kept":                                 {values("Money", "Money"), "", ""},
		"not kept":                             {values("", "Old"), domain.OptimizationFailed, "did not keep 2 of its 2 values"},
		"one not kept":                         {values("Money", "Old"), domain.OptimizationFailed, "did not keep 1 of its 2 values, such as the displayFolder of Sales[Cost]"},
		"one changed since":                    {values("Money", "Theirs"), domain.ItemChanged, `it is now "Theirs"`},
		"one removed since":                    {values("Money", "gone"), domain.ItemChanged, "no longer holds it"},
		"one emptied since":                    {values("Money", ""), domain.ItemChanged, "it has none now"},
		"one changed since, one not kept":      {values("", "Theirs"), domain.ItemChanged, "Sales[Cost]"},
		"everything is something else by then": {values("A", "B"), domain.ItemChanged, `it is now "A"`},
	}
	for name, test := range tests {
		w := intend(t, apply(t, operationID(1), optimization.Properties, twoWrites()), 0)
		plan, err := w.Plan(0, optimization.Now{Values: test.now, Made: true})
		if test.code != "" {
			refused(t, err, test.code, test.says)
		}
		if plan.Landed != (test.code == "") || len(plan.Objects) > 0 {
			t.Errorf("%s: landed %v, %d objects are written again: %v", name, plan.Landed, len(plan.Objects), err)
		}
	}
}

// What the platform took is recorded for the intent that was sent, and a new intent has been sent nowhere.
func TestSend(t *testing.T) {
	t.Parallel()
	sent := optimization.Send{Sent: optimization.WriteSent{Write: 0, Operation: "o"}}
	w := apply(t, operationID(1), optimization.Properties, twoWrites())
	if got := decide(t, optimization.Evolve, w, sent); got.Progress[0].Sent != nil {
		t.Error("a write that was not intended is recorded as sent")
	}
	w = decide(t, optimization.Evolve, intend(t, w, 0), sent)
	if s := w.Progress[0].Sent; s == nil || s.Operation != "o" {
		t.Fatalf("got %v", s)
	}
	if again := intend(t, w, 0); again.Progress[0].Sent != nil {
		t.Error("a new intent is recorded as sent")
	}
	if events, err := sent.Decide(land(t, w, 0)); err != nil || len(events) != 0 {
		t.Errorf("of a write that has landed, got %v, %v", events, err)
	}
}

// The definition's hash shows that a write was made, whatever the values are. A write
// that the platform rejected is planned as if it had not been intended.
func TestPlanAfterTheWriteWasRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		now     optimization.Now
		landed  bool
		objects int
		skipped int
	}{
		"another worker has made it":         {optimization.Now{Values: values("Money", "Money"), Hash: "sha256:2", Refused: true}, true, 0, 0},
		"somebody moved one as it was to be": {optimization.Now{Values: values("Money", "Old"), Hash: "sha256:3", Refused: true}, false, 1, 1},
		"something else changed":             {optimization.Now{Values: values("", "Old"), Hash: "sha256:3", Refused: true}, false, 2, 0},
		"made, and told by its hash":         {optimization.Now{Values: values("A", "B"), Hash: "sha256:2"}, true, 0, 0},
	} {
		w := apply(t, operationID(1), optimization.Properties, twoWrites())
		intended := optimization.WriteIntended{DefinitionHash: "sha256:1", WrittenHash: "sha256:2"}
		for _, o := range w.Writes[0].Objects {
			intended.Undo = append(intended.Undo, rewrite.Undo{Target: o.Target(), Written: "Money"})
		}
		w = decide(t, optimization.Evolve, w, optimization.Intend{Intended: intended})
		plan, err := w.Plan(0, test.now)
		if err != nil || plan.Landed != test.landed || len(plan.Objects) != test.objects || len(plan.Skipped) != test.skipped {
			t.Errorf("%s: %+v, %v", name, plan, err)
		}
	}
}

func TestUnattended(t *testing.T) {
	t.Parallel()
	two := 2
	accepted := decide(t, optimization.Evolve, optimization.Work{}, optimization.AcceptWrite{
		Operation: operation.Accepted{OperationID: operationID(1), Type: operation.ApplyOptimization, Resource: operation.Resource{ItemID: &model}, Impact: operation.Impact{OptimizationApplies: &two}},
		Apply:     optimization.ApplyAccepted{Kind: optimization.Properties, Unattended: true, Applies: 2},
	})
	if accepted.Next() != -1 || accepted.Proposed {
		t.Fatal("an unattended apply has writes before its proposal")
	}
	record := func(writes []optimization.Write) optimization.Work {
		return decide(t, optimization.Evolve, accepted, optimization.RecordProposal{Proposed: optimization.Proposed{DocumentHash: "sha256:1", Writes: writes}, At: noon})
	}
	if w := record(nil); w.Operation.Status != operation.StatusSucceeded || *w.Operation.Impact.OptimizationApplies != 0 || len(w.Applied()) != 0 {
		t.Errorf("with nothing to write it is %s, having spent %d", w.Operation.Status, *w.Operation.Impact.OptimizationApplies)
	}
	w := record(twoWrites()[:1])
	if w.Operation.Waiting == nil || w.Progress[0].Started || *w.Operation.Impact.OptimizationApplies != 1 {
		t.Fatalf("with one write it is %+v", w.Operation)
	}
	if events, err := (optimization.RecordProposal{Proposed: optimization.Proposed{Writes: twoWrites()}, At: noon}).Decide(w); err != nil || events != nil {
		t.Errorf("a second proposal was recorded: %v, %v", events, err)
	}
	end := *w.Operation.Waiting.Until
	if !end.Equal(noon.Add(24 * time.Hour)) {
		t.Errorf("it waits until %v", end)
	}
	if events, err := (optimization.Lapse{Now: end}).Decide(w); err != nil || events != nil {
		t.Errorf("it lapsed at the last instant: %v, %v", events, err)
	}
	w = decide(t, optimization.Evolve, w, optimization.Lapse{Now: end.Add(time.Microsecond)})
	if w.Operation.Status != operation.StatusFailed || w.Operation.Failure.Code != domain.OptimizationFailed {
		t.Errorf("left alone it is %s", w.Operation.Status)
	}
}

// In any order of decisions, each write lands at most once, an operation ends once, and
// its spending never grows.
func TestAnyHistoryOfAWork(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := 2
		w, ended, landed := optimization.Work{}, 0, map[int]int{}
		take := func(c domain.Command[optimization.Work]) {
			events, err := c.Decide(w)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				switch e := e.(type) {
				case operation.Succeeded, operation.Failed:
					ended++
				case optimization.WriteLanded:
					landed[e.Write]++
				}
				before := w.Operation.Impact.OptimizationApplies
				w = optimization.Evolve(w, e)
				if before != nil && *w.Operation.Impact.OptimizationApplies > *before {
					t.Fatalf("%T made what is spent grow", e)
				}
			}
		}
		unattended := rapid.Bool().Draw(t, "unattended")
		a := optimization.ApplyAccepted{Kind: optimization.Properties, Unattended: unattended, Applies: 2}
		if !unattended {
			a.Writes = twoWrites()
		}
		take(optimization.AcceptWrite{Operation: operation.Accepted{Type: operation.ApplyOptimization, Impact: operation.Impact{OptimizationApplies: &n}}, Apply: a})
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			at := rapid.IntRange(0, 1).Draw(t, "write")
			switch rapid.IntRange(0, 6).Draw(t, "command") {
			case 0:
				take(optimization.StartWrite{})
			case 1:
				take(optimization.Intend{Intended: optimization.WriteIntended{Write: at}})
			case 2:
				take(optimization.Land{Write: at, At: noon})
			case 3:
				code := rapid.SampledFrom([]domain.Code{domain.ItemChanged, domain.PlatformUnavailable}).Draw(t, "code")
				take(optimization.Fail{Failure: operation.Failure{Code: code}})
			case 4:
				take(optimization.Lapse{Now: noon.Add(rapid.SampledFrom([]time.Duration{0, 48 * time.Hour}).Draw(t, "later"))})
			case 5:
				take(optimization.Begin{})
			case 6:
				take(optimization.RecordProposal{Proposed: optimization.Proposed{Writes: twoWrites()[:rapid.IntRange(0, 2).Draw(t, "writes")]}, At: noon})
			}
			if ended > 1 || landed[0] > 1 || landed[1] > 1 || landed[1] > landed[0] {
				t.Fatalf("ended %d times, landed %v", ended, landed)
			}
			if w.Operation.Status.Ended() != (ended == 1) || w.Operation.Status.Ended() && w.Operation.Waiting != nil {
				t.Fatalf("it is %s after %d ends, waiting %v", w.Operation.Status, ended, w.Operation.Waiting)
			}
		}
	})
}
