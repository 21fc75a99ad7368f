package http

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/verdict"
	"readiness/projections"
)

// lookUpLife is how long a successful look-up of an item permits a person to read stored results about it
// (docs/decisions.md 3).
const lookUpLife = 5 * time.Minute

// maxCachedLookUps bounds the cache of look-ups; the least recently used one is evicted first.
const maxCachedLookUps = 16 * 1024

// lookUp is an item that a person of an account was found to see.
type lookUp struct {
	account             string
	person              item.PersonID
	workspaceID, itemID uuid.UUID
	kind                item.Type
}

// mayRead checks that the caller may read a stored result that contains texts of the items. The person who started
// the work may; anyone else must be able to see every item on the platform. When the caller cannot see an item,
// mayRead returns absent, the refusal for a result that does not exist. When the platform does not respond, only the
// starter may read. Every handler that returns such texts without looking up the items itself must call mayRead.
func (s *Server) mayRead(ctx context.Context, starter item.PersonID, absent error, items ...item.Item) error {
	if starter == callerOf(ctx).PersonID {
		return nil
	}
	if len(items) == 0 {
		return absent
	}
	for _, it := range items {
		err := s.checkVisible(ctx, it)
		if refusal, refused := domain.Refused(err); refused && notVisible(refusal.Code) {
			return absent
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// notVisible reports whether code is a look-up's refusal of an item that the person cannot see.
func notVisible(c domain.Code) bool {
	return c == domain.WorkspaceNotFound || c == domain.ItemNotFound || c == domain.PlatformAccessDenied
}

// checkVisible looks up the item as the caller, unless that succeeded less than lookUpLife ago. Refusals are not cached.
func (s *Server) checkVisible(ctx context.Context, it item.Item) error {
	who := callerOf(ctx)
	key := lookUp{who.Account, who.PersonID, it.WorkspaceID, it.ID, it.Type}
	now := s.now()
	if at, seen := s.lookUps.Get(key); seen && now.Sub(at).Abs() < lookUpLife {
		return nil
	}
	_, err := s.commands.Workspaces.Item(ctx, who, it.WorkspaceID, it.Type, it.ID)
	if err == nil {
		s.lookUps.Add(key, now)
	}
	return err
}

// mayReadResult checks that the caller may read an operation's result. Results of benchmark and A/B runs are checked
// when the run is read, because the run says which items it asked (see askedOf). Results over a workspace contain
// only names of items, outcomes and scores, and what acrossModels shows of the models that the reader sees.
func (s *Server) mayReadResult(ctx context.Context, o projections.Operation) error {
	switch o.Type {
	case operation.ListViewAsOf: // may contain names that only the platform's permissions or an administrator's role show
		if callerOf(ctx).Role != account.Admin {
			return noOperation(o.ID)
		}
		return nil
	case operation.AssessSemanticModels, operation.AddPixies, operation.RemovePixies:
		return nil
	case operation.RunBenchmark, operation.RunAbTest: // checked when the run is read
		return nil
	default:
		if o.Resource.ItemID == nil {
			return s.mayRead(ctx, o.Owner, noOperation(o.ID))
		}
		return s.mayRead(ctx, o.Owner, noOperation(o.ID),
			item.Item{ID: *o.Resource.ItemID, Type: o.Resource.ItemType, WorkspaceID: o.Resource.WorkspaceID})
	}
}

// askedOf returns the items whose texts the questions and answers of the sides contain.
func askedOf(sides ...benchmark.Side) (items []item.Item) {
	for _, side := range sides {
		items = append(items, item.Item{ID: side.SemanticModelID, Type: item.SemanticModel, WorkspaceID: side.WorkspaceID})
		by := side.AnsweredBy
		if (by.Kind == verdict.DataAgent || by.Kind == verdict.ServiceTestAgent) && by.DataAgentID != nil &&
			by.DataAgentWorkspaceID != nil {
			items = append(items, item.Item{ID: *by.DataAgentID, Type: item.DataAgent, WorkspaceID: *by.DataAgentWorkspaceID})
		}
	}
	return items
}

// named returns a stored document in which the member names the person as people call them instead of by id; "" for a
// person who was erased. Every other byte stays. Most documents are the caller's own, whose name needs no look-up.
func (s *Server) named(ctx context.Context, document []byte, member string, id item.PersonID) ([]byte, error) {
	who := callerOf(ctx).Person
	if id != callerOf(ctx).PersonID {
		var err error
		if who, err = s.views.People.Name(ctx, callerOf(ctx).Account, id); err != nil {
			return nil, err
		}
	}
	was, err := json.Marshal(id)
	if err != nil {
		return nil, err
	}
	is, err := json.Marshal(who.ID)
	if err != nil {
		return nil, err
	}
	member = `"` + member + `":`
	return bytes.Replace(document, append([]byte(member), was...), append([]byte(member), is...), 1), nil
}

// starter returns who started an operation of the caller's account; the zero PersonID when there is none.
func (s *Server) starter(ctx context.Context, operationID uuid.UUID) (item.PersonID, error) {
	c := callOf(ctx)
	if o, read := c.operations[operationID]; read && o.AccountID == c.caller.Account {
		return o.Owner, nil
	}
	o, _, err := s.views.Operation(ctx, c.caller.Account, operationID)
	return o.Owner, err
}
