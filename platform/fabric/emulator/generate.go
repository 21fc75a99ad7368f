package emulator

import (
	"context"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// powerBIMCP is Power BI's MCP server with the one tool that the service calls, GenerateQuery. The names of its arguments are public; the
// form of its answer is not.
func (c *call) powerBIMCP() {
	server := mcp.NewServer(&mcp.Implementation{Name: "PowerBI", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "ExecuteQuery"}, // which the service does not call
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{IsError: true}, nil, nil
		})
	if c.o.Unknown.GeneratedQuery != nil {
		mcp.AddTool(server, &mcp.Tool{Name: "GenerateQuery"}, c.generateQuery)
	}
	c.talk(server)
}

// selectedTable is a table that a query may be about, with what of it. A name alone is refused.
type selectedTable struct {
	Name     string   `json:"name"`
	Columns  []string `json:"columns"`
	Measures []string `json:"measures"`
}

// generateQuery answers about a model that the person can see.
func (c *call) generateQuery(ctx context.Context, _ *mcp.CallToolRequest, asked struct {
	ArtifactID      string `json:"artifactId"`
	UserInput       string `json:"userInput"`
	SchemaSelection struct {
		Tables []selectedTable `json:"tables"`
	} `json:"schemaSelection"`
	ChatHistory        []any `json:"chatHistory"`
	ValueSearchResults []any `json:"valueSearchResults"`
}) (*mcp.CallToolResult, any, error) {
	id, _ := uuid.Parse(asked.ArtifactID) // an invalid id is the zero id, which no item has
	it, found, err := c.anywhere(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	if !found {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "The item could not be found"}}}, nil, nil
	}
	structured, text, err := c.o.Unknown.GeneratedQuery(it, asked.UserInput)
	return &mcp.CallToolResult{StructuredContent: structured, Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, err
}
