package emulator

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"readiness/domain/item"
)

// fabricIQ is Fabric IQ with the one tool that the service calls, GetSemanticModelSchema.
func (c *call) fabricIQ() {
	if c.o.Unknown.NoIQ {
		fail(c.w, http.StatusForbidden, "FeatureNotAvailable", "The feature is not available")
		return
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "FabricIQ", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "GetSemanticModelSchema"}, c.modelSchema)
	c.talk(server)
}

// modelSchema shows the parts that prepare a model for AI, whether or not its definition does.
func (c *call) modelSchema(ctx context.Context, _ *mcp.CallToolRequest, asked struct {
	ArtifactID string `json:"artifactId"`
}) (*mcp.CallToolResult, any, error) {
	id, _ := uuid.Parse(asked.ArtifactID) // an invalid id is the zero id, which no item has
	it, found, err := c.anywhere(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	if !found {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "The item could not be found"}}}, nil, nil
	}
	d, err := c.definitionOf(ctx, c.o, c.as(), it)
	if err != nil {
		return nil, nil, err
	}
	instructions, answers := "", []any{}
	for _, p := range d.Parts {
		switch {
		case p.Path == "Copilot/Instructions/instructions.md":
			instructions = string(p.Data)
		case strings.HasPrefix(p.Path, "Copilot/VerifiedAnswers/") && strings.HasSuffix(p.Path, "/definition.json"):
			answers = append(answers, map[string]any{"Title": p.Path})
		}
	}
	text, err := json.Marshal(map[string]any{"schema": map[string]any{"Tables": []any{}, "CustomInstructions": instructions,
		"VerifiedAnswers": answers}})
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, nil, err
}

// anywhere finds a semantic model by its id alone.
func (c *call) anywhere(ctx context.Context, id uuid.UUID) (item.Item, bool, error) {
	workspaces, err := c.o.Folder.Workspaces(ctx, c.as())
	for _, w := range workspaces {
		all, failed := c.o.Folder.Items(ctx, c.as(), w.ID, item.SemanticModel)
		if failed != nil {
			return item.Item{}, false, failed
		}
		for _, it := range append(all, c.madeHere(w.ID, item.SemanticModel)...) {
			if it.ID == id {
				return it, true, nil
			}
		}
	}
	return item.Item{}, false, err
}
