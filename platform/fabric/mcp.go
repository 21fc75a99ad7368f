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
	// talkTimeout bounds a session with an MCP server.
	talkTimeout = 110 * time.Second
	// talkTries is how often a session is repeated after a full quota or a block.
	talkTries = 10
	// maxTalk bounds what an MCP server answers, in bytes.
	maxTalk = 2 << 20
)

// talk carries the calls of one session with an MCP server at the platform. They are made as the caller, as all calls to the platform
// are. It implements http.RoundTripper.
type talk struct {
	p       *Platform
	ctx     context.Context // of the session
	r       request
	refused error // the first refusal
	session *mcp.ClientSession
	took    time.Duration // of the last tool
}

// converse makes a session with an MCP server, and refuses with PlatformUnavailable if that gives no answer. r says whom it asks,
// about what and with which permission.
func (p *Platform) converse(ctx context.Context, r request, who string, do func(context.Context, *talk) error) error {
	lasts := cmp.Or(p.bounds.agentLasts, talkTimeout)
	ctx, cancel := context.WithTimeout(ctx, lasts)
	defer cancel()
	r.as.Work = uuid.Max // a call without room is pending, whatever asks
	r.host, r.bucket, r.patient, r.once, r.mcp = p.fabric, quota.Platform, lasts, true, true
	for try := 1; ; try++ {
		t := &talk{p: p, ctx: ctx, r: r}
		err := p.mcp.Hold(ctx, p.fabric.JoinPath(r.path).String(), t, maxTalk, func(session *mcp.ClientSession) error {
			t.session = session
			return do(ctx, t)
		})
		pending, waits := errors.AsType[*item.Pending](t.refused)
		switch {
		case err == nil:
			return nil
		case waits && try < talkTries && pending.After < lasts/2:
			if err := p.wait(ctx, pending.After); err != nil {
				return err
			}
			continue
		case waits:
			return domain.Refuse(domain.PlatformUnavailable, "there is no room for further calls to the platform; try again in %s",
				pending.After.Round(time.Second)).After(pending.After)
		case t.refused != nil:
			return t.refused
		case errors.Is(ctx.Err(), context.Canceled):
			return ctx.Err()
		}
		if _, refused := domain.Refused(err); refused {
			return err
		}
		why := line(err.Error(), maxQuoted)
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			why = "it did not answer in time"
		}
		return about(domain.Refuse(domain.PlatformUnavailable, "%s gave no answer (%s)", who, why), r.about)
	}
}

// call calls a tool and notes how long it took.
func (t *talk) call(ctx context.Context, tool string, arguments map[string]any) (*mcp.CallToolResult, error) {
	began := t.p.now()
	answer, err := t.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	t.took = t.p.now().Sub(began)
	if err == nil && answer.IsError {
		return nil, errors.New("it reported an error: " + cmp.Or(strings.Join(t.texts(answer), " "), "without words"))
	}
	return answer, err
}

// texts returns the texts of an answer, in valid UTF-8 without NUL, which PostgreSQL does not keep.
func (*talk) texts(answer *mcp.CallToolResult) (texts []string) {
	for _, content := range answer.Content {
		if text, is := content.(*mcp.TextContent); is {
			clean := strings.ReplaceAll(strings.ToValidUTF8(text.Text, "\ufffd"), "\x00", "\ufffd")
			texts = append(texts, strings.TrimSpace(clean))
		}
	}
	return texts
}

// RoundTrip implements http.RoundTripper.
func (t *talk) RoundTrip(asked *http.Request) (*http.Response, error) {
	r := t.r
	r.method, r.header = asked.Method, asked.Header
	if t.refused != nil {
		return nil, t.refused
	}
	if asked.Body != nil {
		defer asked.Body.Close()
		var err error
		if r.body, err = io.ReadAll(io.LimitReader(asked.Body, maxTalk)); err != nil {
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
		}{io.LimitReader(a.body, maxTalk), a.body}, ContentLength: -1, Request: asked}, nil
}
