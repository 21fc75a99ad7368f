package eventstore

import (
	"fmt"
	"math"
	"reflect"
	"time"

	"readiness/domain"

	"github.com/google/uuid"
)

// Past is one stream folded into a state.
type Past[S any] struct {
	Stream  string
	State   S     // the zero S folded over the events
	Version int64 // of the last event folded; 0 for a stream that does not exist yet

	evolve func(S, domain.Event, time.Time) (S, error)
	reach  reach
	still  bool       // it must not have moved when the append commits
	base   *keptState // what State began with; nil when with the zero S
	met    bool       // base is what the stream says it was
}

// reach is how much of a stream is loaded.
type reach int

const (
	whole reach = iota
	last
	sinceKept
)

// Fold describes a stream to load whole: one that ends, with what it is about.
// evolve is pure. It must know every event of such streams (Of).
func Fold[S any](stream string, evolve func(S, domain.Event) S) *Past[S] {
	return &Past[S]{Stream: stream, evolve: undated(evolve)}
}

// FoldLast describes a stream whose events carry the state after them, so that
// only the last is read and loading one costs the same however long it is. A
// last event that does not carry an S is an error, when it is loaded and when
// it is recorded: the state is never taken for the zero S.
func FoldLast[S any](stream string) *Past[S] {
	return &Past[S]{Stream: stream, reach: last, evolve: func(_ S, e domain.Event, _ time.Time) (S, error) {
		s, ok := domain.After[S](e)
		if !ok {
			return s, fmt.Errorf("the event %s does not carry %v, which every event of a %s stream must", e.EventType(), reflect.TypeFor[S](), streamType(stream))
		}
		return s, nil
	}}
}

// Tail describes a stream that is appended to whatever it holds: nothing of it
// is folded.
func Tail(stream string) *Past[struct{}] {
	return &Past[struct{}]{Stream: stream, reach: last, evolve: undated(func(s struct{}, _ domain.Event) struct{} { return s })}
}

// FoldKept describes a stream whose folded state the Store keeps in memory, so
// that only what was appended since is loaded: for streams that go on growing
// and whose events carry no totals.
//
// The state is handed to all who fold the stream, at the same time too: evolve
// must never alter what it was given, maps and slices in it included, and
// nobody else may. S tells the kept states of a stream apart, so a type of
// state is folded in one way only.
func FoldKept[S any](stream string, evolve func(S, domain.Event) S) *Past[S] {
	return &Past[S]{Stream: stream, evolve: undated(evolve), reach: sinceKept}
}

// FoldKeptDated is FoldKept of an evolve that is told when the event was
// recorded.
func FoldKeptDated[S any](stream string, evolve func(S, domain.Event, time.Time) S) *Past[S] {
	return &Past[S]{Stream: stream, reach: sinceKept, evolve: func(s S, e domain.Event, at time.Time) (S, error) { return evolve(s, e, at), nil }}
}

func undated[S any](evolve func(S, domain.Event) S) func(S, domain.Event, time.Time) (S, error) {
	return func(s S, e domain.Event, _ time.Time) (S, error) { return evolve(s, e), nil }
}

// Unmoved says that a change decides from p what no later event of its stream may
// contradict: when one is there as the change is appended, everything is loaded
// and decided again.
func (p *Past[S]) Unmoved() *Past[S] {
	p.still = true
	return p
}

// Loadable is a *Past of any state.
type Loadable interface {
	name() string
	// unmoved reports whether no event may follow what was loaded.
	unmoved() bool
	// begin empties it, but for what of it is kept.
	begin(k *kept)
	// forget empties it and what is kept of it.
	forget(k *kept)
	// from is the first version that is read. Of a stream that ends before it the
	// last event is.
	from() int64
	// wants reports whether the event is folded, of a stream that ends at end.
	wants(version, end int64) bool
	// fold fails when e is not an event that its state can be folded from.
	fold(e domain.Event, version int64, at time.Time) error
	// pass passes over an event that is not folded. It returns errNotKept when
	// what it began with was another one.
	pass(version int64, id uuid.UUID) error
	// end ends the loading of a stream whose last event is id; size is what was read.
	end(k *kept, id uuid.UUID, size int) error
}

func (p *Past[S]) name() string { return p.Stream }

func (p *Past[S]) unmoved() bool { return p.still }

func (p *Past[S]) key() keptKey { return keptKey{p.Stream, reflect.TypeFor[S]()} }

func (p *Past[S]) begin(k *kept) {
	var zero S
	p.State, p.Version, p.base, p.met = zero, 0, nil, false
	if p.reach != sinceKept {
		return
	}
	if base, ok := k.get(p.key()); ok {
		p.State, p.Version, p.base = base.state.(S), base.version, &base
	}
}

func (p *Past[S]) forget(k *kept) {
	if p.reach == sinceKept {
		k.remove(p.key())
	}
	p.begin(k)
}

func (p *Past[S]) from() int64 {
	switch {
	case p.reach == last:
		return math.MaxInt64
	case p.base != nil:
		return p.base.version // read again, to be held against base
	}
	return 1
}

func (p *Past[S]) wants(version, end int64) bool {
	return p.reach == whole || p.reach == last && version == end || p.reach == sinceKept && (p.base == nil || version > p.base.version)
}

func (p *Past[S]) fold(e domain.Event, version int64, at time.Time) error {
	state, err := p.evolve(p.State, e, at)
	if err == nil {
		p.State, p.Version = state, version
	}
	return err
}

func (p *Past[S]) pass(version int64, id uuid.UUID) error {
	if p.base != nil && version == p.base.version {
		if p.met = id == p.base.last; !p.met {
			return errNotKept
		}
	}
	return nil
}

func (p *Past[S]) end(k *kept, id uuid.UUID, size int) error {
	switch {
	case p.base != nil && !p.met:
		return errNotKept
	case p.reach == sinceKept && p.base == nil && p.Version > 0:
		k.put(p.key(), keptState{state: p.State, version: p.Version, last: id, size: size})
	case p.reach == sinceKept && p.base != nil && p.Version > p.base.version:
		k.put(p.key(), keptState{state: p.State, version: p.Version, last: id, size: p.base.size + size})
	}
	return nil
}
