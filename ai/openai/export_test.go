package openai

import "time"

// PublicOnly is publicOnly.
var PublicOnly = publicOnly

// ErrAddress is errAddress.
var ErrAddress = errAddress

// What is taken out of answers.
var (
	ReadSaid      = readSaid
	ReadJudgement = readJudgement
)

// Given is an item of an answer.
type Given = given

// Items are those of an answer.
func Items(text string) ([]Given, bool) { return itemsOf[given](text) }

// Circuit is circuit.
type Circuit = circuit

// Admit is admit.
func Admit(c *Circuit, now time.Time) error {
	if f := c.admit(now); f != nil {
		return f
	}
	return nil
}

// CameBack is cameBack.
func (c *circuit) CameBack() { c.cameBack() }

// TimedOut is timedOut.
func (c *circuit) TimedOut(now time.Time) { c.timedOut(now) }

// GaveUp is gaveUp.
func (c *circuit) GaveUp() { c.gaveUp() }
