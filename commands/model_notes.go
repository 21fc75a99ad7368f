package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/modelnotes"
	"readiness/eventstore"
)

// change looks a model up as the caller, and carries out a command on its owner and notes (docs/decisions.md 26). The command is
// made after the look-up.
func (s *ModelNotes) change(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID,
	command func() (domain.Command[modelnotes.Notes], error)) error {
	if _, err := s.Platform.Item(ctx, caller.Caller, workspaceID, item.SemanticModel, modelID); err != nil {
		return err
	}
	do, err := command()
	if err != nil {
		return err
	}
	past := eventstore.FoldCached(modelnotes.Stream(caller.Account, modelID), modelnotes.Evolve)
	return s.changeAsMember(ctx, caller, caller.metadata(uuid.Nil), []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, past, do)
	})
}
