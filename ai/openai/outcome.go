package openai

import "time"

// Outcome is how a request to a language model ended.
type Outcome string

// The outcomes of a request.
const (
	Answered  Outcome = "answered"
	Failed    Outcome = "failed" // with an error of the server or of the connection
	TimedOut  Outcome = "timed_out"
	Abandoned Outcome = "abandoned" // its caller no longer wanted the answer
	// Silenced was not sent, because the provider did not answer in time repeatedly.
	Silenced Outcome = "silenced"
)

func (c *Client) note(o Outcome, took time.Duration) {
	if c.options.Observe != nil {
		c.options.Observe(o, took)
	}
}
