package fabric

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/quota"
)

const (
	// agentTimeout bounds one question to a data agent, with the session around it.
	agentTimeout = 110 * time.Second
	// agentTries is how often a question is repeated after a full quota or a block.
	agentTries = 10
	// maxAgentAnswer bounds what a data agent answers, in bytes; maxAgentText what is kept of its text, in characters.
	maxAgentAnswer = 2 << 20
	maxAgentText   = 20_000
	// questionArgument is the only argument of a data agent's only tool.
	questionArgument = "userQuestion"
)

// AsksAgents reports whether data agents of a workspace can be asked.
func (*Platform) AsksAgents(context.Context, item.Caller, item.Item) (bool, error) { return true, nil }

// AskAgent asks a published data agent one question, in a new conversation, over MCP, and says how long it took to answer. The
// answer is a text: the platform gives no query with it. It refuses with PlatformUnavailable if there is no answer to this question.
func (p *Platform) AskAgent(ctx context.Context, as item.Caller, agent item.Item, question string) (text string, took time.Duration,
	err error) {
	lasts := cmp.Or(p.bounds.agentLasts, agentTimeout)
	ctx, cancel := context.WithTimeout(ctx, lasts)
	defer cancel()
	as.Work = uuid.Max // a call without room is pending, whatever asks
	for try := 1; ; try++ {
		over := &agentTransport{p: p, ctx: ctx, r: request{as: as, permission: item.PermissionAgent, host: p.fabric,
			bucket: quota.Platform, path: "/mcp/workspaces/" + agent.WorkspaceID.String() + "/dataagents/" + agent.ID.String() + "/agent",
			route:   "POST /mcp/workspaces/{w}/dataagents/{i}/agent",
			patient: lasts, once: true, about: subject{workspace: agent.WorkspaceID, item: agent}}}
		text, err = over.ask(ctx, question)
		pending, waits := errors.AsType[*item.Pending](over.refused)
		switch {
		case err == nil:
			return text, over.took, nil
		case waits && try < agentTries && pending.After < lasts/2:
			if err := p.wait(ctx, pending.After); err != nil {
				return "", 0, err
			}
			continue
		case waits:
			return "", 0, domain.Refuse(domain.PlatformUnavailable, "there is no room for further calls to the platform; try again in %s",
				pending.After.Round(time.Second)).After(pending.After)
		case over.refused != nil:
			return "", 0, over.refused
		case errors.Is(ctx.Err(), context.Canceled):
			return "", 0, ctx.Err()
		}
		why := line(err.Error(), maxQuoted)
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			why = "it did not answer in time"
		}
		return "", 0, domain.Refuse(domain.PlatformUnavailable, "%s gave no answer (%s)", nameOf(agent), why).
			About(agent.Type.IDName(), agent.ID)
	}
}

// agentTransport carries the calls of one session to one address as the caller, as all calls to the platform are made. It implements
// http.RoundTripper.
type agentTransport struct {
	p       *Platform
	ctx     context.Context // of the question
	r       request
	refused error // the first refusal
	took    time.Duration
}

// RoundTrip implements http.RoundTripper.
func (t *agentTransport) RoundTrip(asked *http.Request) (*http.Response, error) {
	r := t.r
	r.method, r.header = asked.Method, asked.Header
	if t.refused != nil {
		return nil, t.refused
	}
	if asked.Body != nil {
		defer asked.Body.Close()
		var err error
		if r.body, err = io.ReadAll(io.LimitReader(asked.Body, maxAgentAnswer)); err != nil {
			return nil, err
		}
	}
	a, err := t.p.call(t.ctx, r)
	if err != nil {
		if t.refused == nil && asked.Method == http.MethodPost && t.ctx.Err() == nil {
			t.refused = err
		}
		return nil, err
	}
	return &http.Response{StatusCode: a.status, Status: http.StatusText(a.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header, Body: struct {
			io.Reader
			io.Closer
		}{io.LimitReader(a.body, maxAgentAnswer), a.body}, ContentLength: -1, Request: asked}, nil
}

// ask makes a session, asks the only tool there is, and ends the session.
func (t *agentTransport) ask(ctx context.Context, question string) (string, error) {
	session, err := mcp.NewClient(&mcp.Implementation{Name: "readiness", Version: "1"}, nil).Connect(ctx,
		&mcp.StreamableClientTransport{Endpoint: t.p.fabric.JoinPath(t.r.path).String(), HTTPClient: &http.Client{Transport: t},
			MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: maxAgentAnswer}, nil)
	if err != nil {
		return "", err
	}
	defer func() { _ = session.Close() }()
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		return "", err
	}
	if len(tools.Tools) != 1 {
		return "", errors.New("it offers more or less than one tool")
	}
	began := t.p.now()
	answer, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tools.Tools[0].Name,
		Arguments: map[string]any{questionArgument: question}})
	if err != nil {
		return "", err
	}
	t.took = t.p.now().Sub(began)
	var texts []string
	for _, content := range answer.Content {
		if text, is := content.(*mcp.TextContent); is {
			texts = append(texts, strings.TrimSpace(text.Text))
		}
	}
	text := strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(strings.Join(texts, "\n\n"), "\ufffd"), "\x00", "\ufffd"))
	switch {
	case answer.IsError:
		return "", errors.New("it reported an error: " + cmp.Or(text, "without words"))
	case text == "":
		return "", errors.New("it answered without a text")
	}
	return domain.FirstCharacters(text, maxAgentText), nil
}
