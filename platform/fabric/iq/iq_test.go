package iq_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric/iq"
	"readiness/platform/fabric/mcpclient"
)

// What Fabric IQ shows is known only from a complete answer; the token goes to its address and to no other.
func TestPrepared(t *testing.T) {
	t.Parallel()
	model := uuid.New()
	consent := domain.Refuse(domain.PlatformConsentRequired, "no")
	for name, c := range map[string]struct {
		answer  string // of the tool, "" if the tool answers an error
		instead http.HandlerFunc
		token   error
		want    iq.Prepared
		known   bool
	}{
		"nothing":          {answer: `{"schema":{"Tables":[{"Name":"Sales"}],"CustomInstructions":"","VerifiedAnswers":[]}}`, known: true},
		"neither is named": {answer: `{"schema":{"Tables":[]}}`, known: true},
		"instructions":     {answer: `{"schema":{"CustomInstructions":"Be brief."}}`, want: iq.Prepared{Instructions: true}, known: true},
		"as a list":        {answer: `{"schema":{"CustomInstructions":[{"Text":"Be brief."}]}}`, want: iq.Prepared{Instructions: true}, known: true},
		"white space":      {answer: `{"schema":{"CustomInstructions":" \n"}}`, known: true},
		"verified answers": {answer: `{"schema":{"customInstructions":null,"verifiedAnswers":[{"Title":"Sales"}]}}`, want: iq.Prepared{VerifiedAnswers: true}, known: true},
		"cut off":          {answer: `{"schema":{"CustomInstructions":"Be br`},
		"a summary":        {answer: "The schema was truncated."},
		"no schema":        {answer: `{"artifact_citation":{}}`},
		"refused":          {},
		"not there":        {instead: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }},
		"elsewhere": {instead: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://192.0.2.1/", http.StatusTemporaryRedirect)
		}},
		"no answer":  {instead: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		"no consent": {token: consent, answer: `{"schema":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := mcp.NewServer(&mcp.Implementation{Name: "FabricIQ", Version: "1"}, nil)
			mcp.AddTool(server, &mcp.Tool{Name: "GetSemanticModelSchema"}, func(_ context.Context, _ *mcp.CallToolRequest, asked struct {
				ArtifactID string `json:"artifactId"`
			}) (*mcp.CallToolResult, any, error) {
				if asked.ArtifactID != model.String() {
					t.Errorf("asked for %q", asked.ArtifactID)
				}
				return &mcp.CallToolResult{IsError: c.answer == "", Content: []mcp.Content{&mcp.TextContent{Text: c.answer}}}, nil, nil
			})
			var handler http.Handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
				&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
			if c.instead != nil {
				handler = c.instead
			}
			s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer of-ada" || r.Header.Get("X-Variants") == "" || r.URL.Path != "/v1/mcp/FabricIQ" {
					t.Errorf("%s was called with %v", r.URL.Path, r.Header)
				}
				handler.ServeHTTP(w, r)
			}))
			t.Cleanup(s.Close)
			client := iq.Client{MCP: mcpclient.New(), URL: s.URL, Transport: s.Client().Transport,
				Tokens: func(_ context.Context, _ item.Caller, p item.Permission) (string, error) {
					if p != iq.Permission {
						t.Errorf("the token is for %s", p)
					}
					return "of-ada", c.token
				}}
			got, err := client.Prepared(t.Context(), item.Caller{}, model)
			if (err == nil) != c.known || got != c.want {
				t.Errorf("got %+v, %v; want %+v", got, err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "of-ada") {
				t.Errorf("the error has the token: %v", err)
			}
		})
	}
}
