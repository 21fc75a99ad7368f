package eventstore

import (
	"fmt"
	"math"
	"reflect"
	"time"

	"readiness/domain"

	"github.com/google/uuid"
)

// Stream is a stream folded into a state.
type Stream[S any] struct {
	Stream  string
	State   S     // the zero S folded over the events
	Version int64 // of the last event folded; 0 for a stream without events

	evolve func(S, domain.Event, time.Time) (S, error)
	reach  reach
	still  bool         // its stream must not have moved when the append commits
	base   *cachedState // the cached state that State started from; nil for the zero S
	met    bool         // the stream was found to contain base's last event
}

// reach says which events of a stream are loaded.
type reach int

const (
	allEvents reach = iota
	lastEvent
	sinceCached
)

// Fold describes a stream to load from its first event, for streams that end when their subject does.
// evolve is pure and must handle every event of such streams (Of).
func Fold[S any](stream string, evolve func(S, domain.Event) S) *Stream[S] {
	return &Stream[S]{Stream: stream, evolve: undated(evolve)}
}

// FoldLast describes a stream whose events carry the state after them. Only the last event is read, so
// loading costs the same for a stream of any length. A last event that does not carry an S is an
// error, both when it is loaded and when it is recorded: FoldLast never substitutes the zero S.
func FoldLast[S any](stream string) *Stream[S] {
	return &Stream[S]{Stream: stream, reach: lastEvent, evolve: func(_ S, e domain.Event, _ time.Time) (S, error) {
		s, ok := domain.After[S](e)
		if !ok {
			return s, fmt.Errorf("the event %s does not carry %v, which every event of a %s stream must", e.EventType(),
				reflect.TypeFor[S](), streamType(stream))
		}
		return s, nil
	}}
}

// Tail describes a stream to append to regardless of its content: none of its events is folded.
func Tail(stream string) *Stream[struct{}] {
	return &Stream[struct{}]{Stream: stream, reach: lastEvent, evolve: undated(func(s struct{}, _ domain.Event) struct{} { return s })}
}

// FoldCached describes a stream whose folded state the Store caches in memory, so that only newer events
// are loaded. It is for streams that grow without limit and whose events carry no totals.
//
// All callers that fold the stream share the state, also concurrently. So neither evolve nor a caller
// may alter it, including the maps and slices in it. The Store keys cached states by stream and by S, so
// each S must be folded in one way only.
func FoldCached[S any](stream string, evolve func(S, domain.Event) S) *Stream[S] {
	return &Stream[S]{Stream: stream, evolve: undated(evolve), reach: sinceCached}
}

// FoldCachedDated is FoldCached with an evolve that also receives the time when the event was recorded.
func FoldCachedDated[S any](stream string, evolve func(S, domain.Event, time.Time) S) *Stream[S] {
	return &Stream[S]{Stream: stream, reach: sinceCached,
		evolve: func(s S, e domain.Event, at time.Time) (S, error) { return evolve(s, e, at), nil }}
}

func undated[S any](evolve func(S, domain.Event) S) func(S, domain.Event, time.Time) (S, error) {
	return func(s S, e domain.Event, _ time.Time) (S, error) { return evolve(s, e), nil }
}

// Guarded marks p as a guard of the change: if p's stream has a newer event when the change is
// appended, Change loads everything and decides again. It returns p.
func (p *Stream[S]) Guarded() *Stream[S] {
	p.still = true
	return p
}

// Loadable is a *Stream of any state type.
type Loadable interface {
	name() string
	// guarded reports whether an event after the loaded ones fails the append.
	guarded() bool
	// cachedAs returns the key under which the state is cached, if it is.
	cachedAs() (cacheKey, bool)
	// begin resets the past to its cached state, or to the zero state.
	begin(k *stateCache)
	// forget resets the past to the zero state and drops its cached state.
	forget(k *stateCache)
	// from is the first version to read; if the stream is shorter, its last event is read.
	from() int64
	// wants reports whether to fold the event with the version, in a stream whose last version is end.
	wants(version, end int64) bool
	// fold folds e. It fails when the state cannot be folded from e.
	fold(e domain.Event, version int64, at time.Time) error
	// pass skips an event that is not folded. It returns errForeignState when that event is not the one
	// that the cached state ends with.
	pass(version int64, id uuid.UUID) error
	// end finishes the loading of a stream whose last event is id. It caches the state; size is the
	// data read, in bytes.
	end(k *stateCache, id uuid.UUID, size int) error
	// cutOff caches the state that was folded until the load failed, up to the event id.
	cutOff(k *stateCache, id uuid.UUID, size int)
}

func (p *Stream[S]) name() string { return p.Stream }

func (p *Stream[S]) guarded() bool { return p.still }

func (p *Stream[S]) key() cacheKey { return cacheKey{p.Stream, reflect.TypeFor[S]()} }

func (p *Stream[S]) cachedAs() (cacheKey, bool) { return p.key(), p.reach == sinceCached }

func (p *Stream[S]) begin(k *stateCache) {
	var zero S
	p.State, p.Version, p.base, p.met = zero, 0, nil, false
	if p.reach != sinceCached {
		return
	}
	if base, ok := k.get(p.key()); ok {
		p.State, p.Version, p.base = base.state.(S), base.version, &base
	}
}

func (p *Stream[S]) forget(k *stateCache) {
	if p.reach == sinceCached {
		k.remove(p.key())
	}
	p.begin(k)
}

func (p *Stream[S]) from() int64 {
	switch {
	case p.reach == lastEvent:
		return math.MaxInt64
	case p.base != nil:
		return p.base.version // read again, to compare it with base
	}
	return 1
}

func (p *Stream[S]) wants(version, end int64) bool {
	return p.reach == allEvents || p.reach == lastEvent && version == end ||
		p.reach == sinceCached && (p.base == nil || version > p.base.version)
}

func (p *Stream[S]) fold(e domain.Event, version int64, at time.Time) error {
	state, err := p.evolve(p.State, e, at)
	if err == nil {
		p.State, p.Version = state, version
	}
	return err
}

func (p *Stream[S]) pass(version int64, id uuid.UUID) error {
	if p.base != nil && version == p.base.version {
		if p.met = id == p.base.last; !p.met {
			return errForeignState
		}
	}
	return nil
}

func (p *Stream[S]) end(k *stateCache, id uuid.UUID, size int) error {
	switch {
	case p.base != nil && !p.met:
		return errForeignState
	case p.reach != sinceCached:
	case p.Version == 0:
		k.noEvents(p.key())
	case p.base == nil || p.base.cutOff || p.Version > p.base.version:
		k.put(p.key(), p.folded(id, size))
	}
	return nil
}

func (p *Stream[S]) cutOff(k *stateCache, id uuid.UUID, size int) {
	if p.reach != sinceCached || p.Version == 0 || p.base != nil && (!p.met || p.Version == p.base.version) {
		return
	}
	state := p.folded(id, size)
	state.cutOff = true
	k.put(p.key(), state)
}

// folded returns the state to cache, which ends with the event id. size is the data read, in bytes.
func (p *Stream[S]) folded(id uuid.UUID, size int) cachedState {
	if p.base != nil {
		size += p.base.size
	}
	return cachedState{state: p.State, version: p.Version, last: id, size: size}
}
