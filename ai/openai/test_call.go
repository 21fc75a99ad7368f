package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"readiness/domain/aiprovider"
)

// TestTimeout bounds a test call, whatever the provider's limits are.
const TestTimeout = 10 * time.Second

// testForm is the form of a test call. testWish asks for a value that the form forbids, to detect a
// server that only claims to enforce it.
var testForm = form{keys: []string{"a"}, values: []string{"circle", "square"}}

const testWish = "Give one item with the key a and the text triangle."

// Test makes the test call: one small request, repeated in other modes while the server rejects it,
// and retried once where that may help. A failure of the provider is not an error; only the end of the
// context is.
func (c *Client) Test(ctx context.Context) (aiprovider.Observation, error) {
	within, cancel := context.WithTimeout(ctx, TestTimeout)
	defer cancel()
	began := time.Now()
	saw, err := c.observe(within)
	o := aiprovider.Observation{Test: aiprovider.Test{LatencyMs: time.Since(began).Milliseconds()}}
	f, failed := errors.AsType[*failure](err)
	switch {
	case err == nil:
		o.OK, o.Capabilities, o.Message = true, &saw, answered[saw.JSONSchema]
		return o, nil
	case ctx.Err() != nil:
		return o, ctx.Err()
	case !failed: // the time for the test is over
		f = network(err)
	}
	o.ErrorCode, o.Message = f.testError(), fmt.Sprintf("The AI provider did not answer: %s.", f.what)
	return o, nil
}

// answered has the message for a provider that answers, by its support of JSON Schema.
var answered = map[aiprovider.JSONSchema]string{
	aiprovider.Strict: "The AI provider answers, and enforces a JSON Schema.",
	aiprovider.AcceptedNotEnforced: "The AI provider answers; it accepts a JSON Schema but does not enforce it, so it is asked in " +
		"other ways.",
	aiprovider.None: "The AI provider answers; it accepts no JSON Schema, so it is asked in other ways.",
}

// observe repeats the request until the server accepts it, and returns what the server accepted.
func (c *Client) observe(ctx context.Context) (aiprovider.Capabilities, error) {
	q := question{system: "You answer briefly.", turns: []string{testWish}, form: &testForm}
	saw := aiprovider.Capabilities{JSONSchema: aiprovider.None}
	for k := (capabilities{}); ; {
		text, in, err := c.send(ctx, q, k)
		if err == nil {
			saw.Temperature = new(!k.noTemperature)
			switch k.mode {
			case jsonSchema:
				saw.JSONSchema = aiprovider.AcceptedNotEnforced
				if testForm.enforced(text) {
					saw.JSONSchema = aiprovider.Strict
				}
			case toolCall:
				saw.Tools = new(in == toolCall)
			case jsonObject, plain:
				saw.Tools = new(false)
			}
			return saw, nil
		}
		f, failed := errors.AsType[*failure](err)
		if !failed || f.class != rejected {
			return saw, err
		}
		less, ok := k.less(f, true)
		if !ok {
			return saw, f
		}
		k = less
	}
}

// enforced reports whether an answer conforms to the form's schema, including the allowed texts.
func (f *form) enforced(text string) bool {
	var a struct{ Items []given }
	return f.matches(text) && json.Unmarshal([]byte(text), &a) == nil &&
		!slices.ContainsFunc(a.Items, func(g given) bool { return g.Text != nil && !slices.Contains(f.values, *g.Text) })
}
