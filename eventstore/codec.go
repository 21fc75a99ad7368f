package eventstore

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"readiness/domain"
	"readiness/eventstore/sealed"
	"readiness/internal/lists"
)

// Upcaster converts an event's JSON data from one schema version to the next. It is pure.
type Upcaster func(json.RawMessage) (json.RawMessage, error)

// Type describes one type of event in the log.
type Type struct {
	Example domain.Event // any value of the Go type; its EventType is the stored name
	// Stream is the type of the streams that hold the event: the part of their names before the first
	// '-'. Empty means that any stream may hold it.
	Stream        string
	SchemaVersion int // the version written now; the first is 1
	// Upcasters[i] converts schema version i+1 to i+2, so there is one fewer than SchemaVersion.
	Upcasters []Upcaster
	// Formerly are the names under which earlier programs stored the type. They are read for ever, and written no more.
	Formerly []string

	carries reflect.Type // the state it carries; nil when it need not carry one
}

// Of returns the types of events that streams of a type hold, each at schema version 1. On a stream of
// another type they are refused, when recorded and when loaded.
func Of(stream string, examples ...domain.Event) []Type {
	types := Events(examples...)
	for i := range types {
		types[i].Stream = stream
	}
	return types
}

// WithSnapshot is like Of, for streams that are loaded with FoldLast: each of their events
// carries the S after it. NewCodec refuses a stream type that has other events too.
func WithSnapshot[S any](stream string, examples ...domain.Carries[S]) []Type {
	return lists.Map(examples, func(e domain.Carries[S]) Type {
		return Type{Example: e, SchemaVersion: 1, Stream: stream, carries: reflect.TypeFor[S]()}
	})
}

// Events returns the types of the examples, each at schema version 1 and allowed on any stream.
func Events(examples ...domain.Event) []Type {
	return lists.Map(examples, func(e domain.Event) Type { return Type{Example: e, SchemaVersion: 1} })
}

// Codec converts events to their stored form and back. The stored name outlives the Go name; every
// schema version ever written can be read.
type Codec struct {
	byName map[string]stored
	byType map[reflect.Type]string
}

type stored struct {
	goType    reflect.Type
	stream    string
	version   int
	upcasters []Upcaster
	plan      *sealed.Plan
	name      string // under which events of the type are written now
}

// Present returns the name under which events of a stored name are written now; an unknown name itself.
func (c *Codec) Present(name string) string {
	if t, known := c.byName[name]; known {
		return t.name
	}
	return name
}

// everWritten returns the names, unknown ones too, with all former names of their types.
func (c *Codec) everWritten(names []string) []string {
	all := slices.Clone(names)
	for name, t := range c.byName {
		if name != t.name && slices.Contains(names, t.name) {
			all = append(all, name)
		}
	}
	return all
}

const (
	// maxData bounds an event's data, in bytes. Events carry facts and references, never documents.
	maxData = 1 << 20
	// maxSealed bounds the data with sealed members, which take more.
	maxSealed = maxData + maxData/2
)

// NewCodec returns a codec for the types. It fails on a type without a name, two types with one name,
// one Go type twice, a missing or superfluous upcaster, a malformed tag, and a stream type where some events carry a
// state and others do not.
func NewCodec(types ...Type) (*Codec, error) {
	c := &Codec{byName: make(map[string]stored, len(types)), byType: make(map[reflect.Type]string, len(types))}
	carries := make(map[string]reflect.Type)
	for _, t := range types {
		if t.Example == nil {
			return nil, fmt.Errorf("eventstore: a type of event has no example")
		}
		name, goType := t.Example.EventType(), reflect.TypeOf(t.Example)
		if name == "" {
			return nil, fmt.Errorf("eventstore: the events of %v have no name", goType)
		}
		if goType.Kind() == reflect.Pointer {
			return nil, fmt.Errorf("eventstore: the events %s are pointers; use values, which cannot change later", name)
		}
		if other, dup := c.byType[goType]; dup {
			return nil, fmt.Errorf("eventstore: %v stores events under two names, %s and %s", goType, other, name)
		}
		if state, declared := carries[t.Stream]; t.Stream != "" && declared && state != t.carries {
			return nil, fmt.Errorf("eventstore: events of %s streams carry %v, but %s carries %v", t.Stream, state, name, t.carries)
		}
		carries[t.Stream] = t.carries
		if t.SchemaVersion < 1 {
			return nil, fmt.Errorf("eventstore: the schema version of %s is %d; the first is 1", name, t.SchemaVersion)
		}
		if got, want := len(t.Upcasters), t.SchemaVersion-1; got != want {
			return nil, fmt.Errorf("eventstore: %s has %d upcasters for schema version %d, want %d", name, got, t.SchemaVersion, want)
		}
		for i, up := range t.Upcasters {
			if up == nil {
				return nil, fmt.Errorf("eventstore: %s has no upcaster from schema version %d to %d", name, i+1, i+2)
			}
		}
		plan, err := sealed.PlanOf(goType)
		if err != nil {
			return nil, fmt.Errorf("eventstore: %s: %w", name, err)
		}
		c.byType[goType] = name
		for _, former := range append([]string{name}, t.Formerly...) {
			if other, dup := c.byName[former]; dup {
				return nil, fmt.Errorf("eventstore: both %v and %v store events named %s", other.goType, goType, former)
			}
			c.byName[former] = stored{goType, t.Stream, t.SchemaVersion, t.Upcasters, plan, name}
		}
	}
	return c, nil
}

// checkStream returns an error when a stream of that type may not hold the event: the stream's folds
// need not handle it.
func (c *Codec) checkStream(name, stream string) error {
	if want := c.byName[name].stream; want != "" && want != streamType(stream) {
		return fmt.Errorf("the event %s belongs on %s streams, not on %s", name, want, stream)
	}
	return nil
}

// Encode returns the stored form of e: name, schema version and JSON data. The data are at most 1 MiB before the members with the
// tag pii are sealed under the account's key. Without a key, such a text is an error.
func (c *Codec) Encode(e domain.Event, key *sealed.Key) (name string, schemaVersion int, data json.RawMessage, err error) {
	if e == nil {
		return "", 0, nil, fmt.Errorf("eventstore: a nil event cannot be stored")
	}
	name, ok := c.byType[reflect.TypeOf(e)]
	if !ok || name != e.EventType() {
		return "", 0, nil, fmt.Errorf("eventstore: the event %s (%T) is unknown; add it to the codec", e.EventType(), e)
	}
	t := c.byName[name]
	data, err = json.Marshal(e)
	if err != nil {
		return "", 0, nil, fmt.Errorf("eventstore: encode %s: %w", name, err)
	}
	bytes, limit := len(data), maxData
	if t.plan != nil && bytes <= limit {
		if data, err = t.plan.Seal(data, key, name); err != nil {
			return "", 0, nil, fmt.Errorf("eventstore: encode: %w", err)
		}
		bytes, limit = len(data), maxSealed
	}
	if bytes > limit {
		return "", 0, nil, fmt.Errorf("eventstore: encode %s: %d bytes are more than the %d an event may have; store a reference "+
			"to a document", name, bytes, limit)
	}
	return name, t.version, data, nil
}

// Decode returns the event stored under name with the schema version, converted to the current one. An
// unknown name or version is an error: a program older than the log must not guess. Sealed members are opened by key; with another
// key, or none, they are an error.
func (c *Codec) Decode(name string, schemaVersion int, data []byte, key *sealed.Key) (domain.Event, error) {
	t, ok := c.byName[name]
	if !ok {
		return nil, fmt.Errorf("eventstore: the log holds an event %s that this program does not know; run a newer one", name)
	}
	if schemaVersion < 1 || schemaVersion > t.version {
		return nil, fmt.Errorf("eventstore: the log holds %s in schema version %d, this program knows 1 to %d; run a newer one", name,
			schemaVersion, t.version)
	}
	data, err := sealed.Open(data, key, name)
	if err != nil {
		return nil, fmt.Errorf("eventstore: decode: %w", err)
	}
	for i := schemaVersion; i < t.version; i++ {
		if data, err = t.upcasters[i-1](data); err != nil {
			return nil, fmt.Errorf("eventstore: upcast %s from schema version %d to %d: %w", name, i, i+1, err)
		}
	}
	v := reflect.New(t.goType)
	if err := json.Unmarshal(data, v.Interface()); err != nil {
		return nil, fmt.Errorf("eventstore: decode %s: %w", name, err)
	}
	return v.Elem().Interface().(domain.Event), nil
}
