package openai

import "time"

// The parsers of answers, exported for fuzzing.
var (
	ReadAnswer    = readAnswer
	ReadJudgement = readJudgement
)

// Given is an item of an answer.
type Given = given

// Items returns the items of an answer.
func Items(text string) ([]Given, bool) { return itemsOf[given](text) }

// Circuit is exported for its test.
type Circuit = circuit

// Admit calls admit.
func Admit(c *Circuit, now time.Time) error {
	if f := c.admit(now); f != nil {
		return f
	}
	return nil
}

// Responded calls responded.
func (c *circuit) Responded() { c.responded() }

// TimedOut calls timedOut.
func (c *circuit) TimedOut(now time.Time) { c.timedOut(now) }

// Abandoned calls abandoned.
func (c *circuit) Abandoned() { c.abandoned() }

// Prompts are the service's own texts of requests for proposals, by their versions.
var Prompts = map[string]string{
	describeVersion: describeTask + untrusted, placeVersion: foldersTask + placeTask + untrusted, instructVersion: instructTask + untrusted,
}
