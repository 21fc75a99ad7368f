package ai_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/ai/rules"
	"readiness/definition/semanticmodel"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark/modelquery"
)

var draftKey = regexp.MustCompile(`\bq\d+\b`)

// Questions come from the account's provider where it returns usable ones, else from the embedded
// rules. A failing provider prevents no question.
func TestPhrase(t *testing.T) {
	t.Parallel()
	m := &semanticmodel.Model{Tables: []semanticmodel.Table{{Name: "Sales", Measures: []semanticmodel.Measure{{Name: "Sales Qty"}, {Name: "[]"}, {Name: "Revenue"}, {Name: "Cost"}}}}}
	var queries []modelquery.Query
	for _, x := range m.Tables[0].Measures {
		queries = append(queries, modelquery.Query{Measures: []modelquery.Field{{Table: "Sales", Name: x.Name}}})
	}
	embedded := rules.Questions(m, queries, 2)
	if embedded[0] == "" || embedded[1] != "" || embedded[2] == "" || embedded[3] != "" {
		t.Fatalf("embedded: %q", embedded)
	}
	settings := func(k aiprovider.Kind) aiprovider.Settings {
		return aiprovider.Settings{Kind: k, Name: "Ours", BaseURL: "https://ai.example/v1", Model: "m", KeyEnv: "KEY", Declared: true}
	}
	say := func(status int, text func(n int) any) func(string) (int, string) {
		return func(body string) (int, string) {
			var items []string
			for i, key := range draftKey.FindAllString(body[strings.Index(body, "one item for each of the keys"):], 2) {
				items = append(items, fmt.Sprintf(`{"key":%q,"text":%q}`, key, fmt.Sprint(text(i))))
			}
			return status, `{"items":[` + strings.Join(items, ",") + `]}`
		}
	}
	for name, tt := range map[string]struct {
		settings aiprovider.Settings
		answer   func(string) (int, string)
		asked    int
		want     []string
	}{
		"none":        {aiprovider.Settings{}, nil, 0, embedded},
		"embedded":    {aiprovider.Embedded(), nil, 0, embedded},
		"an agent":    {settings(aiprovider.DataAgent), nil, 0, embedded},
		"no model":    {aiprovider.Settings{Kind: aiprovider.OpenAI, Name: "Ours", KeyEnv: "KEY", Declared: true}, nil, 0, embedded},
		"a model":     {settings(aiprovider.OpenAI), say(http.StatusOK, func(n int) any { return []string{"How many pieces were sold?", "What came in?"}[n] }), 1, []string{"How many pieces were sold?", "", "What came in?", ""}},
		"half of it":  {settings(aiprovider.OpenAI), say(http.StatusOK, func(n int) any { return []string{"What about [Sales Qty]?", "What came in?"}[n] }), 1, []string{embedded[0], "", "What came in?", ""}},
		"not a word":  {settings(aiprovider.OpenAI), func(string) (int, string) { return http.StatusOK, "I would rather not." }, 1, embedded},
		"no entrance": {settings(aiprovider.OpenAI), func(string) (int, string) { return http.StatusUnauthorized, "" }, 1, embedded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &wire{answer: tt.answer}
			got, err := w.proposer(t).Phrase(t.Context(), tt.settings, m, queries, 2)
			if err != nil || !cmp.Equal(got, tt.want) {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
			if len(w.addresses) != tt.asked {
				t.Errorf("asked %d times: %v", len(w.addresses), w.addresses)
			}
		})
	}
}

// Canceling the context ends the phrasing.
func TestPhraseEnds(t *testing.T) {
	t.Parallel()
	ctx, end := context.WithCancel(t.Context())
	w := &wire{answer: func(string) (int, string) { end(); return http.StatusServiceUnavailable, "" }}
	m := &semanticmodel.Model{Tables: []semanticmodel.Table{{Name: "Sales", Measures: []semanticmodel.Measure{{Name: "Revenue"}}}}}
	queries := []modelquery.Query{{Measures: []modelquery.Field{{Table: "Sales", Name: "Revenue"}}}}
	settings := aiprovider.Settings{Kind: aiprovider.OpenAI, Name: "Ours", BaseURL: "https://ai.example/v1", Model: "m", KeyEnv: "KEY", Declared: true}
	if got, err := w.proposer(t).Phrase(ctx, settings, m, queries, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %q, %v", got, err)
	}
}
