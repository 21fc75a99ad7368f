package commands

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain/auditview"
	"readiness/domain/operation"
	"readiness/eventstore"
)

// ListView starts listing the rows of a view as they followed from the account's events up to a moment (docs/decisions.md 18). It spends
// nothing, and needs the platform for nothing.
func (s *Accounts) ListView(ctx context.Context, caller Caller, view string, at auditview.Moment) (Accepted, error) {
	return s.startOperation(ctx, caller, func(operationID uuid.UUID) error {
		head, err := s.HeadOf(ctx, at)
		if err != nil {
			return err
		}
		end, err := s.Store.Watermark(ctx)
		if err != nil {
			return err
		}
		listing := eventstore.Fold(operation.Stream(operationID), auditview.Evolve)
		meta, loaded := caller.metadata(operationID), []eventstore.Loadable{listing}
		return s.changeAsMember(ctx, caller, meta, loaded, func(c *eventstore.Change) error {
			ask := auditview.Ask{View: view, Views: s.ViewNames, Moment: at, End: end, Head: head, Operation: operation.Accepted{
				OperationID: operationID, AccountID: caller.Account, Type: operation.ListViewAsOf, Owner: caller.PersonID,
			}}
			if err := eventstore.Decide(c, listing, ask); err != nil {
				return err
			}
			c.InTx(func(ctx context.Context, tx pgx.Tx) error {
				return s.Jobs.ListView(ctx, tx, caller.origin(operationID))
			})
			s.keys.remember(c, caller, operationID)
			return nil
		})
	})
}
