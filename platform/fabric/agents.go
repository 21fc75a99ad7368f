package fabric

import (
	"context"
	"errors"
	"strings"
	"time"

	"readiness/domain"
	"readiness/domain/item"
)

const (
	// maxAgentText bounds what is kept of an agent's answer, in characters.
	maxAgentText = 20_000
	// questionArgument is the only argument of a data agent's only tool.
	questionArgument = "userQuestion"
)

// CanAskAgents reports whether data agents of a workspace can be asked.
func (*Platform) CanAskAgents(context.Context, item.Caller, item.Item) (bool, error) {
	return true, nil
}

// AskAgent asks a published data agent one question, in a new conversation, over MCP, and says how long it took to answer. The
// answer is a text: the platform gives no query with it. It refuses with PlatformUnavailable if there is no answer to this question.
func (p *Platform) AskAgent(ctx context.Context, as item.Caller, agent item.Item, question string) (text string, took time.Duration,
	err error) {
	r := request{as: as, permission: item.PermissionAgent,
		path:  "/mcp/workspaces/" + agent.WorkspaceID.String() + "/dataagents/" + agent.ID.String() + "/agent",
		route: "POST /mcp/workspaces/{w}/dataagents/{i}/agent", about: subject{workspace: agent.WorkspaceID, item: agent}}
	err = p.converse(ctx, r, nameOf(agent), func(ctx context.Context, t *talk) error {
		tools, err := t.session.ListTools(ctx, nil)
		if err != nil {
			return err
		}
		if len(tools.Tools) != 1 {
			return errors.New("it offers more or less than one tool")
		}
		answer, err := t.call(ctx, tools.Tools[0].Name, map[string]any{questionArgument: question})
		if err != nil {
			return err
		}
		if text = strings.TrimSpace(strings.Join(t.texts(answer), "\n\n")); text == "" {
			return errors.New("it answered without a text")
		}
		text, took = domain.FirstCharacters(text, maxAgentText), t.took
		return nil
	})
	if err != nil {
		return "", 0, err
	}
	return text, took, nil
}
