package fabric_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric/emulator"
)

// Generate Query is called as the person, and needs a separate permission. The query is found anywhere in the answer; what is
// not understood is no query.
func TestGenerateQuery(t *testing.T) {
	t.Parallel()
	const dax = "EVALUATE ROW(\"n\", [Net Sales])"
	type object = map[string]any
	for name, c := range map[string]struct {
		structured any
		text       string
		fails      error
		want       string
		says       string // of a refusal
	}{
		"a member":                {structured: object{"daxQuery": dax}, want: dax},
		"a member within others":  {structured: object{"result": object{"queries": []any{object{"kind": "x", "query": dax}}}}, want: dax},
		"a text":                  {text: " " + dax + "\n", want: dax},
		"a definition":            {text: "define measure x[y] = 1 " + dax, want: "define measure x[y] = 1 " + dax},
		"JSON in a text":          {text: `{"query": "EVALUATE ROW(\"n\", [Net Sales])"}`, want: dax},
		"the member of the query": {text: `{"currentQuery": "EVALUATE Other", "daxQuery": "EVALUATE ROW(\"n\", [Net Sales])"}`, want: dax},
		"between fences":          {text: "Here it is:\n```dax\n" + dax + "\n```\nIt sums.", want: dax},
		"a member before a text":  {structured: object{"dax": dax}, text: "EVALUATE Other", want: dax},
		"prose":                   {text: "I would evaluate net sales.", want: ""},
		"a word that begins so":   {text: "EVALUATEX", want: ""},
		"other JSON":              {structured: object{"rows": []any{1.0, nil, true}}, text: "[]", want: ""},
		"nested too deep":         {structured: object{"a": object{"a": object{"a": object{"a": object{"a": object{"a": object{"a": dax}}}}}}}, want: ""},
		"longer than is taken":    {text: "EVALUATE " + strings.Repeat("x", 20_000), want: ""},
		"as long as is taken":     {text: "EVALUATE " + strings.Repeat("x", 19_991), want: "EVALUATE " + strings.Repeat("x", 19_991)},
		"nothing":                 {want: ""},
		"an error":                {fails: errors.New("An error\noccurred"), says: "Generate Query gave no answer (it reported an error: An error occurred)"},
		"an answer without limit": {text: strings.Repeat("x", 3<<20), says: "gave no answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := ""
			w := newWorld(t, func(o *emulator.Options) {
				o.Unknown.GeneratedQuery = func(it item.Item, question string) (any, string, error) {
					asked = it.DisplayName + ": " + question
					return c.structured, c.text, c.fails
				}
			})
			model := w.retailSales(t)
			if there, err := w.SupportsGenerateQuery(t.Context(), person("ada"), model); err != nil || !there {
				t.Fatal(there, err)
			}
			got, _, err := w.GenerateQuery(t.Context(), person("ada"), model, "What are net sales?", []item.SelectedTable{{Name: "Sales", Columns: []string{"Amount"}}})
			if c.says != "" {
				refused(t, err, domain.PlatformUnavailable, c.says)
			} else if err != nil || got != c.want {
				t.Errorf("got %.100q, %v", got, err)
			}
			if asked != "Retail Sales: What are net sales?" {
				t.Errorf("it was asked %q", asked)
			}
			for _, call := range w.service.Calls() {
				if call.Path != "/v1/mcp/powerbi" || call.Person.ID != "ada" || call.Method == http.MethodPost && call.Scope != "MLModel.Execute.All" {
					t.Errorf("called %+v", call)
				}
			}
		})
	}
}

// Where the platform does not offer the tool, or not to this person, the refusal comes before anything is asked; a model is not taken for gone.
func TestGenerateQueryThatIsNotThere(t *testing.T) {
	t.Parallel()
	offers := func(o *emulator.Options) {
		o.Unknown.GeneratedQuery = func(item.Item, string) (any, string, error) { return nil, "EVALUATE Sales", nil }
	}
	for name, c := range map[string]struct {
		change func(*emulator.Options)
		answer http.HandlerFunc
		code   domain.Code
		says   string
	}{
		"not listed":  {nil, nil, domain.OperationNotSupportedForItem, "its MCP server does not list the tool"},
		"no server":   {offers, emulator.Error(404, "EntityNotFound", "no"), domain.OperationNotSupportedForItem, "there is no such server"},
		"turned off":  {offers, emulator.Error(403, "FeatureNotAvailable", "no"), domain.PlatformAccessDenied, "FeatureNotAvailable"},
		"blocked":     {offers, emulator.Error(429, "RequestBlocked", "no"), domain.PlatformUnavailable, "no room"},
		"HTML":        {offers, says(200, map[string]string{"Content-Type": "text/html"}, "<html>"), domain.PlatformUnavailable, "gave no answer"},
		"a new login": {offers, emulator.Challenge(`{"a":1}`), domain.Unauthorized, "new sign-in"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.change)
			if c.answer != nil {
				w.service.Script(emulator.Fault{Path: "/mcp/powerbi", Answer: c.answer, Times: 100})
			}
			there, err := w.SupportsGenerateQuery(t.Context(), person("ada"), w.retailSales(t))
			if refused(t, err, c.code, c.says); there {
				t.Error("it is there")
			}
		})
	}
	w := newWorld(t, offers)
	_, _, err := w.GenerateQuery(t.Context(), person("ada"), item.Item{ID: uuid.New(), Type: item.SemanticModel, WorkspaceID: retail}, "Why?", nil)
	refused(t, err, domain.PlatformUnavailable, "could not be found")
}
