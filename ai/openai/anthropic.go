package openai

import (
	"cmp"
	"encoding/json"
	"errors"
)

// anthropicVersion is the version of the Messages interface that requests name.
const anthropicVersion = "2023-06-01"

// messageOf returns the request in the Messages interface of Anthropic, which always bounds the length of an answer. An answer in a form
// is the input of a tool.
func messageOf(c chatRequest) map[string]any {
	const leastBound = 1024
	most := max(c.MaxAnswer, c.MaxTokens)
	most = cmp.Or(most, leastBound)
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
func completed(text []byte) (*completion, error) {
	var m struct {
		ID      string `json:"id"`
		Type    string `json:"type"`
		Content []struct {
			Type  string          `json:"type"`
			Text  string          `json:"text"`
			Input json.RawMessage `json:"input"`
		} `json:"content"`
		StopReason string `json:"stop_reason"`
		Usage      struct {
			Input  int64 `json:"input_tokens"`
			Output int64 `json:"output_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(text, &m); err != nil || m.Type != "message" {
		return nil, errors.Join(errNoMessage, err)
	}
	answer, one := &completion{ID: m.ID, Choices: make([]choice, 1)}, choice{FinishReason: "stop"}
	answer.Usage.PromptTokens, answer.Usage.CompletionTokens = m.Usage.Input, m.Usage.Output
	for _, part := range m.Content {
		switch part.Type {
		case "text":
			one.Message.Content += part.Text
		case "tool_use":
			one.Message.ToolCalls = append(one.Message.ToolCalls, toolCalled{})
			one.Message.ToolCalls[len(one.Message.ToolCalls)-1].Function.Arguments = string(part.Input)
		}
	}
	switch m.StopReason {
	case "max_tokens", "model_context_window_exceeded":
		one.FinishReason = "length"
	case "refusal":
		one.Message.Refusal = "refused"
	}
	answer.Choices[0] = one
	return answer, nil
}
