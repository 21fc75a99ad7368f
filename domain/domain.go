// Package domain holds the service's rules and vocabulary. Nothing in it or below it
// does I/O, reads a clock or draws a random number: whatever a rule needs arrives in
// the command.
package domain

// Event is a fact that happened. EventType returns the name that the log stores
// permanently; renaming the Go type does not rename the event.
type Event interface{ EventType() string }

// Carries is an event that carries the state of its stream after it, so the last event
// of the stream is enough to know the state.
type Carries[S any] interface {
	Event
	After() S
}

// After returns the state that e carries, or false when e does not carry an S.
func After[S any](e Event) (S, bool) {
	if c, ok := e.(Carries[S]); ok {
		return c.After(), true
	}
	var zero S
	return zero, false
}

// Totals is an event with running totals of its stream. Mistaken says which of them is not the total of the event before (nil for
// the first) and what this one adds; it is empty if they add up.
type Totals interface {
	Event
	Mistaken(before Event) string
}

// Command asks for a change to an S. Decide returns the events that the change causes
// in state s, or a *Refusal. It is deterministic: the same state and command give the
// same answer. No events and no error mean that there is nothing to do.
type Command[S any] interface {
	Decide(s S) ([]Event, error)
}
