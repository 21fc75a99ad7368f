package openai_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain"
)

// folders returns the reply with a list of folders.
func folders(names ...string) reply {
	text, err := json.Marshal(map[string]any{"items": names})
	if err != nil {
		panic(err)
	}
	return say(string(text))
}

func TestPlace(t *testing.T) {
	t.Parallel()
	into := func(folder any) func(r request) reply {
		return func(r request) reply { return say(list(r.keys, func(string) any { return folder })) }
	}
	const noFolders = "The AI provider named no folder that can be used."
	for name, tt := range map[string]struct {
		list  []reply // to the requests for the list of folders
		place func(r request) reply
		want  []string
		calls int
	}{
		"a new folder":            {[]reply{folders("Revenue", `Stock\Turnover`)}, into(`Stock\Turnover`), []string{`a: Stock\Turnover`, `b: Stock\Turnover`}, 2},
		"a folder that exists":    {[]reply{folders("Revenue")}, into("Costs"), []string{"a: Costs", "b: Costs"}, 2},
		"a folder already chosen": {[]reply{folders("Revenue")}, into("Ratios"), []string{"a: Ratios", "b: Ratios"}, 2},
		"none fits":               {[]reply{folders("Revenue")}, into(nil), []string{"a skipped: The AI provider had nothing to add to its name.", "b skipped: The AI provider had nothing to add to its name."}, 2},
		"not of the list": {[]reply{folders("Revenue")}, into("Other"), []string{
			"a skipped: No text of the AI provider could be used: it is no folder of the list.", "b skipped: No text of the AI provider could be used: it is no folder of the list.",
		}, 5},
		"too deep": {[]reply{folders(`A\B\C`), folders(`A\B`)}, into(`A\B`), []string{`a: A\B`, `b: A\B`}, 3},
		"a tab, a blank level, too long, several": {[]reply{folders("A\tB", `A\`, " ", strings.Repeat("x", 101), "A;B"), folders("A")}, into("A"), []string{"a: A", "b: A"}, 3},
		"some of use":  {[]reply{folders("A\tB", "A")}, into("A"), []string{"a: A", "b: A"}, 2},
		"no list":      {[]reply{say("no"), say("no")}, into("Costs"), []string{"a: Costs", "b: Costs"}, 3},
		"list refused": {[]reply{fail(400, "content_filter", "", "private words")}, into("Costs"), []string{"a: Costs", "b: Costs"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(n int, r request) reply {
				if n < len(tt.list) {
					return tt.list[n]
				}
				return tt.place(r)
			})
			m := sales("a", "b", "c")
			m.Tables[0].Measures[2].DisplayFolder = "Costs"
			proposals, skipped, err := s.client(t).Place(t.Context(), m, measures("a", "b"), []string{"Ratios"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, outcomes(proposals, skipped)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if n := len(s.asked()); n != tt.calls {
				t.Errorf("%d requests, want %d", n, tt.calls)
			}
			s.secrecy(t, proposals, skipped)
		})
	}
	t.Run("no folder at all", func(t *testing.T) {
		t.Parallel()
		s := serve(t, func(int, request) reply { return folders() })
		proposals, skipped, err := s.client(t).Place(t.Context(), sales("a"), measures("a"), nil)
		if diff := cmp.Diff([]string{"a skipped: " + noFolders}, outcomes(proposals, skipped)); err != nil || diff != "" {
			t.Errorf("error %v, -want +got\n%s", err, diff)
		}
	})
	t.Run("no answer", func(t *testing.T) {
		t.Parallel()
		s := serve(t, func(int, request) reply { return reply{status: 500} })
		if _, _, err := s.client(t).Place(t.Context(), sales("a"), measures("a"), nil); !domain.IsRefused(err, domain.OptimizationFailed) {
			t.Errorf("got error %v, want OptimizationFailed", err)
		}
	})
}

// The folders to choose from are fixed: the schema lists them, and the keys, too.
func TestPlaceClosesTheSchema(t *testing.T) {
	t.Parallel()
	s := serve(t, func(n int, r request) reply {
		return orElse(n == 0, folders("Revenue", "revenue", "Costs"), r)
	})
	if _, _, err := s.client(t).Place(t.Context(), sales("a", "b"), measures("a", "b"), []string{"Ratios"}); err != nil {
		t.Fatal(err)
	}
	var asked struct {
		Format struct {
			Schema struct {
				Schema struct {
					Additional *bool `json:"additionalProperties"`
					Required   []string
					Properties struct {
						Items struct {
							Items struct {
								Additional *bool `json:"additionalProperties"`
								Required   []string
								Properties map[string]struct{ Enum []any }
							}
						}
					}
				}
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.Unmarshal([]byte(s.asked()[1].raw), &asked); err != nil {
		t.Fatal(err)
	}
	schema := asked.Format.Schema.Schema
	item := schema.Properties.Items.Items
	if schema.Additional == nil || *schema.Additional || item.Additional == nil || *item.Additional || !slices.Equal(schema.Required, []string{"items"}) || !slices.Equal(item.Required, []string{"key", "text"}) {
		t.Errorf("the schema is not closed: %s", s.asked()[1].raw)
	}
	want := map[string][]any{"key": {"t0.m0", "t0.m1"}, "text": {"Costs", "Ratios", "Revenue", nil}}
	for name, enum := range want {
		if diff := cmp.Diff(enum, item.Properties[name].Enum); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
