package optimization

import (
	"slices"

	"readiness/definition/rewrite"
	"readiness/domain"
)

// WritesContinued records further writes and skipped objects that did not fit into the
// event before.
type WritesContinued struct {
	// Writes continue the list of the event before.
	Writes []Write `json:"writes,omitempty"`
	// Skipped continues the list of the event before.
	Skipped []Skip `json:"skipped,omitempty"`
}

// IntentContinued records further entries of a WriteIntended that did not fit into it.
type IntentContinued struct {
	Write int `json:"write"`
	// Undo continues that of the intent.
	Undo []rewrite.Undo `json:"undo,omitempty"`
	// Skipped continues that of the intent.
	Skipped []Skip `json:"skipped,omitempty"`
}

func (WritesContinued) EventType() string { return "optimization.writes-continued" }
func (IntentContinued) EventType() string { return "optimization.intent-continued" }

// partSize bounds the lists of one event, in bytes of text. One byte may take six in
// JSON, and an event may have 1 MiB.
const partSize = 128 << 10

// overhead is roughly the size of a list's entry without its texts, in bytes.
const overhead = 200

// inParts splits a list into parts that fit into an event. There is always at least one
// part.
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

// part returns the part at i; nil when there is none.
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
	n := len(o.Key) + len(o.Table) + len(o.Object) + textSize(o.Previous) + textSize(o.Written)
	if o.Origin != nil {
		n += overhead + len(o.Origin.Provider) + len(o.Origin.Model)
	}
	return n
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

// listed returns the lists for the first event, and the events that continue them.
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

// continued returns the writes with more objects, which join the last write of their
// type.
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

// events returns the intent, split over as many events as it needs.
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

// events returns the event, split over as many as it needs. Only the last one can be
// Complete.
func (e Restored) events() []domain.Event {
	parts := inParts(e.Keys, func(key string) int { return len(key) })
	events := make([]domain.Event, len(parts))
	for i, keys := range parts {
		events[i] = Restored{e.By, keys, e.Complete && i == len(parts)-1}
	}
	return events
}
