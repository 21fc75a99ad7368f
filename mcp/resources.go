package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// View is what an AI sees of a model.
type View struct {
	Instructions string
	Rows         []ViewRow
}

// ViewRow is an object that an AI sees.
type ViewRow struct {
	Type        string   `json:"type"` // table, column, measure, relationship or verified answer
	Table       string   `json:"table,omitempty"`
	Name        string   `json:"name,omitempty"`
	Description string   `json:"description,omitempty"` // the first 200 characters, which the AI reads
	Synonyms    []string `json:"synonyms,omitempty"`
}

// ViewInput names a model and a page.
type ViewInput struct {
	Model  string `json:"model" jsonschema:"the id of a model, from list_models"`
	Cursor string `json:"cursor,omitempty" jsonschema:"the nextCursor of the previous page"`
}

// ViewOutput is a page of what an AI sees.
type ViewOutput struct {
	Instructions string        `json:"instructions,omitempty"` // the AI instructions in use, on the first page
	Objects      Page[ViewRow] `json:"objects"`
}

// maxInstructions bounds AI instructions in an output, in characters.
const maxInstructions = 4000

// Addresses of the resources whose name follows.
const (
	viewURI    = "readiness://ai-view/"
	recordsURI = "readiness://records"
)

func (t tools) addResources() {
	add(t, spec{name: "ai_view", title: "What an AI sees of a model", hints: reads,
		description: "Lists the tables, columns, measures, relationships and verified answers of a model that Copilot sees, with the AI " +
			"instructions, page by page."}, view)
	t.server.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: viewURI + "{+model}", Name: "ai-view",
		Title: "What an AI sees of a model", MIMEType: "text/plain",
		Description: "The first page of what Copilot sees of a model; the tool ai_view lists the others."},
		func(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			name, _ := strings.CutPrefix(r.Params.URI, viewURI)
			return t.read(ctx, r, name, func(ctx context.Context, m Models, name string) (string, any, error) {
				made, err := view(ctx, m, ViewInput{Model: name})
				return made.summary, made.data, err
			})
		})
	t.server.AddResource(&sdk.Resource{URI: recordsURI, Name: "records", Title: "Records of what was written", MIMEType: "text/plain",
		Description: "The first page of the records; readiness://records/RECORD shows one."},
		func(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return t.read(ctx, r, "", func(ctx context.Context, m Models, _ string) (string, any, error) {
				rows, _, err := m.Records(ctx, "")
				return fmt.Sprintf("%d records on the first page.", len(rows)), rows, err
			})
		})
	t.server.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: recordsURI + "/{record}", Name: "record", Title: "A record",
		MIMEType: "text/plain", Description: "What reverting a record would restore: the first page."},
		func(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			name, _ := strings.CutPrefix(r.Params.URI, recordsURI+"/")
			return t.read(ctx, r, name, func(ctx context.Context, m Models, name string) (string, any, error) {
				w, err := m.PreviewRevert(ctx, name)
				if err != nil {
					return "", nil, err
				}
				out, err := w.output(fmt.Sprintf("Reverting it restores %d objects.", len(w.Changes)), "")
				return out.summary, out.data, err
			})
		})
}

// read answers the read of a resource whose texts come from models.
func (t tools) read(ctx context.Context, r *sdk.ReadResourceRequest, escaped string,
	of func(ctx context.Context, m Models, name string) (string, any, error)) (*sdk.ReadResourceResult, error) {
	ctx, cancel := t.within(ctx)
	defer cancel()
	name, err := url.PathUnescape(escaped)
	if err != nil {
		return nil, sdk.ResourceNotFoundError(r.Params.URI)
	}
	m, err := t.Open(r.Extra)
	if err != nil {
		return nil, errors.New(explain(err))
	}
	summary, data, err := of(ctx, m, name)
	if err != nil {
		return nil, errors.New(explain(err))
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: "text/plain", Text: asText(summary, data)}},
		Cacheable: sdk.Cacheable{CacheScope: "private"}}, nil
}

func view(ctx context.Context, m Models, in ViewInput) (result[ViewOutput], error) {
	v, err := m.View(ctx, in.Model)
	if err != nil {
		return result[ViewOutput]{}, err
	}
	page, err := pageOf(v.Rows, in.Cursor)
	out := ViewOutput{Objects: page}
	if in.Cursor == "" {
		out.Instructions = clip(v.Instructions, maxInstructions)
	}
	return result[ViewOutput]{summary: fmt.Sprintf("An AI sees %d objects of this model.", page.Total), data: out}, err
}
