package optimization_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
	"readiness/domain/optimization"
)

var otherModel = uuid.UUID{15: 77}

// check reports an error that is not the wanted refusal; code "" means that nothing is
// refused.
func check(t *testing.T, name string, err error, code domain.Code, says string) {
	t.Helper()
	r, isRefusal := domain.Refused(err)
	switch {
	case code == "" && err == nil:
	case code == "" || !isRefusal || r.Code != code || !strings.Contains(r.Message, says):
		t.Errorf("%s: got %v, want %s %q", name, err, code, says)
	}
}

func TestCheckSource(t *testing.T) {
	t.Parallel()
	for _, k := range optimization.Kinds() {
		check(t, string(k), optimization.CheckSource(k, model, &optimization.Source{}), "", "")
		code := domain.Code("")
		if k.FromFindings() {
			code = domain.AssessmentNotFound
		}
		check(t, string(k)+" without an assessment", optimization.CheckSource(k, model, nil), code, "assess it first")
	}
}

// proves: 4.5/apply/1
func TestNamedPreview(t *testing.T) {
	t.Parallel()
	preview := func(change func(*optimization.Work)) optimization.Work {
		w := optimization.Work{Operation: operation.Operation{ID: operationID(1), Account: "contoso", Type: operation.PreviewOptimization,
			Resource: operation.Resource{ItemID: &model}}, Kind: optimization.Descriptions, Document: "h",
			ExpiresAt: noon.Add(optimization.PreviewLife)}
		if change != nil {
			change(&w)
		}
		return w
	}
	named := optimization.NamedPreview{Text: operationID(1).String(), Kind: optimization.Descriptions, AccountID: "contoso", ModelID: model,
		Now: noon.Add(optimization.PreviewLife)}
	if id, err := named.ID(); id != operationID(1) || err != nil {
		t.Errorf("its id is %s, %v", id, err)
	}
	for name, c := range map[string]struct {
		w    optimization.Work
		says string
	}{
		"at its last moment": {preview(nil), ""},
		"a moment later":     {preview(func(w *optimization.Work) { w.ExpiresAt = w.ExpiresAt.Add(-1) }), "older than 24 hours"},
		"none":               {optimization.Work{}, "there is none"},
		"another account's":  {preview(func(w *optimization.Work) { w.Operation.Account = "acme" }), "there is none"},
		"an apply":           {preview(func(w *optimization.Work) { w.Operation.Type = operation.ApplyOptimization }), "there is none"},
		"another model's": {preview(func(w *optimization.Work) { w.Operation.Resource.ItemID = &otherModel }),
			"another semantic model"},
		"another kind": {preview(func(w *optimization.Work) { w.Kind = optimization.Properties }),
			"previews properties, not descriptions"},
		"one without results": {preview(func(w *optimization.Work) { w.Document = "" }), "has not succeeded"},
	} {
		code := domain.InvalidPreview
		if c.says == "" {
			code = ""
		}
		check(t, name, named.Check(c.w), code, c.says)
	}
	named.Text = "p"
	_, err := named.ID()
	check(t, "a text that is no id", err, domain.InvalidPreview, "there is none")
}

// An apply that has not ended is refused only when it is decided with the lock.
func TestRevertApplyCheck(t *testing.T) {
	t.Parallel()
	running := apply(t, operationID(1), optimization.Descriptions, describe("Revenue", "", "First."))
	done := applied(t, operationID(1), optimization.Descriptions, describe("Revenue", "", "First."))
	preview := done
	preview.Operation.Type = operation.PreviewOptimization
	c := optimization.RevertApply{ApplyID: operationID(1), AccountID: "contoso", ModelID: model, Now: noon}
	check(t, "done", c.Check(done), "", "")
	check(t, "running", c.Check(running), "", "")
	check(t, "a preview", c.Check(preview), domain.OperationNotFound, "is not an apply")
	c.AccountID = "acme"
	check(t, "another account's", c.Check(done), domain.OperationNotFound, operationID(1).String())
	check(t, "another account's, running", c.Check(running), domain.OperationNotFound, "is not an apply")
	_, err := c.Writes(done, nil)
	check(t, "another account's, with the lock", err, domain.OperationNotFound, "is not an apply")
}

// A work tracks its model when it writes its first object, and only then.
func TestWorkTracks(t *testing.T) {
	t.Parallel()
	begun := apply(t, operationID(1), optimization.Descriptions, describe("Revenue", "", "First."))
	wrote := applied(t, operationID(1), optimization.Descriptions, describe("Revenue", "", "First."))
	failed := decide(t, optimization.Evolve, begun, optimization.Fail{Failure: operation.Failure{Code: domain.ItemChanged}})
	for name, c := range map[string]struct {
		before, now  optimization.Work
		tracks, idle bool
	}{
		"accepted":    {begun, begun, false, false},
		"first write": {begun, wrote, true, false},
		"again":       {wrote, wrote, false, false},
		"failed":      {begun, failed, false, true},
	} {
		if c.now.Tracks(c.before) != c.tracks || c.now.EndedIdle() != c.idle {
			t.Errorf("%s: tracks %t, ended idle %t", name, c.now.Tracks(c.before), c.now.EndedIdle())
		}
	}
}

func TestStartBundle(t *testing.T) {
	t.Parallel()
	names := func(all ...string) *[]string { return &all }
	for name, c := range map[string]struct {
		start optimization.StartBundle
		want  []optimization.Kind
		says  string
	}{
		"all kinds":             {optimization.StartBundle{Approval: "required"}, optimization.Kinds(), ""},
		"all kinds, unattended": {optimization.StartBundle{Approval: "none"}, optimization.Kinds(), ""},
		"in the order of bundles": {optimization.StartBundle{Kinds: names("properties", "descriptions"), Approval: "none"},
			[]optimization.Kind{optimization.Descriptions, optimization.Properties}, ""},
		"no kind": {optimization.StartBundle{Kinds: names(), Approval: "required"}, nil, "kinds is empty"},
		"another kind": {optimization.StartBundle{Kinds: names("names"), Approval: "required"}, nil,
			"there is no optimization kind"},
		"a kind twice": {optimization.StartBundle{Kinds: names("properties", "properties"), Approval: "required"}, nil,
			"names properties twice"},
		"another approval": {optimization.StartBundle{Approval: "maybe"}, nil, "approval must be"},
		"no approval":      {optimization.StartBundle{}, nil, "approval must be"},
		"the schema": {optimization.StartBundle{Kinds: names("aiDataSchema"), Approval: "required"},
			[]optimization.Kind{optimization.AIDataSchema}, ""},
		"the schema, unattended": {optimization.StartBundle{Kinds: names("aiDataSchema"), Approval: "none"}, nil,
			"not written unattended"},
		"the schema among others": {optimization.StartBundle{Kinds: names("aiDataSchema", "properties"), Approval: "none"},
			[]optimization.Kind{optimization.Properties, optimization.AIDataSchema}, ""},
	} {
		got, err := c.start.Check()
		code := domain.InvalidRequest
		if c.says == "" {
			code = ""
		}
		check(t, name, err, code, c.says)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// A bundle that only previews writes nothing; an unattended one never writes the AI data
// schema.
func TestNewChild(t *testing.T) {
	t.Parallel()
	id := operationID(3)
	for _, c := range []struct {
		form   optimization.Form
		kind   optimization.Kind
		want   optimization.Child
		writes bool
	}{
		{optimization.Previewing, optimization.AIDataSchema, optimization.Child{Standing: optimization.ChildRunning}, false},
		{optimization.Unattended, optimization.Properties, optimization.Child{Standing: optimization.ChildNotStarted,
			PreviewStanding: optimization.ChildRunning}, true},
		{optimization.Unattended, optimization.AIDataSchema, optimization.Child{Standing: optimization.ChildSkipped,
			PreviewStanding: optimization.ChildRunning, Code: domain.InvalidRequest}, false},
	} {
		got := c.form.NewChild(c.kind, id)
		if (got.Message != "") != (c.want.Code != "") {
			t.Errorf("%s of %s says %q", c.form, c.kind, got.Message)
		}
		c.want.Kind, c.want.PreviewID, c.want.Message = c.kind, &id, got.Message
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s of %s (-want +got):\n%s", c.form, c.kind, d)
		}
		if b := (optimization.BundleAccepted{Children: []optimization.Child{got}}); b.Writes() != c.writes {
			t.Errorf("%s of %s writes: %t", c.form, c.kind, b.Writes())
		}
	}
}

func TestApplyBundle(t *testing.T) {
	t.Parallel()
	expires := noon.Add(optimization.PreviewLife)
	made, failed := child(optimization.Descriptions, optimization.ChildSucceeded, ""), child(optimization.Properties,
		optimization.ChildFailed, "")
	made.ExpiresAt = &expires
	preview := func(change func(*optimization.Bundle)) optimization.Bundle {
		b := optimization.Bundle{Operation: operation.Operation{ID: operationID(1), Account: "contoso", Status: operation.StatusSucceeded,
			Resource: operation.Resource{ItemID: &model}}, BundleAccepted: optimization.BundleAccepted{Form: optimization.Previewing,
			AcceptedAt: noon, Children: []optimization.Child{made, failed}}}
		if change != nil {
			change(&b)
		}
		return b
	}
	c := optimization.ApplyBundle{PreviewID: operationID(1).String(), AccountID: "contoso", ModelID: model, Now: expires}
	by := operationID(8)
	for name, test := range map[string]struct {
		b    optimization.Bundle
		says string
	}{
		"at its last moment": {preview(nil), ""},
		"a moment later": {preview(func(b *optimization.Bundle) { e := expires.Add(-1); b.Children[0].ExpiresAt = &e }),
			"older than 24 hours"},
		"none":                 {optimization.Bundle{}, "there is no bundle preview"},
		"another account's":    {preview(func(b *optimization.Bundle) { b.Operation.Account = "acme" }), "there is no bundle preview"},
		"a bundle that writes": {preview(func(b *optimization.Bundle) { b.Form = optimization.Unattended }), "there is no bundle preview"},
		"another model's": {preview(func(b *optimization.Bundle) { b.Operation.Resource.ItemID = &otherModel }),
			"another semantic model"},
		"one that still runs": {preview(func(b *optimization.Bundle) { b.Operation.Status = operation.StatusRunning }), "has not succeeded"},
		"one used before":     {preview(func(b *optimization.Bundle) { b.UsedBy = &by }), "already applied"},
	} {
		code := domain.InvalidPreview
		if test.says == "" {
			code = ""
		}
		check(t, name, c.CheckPreview(test.b), code, test.says)
	}
	if id, err := c.ID(); id != operationID(1) || err != nil {
		t.Errorf("its id is %s, %v", id, err)
	}
	_, err := optimization.ApplyBundle{PreviewID: "p"}.ID()
	check(t, "a text that is no id", err, domain.InvalidPreview, "there is no bundle preview")

	first := []optimization.Child{{Kind: optimization.Descriptions, PreviewID: made.PreviewID, ExpiresAt: &expires,
		Standing: optimization.ChildNotStarted}}
	for name, test := range map[string]struct {
		kinds *[]string
		want  []optimization.Child
		says  string
	}{
		"all":                 {nil, first, ""},
		"one":                 {&[]string{"descriptions"}, first, ""},
		"one that failed":     {&[]string{"descriptions", "properties"}, nil, "has no preview of properties to write"},
		"one not previewed":   {&[]string{"descriptions", "aiInstructions"}, nil, "does not include aiInstructions"},
		"none":                {&[]string{}, nil, "kinds is empty"},
		"one that is no kind": {&[]string{"names"}, nil, "there is no optimization kind"},
	} {
		c.Kinds = test.kinds
		got, err := c.Children(preview(nil))
		code := domain.InvalidRequest
		if test.says == "" {
			code = ""
		}
		check(t, name, err, code, test.says)
		if d := cmp.Diff(test.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		if early := c.Check(); (early != nil) != (name == "none" || name == "one that is no kind") {
			t.Errorf("%s: before anything is looked up: %v", name, early)
		}
	}
}

func TestRevertBundle(t *testing.T) {
	t.Parallel()
	one, two := operationID(21), operationID(22)
	done := func(k optimization.Kind, s optimization.ChildStanding, id uuid.UUID) optimization.Child {
		return optimization.Child{Kind: k, Standing: s, OperationID: &id}
	}
	bundle := func(children ...optimization.Child) optimization.Bundle {
		return optimization.Bundle{Operation: operation.Operation{ID: operationID(1), Account: "contoso", Status: operation.StatusSucceeded,
			Type: operation.ApplyOptimizations, Resource: operation.Resource{ItemID: &model}},
			BundleAccepted: optimization.BundleAccepted{AcceptedAt: noon, Children: children}}
	}
	with := func(b optimization.Bundle, change func(*operation.Operation)) optimization.Bundle {
		change(&b.Operation)
		return b
	}
	stands := bundle(done(optimization.Descriptions, optimization.ChildApplied, one), done(optimization.Properties,
		optimization.ChildApplied, two))
	reverted := bundle(done(optimization.Descriptions, optimization.ChildReverted, one))
	idle := bundle(done(optimization.Descriptions, optimization.ChildNothingToDo, one))
	end := noon.Add(optimization.RecordLife)
	for name, test := range map[string]struct {
		b    optimization.Bundle
		now  time.Time
		code domain.Code
		says string
	}{
		"at the end of its thirty days": {stands, end, "", ""},
		"a moment after":                {stands, end.Add(1), domain.OperationExpired, "30 days"},
		"none":                          {optimization.Bundle{}, noon, domain.OperationNotFound, "is not a bundle apply"},
		"another account's": {with(stands, func(o *operation.Operation) { o.Account = "acme" }), noon,
			domain.OperationNotFound, "is not a bundle apply"},
		"a bundle preview": {with(stands, func(o *operation.Operation) { o.Type = operation.PreviewOptimizations }), noon,
			domain.OperationNotFound, "is not a bundle apply"},
		"another model's": {with(stands, func(o *operation.Operation) { o.Resource.ItemID = &otherModel }), noon,
			domain.OperationNotFound, "is not a bundle apply"},
		"one that still runs": {with(stands, func(o *operation.Operation) { o.Status = operation.StatusRunning }), noon,
			domain.OperationInProgress, "has not ended"},
		"one that wrote nothing":         {idle, noon, domain.InvalidRequest, "wrote nothing"},
		"one that was reverted":          {reverted, noon, domain.InvalidRequest, "already reverted"},
		"one that was reverted, expired": {reverted, end.Add(1), domain.InvalidRequest, "already reverted"},
	} {
		c := optimization.RevertBundle{ApplyID: operationID(1).String(), AccountID: "contoso", ModelID: model, Now: test.now}
		check(t, name, c.CheckApply(test.b), test.code, test.says)
	}
	want := []optimization.Child{{Kind: optimization.Properties, Reverts: &two, Standing: optimization.ChildNotStarted},
		{Kind: optimization.Descriptions, Reverts: &one, Standing: optimization.ChildNotStarted}}
	if d := cmp.Diff(want, optimization.RevertBundle{}.Children(stands)); d != "" {
		t.Errorf("the last kind comes first (-want +got):\n%s", d)
	}
	if left := (optimization.RevertBundle{}).Children(reverted); len(left) != 0 {
		t.Errorf("a reverted kind is reverted again: %v", left)
	}
	if id, err := (optimization.RevertBundle{ApplyID: one.String()}).ID(); id != one || err != nil {
		t.Errorf("its id is %s, %v", id, err)
	}
	_, err := optimization.RevertBundle{ApplyID: strings.Repeat("x", 50)}.ID()
	r, isRefusal := domain.Refused(err)
	if !isRefusal || r.Code != domain.OperationNotFound || r.Params[0].Value != strings.Repeat("x", 36) {
		t.Errorf("a text that is no id: got %+v", r)
	}
}
