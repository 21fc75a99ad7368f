package optimization_test

import (
	"testing"

	"readiness/domain"
	"readiness/domain/optimization"
	"readiness/domain/proposal"
)

// proves: 4.5/bundle/5
func TestWritesOfABundle(t *testing.T) {
	t.Parallel()
	ai := &proposal.Origin{Provider: "openai"}
	plain := optimization.Change{Key: "a", Type: proposal.Description, Proposed: "A."}
	written, review := plain, plain
	written.Key, written.Origin = "b", ai
	review.Key, review.ReviewRequired = "c", "it names a person"
	falls := []optimization.FallingDimension{{ID: "time", ScoreNow: 80, ScoreAfter: 70}}
	for name, row := range map[string]struct {
		form    optimization.Form
		changes []optimization.Change
		falls   []optimization.FallingDimension
		objects int
		code    domain.Code
	}{
		"nothing to write":                        {form: optimization.Applying},
		"nothing to write unattended":             {form: optimization.Unattended},
		"all that a person saw":                   {optimization.Applying, []optimization.Change{plain, written, review}, nil, 3, ""},
		"what no person must review":              {optimization.Unattended, []optimization.Change{plain, written, review}, nil, 2, ""},
		"only what a person must review":          {optimization.Unattended, []optimization.Change{review}, nil, 0, ""},
		"a lower score that a person saw":         {optimization.Applying, []optimization.Change{plain, written}, falls, 2, ""},
		"a lower score is not written unattended": {optimization.Unattended, []optimization.Change{plain, written}, falls, 0, ""},
		"a lower score without an AI's texts":     {optimization.Applying, []optimization.Change{plain}, falls, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := optimization.Preview{PreviewID: operationID(1), Kind: optimization.Descriptions, Changes: row.changes, DimensionsThatFall: row.falls}
			writes, err := row.form.Writes(p)
			if row.code != "" != domain.IsRefused(err, row.code) || row.code == "" && err != nil {
				t.Fatalf("got %v, want %q", err, row.code)
			}
			objects := 0
			for _, w := range writes {
				objects += len(w.Objects)
			}
			if objects != row.objects || objects == 0 && len(writes) > 0 {
				t.Errorf("%d objects are written, want %d", objects, row.objects)
			}
		})
	}
}

// A refusal of a kind's start is the kind's, unless it is the call's, or the next read tries again.
//
// proves: 4.5/bundle/5
func TestRefusedChildren(t *testing.T) {
	t.Parallel()
	before := child(optimization.Descriptions, optimization.ChildNotStarted, "")
	for code, row := range map[domain.Code]struct{ call, later bool }{
		domain.OptimizationApplyDailyLimitReached: {true, true},
		domain.ItemNotFound:                       {true, true},
		domain.OperationInProgress:                {true, true},
		domain.InvalidPreview:                     {false, true},
		domain.PlatformUnavailable:                {true, false},
	} {
		r := domain.Refuse(code, "because")
		after, recorded := before.RefusedInCall(r)
		if recorded != row.call {
			t.Errorf("%s in a call: recorded %v", code, recorded)
		}
		if after.Standing != optimization.ChildRefused || after.Code != code || after.Message != "because" || after.Kind != before.Kind {
			t.Errorf("%s: got %+v", code, after)
		}
		if after, recorded = before.RefusedLater(r); recorded != row.later || after.Code != code {
			t.Errorf("%s in a read: recorded %v, %+v", code, recorded, after)
		}
	}
}
