package jsonerror_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"readiness/internal/jsonerror"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	type inner struct{ N int }
	type outer struct {
		Text   string
		Flag   *bool
		Weight float64
		List   []inner
		Map    map[string]string
	}
	for text, want := range map[string]string{
		`{"Text": 5}`:            "Text must be a text, not a number",
		`{"Flag": "x"}`:          "Flag must be true or false, not a text",
		`{"Weight": []}`:         "Weight must be a number, not a list",
		`{"List": {}}`:           "List must be a list, not an object",
		`{"List": [{"N": 1.5}]}`: "must be an integer, not 1.5",
		`{"Map": true}`:          "Map must be an object, not true or false",
		`[1]`:                    "the value must be an object, not a list",
		`{"x"`:                   "not valid JSON: unexpected end of JSON input",
		`{"x" 5}`:                "not valid JSON: invalid character",
		`{"Other": 1}`:           `the member "Other" is unknown`,
	} {
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		err := d.Decode(new(outer))
		if strings.HasPrefix(want, "not valid") {
			err = json.Unmarshal([]byte(text), new(outer)) // a decoder calls the end of the text an unexpected EOF
		}
		if err == nil {
			t.Fatalf("%s was decoded", text)
		}
		got := jsonerror.Explain(err).Error()
		if !strings.Contains(got, want) || strings.Contains(got, "Go ") || strings.Contains(got, "jsonerror") {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	if other := errors.New("another"); !errors.Is(jsonerror.Explain(other), other) {
		t.Error("another error is not kept")
	}
}
