package emulator

import (
	"context"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"readiness/definition/dataagent"
	"readiness/domain/item"
)

// dataAgent is the MCP server of a published data agent: it has one tool, which answers a question with a text.
func (c *call) dataAgent() {
	it, err := c.find(item.DataAgent)
	if err != nil {
		c.refuse(err)
		return
	}
	d, err := c.definitionOf(c.r.Context(), c.o, c.as(), it)
	if err != nil {
		c.refuse(err)
		return
	}
	if agent, err := dataagent.Read(d); err != nil || agent.Published == nil {
		fail(c.w, http.StatusNotFound, "EntityNotFound", "The requested resource could not be found")
		return
	}
	server := mcp.NewServer(&mcp.Implementation{Name: it.DisplayName, Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "DataAgent_" + it.ID.String(), Description: "Answers questions about data"},
		func(_ context.Context, _ *mcp.CallToolRequest, asked struct {
			Question string `json:"userQuestion"`
		}) (*mcp.CallToolResult, any, error) {
			text, err := c.o.Answers(it, asked.Question)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, err // the error becomes the answer
		})
	c.talk(server)
}

// hears is the default answer of an emulated data agent, which has no AI.
func hears(agent item.Item, question string) (string, error) {
	return fmt.Sprintf("%s is emulated and has no AI. It was asked: %s", agent.DisplayName, question), nil
}
