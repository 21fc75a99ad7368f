package eventstore

import "readiness/domain"

// Past is one stream folded into a state.
type Past[S any] struct {
	Stream  string
	State   S     // the zero S folded over the events
	Version int64 // of the last event folded; 0 for a stream that does not exist yet

	evolve   func(S, domain.Event) S
	lastOnly bool
}

// Fold describes a stream to load whole. evolve is pure.
func Fold[S any](stream string, evolve func(S, domain.Event) S) *Past[S] {
	return &Past[S]{Stream: stream, evolve: evolve}
}

// FoldLast describes a stream of which only the last event is folded: for
// streams whose events carry running totals, so that loading one costs the
// same however long it is.
func FoldLast[S any](stream string, evolve func(S, domain.Event) S) *Past[S] {
	return &Past[S]{Stream: stream, evolve: evolve, lastOnly: true}
}

// Loadable is a *Past of any state.
type Loadable interface {
	name() string
	onlyLast() bool
	reset()
	fold(domain.Event, int64)
	skip(int64)
}

func (p *Past[S]) name() string   { return p.Stream }
func (p *Past[S]) onlyLast() bool { return p.lastOnly }

func (p *Past[S]) reset() {
	var zero S
	p.State, p.Version = zero, 0
}

func (p *Past[S]) fold(e domain.Event, version int64) {
	p.State, p.Version = p.evolve(p.State, e), version
}

// skip passes over an event that need not be folded.
func (p *Past[S]) skip(version int64) { p.Version = version }
