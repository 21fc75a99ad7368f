package http

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/domain/modelnotes"
	"readiness/http/api"
	"readiness/http/paging"
	"readiness/internal/optional"
	"readiness/projections"
)

// ListMembers handles GET /v1/account/members.
func (s *Server) ListMembers(ctx context.Context, r api.ListMembersRequestObject) (*api.AccountMemberList, error) {
	account := callerOf(ctx).Account
	p, err := paging.Open[item.PersonID](s.lists, account, "/v1/account/members", nil, r.Params.MaxResults, r.Params.ContinuationToken)
	if err != nil {
		return nil, err
	}
	found, err := s.views.AccountMembers(ctx, account, optional.Value(p.After), p.Limit+1)
	if err != nil {
		return nil, err
	}
	list := api.AccountMemberList{}
	found, list.ContinuationToken, list.ContinuationURI, err = paging.Of(p, found, func(p projections.Person) item.PersonID { return p.ID })
	list.Value = make([]api.AccountMember, len(found))
	for i, one := range found {
		list.Value[i] = *s.member(ctx, &one)
	}
	return &list, err
}

// member converts a person to the API form; nil stays nil.
func (*Server) member(ctx context.Context, p *projections.Person) *api.AccountMember {
	if p == nil {
		return nil
	}
	return &api.AccountMember{PersonID: string(p.ID), Person: optional.Of(p.Name), You: p.ID == callerOf(ctx).PersonID}
}

// GetOwner handles GET …/semanticModels/{semanticModelId}/aiReadiness/owner.
func (s *Server) GetOwner(ctx context.Context, r api.GetOwnerRequestObject) (*api.ModelOwner, error) {
	if _, err := s.commands.Workspaces.Item(ctx, callerOf(ctx), r.WorkspaceID, item.SemanticModel, r.SemanticModelID); err != nil {
		return nil, err
	}
	return s.owner(ctx, r.SemanticModelID)
}

func (s *Server) owner(ctx context.Context, modelID uuid.UUID) (*api.ModelOwner, error) {
	found, err := s.views.Owner(ctx, callerOf(ctx).Account, modelID)
	return &api.ModelOwner{SemanticModelID: modelID, Owner: s.member(ctx, found)}, err
}

// SetOwner handles POST …/semanticModels/{semanticModelId}/aiReadiness/owner.
func (s *Server) SetOwner(ctx context.Context, r api.SetOwnerRequestObject) (*api.ModelOwner, error) {
	err := s.commands.ModelNotes.SetOwner(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, optional.Value(r.Body.Person), true)
	if err != nil {
		return nil, err
	}
	return s.owner(ctx, r.SemanticModelID)
}

// RemoveOwner handles DELETE …/semanticModels/{semanticModelId}/aiReadiness/owner.
func (s *Server) RemoveOwner(ctx context.Context, r api.RemoveOwnerRequestObject) (*api.ModelOwner, error) {
	err := s.commands.ModelNotes.SetOwner(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, "", false)
	return &api.ModelOwner{SemanticModelID: r.SemanticModelID}, err
}

// ListNotes handles GET …/semanticModels/{semanticModelId}/aiReadiness/notes.
func (s *Server) ListNotes(ctx context.Context, r api.ListNotesRequestObject) (*api.NoteList, error) {
	who := callerOf(ctx)
	path := "/v1/workspaces/" + r.WorkspaceID.String() + "/semanticModels/" + r.SemanticModelID.String() + "/aiReadiness/notes"
	p, err := paging.Open[projections.NoteCursor](s.lists, who.Account, path, nil, r.Params.MaxResults, r.Params.ContinuationToken)
	if err != nil {
		return nil, err
	}
	if _, err := s.commands.Workspaces.Item(ctx, who, r.WorkspaceID, item.SemanticModel, r.SemanticModelID); err != nil {
		return nil, err
	}
	found, err := s.views.Notes(ctx, projections.NotesQuery{AccountID: who.Account, ModelID: r.SemanticModelID, Before: p.After,
		Limit: p.Limit + 1})
	if err != nil {
		return nil, err
	}
	list := api.NoteList{}
	found, list.ContinuationToken, list.ContinuationURI, err = paging.Of(p, found, func(n projections.Note) projections.NoteCursor {
		return projections.NoteCursor{AddedAt: n.AddedAt, NoteID: n.NoteID}
	})
	list.Value = make([]api.Note, len(found))
	for i, n := range found {
		list.Value[i] = s.noteOf(ctx, n)
	}
	return &list, err
}

func (s *Server) noteOf(ctx context.Context, n projections.Note) api.Note {
	return api.Note{NoteID: n.NoteID, Author: *s.member(ctx, &n.Author), Text: n.Text, AddedAtUtc: n.AddedAt, ChangedAtUtc: optional.UTC(n.ChangedAt)}
}

// AddNote handles POST …/semanticModels/{semanticModelId}/aiReadiness/notes.
func (s *Server) AddNote(ctx context.Context, r api.AddNoteRequestObject) (*api.Note, error) {
	added, err := s.commands.ModelNotes.Add(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, r.Body.Text)
	if err != nil {
		return nil, err
	}
	return s.readNote(ctx, r.SemanticModelID, added)
}

// readNote reads a note that a call has written.
func (s *Server) readNote(ctx context.Context, modelID, id uuid.UUID) (*api.Note, error) {
	found, err := s.views.Notes(ctx, projections.NotesQuery{AccountID: callerOf(ctx).Account, ModelID: modelID, NoteID: &id, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 { // removed meanwhile
		return nil, modelnotes.NotFound(modelID, id)
	}
	return new(s.noteOf(ctx, found[0])), nil
}

// ChangeNote handles PATCH …/semanticModels/{semanticModelId}/aiReadiness/notes/{noteId}.
func (s *Server) ChangeNote(ctx context.Context, r api.ChangeNoteRequestObject) (*api.Note, error) {
	err := s.commands.ModelNotes.Change(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, r.NoteID, r.Body.Text)
	if err != nil {
		return nil, err
	}
	return s.readNote(ctx, r.SemanticModelID, r.NoteID)
}

// RemoveNote handles DELETE …/semanticModels/{semanticModelId}/aiReadiness/notes/{noteId}.
func (s *Server) RemoveNote(ctx context.Context, r api.RemoveNoteRequestObject) (*api.RemovedNote, error) {
	err := s.commands.ModelNotes.Remove(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, r.NoteID)
	return &api.RemovedNote{NoteID: r.NoteID, Removed: true}, err
}
