package openai

import "encoding/json"

// mode is a way to get an answer in a form, the most reliable first.
type mode int

const (
	jsonSchema mode = iota // the schema is enforced
	toolCall               // the answer is the argument of a tool that has the schema
	jsonObject             // the answer is any JSON object
	plain                  // the answer is text; its first JSON value is used
)

var modeNames = map[mode]string{jsonSchema: "json_schema", toolCall: "tool", jsonObject: "json_object", plain: "plain"}

// capabilities are what a server is known to accept.
type capabilities struct {
	mode mode
	// proven reports that a request in this mode was answered, so that a later rejection has another
	// reason.
	proven        bool
	noTemperature bool
	// tokens is the parameter that bounds the length of an answer.
	tokens tokenLimit
}

type tokenLimit int

const (
	maxCompletionTokens tokenLimit = iota
	olderMaxTokens
	noTokenLimit
)

// less returns capabilities with one fewer, after a server rejected a request; false when nothing can
// be left out. formed reports that the request has a form.
func (k capabilities) less(f *failure, formed bool) (capabilities, bool) {
	switch {
	case !k.noTemperature && contains(f.hint, "temperature"):
		k.noTemperature = true
	case k.tokens < noTokenLimit && contains(f.hint, "max_tokens", "max_completion_tokens"):
		k.tokens++
	case formed && !k.proven && k.mode < plain:
		k.mode++
	default:
		return k, false
	}
	return k, true
}

// request returns the request for a question.
func (c *Client) request(q question, k capabilities) chatRequest {
	r := chatRequest{Model: c.model, Messages: []chatMessage{{"system", q.system}}}
	for i, text := range q.turns {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		r.Messages = append(r.Messages, chatMessage{role, text})
	}
	if !k.noTemperature {
		r.Temperature = new(0.0)
	}
	switch k.tokens {
	case maxCompletionTokens:
		r.MaxAnswer = c.limits.MaxOutputTokens
	case olderMaxTokens:
		r.MaxTokens = c.limits.MaxOutputTokens
	case noTokenLimit:
	}
	if q.form == nil {
		return r
	}
	switch k.mode {
	case jsonSchema:
		r.ResponseFormat = &responseFormat{"json_schema", &answerSchema{Name: answerName, Strict: true, Schema: q.form.schema()}}
	case toolCall:
		r.Tools = []chatTool{{"function", answerSchema{Name: answerName, Description: "Gives the answer.", Strict: true, Parameters: q.form.schema()}}}
		r.ToolChoice = &chatTool{"function", answerSchema{Name: answerName}}
	case jsonObject:
		r.ResponseFormat = &responseFormat{Type: "json_object"}
	case plain:
	}
	return r
}

// answerName is the name of the schema and of the tool.
const answerName = "answer"

// form is the shape of an answer: a JSON object with one list, or an object with its own schema.
type form struct {
	// keys are the allowed keys of items; nil makes the list one of texts.
	keys []string
	// values are the allowed texts of items; nil allows any text.
	values []string
	// own is the schema of an object without a list, and valid reports whether a text is such an
	// object.
	own   map[string]any
	valid func(text string) bool
}

// schema returns the form in the subset of JSON Schema that strict servers share: all members
// required, no others allowed, no lengths.
func (f *form) schema() map[string]any {
	if f.own != nil {
		return f.own
	}
	item := map[string]any{"type": "string"}
	if f.keys != nil {
		text := map[string]any{"type": []string{"string", "null"}}
		if f.values != nil {
			values := make([]any, 0, len(f.values)+1)
			for _, v := range f.values {
				values = append(values, v)
			}
			text["enum"] = append(values, nil)
		}
		item = object(map[string]any{"key": map[string]any{"type": "string", "enum": f.keys}, "text": text}, "key", "text")
	}
	return object(map[string]any{"items": map[string]any{"type": "array", "items": item}}, "items")
}

// object returns the schema of an object with these members, all of them required.
func object(members map[string]any, required ...string) map[string]any {
	return map[string]any{"type": "object", "properties": members, "required": required, "additionalProperties": false}
}

// described returns the schema as a prompt, for modes that do not enforce it.
func (f *form) described() string {
	text, err := json.Marshal(f.schema())
	if err != nil {
		panic(err) // it holds texts only
	}
	return "Answer with one JSON object and nothing else, by this JSON Schema: " + string(text)
}
