package answerer_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"readiness/ai/answerer"
	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/verdict"
)

// agents are data agents of a platform.
type agents struct {
	there bool
	text  string
	fails error
	asked []string
	of    item.Item
}

func (a *agents) CanAskAgents(context.Context, item.Caller, item.Item) (bool, error) {
	return a.there, nil
}

func (a *agents) AskAgent(_ context.Context, _ item.Caller, agent item.Item, question string) (string, time.Duration, error) {
	a.asked, a.of = append(a.asked, question), agent
	return a.text, 1500 * time.Millisecond, a.fails
}

// A published data agent answers at its platform, and its side states that texts are judged. If it cannot be asked, the rules engine
// replaces it and says so. An error that prevents one answer is a failure; an error that prevents all answers is a refusal.
func TestPublishedAgentIsAsked(t *testing.T) {
	t.Parallel()
	by := benchmark.AnsweredBy{Kind: verdict.DataAgent, DataAgentID: &analyst, DataAgentName: "Analyst"}
	for name, c := range map[string]struct {
		agents  *agents
		kind    verdict.AgentKind
		says    string // the answerer
		answer  string
		failure domain.Code
		refused domain.Code
		preview bool // the published stage selects the preview runtime
	}{
		"in preview":        {agents: &agents{there: true, text: "Twelve."}, says: "dataAgent (preview runtime; its answers are texts without queries, and are judged as texts)", answer: "Twelve.", preview: true},
		"it answers":        {agents: &agents{there: true, text: "Twelve."}, says: "dataAgent (its answers are texts without queries, and are judged as texts)", answer: "Twelve."},
		"no answer":         {agents: &agents{there: true, fails: domain.Refuse(domain.PlatformUnavailable, "away")}, failure: domain.PlatformUnavailable},
		"not permitted":     {agents: &agents{there: true, fails: domain.Refuse(domain.PlatformConsentRequired, "agree")}, refused: domain.PlatformConsentRequired},
		"not at a platform": {agents: &agents{}, says: "embedded (simulated by the rules engine; no AI was asked)"},
		"its draft":         {agents: &agents{there: true, text: "Twelve."}, kind: verdict.ServiceTestAgent, says: "embedded (simulated by the rules engine; no AI was asked)"},
	} {
		w := newWorld(t)
		w.Asker.Agents = c.agents
		if c.preview {
			w.change(t, "Retail/Analyst.DataAgent/Files/Config/published/stage_config.json", `"aiInstructions"`, `"experimental":{"advancedDax":true},"aiInstructions"`)
		}
		side := benchmark.Side{WorkspaceID: retail, SemanticModelID: shop, AnsweredBy: by}
		if c.kind != "" {
			side.AnsweredBy.Kind = c.kind
		}
		about, _, ask, err := w.Open(t.Context(), ana, side)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := (verdict.Side{Kind: side.AnsweredBy.Kind, Target: about}).Answerer(); c.says != "" && got != c.says {
			t.Errorf("%s: answered by %q, want %q", name, got, c.says)
		}
		reply, err := ask(t.Context(), "How many?")
		refusal, _ := errors.AsType[*domain.Refusal](err)
		switch {
		case c.refused != "":
			if refusal == nil || refusal.Code != c.refused {
				t.Errorf("%s: got %v", name, err)
			}
		case err != nil, c.failure != "" && (reply.Failure == nil || reply.Failure.Code != string(c.failure)),
			c.answer != "" && (reply.Answer.Text != c.answer || reply.Answer.Query != "" || reply.DurationMS != 1500 || about.ConfigHash == ""):
			t.Errorf("%s: got %+v of %+v, %v", name, reply, about, err)
		}
		if asked := strings.Join(c.agents.asked, ""); (asked == "How many?") != strings.HasPrefix(about.Transport, verdict.ByMCP) {
			t.Errorf("%s: asked %q by %q", name, asked, about.Transport)
		}
	}
}

var _ answerer.Agents = (*agents)(nil)
