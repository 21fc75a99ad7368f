package openai

import (
	"cmp"
	"context"
	"time"

	"readiness/domain/aiprovider"
)

// Exchange is what it took to have one question answered.
type Exchange struct {
	// Attempts counts the requests, those that brought no answer among them.
	Attempts int
	// Duration is that of the last request, from its start to the end of its answer:
	// neither its turn, waits nor earlier requests are in it.
	Duration time.Duration
	// InputTokens and OutputTokens are what the provider counted, of all its answers, 0
	// where it does not say.
	InputTokens, OutputTokens int64
	// RequestID is the provider's name for the last answer, "" where it has none.
	RequestID string
	// Temperature is the one that was asked for, nil where the model takes none.
	Temperature *float64
}

// NoAnswer is a question that no attempt brought an answer to. Nothing in it is in
// the provider's words.
type NoAnswer struct {
	Code aiprovider.TestError
	// What happened, as in "it took too long".
	What string
	// Lasting is that every other question would meet the same: the key, the address
	// or the model is not accepted.
	Lasting bool
	// Declined is that a policy of the provider's keeps the question from being
	// answered.
	Declined bool
}

// Error implements error.
func (e *NoAnswer) Error() string { return "the AI provider did not answer: " + e.What }

// maxWaited is how long one question waits between its attempts, in all.
const maxWaited = time.Minute

// exchange asks a question anew, whatever was answered before, and again where that
// may help: after a request that failed for now, and after an answer that is not
// usable. It waits for its turn, which it keeps through all of its attempts, and
// from then on takes no longer than within. The error is a *NoAnswer, or that of
// the context.
func (c *Client) exchange(ctx context.Context, q question, within time.Duration, usable func(text string) bool) (text string, e Exchange, err error) {
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
			err = &failure{class: malformed, what: "its answer is not in the form that was asked for", retry: true}
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

// measured makes one request and notes in e what is known of it.
func (c *Client) measured(ctx context.Context, q question, k capabilities, e *Exchange) (text string, in mode, err error) {
	e.Attempts++
	e.RequestID, e.Temperature = "", nil
	if !k.noTemperature {
		e.Temperature = new(0.0)
	}
	start := time.Now()
	completion, err := c.complete(ctx, q, k)
	e.Duration = time.Since(start)
	if err != nil {
		return "", k.mode, err
	}
	e.InputTokens += max(0, completion.Usage.PromptTokens)
	e.OutputTokens += max(0, completion.Usage.CompletionTokens)
	e.RequestID = visible(completion.ID)
	return read(completion.Choices[0], k.mode)
}

// maxID bounds what is kept of a provider's id.
const maxID = 128

// visible is an id if it is one that may be shown and kept, else "".
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

// noAnswer is the failure as those see it who asked.
func (f *failure) noAnswer() *NoAnswer {
	return &NoAnswer{Code: f.testError(), What: f.what, Lasting: f.class == unreachable && !f.retry && f.cause != aiprovider.TimedOut, Declined: f.class == refused}
}
