package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/pixies"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
	"readiness/internal/lists"
)

// noticed is a change of an item that a listing revealed and the account has not
// recorded yet.
type noticed struct {
	past   eventstore.Loadable
	record func(*eventstore.Change) error
}

// noticedChange returns the command on an item's stream that a listing requires.
func noticedChange[S any](past *eventstore.Stream[S], command domain.Command[S]) noticed {
	return noticed{past, func(c *eventstore.Change) error { return eventstore.Decide(c, past, command) }}
}

// notice compares the account's tracked items of a workspace with the complete
// listing that the caller got: a missing item was deleted, another may have a new
// name. A workspace that the caller cannot see has no listing, so an item that is
// merely invisible is never recorded as deleted (decisions/8/8). notice
// reads the view once and changes nothing.
func (s *core) notice(ctx context.Context, caller Caller, workspaceID uuid.UUID, t item.Type, listed []item.Item) ([]noticed, error) {
	tracked, err := s.TrackedIn(ctx, caller.Account, workspaceID, t)
	if err != nil || len(tracked) == 0 {
		return nil, err
	}
	names := make(map[uuid.UUID]string, len(listed))
	for _, it := range listed {
		names[it.ID] = it.DisplayName
	}
	var seen []noticed
	at := s.Now()
	for _, i := range tracked {
		var command domain.Command[trackeditem.Item] = trackeditem.MarkDeleted{WorkspaceID: workspaceID, At: at}
		if name, there := names[i.ItemID]; there {
			command = trackeditem.Rename{DisplayName: name}
		}
		events, err := command.Decide(i)
		if err != nil {
			return nil, err
		}
		if len(events) == 0 {
			continue
		}
		seen = append(seen, noticedChange(TrackedItem(caller.Account, i.ItemID), command))
		if _, there := names[i.ItemID]; !there && t == item.Report {
			report := eventstore.FoldLast[pixies.Report](pixies.Stream(caller.Account, i.ItemID))
			seen = append(seen, noticedChange(report, pixies.MarkDeleted{WorkspaceID: workspaceID, At: at}))
		}
	}
	return seen, nil
}

// pastsOf returns the streams from which noticed changes are decided.
func pastsOf(seen []noticed) []eventstore.Loadable {
	return lists.Map(seen, func(n noticed) eventstore.Loadable { return n.past })
}

// recordAll decides the noticed changes, from the streams.
func recordAll(c *eventstore.Change, seen []noticed) error {
	for _, n := range seen {
		if err := n.record(c); err != nil {
			return err
		}
	}
	return nil
}

// recordNoticed records the changes that a listing revealed when the call starts no
// work.
func (s *core) recordNoticed(ctx context.Context, caller Caller, seen []noticed) error {
	if len(seen) == 0 {
		return nil
	}
	meta := eventstore.Metadata{Account: caller.Account, Person: string(caller.PersonID), RequestID: caller.RequestID, Causation: "listing",
		Trace: caller.Trace}
	return s.Store.Change(ctx, meta, pastsOf(seen), func(c *eventstore.Change) error { return recordAll(c, seen) })
}
