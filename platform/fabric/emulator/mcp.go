package emulator

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// withoutSessions is the first version of MCP that has no initialize and no sessions.
const withoutSessions = "2026-07-28"

// talk answers as an MCP server. If Unknown.MCPVersion is set, the server knows only that version, and answers 400 to anything else, as
// MCP prescribes.
func (c *call) talk(server *mcp.Server) {
	if version := c.o.Unknown.MCPVersion; version != "" {
		if refusal := c.refusalIn(version); refusal != "" {
			c.w.Header().Set("Content-Type", "application/json")
			c.w.WriteHeader(http.StatusBadRequest)
			_ = json.NewEncoder(c.w).Encode(map[string]any{"jsonrpc": "2.0", "id": nil,
				"error": map[string]any{"code": -32000, "message": "Bad Request: " + refusal}})
			return
		}
		if version < withoutSessions {
			c.w.Header().Set("Mcp-Session-Id", uuid.NewSHA1(uuid.Nil, []byte(c.r.URL.Path)).String())
			c.r.Header.Del("Mcp-Session-Id") // the handler below has no sessions
		}
	}
	mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody}).ServeHTTP(c.w, c.r)
}

// refusalIn returns why a server that knows only one version refuses the message; "" if it does not.
func (c *call) refusalIn(version string) string {
	body, err := io.ReadAll(io.LimitReader(c.r.Body, maxBody))
	if err != nil {
		return "the body cannot be read"
	}
	c.r.Body = io.NopCloser(bytes.NewReader(body))
	var message struct {
		Method string
		Params struct{ ProtocolVersion string }
	}
	_ = json.Unmarshal(body, &message) // the handler refuses what is no message
	begins, session := message.Method == "initialize", c.r.Header.Get("Mcp-Session-Id")
	switch asked := c.r.Header.Get("Mcp-Protocol-Version"); {
	case version < withoutSessions && !begins && session == "":
		return "Mcp-Session-Id header is required"
	case asked != "" && asked != version, begins && message.Params.ProtocolVersion != version:
		return "Unsupported protocol version (supported versions: " + version + ")"
	}
	return ""
}
