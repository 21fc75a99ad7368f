package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/modelnotes"
)

// Add adds a note of the caller to a semantic model and returns its id.
func (s *ModelNotes) Add(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, text string) (uuid.UUID, error) {
	if err := modelnotes.CheckText(text); err != nil {
		return uuid.Nil, err
	}
	add := modelnotes.Add{Added: modelnotes.Added{ModelID: modelID, NoteID: s.NewID(), By: caller.PersonID, Text: text, At: s.Now()}}
	return add.NoteID, s.change(ctx, caller, workspaceID, modelID, func() (domain.Command[modelnotes.Notes], error) { return add, nil })
}
