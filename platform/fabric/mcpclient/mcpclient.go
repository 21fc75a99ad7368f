// Package mcpclient holds sessions with MCP servers, in the newest version of the protocol that a server knows.
package mcpclient

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"sync/atomic"
	"time"

	"github.com/hashicorp/golang-lru/v2/expirable"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxServers bounds the servers whose version is remembered, remembers is for how long.
	maxServers, remembers = 10_000, 24 * time.Hour
	// maxRefusal bounds what is read of a refusal, in bytes.
	maxRefusal = 64 << 10
)

// Client remembers which version each server knows. It is safe for concurrent use.
type Client struct {
	known *expirable.LRU[string, string]
}

// New returns a client that remembers nothing.
func New() *Client { return &Client{expirable.NewLRU[string, string](maxServers, nil, remembers)} }

// Hold makes a session with the server at the address, calls do with it, and ends it. over carries the calls, and may answer one with
// an error of its own; no answer may have more than largest bytes.
//
// A server refuses a version that it does not know, and a call without the session that older versions need, with 400: then nothing
// has happened, and Hold tries the next older version. It begins with the version that the server spoke last.
func (c *Client) Hold(ctx context.Context, address string, over http.RoundTripper, largest int, do func(*mcp.ClientSession) error) error {
	spoken, _ := c.known.Get(address)
	versions := mcp.SupportedProtocolVersions() // the newest first
	if spoken != "" {
		versions = slices.Insert(slices.DeleteFunc(versions, func(v string) bool { return v == spoken }), 0, spoken)
	}
	var err error
	for _, version := range versions {
		var older bool
		if older, err = c.hold(ctx, address, &refusals{over: over}, largest, version, do); !older || ctx.Err() != nil {
			return err
		}
		c.known.Remove(address)
	}
	return err
}

// hold makes a session in one version. older reports that the server refused the version, and does not speak it.
func (c *Client) hold(ctx context.Context, address string, over *refusals, largest int, version string,
	do func(*mcp.ClientSession) error) (older bool, err error) {
	session, err := mcp.NewClient(&mcp.Implementation{Name: "readiness", Version: "1"}, nil).Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: address, DisableStandaloneSSE: true, MaxRetries: -1, MaxEventSize: largest, HTTPClient: &http.Client{Transport: over,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		_, said := errors.AsType[*jsonrpc.Error](err)
		return said || over.said() != "", err
	}
	defer func() { _ = session.Close() }()
	over.last.Store(nil) // of a version that the session does not have
	if err := do(session); err != nil {
		return ofVersion.MatchString(over.said()), err
	}
	c.known.Add(address, session.InitializeResult().ProtocolVersion)
	return false, nil
}

// ofVersion finds what a server says of a call in a version that it does not know.
var ofVersion = regexp.MustCompile(`(?i)session|protocol.?version`)

// refusals carries calls and keeps what the last 400 says, unless it is an error of the platform's before the server. It implements
// http.RoundTripper.
type refusals struct {
	over http.RoundTripper
	last atomic.Pointer[string]
}

func (r *refusals) said() string {
	if last := r.last.Load(); last != nil {
		return *last
	}
	return ""
}

// RoundTrip implements http.RoundTripper.
func (r *refusals) RoundTrip(asked *http.Request) (*http.Response, error) {
	answer, err := r.over.RoundTrip(asked)
	if err != nil || answer.StatusCode != http.StatusBadRequest {
		return answer, err
	}
	said, err := io.ReadAll(io.LimitReader(answer.Body, maxRefusal))
	_ = answer.Body.Close()
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(said, []byte(`"errorCode"`)) {
		r.last.Store(new("400 " + string(said)))
	}
	answer.Body = io.NopCloser(bytes.NewReader(said))
	return answer, nil
}
