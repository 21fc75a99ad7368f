package optimization_test

import (
	"slices"
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

// worded returns a preview of the AI data schema in which Cost is hidden, and Revenue and
// Sales get synonyms; those of Revenue are recommended.
func worded(t *testing.T, more ...definition.Part) (definition.Definition, optimization.Preview) {
	t.Helper()
	d, _ := sales(t)
	d = definition.New(append(d.Parts, more...)...)
	m, err := semanticmodel.Read(d)
	if err != nil {
		t.Fatal(err)
	}
	var asked []proposal.Type
	p := optimization.Preview{Kind: optimization.AIDataSchema}
	err = p.Compose(d, m, optimization.Asking{Propose: func(ask proposal.Ask) (a proposal.Answer, err error) {
		asked = append(asked, ask.Type)
		if ask.Type == proposal.AIDataSchema {
			a.Proposals = []proposal.Proposal{{Object: measure("Cost"), Value: proposal.Hidden, Reason: "r", Recommended: true}, {Object: measure("Revenue"), Value: proposal.Visible, Reason: "r"}}
			return a, nil
		}
		a.Proposals = []proposal.Proposal{
			{Object: measure("Revenue"), Value: "turnover\nUmsatz", Reason: "r", Recommended: true},
			{Object: proposal.Object{Table: "Sales", Type: proposal.Table}, Value: "deals", Reason: "r"},
			{Object: measure("Cost"), Value: "x\n", Reason: "r"},
			{Object: measure("Gone"), Value: "x", Reason: "r"},
		}
		return a, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []proposal.Type{proposal.AIDataSchema, proposal.Synonyms}; len(more) == 0 && !slices.Equal(asked, want) {
		t.Errorf("asked for %v, want %v", asked, want)
	}
	return d, p
}

// Synonyms are separate changes next to the visibility of their object.
//
// proves: decisions/6/synonyms-proposed
func TestComposeSynonyms(t *testing.T) {
	t.Parallel()
	_, p := worded(t)
	var changes, skipped []string
	for _, c := range p.Changes {
		changes = append(changes, c.Key+" "+string(c.Type)+" "+string(c.Property)+" = "+c.Proposed)
	}
	for _, s := range p.Skipped {
		skipped = append(skipped, s.Key)
	}
	if diff := cmp.Diff([]string{
		"Sales|Cost aiDataSchema visibility = Hidden", "Sales|Revenue aiDataSchema visibility = Visible", "Sales|Revenue|synonyms aiDataSchema synonyms = turnover\nUmsatz",
		"Sales||synonyms aiDataSchema synonyms = deals",
	}, changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Sales|Cost", "Sales|Revenue|synonyms"}, p.RecommendedKeys); diff != "" {
		t.Errorf("recommended (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Sales|Cost|synonyms", "Sales|Gone|synonyms"}, skipped); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
}

// A definition without a place for synonyms is previewed without them.
//
// proves: decisions/6/synonyms-proposed
func TestComposeWithoutPlaceForSynonyms(t *testing.T) {
	t.Parallel()
	_, p := worded(t, definition.Part{Path: "definition/cultures/a.tmdl", Data: []byte("cultureInfo a\n\tlinguisticMetadata = {\"CustomInstructions\": \"x\", \"Entities\": {}}\n")})
	if len(p.Changes) != 2 || len(p.Skipped) != 1 || p.Skipped[0].Key != "synonyms" || !strings.Contains(p.Skipped[0].Message, "linguistic schema") {
		t.Errorf("changes %v, skipped %v", p.Changes, p.Skipped)
	}
}

// Synonyms and visibilities are one write and one revert. Both are changes of the AI data
// schema, which take no text of the caller.
//
// proves: decisions/6/synonyms-written 4.5/apply/3
func TestSynonymsAreWrittenWithTheSchema(t *testing.T) {
	t.Parallel()
	d, p := worded(t)
	keys := []string{"Sales|Revenue|synonyms", "Sales|Cost", "Sales||synonyms"}
	writes, err := optimization.ApplyPreview{Keys: &keys}.Select(p)
	if diff := cmp.Diff([][]string{{"aiDataSchema", "Sales|Cost = Hidden", "Sales|Revenue|synonyms = turnover\nUmsatz", "Sales||synonyms = deals"}}, written(writes)); err != nil || diff != "" {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	w := applied(t, operationID(1), optimization.AIDataSchema, writes)
	if len(w.Writes) != 1 || len(w.Applied()) != 3 {
		t.Errorf("the log has %d writes of %v", len(w.Writes), keysOf(w.Applied()))
	}
	back, err := optimization.RevertApply{ApplyID: operationID(1), AccountID: "contoso", ModelID: model, Now: noon}.Writes(w, nil)
	if err != nil || len(back) != 1 || len(back[0].Objects) != 3 || back[0].Objects[1].Written != nil || deref(back[0].Objects[1].Previous) != "turnover\nUmsatz" {
		t.Errorf("the revert writes %+v, %v", back, err)
	}
	var changes []rewrite.Change
	for _, o := range writes[0].Objects {
		changes = append(changes, rewrite.Change{Target: o.Target(), Value: *o.Written})
	}
	after, undo, err := rewrite.Write(d, changes)
	if err != nil {
		t.Fatal(err)
	}
	if restored, err := rewrite.Restore(after, undo); err != nil || restored.Hash() != d.Hash() {
		t.Errorf("the revert leaves %v, %v", restored.Parts, err)
	}
	for key, text := range map[string]string{"Sales||synonyms": "receipts", "Sales|Cost": "Visible"} {
		_, err := optimization.ApplyPreview{Keys: &keys, Values: map[string]string{key: text}}.Select(p)
		refused(t, err, domain.InvalidRequest, "type aiDataSchema")
	}
	plan, err := apply(t, operationID(2), optimization.AIDataSchema, writes).Plan(0, optimization.Now{Values: values("", "theirs", "")})
	if len(plan.Objects) > 0 {
		t.Errorf("the plan writes %v", keysOf(plan.Objects))
	}
	refused(t, err, domain.ItemChanged, "the synonyms of Sales[Revenue] were changed after the preview")
}
