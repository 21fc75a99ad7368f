package fabric

import (
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/internal/lists"
)

// PermissionGenerateQuery is the optional permission for Generate Query.
const PermissionGenerateQuery item.Permission = "generateQuery"

const (
	// generateTool is the tool of Power BI's MCP server that writes a query.
	generateTool = "GenerateQuery"
	// queryMember is the member of its answer that has the query, in the answers that public clients read.
	queryMember = "daxQuery"
	// maxGenerated bounds a query, in characters.
	maxGenerated = 20_000
)

// SupportsGenerateQuery reports whether Generate Query may be asked about a model, which is experimental. It refuses if the platform does not offer
// the tool to the person.
func (p *Platform) SupportsGenerateQuery(ctx context.Context, as item.Caller, model item.Item) (bool, error) {
	err := p.generate(ctx, as, model, func(ctx context.Context, t *talk) error {
		tools, err := t.session.ListTools(ctx, nil)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(tools.Tools, func(tool *mcp.Tool) bool { return tool.Name == generateTool }) {
			return notOffered("its MCP server does not list the tool")
		}
		return nil
	})
	return err == nil, err
}

// GenerateQuery has Generate Query write a query that answers a question about some tables of a model, and says how long that took. The
// form of its answer is not published: the query is "" if the service understands none in it. It refuses with PlatformUnavailable if
// there is no answer to this question.
func (p *Platform) GenerateQuery(ctx context.Context, as item.Caller, model item.Item, question string,
	tables []item.SelectedTable) (dax string, took time.Duration, err error) {
	err = p.generate(ctx, as, model, func(ctx context.Context, t *talk) error {
		selected := lists.Map(tables, func(table item.SelectedTable) any {
			return map[string]any{"name": table.Name, "columns": append([]string{}, table.Columns...),
				"measures": append([]string{}, table.Measures...)}
		})
		answer, err := t.call(ctx, generateTool, map[string]any{"artifactId": model.ID.String(), "userInput": question,
			"schemaSelection": map[string]any{"tables": selected},
			"chatHistory":     []any{}, "valueSearchResults": []any{}})
		if err != nil {
			return err
		}
		dax, took = generatedIn(answer.StructuredContent, 0), t.took
		for _, text := range t.texts(answer) {
			if dax == "" {
				dax = generatedInText(text)
			}
		}
		return nil
	})
	return dax, took, err
}

// generate makes a session with Power BI's MCP server. A server that is not there is no model that is not there.
func (p *Platform) generate(ctx context.Context, as item.Caller, model item.Item, do func(context.Context, *talk) error) error {
	err := p.converse(ctx, request{as: as, permission: PermissionGenerateQuery, path: "/mcp/powerbi", route: "POST /mcp/powerbi",
		about: subject{workspace: model.WorkspaceID, item: model}}, "Generate Query", do)
	if domain.IsRefused(err, domain.ItemNotFound) || domain.IsRefused(err, domain.WorkspaceNotFound) {
		return notOffered("there is no such server")
	}
	return err
}

func notOffered(why string) error {
	return domain.Refuse(domain.OperationNotSupportedForItem, "the platform does not offer Generate Query to you (%s); the operator "+
		"of the service can turn --experimental-generate-query off", why)
}

// maxNested bounds how deep a query may be in an answer.
const maxNested = 6

// generatedIn returns the first query in JSON, by the names of members; "" if there is none.
func generatedIn(v any, depth int) string {
	if depth > maxNested {
		return ""
	}
	switch v := v.(type) {
	case string:
		return generatedInText(v)
	case []any:
		for _, one := range v {
			if dax := generatedIn(one, depth+1); dax != "" {
				return dax
			}
		}
	case map[string]any:
		if dax := generatedIn(v[queryMember], depth+1); dax != "" {
			return dax
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if dax := generatedIn(v[name], depth+1); dax != "" {
				return dax
			}
		}
	}
	return ""
}

var (
	fencedQuery = regexp.MustCompile("(?s)```[a-zA-Z]*[ \t]*\r?\n(.*?)```")
	beginsQuery = regexp.MustCompile(`(?i)^(?:EVALUATE|DEFINE)\b`)
)

// generatedInText returns the query that a text is, that JSON in it has, or that stands in it between fences; "" if there is none.
func generatedInText(text string) string {
	text = strings.TrimSpace(text)
	var v any
	if (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) && json.Unmarshal([]byte(text), &v) == nil {
		return generatedIn(v, 1)
	}
	if fenced := fencedQuery.FindStringSubmatch(text); fenced != nil {
		text = strings.TrimSpace(fenced[1])
	}
	if !beginsQuery.MatchString(text) || domain.FirstCharacters(text, maxGenerated) != text {
		return ""
	}
	return text
}
