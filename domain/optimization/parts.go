package optimization

import (
	"slices"

	"readiness/definition/rewrite"
	"readiness/domain"
)

// WritesContinued: what is written, and what is left out of it, goes on; there was
// too much of it for the event before.
type WritesContinued struct {
	Writes  []Write `json:"writes,omitempty"`
	Skipped []Skip  `json:"skipped,omitempty"`
}

// IntentContinued: what WriteIntended says goes on.
type IntentContinued struct {
	Write   int            `json:"write"`
	Undo    []rewrite.Undo `json:"undo,omitempty"`
	Skipped []Skip         `json:"skipped,omitempty"`
}

// EventType implements domain.Event.
func (WritesContinued) EventType() string { return "optimization.writes-continued" }
func (IntentContinued) EventType() string { return "optimization.intent-continued" }

// partSize bounds what one event lists, in bytes of text. JSON may make six of one,
// and an event may have a mebibyte.
const partSize = 128 << 10

// overhead is about what an entry of a list takes beside its texts, in bytes.
const overhead = 200

// inParts cuts a list into parts that an event can hold. There is always one.
func inParts[T any](list []T, size func(T) int) [][]T {
	parts, used, from := [][]T{}, 0, 0
	for i, one := range list {
		n := overhead + size(one)
		if i > from && used+n > partSize {
			parts, used, from = append(parts, list[from:i]), 0, i
		}
		used += n
	}
	return append(parts, list[from:])
}

// part is the part at i, nil for none.
func part[T any](parts [][]T, i int) []T {
	if i >= len(parts) {
		return nil
	}
	return parts[i]
}

func textSize(text *string) int {
	if text == nil {
		return 0
	}
	return len(*text)
}

func (o Object) size() int {
	return len(o.Key) + len(o.Table) + len(o.Object) + textSize(o.Previous) + textSize(o.Written)
}

func (s Skip) size() int { return len(s.Key) + len(s.Message) }

func undoSize(u rewrite.Undo) int {
	n := len(u.Table) + len(u.Name) + len(u.Written) + textSize(u.Lines) + 2*len(u.Bytes) + 2*len(u.Escaped) + len(u.Culture)
	for level, was := range u.Made {
		n += len(level) + len(was)
	}
	for _, path := range u.Created {
		n += len(path)
	}
	return n
}

// listed is what the first event lists of writes, and the events that go on.
func listed(writes []Write, skipped []Skip) (WritesContinued, []domain.Event) {
	var objects []Object
	for _, w := range writes {
		objects = append(objects, w.Objects...)
	}
	lists, skips := inParts(objects, Object.size), inParts(skipped, Skip.size)
	var more []domain.Event
	for i := 1; i < max(len(lists), len(skips)); i++ {
		more = append(more, WritesContinued{continued(nil, part(lists, i)), part(skips, i)})
	}
	return WritesContinued{continued(nil, lists[0]), skips[0]}, more
}

// continued are the writes with more objects, each behind those of its type.
func continued(writes []Write, objects []Object) []Write {
	writes = slices.Clone(writes)
	for len(objects) > 0 {
		t := objects[0].Type
		n := slices.IndexFunc(objects, func(o Object) bool { return o.Type != t })
		if n < 0 {
			n = len(objects)
		}
		if last := len(writes) - 1; last >= 0 && writes[last].Type == t {
			writes[last].Objects = slices.Concat(writes[last].Objects, objects[:n])
		} else {
			writes = append(writes, Write{t, objects[:n]})
		}
		objects = objects[n:]
	}
	return writes
}

// events are the intent and the events that go on.
func (e WriteIntended) events() []domain.Event {
	undos, skips := inParts(e.Undo, undoSize), inParts(e.Skipped, Skip.size)
	write := e.Write
	e.Undo, e.Skipped = undos[0], skips[0]
	events := []domain.Event{e}
	for i := 1; i < max(len(undos), len(skips)); i++ {
		events = append(events, IntentContinued{write, part(undos, i), part(skips, i)})
	}
	return events
}

// events are the same as several, of which the last is the whole.
func (e PutBack) events() []domain.Event {
	parts := inParts(e.Keys, func(key string) int { return len(key) })
	events := make([]domain.Event, len(parts))
	for i, keys := range parts {
		events[i] = PutBack{e.By, keys, e.Whole && i == len(parts)-1}
	}
	return events
}
