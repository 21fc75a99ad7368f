package offline_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain/optimization"
)

// What the reports next to a model call a field becomes a synonym; other reports say nothing of it.
func TestSynonymsFromReportsNextToTheModel(t *testing.T) {
	t.Parallel()
	const visual = "definition/pages/p/visuals/v/visual.json"
	to := func(model string) string {
		return `{"version":"4.0","datasetReference":{"byPath":{"path":"` + model + `"}}}`
	}
	card := func(text string) string {
		return `{"name":"v","visual":{"visualType":"card","query":{"queryState":{"Values":{"projections":[{"field":{"Measure":{"Expression":{"SourceRef":` +
			`{"Entity":"Sales"}},"Property":"Net Sales"}},"queryRef":"x","displayName":"` + text + `"}]}}}}}`
	}
	for name, tt := range map[string]struct {
		more []string
		want []string
	}{
		"no report":        {},
		"a report":         {[]string{"Board.Report/definition.pbir", to("../Shop.SemanticModel"), "Board.Report/" + visual, card("Turnover")}, []string{"Turnover"}},
		"two reports":      {[]string{"A.Report/definition.pbir", to("../Shop.SemanticModel"), "A.Report/" + visual, card("Turnover"), "B.Report/definition.pbir", to("../shop.semanticmodel"), "B.Report/" + visual, card("Revenue")}, []string{"Turnover", "Revenue"}},
		"of another model": {[]string{"Board.Report/definition.pbir", to("../Other.SemanticModel"), "Board.Report/" + visual, card("Turnover")}, nil},
		"of a service":     {[]string{"Board.Report/definition.pbir", `{"datasetReference":{"byConnection":{"connectionString":"x"}}}`, "Board.Report/" + visual, card("Turnover")}, nil},
		"one that is broken": {[]string{"A.Report/definition.pbir", to("../Shop.SemanticModel"), "A.Report/" + visual, `{"visual"`,
			"B.Report/definition.pbir", to("../Shop.SemanticModel"), "B.Report/" + visual, card("Turnover")}, []string{"Turnover"}},
		"elsewhere": {[]string{"deep/Board.Report/definition.pbir", to("../../Shop.SemanticModel"), "deep/Board.Report/" + visual, card("Turnover")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := files(t, with(shop, tt.more...))
			of := propose(t, embedded(optimization.AIDataSchema), root)[0]
			if of.Error != nil {
				t.Fatal(of.Error)
			}
			var got []string
			for _, c := range of.Previews[0].Changes {
				if c.Key == "Sales|Net Sales|synonyms" {
					got = strings.Split(c.Proposed, "\n")
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if other := propose(t, embedded(optimization.Descriptions), root)[0]; slices.ContainsFunc(other.Previews[0].Changes,
				func(c optimization.Change) bool { return strings.Contains(c.Proposed, "Turnover") }) {
				t.Error("a caption is in a description")
			}
		})
	}
}
