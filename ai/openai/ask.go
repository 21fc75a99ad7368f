package openai

import (
	"cmp"
	"context"
	"time"

	"github.com/openai/openai-go/v3"
)

// question is one request: what the model is told, then the turns of user and
// assistant in alternation.
type question struct {
	system string
	turns  []string
	form   *form // nil for an answer in plain text
}

// Retries of one request (regime F.3, point 4), and the longest pause before one.
const (
	retries     = 2
	longestWait = time.Minute
)

// pauses are those before the retries when the provider names none.
var pauses = [retries]time.Duration{500 * time.Millisecond, 4 * time.Second}

// ask returns the model's answer, perhaps one it gave before. The error is a
// *failure, or that of the context.
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

// learn keeps what an answer shows of the server: what it takes, and whether it
// keeps to the form, or only says so.
func (c *Client) learn(q question, k capabilities, text string, in mode) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.knows
	c.knows.noTemperature = c.knows.noTemperature || k.noTemperature
	c.knows.tokens = max(c.knows.tokens, k.tokens)
	if q.form != nil && k.mode >= c.knows.mode {
		c.knows.mode, c.knows.proven = k.mode, true
		if k.mode < plain && (in != k.mode || !q.form.kept(text)) {
			c.knows.mode, c.knows.proven = k.mode+1, false
		}
	}
	if c.knows.mode != before.mode {
		c.options.Log.Info("AI provider answers in another way", "provider", c.name, "mode", modeNames[c.knows.mode])
	}
}

// send makes the request, again when that may help, and returns the answer and
// the mode it is in: plain when a tool was to be called and was not.
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
		if !f.retry || attempt == retries || f.after > longestWait {
			return "", in, f
		}
		if err := c.options.Wait(ctx, cmp.Or(f.after, pauses[attempt])); err != nil {
			return "", in, err
		}
	}
}

func (c *Client) sendOnce(ctx context.Context, q question, k capabilities) (text string, in mode, err error) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return "", k.mode, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	completion, err := c.chat.New(ctx, c.params(q, k))
	switch {
	case ctx.Err() != nil:
		return "", k.mode, ctx.Err()
	case err != nil:
		return "", k.mode, err
	case len(completion.Choices) == 0:
		return "", k.mode, &failure{class: malformed, what: "its answer holds nothing", retry: true}
	}
	return read(completion.Choices[0], k.mode)
}

// read takes the text out of an answer.
func read(choice openai.ChatCompletionChoice, asked mode) (text string, in mode, err error) {
	m := choice.Message
	switch {
	case choice.FinishReason == "content_filter":
		return "", asked, &failure{class: refused, what: "its content filter cut the answer"}
	case m.Refusal != "":
		return "", asked, &failure{class: refused, what: "it declines to answer"}
	case choice.FinishReason == "length":
		return "", asked, &failure{class: tooLong, what: "its answer is too long"}
	case asked == toolCall && len(m.ToolCalls) > 0:
		return m.ToolCalls[0].Function.Arguments, toolCall, nil
	case asked == toolCall:
		return spoken(m.Content), plain, nil
	}
	return spoken(m.Content), asked, nil
}
