package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/modelnotes"
)

// Remove removes a note of the caller or, for an administrator, of anyone.
func (s *ModelNotes) Remove(ctx context.Context, caller Caller, workspaceID, modelID, noteID uuid.UUID) error {
	return s.change(ctx, caller, workspaceID, modelID, func() (domain.Command[modelnotes.Notes], error) {
		return modelnotes.Remove{Removed: modelnotes.Removed{ModelID: modelID, NoteID: noteID}, By: caller.PersonID,
			Admin: caller.Role == account.Admin}, nil
	})
}
