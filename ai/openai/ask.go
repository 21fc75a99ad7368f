package openai

import (
	"cmp"
	"context"
	"errors"
	"time"
)

// question is one request: the system message, then alternating turns of user and assistant.
type question struct {
	system string
	turns  []string
	form   *form // nil for an answer in plain text
}

// longestWait is the longest pause before a retry.
const longestWait = time.Minute

// pauses are the pauses before retries when the provider sends none; the last one also applies to all
// later retries.
var pauses = [...]time.Duration{500 * time.Millisecond, 4 * time.Second}

// ask returns the model's answer, possibly from the cache. The error is a *failure or the context's.
func (c *Client) ask(ctx context.Context, q question) (string, error) {
	if text, ok := c.answers.get(q); ok {
		return text, nil
	}
	k := c.known()
	for {
		text, in, err := c.send(ctx, q, k)
		f, isFailure := err.(*failure) //nolint:errorlint // send wraps none
		switch {
		case err == nil:
			c.learn(q, k, text, in)
			return text, nil
		case !isFailure:
			return "", err
		case f.class == rejected:
			less, ok := k.less(f, q.form != nil)
			if !ok {
				return "", f
			}
			k = less
		default:
			return "", f
		}
	}
}

func (c *Client) known() capabilities {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.knows
}

// learn records the server's capabilities that an answer shows: the parameters it accepts, and whether
// it enforces the form or only claims to.
func (c *Client) learn(q question, k capabilities, text string, in mode) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.knows
	c.knows.noTemperature = c.knows.noTemperature || k.noTemperature
	c.knows.tokens = max(c.knows.tokens, k.tokens)
	if q.form != nil && k.mode >= c.knows.mode {
		c.knows.mode, c.knows.proven = k.mode, true
		if k.mode < plain && (in != k.mode || !q.form.matches(text)) {
			c.knows.mode, c.knows.proven = k.mode+1, false
		}
	}
	if c.knows.mode != before.mode {
		c.options.Log.Info("AI provider is asked in another mode", "provider", c.name, "mode", modeNames[c.knows.mode])
	}
}

// send makes the request, with retries where they may help. It returns the answer and its mode: plain
// if a tool should have been called and was not.
func (c *Client) send(ctx context.Context, q question, k capabilities) (text string, in mode, err error) {
	for attempt := 0; ; attempt++ {
		text, in, err := c.sendOnce(ctx, q, k)
		if err == nil {
			return text, in, nil
		}
		if ctx.Err() != nil {
			return "", in, ctx.Err()
		}
		f := failed(err)
		c.options.Log.Warn("AI provider did not answer", "provider", c.name, "what", f.what, "status", f.status, "attempt", attempt+1)
		pause := cmp.Or(f.after, pauses[min(attempt, len(pauses)-1)])
		if !f.retry || attempt >= c.limits.MaxRetries || pause > longestWait || ends(ctx, pause) {
			return "", in, f
		}
		if err := c.options.Wait(ctx, pause); err != nil {
			return "", in, err
		}
	}
}

// ends reports whether the context ends before the pause does. The failure is then reported instead of
// the timeout.
func ends(ctx context.Context, pause time.Duration) bool {
	end, ok := ctx.Deadline()
	return ok && time.Until(end) < pause
}

func (c *Client) sendOnce(ctx context.Context, q question, k capabilities) (text string, in mode, err error) {
	release, err := c.turn(ctx)
	if err != nil {
		return "", k.mode, err
	}
	defer release()
	answer, err := c.complete(ctx, q, k)
	if err != nil {
		return "", k.mode, err
	}
	return read(answer.Choices[0], k.mode)
}

// turn waits until another request may be in flight.
func (c *Client) turn(ctx context.Context) (release func(), err error) {
	select {
	case c.slots <- struct{}{}:
		return func() { <-c.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// complete makes one request, unless the circuit is open; a returned completion has at least one
// choice.
func (c *Client) complete(all context.Context, q question, k capabilities) (*completion, error) {
	began := c.options.Now()
	if f := c.circuit.admit(began); f != nil {
		c.note(Silenced, 0)
		return nil, f
	}
	limit := time.Duration(c.limits.TimeoutMs) * time.Millisecond
	ctx, cancel := context.WithTimeout(all, limit)
	defer cancel()
	answer, err := c.post(ctx, c.request(q, k))
	now := c.options.Now()
	switch {
	case err == nil || ctx.Err() == nil:
		c.circuit.responded()
	case all.Err() != nil && (!errors.Is(all.Err(), context.DeadlineExceeded) || now.Sub(began) < limit/2):
		c.circuit.abandoned() // it had too little time to count
	case c.circuit.timedOut(now):
		c.options.Log.Warn("AI provider timed out repeatedly and is not asked for a while", "provider", c.name, "timeouts", maxTimeouts)
	}
	took := now.Sub(began)
	switch {
	case all.Err() != nil && errors.Is(all.Err(), context.Canceled):
		c.note(Abandoned, took)
		return nil, ctx.Err()
	case ctx.Err() != nil:
		c.note(TimedOut, took)
		return nil, ctx.Err()
	case err != nil:
		c.note(Failed, took)
		return nil, err
	}
	c.note(Answered, took)
	if len(answer.Choices) == 0 {
		return nil, &failure{class: malformed, what: "its answer is empty", retry: true}
	}
	return answer, nil
}

// read returns the text of an answer and its mode.
func read(of choice, asked mode) (text string, in mode, err error) {
	m := of.Message
	switch {
	case of.FinishReason == "content_filter":
		return "", asked, &failure{class: refused, what: "its content filter cut the answer"}
	case m.Refusal != "":
		return "", asked, &failure{class: refused, what: "it declines to answer"}
	case of.FinishReason == "length":
		return "", asked, &failure{class: tooLong, what: "its answer is too long"}
	case asked == toolCall && len(m.ToolCalls) > 0:
		return m.ToolCalls[0].Function.Arguments, toolCall, nil
	case asked == toolCall:
		return withoutReasoning(m.Content), plain, nil
	}
	return withoutReasoning(m.Content), asked, nil
}
