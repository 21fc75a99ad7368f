package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3/option"
)

// anthropicVersion is the version of the Messages interface that requests name.
const anthropicVersion = "2023-06-01"

// anthropic returns middleware that makes a request of chat completions in the Messages interface of Anthropic, and reads its
// response as one of chat completions. An answer in a form is the input of a tool. It refuses a JSON Schema without a tool, so that
// the client asks for the tool.
func anthropic(key string) option.Middleware {
	return func(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		var asked chatRequest
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			return nil, err
		}
		if asked.ResponseFormat.Type == "json_schema" {
			return nil, &failure{class: rejected, status: http.StatusBadRequest, what: "it takes a JSON Schema only as a tool"}
		}
		body, err := json.Marshal(asked.message())
		if err != nil {
			return nil, err
		}
		r.URL.Path = strings.TrimSuffix(r.URL.Path, "chat/completions") + "messages"
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		r.GetBody = nil
		r.Header.Del("Authorization")
		r.Header.Set("X-Api-Key", key)
		r.Header.Set("Anthropic-Version", anthropicVersion)
		res, err := next(r)
		if err != nil {
			return nil, err
		}
		defer res.Body.Close()
		text, err := completed(res.Body)
		if err != nil {
			return nil, err
		}
		res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		return res, nil
	}
}

// chatRequest is the part of a request of chat completions that this program sends.
type chatRequest struct {
	Model       string   `json:"model"`
	Temperature *float64 `json:"temperature"`
	MaxTokens   int64    `json:"max_tokens"`
	MaxAnswer   int64    `json:"max_completion_tokens"`
	Messages    []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	ResponseFormat struct {
		Type string `json:"type"`
	} `json:"response_format"`
	Tools []struct {
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

// message returns the request in the Messages interface, which always bounds the length of an answer.
func (c chatRequest) message() map[string]any {
	const leastBound = 1024
	most := max(c.MaxAnswer, c.MaxTokens)
	if most == 0 {
		most = leastBound
	}
	m := map[string]any{"model": c.Model, "max_tokens": most}
	if c.Temperature != nil {
		m["temperature"] = *c.Temperature
	}
	turns := []map[string]any{}
	for _, one := range c.Messages {
		if one.Role == "system" {
			m["system"] = one.Content
			continue
		}
		turns = append(turns, map[string]any{"role": one.Role, "content": one.Content})
	}
	m["messages"] = turns
	for _, t := range c.Tools {
		m["tools"] = []map[string]any{{"name": t.Function.Name, "description": t.Function.Description, "input_schema": t.Function.Parameters}}
		m["tool_choice"] = map[string]any{"type": "tool", "name": t.Function.Name}
	}
	return m
}

// errNoMessage is the error of a response that is no message.
var errNoMessage = errors.New("openai: the response is no message")

// completed returns a message as a response of chat completions.
func completed(body io.Reader) ([]byte, error) {
	var m struct {
		ID      string `json:"id"`
		Type    string `json:"type"`
		Content []struct {
			Type  string          `json:"type"`
			Text  string          `json:"text"`
			Name  string          `json:"name"`
			Input json.RawMessage `json:"input"`
		} `json:"content"`
		StopReason string `json:"stop_reason"`
		Usage      struct {
			Input  int64 `json:"input_tokens"`
			Output int64 `json:"output_tokens"`
		} `json:"usage"`
	}
	if err := json.NewDecoder(body).Decode(&m); err != nil || m.Type != "message" {
		return nil, errors.Join(errNoMessage, err)
	}
	answer, calls := map[string]any{"role": "assistant"}, []map[string]any{}
	var text strings.Builder
	for _, part := range m.Content {
		switch part.Type {
		case "text":
			text.WriteString(part.Text)
		case "tool_use":
			calls = append(calls, map[string]any{"type": "function", "id": "call", "function": map[string]any{"name": part.Name,
				"arguments": string(part.Input)}})
		}
	}
	answer["content"] = text.String()
	if len(calls) > 0 {
		answer["tool_calls"] = calls
	}
	reason := "stop"
	switch m.StopReason {
	case "max_tokens", "model_context_window_exceeded":
		reason = "length"
	case "refusal":
		answer["refusal"] = "refused"
	}
	return json.Marshal(map[string]any{
		"id": m.ID, "object": "chat.completion", "choices": []map[string]any{{"index": 0, "finish_reason": reason, "message": answer}},
		"usage": map[string]any{"prompt_tokens": m.Usage.Input, "completion_tokens": m.Usage.Output, "total_tokens": m.Usage.Input + m.Usage.Output},
	})
}
