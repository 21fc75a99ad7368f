package answerer_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"readiness/ai/answerer"
	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/verdict"
)

// generator is a tool of a platform that writes queries.
type generator struct {
	there  bool
	refuse error // returned when it is asked whether it can be asked
	dax    string
	fails  error
	asked  []string
	tables []item.SelectedTable
	of     item.Item
}

func (g *generator) SupportsGenerateQuery(context.Context, item.Caller, item.Item) (bool, error) {
	return g.there, g.refuse
}

func (g *generator) GenerateQuery(_ context.Context, _ item.Caller, model item.Item, question string, tables []item.SelectedTable) (string, time.Duration, error) {
	g.asked, g.tables, g.of = append(g.asked, question), tables, model
	return g.dax, 1500 * time.Millisecond, g.fails
}

// Generate Query writes the queries of the platform's assistant, and of no other side, if the service was started with it and the platform
// offers it. The side states this. An answer without a query that is understood counts as no answer.
func TestGeneratedQueries(t *testing.T) {
	t.Parallel()
	const embedded, says = "embedded (simulated by the rules engine; no AI was asked)", "generateQuery (experimental: a tool of Power BI wrote the queries; Copilot was not asked)"
	for name, c := range map[string]struct {
		generator *generator
		kind      verdict.AgentKind
		says      string
		query     string
		failure   string
		refused   domain.Code
		opens     domain.Code // refused when the side is opened
	}{
		"off":            {kind: verdict.PlatformAssistant, says: embedded},
		"it answers":     {generator: &generator{there: true, dax: "EVALUATE Sales"}, kind: verdict.PlatformAssistant, says: says, query: "EVALUATE Sales"},
		"not understood": {generator: &generator{there: true}, kind: verdict.PlatformAssistant, says: says, failure: "NotUnderstood"},
		"no answer":      {generator: &generator{there: true, fails: domain.Refuse(domain.PlatformUnavailable, "away")}, kind: verdict.PlatformAssistant, says: says, failure: "PlatformUnavailable"},
		"not permitted":  {generator: &generator{there: true, fails: domain.Refuse(domain.PlatformConsentRequired, "agree")}, kind: verdict.PlatformAssistant, says: says, refused: domain.PlatformConsentRequired},
		"not offered":    {generator: &generator{refuse: domain.Refuse(domain.OperationNotSupportedForItem, "none")}, kind: verdict.PlatformAssistant, opens: domain.OperationNotSupportedForItem},
		"in a folder":    {generator: &generator{}, kind: verdict.PlatformAssistant, says: embedded},
		"another kind":   {generator: &generator{there: true, dax: "EVALUATE Sales"}, kind: verdict.DataAgent, says: embedded},
	} {
		w := newWorld(t)
		if c.generator != nil {
			w.Asker.Generator = c.generator
		}
		by := benchmark.AnsweredBy{Kind: c.kind}
		if c.kind == verdict.DataAgent {
			by.DataAgentID = &analyst
		}
		about, _, ask, err := w.Open(t.Context(), ana, benchmark.Side{WorkspaceID: retail, SemanticModelID: shop, AnsweredBy: by})
		if c.opens != "" {
			if !domain.IsRefused(err, c.opens) || len(c.generator.asked) > 0 {
				t.Errorf("%s: opened with %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := (verdict.Side{Kind: c.kind, Target: about}).Answerer(); got != c.says {
			t.Errorf("%s: answered by %q, want %q", name, got, c.says)
		}
		reply, err := ask(t.Context(), "What is our revenue?")
		refusal, _ := errors.AsType[*domain.Refusal](err)
		switch {
		case c.refused != "":
			if refusal == nil || refusal.Code != c.refused {
				t.Errorf("%s: got %v", name, err)
			}
		case err != nil, c.failure != "" && (reply.Failure == nil || reply.Failure.Code != c.failure),
			c.says == says && c.failure == "" && (reply.Answer.Query != c.query || reply.Answer.Text == "" || reply.DurationMS != 1500):
			t.Errorf("%s: got %+v, %v", name, reply, err)
		}
		if g := c.generator; g != nil && (len(g.asked) == 1) != (c.says == says) {
			t.Errorf("%s: asked %q", name, g.asked)
		} else if c.says == says && (g.of.ID != shop || !has(g.tables, "Sales", "Amount") || has(g.tables, "Vault", "")) {
			t.Errorf("%s: asked about %+v with the tables %+v", name, g.of, g.tables)
		}
	}
}

// has reports whether the tables have one of the name, with the column unless that is "".
func has(tables []item.SelectedTable, name, column string) bool {
	return slices.ContainsFunc(tables, func(t item.SelectedTable) bool {
		return t.Name == name && (column == "" || slices.Contains(t.Columns, column) && !slices.Contains(t.Columns, ""))
	})
}

var _ answerer.Generator = (*generator)(nil)
