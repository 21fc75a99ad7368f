package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// given is one item of an answer; Text is nil where the model returned null.
type given struct {
	Key  string  `json:"key"`
	Text *string `json:"text"`
}

// withoutReasoning returns an answer without the reasoning that some models write before it.
func withoutReasoning(text string) string {
	if i := strings.LastIndex(text, "</think>"); i >= 0 {
		text = text[i+len("</think>"):]
	}
	return strings.TrimSpace(text)
}

// matches reports whether an answer conforms to the form's schema, so that the server can be assumed
// to enforce it.
func (f *form) matches(text string) bool {
	if f.own != nil {
		return f.valid(text)
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if f.keys == nil {
		var a struct {
			Items *[]string `json:"items"`
		}
		return d.Decode(&a) == nil && a.Items != nil && !d.More()
	}
	var a struct {
		Items *[]given `json:"items"`
	}
	if d.Decode(&a) != nil || a.Items == nil || d.More() {
		return false
	}
	return !slices.ContainsFunc(*a.Items, func(g given) bool { return !slices.Contains(f.keys, g.Key) })
}

// itemsOf returns the items of an answer, however it is wrapped: those of the first JSON value that
// has any.
func itemsOf[T any](text string) ([]T, bool) {
	for raw := range values(text) {
		var object struct {
			Items *[]T `json:"items"`
		}
		if json.Unmarshal(raw, &object) == nil && object.Items != nil {
			return *object.Items, true
		}
		var list []T
		if raw[0] == '[' && json.Unmarshal(raw, &list) == nil && len(list) > 0 {
			return list, true
		}
	}
	return nil, false
}

// starts is how many positions of a text are tried as the start of a JSON value.
const starts = 32

// values yields the outermost JSON objects and arrays in a text.
func values(text string) func(func(json.RawMessage) bool) {
	return func(yield func(json.RawMessage) bool) {
		for range starts {
			i := strings.IndexAny(text, "{[")
			if i < 0 {
				return
			}
			text = text[i:]
			var raw json.RawMessage
			if d := json.NewDecoder(strings.NewReader(text)); d.Decode(&raw) == nil {
				if !yield(bytes.TrimSpace(raw)) {
					return
				}
				text = text[d.InputOffset():]
			} else {
				text = text[1:]
			}
		}
	}
}
