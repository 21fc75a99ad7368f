package offline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain/optimization"
	"readiness/offline"
)

// keysOf returns the keys of the proposed changes of a kind.
func keysOf(t testing.TB, p offline.Proposal, kind optimization.Kind) []string {
	t.Helper()
	if p.Error != nil {
		t.Fatal(p.Error)
	}
	for _, one := range p.Previews {
		if one.Kind == kind {
			keys := []string{}
			for _, c := range one.Changes {
				keys = append(keys, c.Key)
			}
			slices.Sort(keys) // their order is by impact, which changes with ignores
			return keys
		}
	}
	t.Fatalf("%s is not proposed", kind)
	return nil
}

// Nothing is proposed for ignored findings: only for the named object, and not if it also has a reported finding. The
// scores are those of Assess.
func TestNothingIsProposedForIgnoredFindings(t *testing.T) {
	t.Parallel()
	const sales = "Shop.SemanticModel/definition/tables/Sales.tmdl"
	annotated := with(shop, sales, strings.Replace(shop[sales], "\t\tdataType: double\n\t\tsummarizeBy: sum\n", "\t\tdataType: double\n\t\tsummarizeBy: sum\n\n\t\tannotation readiness.ignore = *: nobody asks\n", 1))
	for name, tt := range map[string]struct {
		files    map[string]string
		entry    string
		kind     optimization.Kind
		gone     []string
		ignored  bool
		warnings []string
	}{
		"every rule of a column":      {shop, "{rule: '*', table: Sales, object: Amount, reason: r}", optimization.Descriptions, []string{"Sales|Amount"}, true, nil},
		"an annotation":               {annotated, "", optimization.Descriptions, []string{"Sales|Amount"}, true, nil},
		"a rule of a column":          {shop, "{rule: DSC-02, table: Sales, object: Amount, reason: r}", optimization.Descriptions, []string{"Sales|Amount"}, true, nil},
		"every rule of a table alone": {telling, "{rule: '*', table: Products, object: '', reason: r}", optimization.Descriptions, []string{"Products|"}, true, nil},
		"a field default":             {shop, "{rule: TYP-02, reason: r}", optimization.Properties, []string{"Sales|Product Key"}, true, nil},
		"all of the instructions":     {telling, "{rule: '*', object: '#', reason: later}", optimization.AIInstructions, []string{"aiInstructions"}, true, nil},
		"one rule of instructions":    {telling, "{rule: INS-01, object: '#', reason: r}", optimization.AIInstructions, nil, false, nil},
		"a column in the schema":      {shop, "{rule: VIS-02, table: Sales, object: Product Key, reason: r}", optimization.AIDataSchema, []string{"Sales|Product Key"}, true, nil},
		"another kind":                {shop, "{rule: TYP-02, reason: r}", optimization.Descriptions, nil, false, nil},
		"another model":               {shop, "{rule: DSC-02, model: Store, reason: r}", optimization.Descriptions, nil, false, []string{`:2: there is no model "Store"`}},
		"an unknown table":            {shop, "{rule: '*', table: Stores, reason: r}", optimization.Descriptions, nil, false, []string{`:2: no model has a table "Stores"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, of := embedded(tt.kind), offline.AssessOptions{}
			plain := shop
			if len(tt.files[sales]) == len(telling[sales]) {
				plain = telling
			}
			all := keysOf(t, propose(t, o, files(t, plain))[0], tt.kind)
			if tt.entry != "" {
				read, err := ignores(t, "ignore:\n  - "+tt.entry+"\n")
				if err != nil {
					t.Fatal(err)
				}
				o.Ignores, of.Ignores = read, read
			}
			root := files(t, tt.files)
			proposed, warnings, err := offline.Propose(t.Context(), find(t, root, root), o)
			if err != nil {
				t.Fatal(err)
			}
			got := proposed[0]
			want := slices.DeleteFunc(slices.Clone(all), func(key string) bool { return slices.Contains(tt.gone, key) })
			if len(want)+len(tt.gone) != len(all) {
				t.Fatalf("without ignores: got %q, want %q in it", all, tt.gone)
			}
			if diff := cmp.Diff(want, keysOf(t, got, tt.kind)); diff != "" {
				t.Errorf("proposed (-want +got):\n%s", diff)
			}
			if (got.Ignored > 0) != tt.ignored || (got.Ignored > 0) != strings.Contains(got.Headline(), "left unchanged") {
				t.Errorf("got %d ignored findings, want some: %t: %s", got.Ignored, tt.ignored, got.Headline())
			}
			if len(warnings) != len(tt.warnings) || len(warnings) > 0 && !strings.Contains(warnings[0].String(), tt.warnings[0]) {
				t.Errorf("got warnings %v, want %q", warnings, tt.warnings)
			}
			assessed := assess(t, of, root).Items[0].Result.Score
			if diff := cmp.Diff(assessed, got.ScoreNow); diff != "" {
				t.Errorf("the current score is not the assessment's: %s", diff)
			}
			if one := got.Previews[0]; !cmp.Equal(one.ScoreNow, got.ScoreNow) || one.NothingToDo == nil && tt.kind != optimization.AIDataSchema && !cmp.Equal(one.ScoreAfter, got.ScoreAfter) {
				t.Errorf("the preview has other scores: %v, %v", one.ScoreNow, one.ScoreAfter)
			}
		})
	}
}

// While data agents are not optimized, entries about them are not reported as unused.
func TestIgnoresOfAgentsAreNotUnused(t *testing.T) {
	t.Parallel()
	read, err := ignores(t, "ignore:\n  - {rule: AGT-03, model: Sales Assistant, reason: r}\n")
	if err != nil {
		t.Fatal(err)
	}
	o := embedded(optimization.Descriptions)
	o.Ignores = read
	_, warnings, err := offline.Propose(t.Context(), find(t, samplesRoot, workspaces+"/Retail Analytics"), o)
	if err != nil || len(warnings) != 0 {
		t.Errorf("got %v, error %v", warnings, err)
	}
}

// Of a model with more changes than a person can review those are written whose findings cost the most points, and the headline says how
// many more there are. --all and keys write all that they name.
func TestMostAreRecommended(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("table Sales\n\n\tcolumn Region\n\t\tdataType: string\n\t\tsummarizeBy: none\n\n\tcolumn Amount\n\t\tdataType: double\n\t\tsummarizeBy: none\n")
	for n := range offline.MaxRecommended + 10 {
		fmt.Fprintf(&table, "\n\tmeasure 'Sales in Zone %d' = CALCULATE(SUM(Sales[Amount]), Sales[Region] = \"R%d-x\")\n\t\tformatString: 0\n", n, n)
	}
	large := with(shop, "Shop.SemanticModel/definition/tables/Sales.tmdl", table.String())
	of := func(change offline.ProposeOptions) offline.Proposal {
		t.Helper()
		o := embedded(change.Kinds...)
		o.All, o.Keys = change.All, change.Keys
		got := propose(t, o, files(t, large))[0]
		if got.Error != nil {
			t.Fatal(got.Error)
		}
		return got
	}
	all, most := of(offline.ProposeOptions{All: true}), of(offline.ProposeOptions{})
	if all.LeftOut != 0 || most.LeftOut == 0 || most.Changes() != offline.MaxRecommended || all.Changes() != most.Changes()+most.LeftOut {
		t.Errorf("got %d changes and %d of all, %d left out", most.Changes(), all.Changes(), most.LeftOut)
	}
	if want := fmt.Sprintf("150 changes that are worth most (--all: %d more)", most.LeftOut); !strings.Contains(most.Headline(), want) || strings.Contains(all.Headline(), "--all") {
		t.Errorf("got %q", most.Headline())
	}
	if d := cmp.Diff(all.Previews, most.Previews); d != "" { // what is proposed stays whole: only what is written is chosen
		t.Errorf("the previews (-all +most):\n%s", d)
	}
	if !slices.ContainsFunc(most.Applies, func(a offline.Apply) bool { return a.Kind == optimization.AIInstructions }) {
		t.Error("the AI instructions, which are worth most, are left out")
	}
	var keys []string
	for _, one := range all.Previews {
		if one.Kind == optimization.Descriptions {
			for _, c := range one.Changes {
				keys = append(keys, c.Key)
			}
		}
	}
	if named := of(offline.ProposeOptions{Kinds: []optimization.Kind{optimization.Descriptions}, Keys: keys}); len(keys) <= offline.MaxRecommended || named.Changes() != len(keys) || named.LeftOut != 0 {
		t.Errorf("%d changes are written of %d that are named", named.Changes(), len(keys))
	}
}
