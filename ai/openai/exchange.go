package openai

import (
	"cmp"
	"context"
	"time"

	"readiness/domain/aiprovider"
)

// Exchange describes the requests that one question took.
type Exchange struct {
	// Attempts counts all requests, including those without an answer.
	Attempts int
	// Duration is the time of the last request alone, from its start to the end of its answer. It
	// excludes waits and earlier requests.
	Duration time.Duration
	// InputTokens and OutputTokens are the provider's counts over all its answers; 0 where it sends
	// none.
	InputTokens, OutputTokens int64
	// RequestID is the provider's id of the last answer; "" when it has none.
	RequestID string
	// Temperature is the requested temperature; nil when the model accepts none.
	Temperature *float64
}

// NoAnswer is the error of a question that got no answer in any attempt. It has no text written by the
// provider.
type NoAnswer struct {
	Code aiprovider.TestError
	// What happened, for example "it took too long".
	What string
	// Lasting reports that every other question would fail the same way: the key, the address or the
	// model is not accepted.
	Lasting bool
	// Declined reports that a policy of the provider keeps the question from being answered.
	Declined bool
}

// Error implements error.
func (e *NoAnswer) Error() string { return "the AI provider did not answer: " + e.What }

// maxWaited bounds the pauses between the attempts of one question, in total.
const maxWaited = time.Minute

// exchange asks a question without using the cache, with retries after a temporary failure and after
// an answer that is not usable. It waits for its turn and keeps it through all attempts; after that it
// takes at most within. The error is a *NoAnswer or the context's.
func (c *Client) exchange(ctx context.Context, q question, within time.Duration, usable func(text string) bool) (text string, e Exchange,
	err error) {
	release, err := c.turn(ctx)
	if err != nil {
		return "", e, err
	}
	defer release()
	work, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	k, retried, left := c.known(), 0, maxWaited
	for {
		text, in, err := c.measured(work, q, k, &e)
		if err == nil {
			c.learn(q, k, text, in)
			if usable(text) {
				return text, e, nil
			}
			err = &failure{class: malformed, what: "its answer does not have the requested form", retry: true}
			k = c.known()
		}
		if ctx.Err() != nil {
			return "", e, ctx.Err()
		}
		f := failed(err)
		if less, ok := k.less(f, q.form != nil); ok && f.class == rejected {
			k = less
			continue
		}
		pause := cmp.Or(f.after, pauses[min(retried, len(pauses)-1)])
		if !f.retry || retried >= c.limits.MaxRetries || pause > left || ends(work, pause) {
			c.options.Log.Warn("AI provider did not answer", "provider", c.name, "what", f.what, "status", f.status, "attempts", e.Attempts)
			return "", e, f.noAnswer()
		}
		if err := c.options.Wait(work, pause); err != nil {
			return "", e, err
		}
		retried++
		left -= pause
	}
}

// measured makes one request and records it in e.
func (c *Client) measured(ctx context.Context, q question, k capabilities, e *Exchange) (text string, in mode, err error) {
	e.Attempts++
	e.RequestID, e.Temperature = "", nil
	if !k.noTemperature {
		e.Temperature = new(0.0)
	}
	start := time.Now()
	answer, err := c.complete(ctx, q, k)
	e.Duration = time.Since(start)
	if err != nil {
		return "", k.mode, err
	}
	e.InputTokens += max(0, answer.Usage.PromptTokens)
	e.OutputTokens += max(0, answer.Usage.CompletionTokens)
	e.RequestID = visible(answer.ID)
	return read(answer.Choices[0], k.mode)
}

// maxID bounds a stored provider's id, in bytes.
const maxID = 128

// visible returns the id if it can be shown and stored, else "".
func visible(id string) string {
	if len(id) > maxID {
		return ""
	}
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return ""
		}
	}
	return id
}

// noAnswer returns the failure as a *NoAnswer for the caller.
func (f *failure) noAnswer() *NoAnswer {
	return &NoAnswer{Code: f.testError(), What: f.what, Lasting: f.class == unreachable && !f.retry && f.cause != aiprovider.TimedOut,
		Declined: f.class == refused}
}
