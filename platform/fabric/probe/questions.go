package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/domain/item"
	"readiness/platform/fabric"
)

// makeModel creates the semantic model, with the parts that prepare it for AI or, if the platform refuses these, without
// them.
func (r *run) makeModel(ctx context.Context) error {
	d, err := definitionIn("items/model")
	if err != nil {
		return err
	}
	it, code, err := r.create(ctx, item.SemanticModel, "semanticModels", d)
	if err == nil && code != "" {
		r.Report("a model is created with AI instructions", "no; "+code)
		if it, code, err = r.create(ctx, item.SemanticModel, "semanticModels", without(d)); err == nil && code != "" {
			return fmt.Errorf("the platform does not create a semantic model in this workspace (%s)", code)
		}
	}
	r.model = it
	if err == nil {
		r.Report("a model is created", "yes")
	}
	return err
}

// modelKept writes the model as an apply and a revert do, and compares the values.
func (r *run) modelKept(ctx context.Context) error {
	given, err := definitionIn("items/model")
	if err != nil {
		return err
	}
	before, err := r.platform.Definition(ctx, r.as, r.model)
	if err != nil {
		why, err := reasonOf(err)
		r.keeps("the model's definition is read", false, why)
		return err
	}
	relaid := compare(given, before)
	r.reportLayout("the model's parts", relaid)
	shown := !slices.ContainsFunc(given.Parts, func(p definition.Part) bool {
		how := relaid[p.Path]
		return strings.HasPrefix(p.Path, "Copilot/") && (how == notGiven || how == otherContent)
	})
	r.learn(func(a *fabric.Answers) { a.CopilotShown, a.Relaid = shown, relaid })
	r.Report("parts below Copilot/ are shown", yes(shown, "", "what a model has there is not known from its definition"))

	was, unknown := r.prepared(ctx)
	changes := []rewrite.Change{{Target: rewrite.Target{Property: rewrite.Description, Table: "Probe"}, Value: "Written by a probe."}}
	if shown {
		changes = append(changes, rewrite.Change{Target: rewrite.Target{Property: rewrite.Instructions}, Value: "Answer in two sentences."})
	}
	if err := r.writeModel(ctx, before, changes); err != nil || shown {
		return err
	}
	is, gone := r.prepared(ctx)
	kept := unknown == nil && gone == nil && was && is
	r.learn(func(a *fabric.Answers) { a.HiddenKept = kept })
	switch {
	case unknown != nil || gone != nil:
		r.Report("an update keeps hidden parts", "not known; Fabric IQ does not answer")
	case !was:
		r.Report("an update keeps hidden parts", "not known; the model has no AI instructions, though they were given")
	default:
		r.Report("an update keeps hidden parts", yes(kept, "", "an update deletes them"))
	}
	return nil
}

// prepared reports whether Fabric IQ shows AI instructions of the model.
func (r *run) prepared(ctx context.Context) (bool, error) {
	if r.asking == nil {
		return false, errors.New("Fabric IQ is not asked")
	}
	p, err := r.asking.Prepared(ctx, r.as, r.model.ID)
	return p.Instructions, err
}

// writeModel makes changes and reverts them.
func (r *run) writeModel(ctx context.Context, before definition.Definition, changes []rewrite.Change) error {
	var targets []rewrite.Target
	for _, c := range changes {
		targets = append(targets, c.Target)
	}
	wanted, undos, err := rewrite.Write(before, changes)
	if err != nil {
		return err
	}
	written, err := r.write(ctx, r.model, before, wanted)
	if err != nil {
		why, err := reasonOf(err)
		r.keeps("a model keeps the values that are written", false, why)
		return err
	}
	values, err := rewrite.Values(written, targets)
	kept := err == nil
	for i, c := range changes {
		kept = kept && rewrite.Same(c.Property, values[i].Text, &c.Value)
	}
	r.keeps("a model keeps the values that are written", kept, "")
	if !kept {
		return nil
	}
	restored, err := rewrite.Restore(written, undos)
	if err != nil {
		r.keeps("a model is restored", false, "what was written cannot be recognized")
		return nil //nolint:nilerr // this is the answer
	}
	back, err := r.write(ctx, r.model, written, restored)
	if err != nil {
		why, err := reasonOf(err)
		r.keeps("a model is restored", false, why)
		return err
	}
	old, err := rewrite.Values(before, targets)
	now, err2 := rewrite.Values(back, targets)
	r.keeps("a model is restored", err == nil && err2 == nil && reflect.DeepEqual(old, now), "")
	r.Report("a restored model has the bytes that it had", yes(back.Hash() == before.Hash(), "", "its values are compared"))
	return nil
}

// write writes as the service does, and reads the result.
func (r *run) write(ctx context.Context, it item.Item, before, after definition.Definition) (definition.Definition, error) {
	err := r.platform.WriteDefinition(ctx, r.as, it, after, before.Hash())
	sent, taken := errors.AsType[*item.Sent](err)
	if !taken {
		return definition.Definition{}, err
	}
	if sent.Operation != "" {
		ended, err := r.platform.FinishWrite(ctx, r.as, it, sent.Operation)
		if err != nil {
			return definition.Definition{}, err
		}
		if ended.Failure != nil {
			return definition.Definition{}, ended.Failure
		}
	}
	return r.platform.Definition(ctx, r.as, it)
}

// makeReport creates a report on the model.
func (r *run) makeReport(ctx context.Context) error {
	d, err := r.reportGiven()
	if err != nil {
		return err
	}
	it, code, err := r.create(ctx, item.Report, "reports", d)
	if err == nil && code != "" {
		r.keeps("a report is created", false, code)
		return nil
	}
	if r.report = it; err == nil {
		r.Report("a report is created", "yes")
	}
	return err
}

func (r *run) reportGiven() (definition.Definition, error) {
	d, err := definitionIn("items/report")
	connection := fmt.Sprintf(`{
  "$schema": "https://developer.microsoft.com/json-schemas/fabric/item/report/definitionProperties/2.0.0/schema.json",
  "version": "4.0",
  "datasetReference": {
    "byConnection": {
      "connectionString": "semanticmodelid=%s"
    }
  }
}
`, r.model.ID)
	return definition.New(append(d.Parts, definition.Part{Path: "definition.pbir", Data: []byte(connection)})...), err
}

// reportKept writes the report as adding and removing a Pixie do.
func (r *run) reportKept(ctx context.Context) error {
	if r.report.ID == (item.Item{}).ID {
		return nil
	}
	given, err := r.reportGiven()
	if err != nil {
		return err
	}
	const kept, back = "a report keeps the values that are written", "a report is restored"
	before, err := r.platform.Definition(ctx, r.as, r.report)
	if err != nil {
		why, err := reasonOf(err)
		r.keeps("the report's definition is read", false, why)
		return err
	}
	relaid := compare(given, before)
	r.reportLayout("the report's parts", relaid)
	r.learn(func(a *fabric.Answers) {
		all := maps.Clone(a.Relaid)
		maps.Copy(all, relaid)
		a.Relaid = all
	})
	changed := definition.Definition{Parts: slices.Clone(before.Parts), Format: before.Format}
	at := slices.IndexFunc(changed.Parts, func(p definition.Part) bool { return strings.HasSuffix(p.Path, "/page.json") })
	if at < 0 {
		r.keeps(kept, false, "the platform gives no page of it")
		return nil
	}
	page := changed.Parts[at]
	changed.Parts[at].Data = bytes.Replace(page.Data, []byte(`"Probe"`), []byte(`"Probe, written"`), 1)
	for _, step := range []struct {
		question string
		from, to *definition.Definition
		data     []byte
	}{{kept, &before, &changed, changed.Parts[at].Data}, {back, &changed, &before, page.Data}} {
		got, err := r.write(ctx, r.report, *step.from, *step.to)
		if err != nil {
			why, err := reasonOf(err)
			r.keeps(step.question, false, why)
			return err
		}
		now, _ := got.Part(page.Path)
		r.keeps(step.question, how(page.Path, step.data, now) != otherContent, "")
		*step.to = got
	}
	return nil
}

// How the platform returned a part.
const (
	notGiven     = "not given"
	otherContent = "with another content"
	addedThere   = "added by the platform"
)

// compare returns each part that the platform returned differently, and how.
func compare(given, got definition.Definition) map[string]string {
	all := map[string]string{}
	for _, p := range given.Parts {
		data, there := got.Part(p.Path)
		if !there {
			all[p.Path] = notGiven
		} else if h := how(p.Path, p.Data, data); h != "" {
			all[p.Path] = h
		}
	}
	for _, p := range got.Parts {
		if _, there := given.Part(p.Path); !there {
			all[p.Path] = addedThere
		}
	}
	return all
}

// how describes how the platform returned a part; "" for unchanged.
func how(path string, given, got []byte) string {
	lines := func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }
	var a, b any
	switch {
	case bytes.Equal(given, got):
		return ""
	case bytes.Equal(lines(given), lines(got)):
		return "with other line ends"
	case bytes.Equal(bytes.TrimSpace(lines(given)), bytes.TrimSpace(lines(got))):
		return "with other white space at its end"
	case strings.HasSuffix(path, ".tmdl"), strings.HasSuffix(path, ".md"):
		return otherContent
	case json.Unmarshal(given, &a) == nil && json.Unmarshal(got, &b) == nil && reflect.DeepEqual(a, b):
		return "as JSON laid out otherwise"
	}
	return otherContent
}

func (r *run) reportLayout(question string, relaid map[string]string) {
	if len(relaid) == 0 {
		r.Report(question+" come back as they were given", "yes")
		return
	}
	for _, path := range slices.Sorted(maps.Keys(relaid)) {
		r.Report(question, path+" "+relaid[path])
	}
}

// earlyPolls polls an operation before the time that the platform named.
func (r *run) earlyPolls(ctx context.Context) error {
	const question = "operations may be asked for early"
	began, err := r.once(ctx, fabric.Call{Method: "POST", Path: r.in() + "/semanticModels/" + r.model.ID.String() + "/getDefinition",
		Route: "POST /workspaces/{w}/semanticModels/{i}/getDefinition"})
	if err != nil {
		return err
	}
	early := min(2*time.Second, began.After/2)
	if began.Operation == "" || early == 0 {
		r.Report(question, "not asked; the platform names no time")
		return nil
	}
	blocked := false
	for range 3 {
		if err := r.wait(ctx, early); err != nil {
			return err
		}
		answer, err := r.once(ctx, fabric.Call{Method: "GET", Path: "/operations/" + began.Operation, Route: "GET /operations/{o}"})
		if err != nil {
			return err
		}
		if pause, is := blockedFor(answer); is {
			if blocked, err = true, r.wait(ctx, pause); err != nil {
				return err
			}
			break
		}
	}
	r.learn(func(a *fabric.Answers) { a.EarlyPollsBlocked = blocked })
	r.Report(question, yes(!blocked, "", "they are blocked"))
	_, err = r.await(ctx, began, false)
	return err
}
