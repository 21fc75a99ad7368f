package http

import (
	"context"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/comparison"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/projections"
)

// sightLife is how long a person who was seen to see an item may read what is stored of it without being looked up again
// (decisions 9.9).
const sightLife = 5 * time.Minute

// mostSights bounds how many sights are remembered; the one not used for longest is forgotten first.
const mostSights = 16 * 1024

// sight is an item that a person of an account was seen to see.
type sight struct {
	account             string
	person              item.Person
	workspaceID, itemID uuid.UUID
	kind                item.Type
}

// mayRead refuses to answer with a stored result that holds texts of the items, unless the caller started the work, or the
// platform lets the caller see every one of the items. Who does not see one is refused with absent, which is what an absent
// result is refused with. A platform that does not answer lets nobody but the starter read. Every handler that answers with
// such texts and does not look the items up itself asks here.
func (s *Server) mayRead(ctx context.Context, starter item.Person, absent error, items ...item.Item) error {
	if starter == of(ctx).who.Person {
		return nil
	}
	if len(items) == 0 {
		return absent
	}
	for _, it := range items {
		err := s.sees(ctx, it)
		if refusal, refused := domain.Refused(err); refused && unseen(refusal.Code) {
			return absent
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unseen reports whether a look-up was refused with the code because the person does not see the item.
func unseen(c domain.Code) bool {
	return c == domain.WorkspaceNotFound || c == domain.ItemNotFound || c == domain.PlatformAccessDenied
}

// sees looks the item up as the caller, if that was not done with success in the last five minutes. Refusals are not remembered.
func (s *Server) sees(ctx context.Context, it item.Item) error {
	who := of(ctx).who
	key := sight{who.Account, who.Person, it.WorkspaceID, it.ID, it.Type}
	now := s.now()
	if at, seen := s.sights.Get(key); seen && now.Sub(at).Abs() < sightLife {
		return nil
	}
	_, err := s.commands.Item(ctx, who, it.WorkspaceID, it.Type, it.ID)
	if err == nil {
		s.sights.Add(key, now)
	}
	return err
}

// mayReadResult refuses to answer with the result of an operation whose texts the caller may not read. What a run asked of
// which models the run itself says (see askedOf); results over a whole workspace name items, outcomes and scores.
func (s *Server) mayReadResult(ctx context.Context, o projections.Operation) error {
	switch o.Type {
	case operation.AssessSemanticModels, operation.AddPixies, operation.RemovePixies:
		return nil
	case operation.RunBenchmark, operation.RunAbTest: // when the run was read
		return nil
	default:
		if o.Resource.ItemID == nil {
			return s.mayRead(ctx, o.Owner, noOperation(o.ID))
		}
		return s.mayRead(ctx, o.Owner, noOperation(o.ID), item.Item{ID: *o.Resource.ItemID, Type: o.Resource.ItemType, WorkspaceID: o.Resource.WorkspaceID})
	}
}

// askedOf are the items whose texts the questions and answers of sides hold.
func askedOf(sides ...benchmark.Side) (items []item.Item) {
	for _, side := range sides {
		items = append(items, item.Item{ID: side.SemanticModelID, Type: item.SemanticModel, WorkspaceID: side.WorkspaceID})
		by := side.AnsweredBy
		if (by.Kind == comparison.DataAgent || by.Kind == comparison.ServiceTestAgent) && by.DataAgentID != nil && by.DataAgentWorkspaceID != nil {
			items = append(items, item.Item{ID: *by.DataAgentID, Type: item.DataAgent, WorkspaceID: *by.DataAgentWorkspaceID})
		}
	}
	return items
}

// starter is who started an operation of the caller's account; nobody where there is none.
func (s *Server) starter(ctx context.Context, operationID uuid.UUID) (item.Person, error) {
	c := of(ctx)
	if o, read := c.operations[operationID]; read && o.AccountID == c.who.Account {
		return o.Owner, nil
	}
	o, _, err := s.views.Operation(ctx, c.who.Account, operationID)
	return o.Owner, err
}
