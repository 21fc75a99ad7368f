package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/modelnotes"
)

// Change gives a note of the caller another text. If nothing changes, nothing is recorded.
func (s *ModelNotes) Change(ctx context.Context, caller Caller, workspaceID, modelID, noteID uuid.UUID, text string) error {
	if err := modelnotes.CheckText(text); err != nil {
		return err
	}
	return s.change(ctx, caller, workspaceID, modelID, func() (domain.Command[modelnotes.Notes], error) {
		return modelnotes.Change{Changed: modelnotes.Changed{ModelID: modelID, NoteID: noteID, Text: text, At: s.Now()}, By: caller.PersonID}, nil
	})
}
