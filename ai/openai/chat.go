package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
)

// chatRequest is a request of the chat completions interface.
type chatRequest struct {
	Model          string          `json:"model"`
	Messages       []chatMessage   `json:"messages"`
	Temperature    *float64        `json:"temperature,omitempty"`
	MaxTokens      int             `json:"max_tokens,omitempty"`
	MaxAnswer      int             `json:"max_completion_tokens,omitempty"`
	ResponseFormat *responseFormat `json:"response_format,omitempty"`
	Tools          []chatTool      `json:"tools,omitempty"`
	ToolChoice     *chatTool       `json:"tool_choice,omitempty"`
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type responseFormat struct {
	Type   string        `json:"type"`
	Schema *answerSchema `json:"json_schema,omitempty"`
}

type chatTool struct {
	Type     string       `json:"type"`
	Function answerSchema `json:"function"`
}

// answerSchema is a JSON Schema with a name: Schema of an answer, Parameters of a tool.
type answerSchema struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Strict      bool           `json:"strict,omitempty"`
	Schema      map[string]any `json:"schema,omitempty"`
	Parameters  map[string]any `json:"parameters,omitempty"`
}

// completion is the response.
type completion struct {
	ID      string   `json:"id"`
	Choices []choice `json:"choices"`
	Usage   struct {
		PromptTokens     int64 `json:"prompt_tokens"`
		CompletionTokens int64 `json:"completion_tokens"`
	} `json:"usage"`
}

type choice struct {
	FinishReason string `json:"finish_reason"`
	Message      struct {
		Content   string       `json:"content"`
		Refusal   string       `json:"refusal"`
		ToolCalls []toolCalled `json:"tool_calls"`
	} `json:"message"`
}

type toolCalled struct {
	Function struct {
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// post sends a request and reads its response. The error is a *failure, that of authorize or of the context, or one of JSON.
func (c *Client) post(ctx context.Context, asked chatRequest) (*completion, error) {
	var body any = asked
	if c.anthropic {
		if asked.ResponseFormat != nil && asked.ResponseFormat.Schema != nil {
			return nil, &failure{class: rejected, status: http.StatusBadRequest, what: "it takes a JSON Schema only as a tool"}
		}
		body = messageOf(asked)
	}
	sent, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address, bytes.NewReader(sent))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "readiness")
	if err := c.authorize(r); err != nil {
		return nil, err
	}
	text, err := bounded(c.calls.Do(r))
	if err != nil {
		return nil, err
	}
	if c.anthropic {
		return completed(text)
	}
	answer := &completion{}
	return answer, json.Unmarshal(text, answer)
}

// bounded reads a response completely, but not more than maxAnswer, so that an interrupted connection differs from a malformed answer.
// The error is a *failure, whose text is not the provider's.
func bounded(res *http.Response, err error) ([]byte, error) {
	if err != nil {
		return nil, network(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		text, err := io.ReadAll(io.LimitReader(res.Body, maxError))
		if err != nil {
			text = nil // the status says enough
		}
		return nil, failureOf(res, text)
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return nil, network(err)
	}
	if len(text) > maxAnswer {
		return nil, &failure{class: tooLong, what: "its answer is too large"}
	}
	return text, nil
}
