package openai

import (
	"encoding/json"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"
)

// mode is how a server is made to answer in a form, the surest first (regime
// F.3, point 2).
type mode int

const (
	jsonSchema mode = iota // the schema is enforced
	toolCall               // the answer is the argument of a tool with the schema
	jsonObject             // the answer is some JSON object
	plain                  // the answer is text; its first JSON is taken
)

var modeNames = map[mode]string{jsonSchema: "json_schema", toolCall: "tool", jsonObject: "json_object", plain: "plain"}

// capabilities are what a server takes, as far as it was seen.
type capabilities struct {
	mode mode
	// proven tells that a request in this mode was answered, so that another that
	// is rejected is so for another reason.
	proven        bool
	noTemperature bool
	// tokens tells how the length of an answer is bounded.
	tokens tokenLimit
}

type tokenLimit int

const (
	maxCompletionTokens tokenLimit = iota
	olderMaxTokens
	noTokenLimit
)

// less returns what is left when a server rejects a request, and false when
// nothing is to be left out. formed tells that the request wants a form.
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

// params makes the request.
func (c *Client) params(q question, k capabilities) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{Model: c.model}
	p.Messages = append(p.Messages, openai.SystemMessage(q.system))
	for i, text := range q.turns {
		if i%2 == 0 {
			p.Messages = append(p.Messages, openai.UserMessage(text))
		} else {
			p.Messages = append(p.Messages, openai.AssistantMessage(text))
		}
	}
	if !k.noTemperature {
		p.Temperature = openai.Float(0)
	}
	switch k.tokens {
	case maxCompletionTokens:
		p.MaxCompletionTokens = openai.Int(int64(c.limits.MaxOutputTokens))
	case olderMaxTokens:
		p.MaxTokens = openai.Int(int64(c.limits.MaxOutputTokens))
	case noTokenLimit:
	}
	if q.form == nil {
		return p
	}
	switch k.mode {
	case jsonSchema:
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: answerName, Strict: openai.Bool(true), Schema: q.form.schema()},
		}
	case toolCall:
		p.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: answerName, Description: openai.String("Gives the answer."), Strict: openai.Bool(true), Parameters: q.form.schema(),
		})}
		p.ToolChoice = openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: answerName})
	case jsonObject:
		p.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	case plain:
	}
	return p
}

// answerName is what the schema and the tool are called.
const answerName = "answer"

// form is the shape of an answer: a JSON object with one list, or an object of
// its own.
type form struct {
	// keys are those an item may have; nil makes the list one of texts.
	keys []string
	// values are those an item may have; nil is any text.
	values []string
	// own is the schema of another object than one with a list, and keeps tells
	// whether a text is such an object.
	own   map[string]any
	keeps func(text string) bool
}

// schema is the form in the subset of JSON Schema that strict servers share:
// every member required, none beside them, no lengths (regime F.3, point 1).
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

// object is the schema of an object with these members, all of them required.
func object(members map[string]any, required ...string) map[string]any {
	return map[string]any{"type": "object", "properties": members, "required": required, "additionalProperties": false}
}

// described is the schema as a prompt says it, for modes that do not enforce it.
func (f *form) described() string {
	text, err := json.Marshal(f.schema())
	if err != nil {
		panic(err) // it holds texts only
	}
	return "Answer with one JSON object and nothing else, by this JSON Schema: " + string(text)
}
