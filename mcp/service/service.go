// Package service serves the semantic models of the service to AI agents, as each caller. Its tools make calls of the public
// interface, through its handlers in this process, with the token of the agent's call: an agent may do only what the caller may, and
// calls are counted as usual. Nothing is kept between two calls.
package service

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"readiness/client"
	"readiness/client/inprocess"
	"readiness/internal/optional"
	"readiness/mcp"
)

// Bounds of a call: of its body in bytes, of the entire call, and of the wait for an operation in it.
const (
	maxBody  = 1 << 20
	timeout  = 25 * time.Second
	patience = 15 * time.Second
)

// Handler returns the handler of the calls of agents. api handles the calls of the public interface.
func Handler(api http.Handler, version string) http.Handler {
	server := mcp.NewServer(mcp.Options{Version: version, Write: true, Service: true, Timeout: timeout,
		Open: func(extra *sdk.RequestExtra) (mcp.Models, error) {
			_, token, _ := strings.Cut(extra.Header.Get("Authorization"), " ")
			s, err := client.Open(inprocess.BaseURL, client.Options{Token: client.Token(token), Timeout: timeout,
				Transport: inprocess.Transport{Handler: api}, UserAgent: "readiness-mcp", Pause: inprocess.Pause})
			return models{s}, err
		}})
	return single(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // the mount checks hosts and origins, also behind a proxy
	}))
}

// single refuses batches of messages, which early versions of the protocol have: one call could ask for thousands of answers.
func single(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := bufio.NewReader(http.MaxBytesReader(w, r.Body, maxBody))
		first, err := body.Peek(1)
		for err == nil && bytes.ContainsAny(first, " \t\r\n") {
			_, _ = body.Discard(1) // it was peeked
			first, err = body.Peek(1)
		}
		if err == nil && first[0] == '[' {
			http.Error(w, "send one message in each request; batches are not accepted", http.StatusBadRequest)
			return
		}
		r.Body = struct {
			io.Reader
			io.Closer
		}{body, r.Body}
		next.ServeHTTP(w, r)
	})
}

// models are the models of the service, as one caller.
type models struct{ *client.Service }

// page is how many rows are read of a list at once.
const page = 40

func problem(text string) error { return &mcp.Problem{Text: text} }

// refused returns the error of a call of the interface, with what to do.
func refused(err error) error {
	e, ok := errors.AsType[*client.Error](err)
	if !ok {
		return err
	}
	what := "The service refused the call with " + e.ErrorCode + "."
	switch {
	case e.ErrorCode == "InsufficientScopes":
		what += " Nothing was changed. The call starts work, so it needs a token with the scope Service.ReadWrite.All."
	case e.ErrorCode == "Unauthorized" || e.ErrorCode == "TokenExpired":
		what += " Nothing was changed. Sign in again and use a new token."
	case e.RetryAfter > 0:
		what += " Call again in " + strconv.Itoa(int(e.RetryAfter/time.Second)) + " seconds."
	}
	return &mcp.Problem{Text: what, Reason: e.Message}
}

// parsed returns the workspace and the id of a model.
func parsed(model string) (workspaceID, modelID uuid.UUID, err error) {
	first, second, _ := strings.Cut(model, "/")
	workspaceID, wrong := uuid.Parse(first)
	modelID, err = uuid.Parse(second)
	if wrong != nil || err != nil {
		return uuid.Nil, uuid.Nil, problem("The model must be workspaceId/semanticModelId. list_models within a workspace lists the " +
			"models.")
	}
	return workspaceID, modelID, nil
}

// List implements mcp.Models: the workspaces, or the models of one.
func (m models) List(ctx context.Context, within, cursor string) (rows []mcp.ModelRow, next string, err error) {
	var token *string
	if cursor != "" {
		token = &cursor
	}
	if within == "" {
		got, err := m.ListWorkspacesWithResponse(ctx, &client.ListWorkspacesParams{MaxResults: new(page), ContinuationToken: token})
		if err != nil {
			return nil, "", refused(err)
		}
		for _, w := range got.JSON200.Value {
			rows = append(rows, mcp.ModelRow{ID: w.WorkspaceID.String(), Name: w.WorkspaceName, Type: "Workspace"})
		}
		return rows, optional.Text(got.JSON200.ContinuationToken), nil
	}
	id, err := uuid.Parse(within)
	if err != nil {
		return nil, "", problem("within must be the id of a workspace. list_models without within lists the workspaces.")
	}
	got, err := m.ListSemanticModelsWithResponse(ctx, id, &client.ListSemanticModelsParams{MaxResults: new(page), ContinuationToken: token})
	if err != nil {
		return nil, "", refused(err)
	}
	for _, one := range got.JSON200.Value {
		rows = append(rows, mcp.ModelRow{ID: id.String() + "/" + one.SemanticModelID.String(), Name: one.SemanticModelName,
			Type: "SemanticModel"})
	}
	return rows, optional.Text(got.JSON200.ContinuationToken), nil
}
