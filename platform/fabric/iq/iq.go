// Package iq asks Fabric IQ, the platform's MCP server for agents, what a semantic model has that prepares it for AI. It
// shows what a definition may keep back. It answers no questions of people.
package iq

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"readiness/domain/item"
	"readiness/platform/fabric/mcpclient"
)

// DefaultURL is the address of Fabric IQ in the public cloud.
const DefaultURL = "https://fabriciq.svc.cloud.microsoft"

// Permission is the optional permission to ask Fabric IQ. A person who has not granted it is served as if Fabric IQ did not
// answer.
const Permission item.Permission = "fabricIQ"

const (
	path = "/v1/mcp/FabricIQ"
	// tool returns the schema of a semantic model with its custom instructions and its verified answers.
	tool = "GetSemanticModelSchema"
	// timeout bounds one question, with the session around it.
	timeout = 15 * time.Second
	// maxAnswer bounds an answer, in bytes.
	maxAnswer = 8 << 20
)

// Client asks Fabric IQ as the signed-in person. It is safe for concurrent use.
type Client struct {
	// URL is the address, without a path; "" for DefaultURL.
	URL string
	// Transport carries the calls.
	Transport http.RoundTripper
	// Tokens returns a token that acts as the caller with a permission.
	Tokens func(ctx context.Context, as item.Caller, p item.Permission) (string, error)
	MCP    *mcpclient.Client
}

// Prepared is what prepares a semantic model for AI, as far as Fabric IQ shows it.
type Prepared struct{ Instructions, VerifiedAnswers bool }

// Any reports whether there is something.
func (p Prepared) Any() bool { return p.Instructions || p.VerifiedAnswers }

// Prepared asks for a semantic model. An error means that nothing is known: Fabric IQ may be off in the organization, or the
// person has not granted the permission.
func (c *Client) Prepared(ctx context.Context, as item.Caller, modelID uuid.UUID) (Prepared, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	token, err := c.Tokens(ctx, as, Permission)
	if err != nil {
		return Prepared{}, err
	}
	address := c.URL
	address = cmp.Or(address, DefaultURL)
	var answer *mcp.CallToolResult
	address = strings.TrimSuffix(address, "/") + path
	err = c.MCP.Hold(ctx, address, bearer{c.Transport, token}, maxAnswer, func(session *mcp.ClientSession) error {
		var err error
		answer, err = session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"artifactId": modelID.String()}})
		return err
	})
	switch {
	case err != nil:
		return Prepared{}, fmt.Errorf("iq: %s: %w", tool, err)
	case answer.IsError:
		return Prepared{}, fmt.Errorf("iq: %s was refused", tool)
	}
	for _, content := range answer.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			if p, known := read([]byte(text.Text)); known {
				return p, nil
			}
		}
	}
	return Prepared{}, fmt.Errorf("iq: the answer to %s has no schema", tool)
}

// bearer sends the token, and the route that Fabric IQ expects, with each request.
type bearer struct {
	http.RoundTripper
	token string
}

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	r.Header.Set("X-Variants", "Fabric.Routing.FabricIQ.V1")
	res, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		res.Body = limited{io.LimitReader(res.Body, maxAnswer), res.Body}
	}
	return res, err
}

type limited struct {
	io.Reader
	io.Closer
}

// read returns what an answer shows. A cut answer is no JSON, so it is not known.
func read(text []byte) (p Prepared, known bool) {
	var answer struct {
		Schema *struct {
			CustomInstructions, VerifiedAnswers json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Schema == nil {
		return p, false
	}
	return Prepared{Instructions: some(answer.Schema.CustomInstructions), VerifiedAnswers: some(answer.Schema.VerifiedAnswers)}, true
}

// some reports whether JSON holds anything: a text, or a member or an element that does.
func some(text json.RawMessage) bool {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return false
	}
	return holds(v)
}

func holds(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v) != ""
	case []any:
		for _, one := range v {
			if holds(one) {
				return true
			}
		}
	case map[string]any:
		for _, one := range v {
			if holds(one) {
				return true
			}
		}
	case float64, bool:
		return true
	}
	return false
}
