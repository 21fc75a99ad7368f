package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/modelnotes"
)

// SetOwner sets who looks after a semantic model in the caller's account: the member of the name, the caller if it is "", or
// nobody if set is false. If nothing changes, nothing is recorded.
func (s *ModelNotes) SetOwner(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, name string, set bool) error {
	return s.change(ctx, caller, workspaceID, modelID, func() (_ domain.Command[modelnotes.Notes], err error) {
		var owner item.PersonID
		switch {
		case !set:
		case name == "":
			owner = caller.PersonID
		default:
			owner, err = s.Member(ctx, caller, name)
		}
		return modelnotes.SetOwner{ModelID: modelID, Owner: owner}, err
	})
}

// Member returns the member of the caller's account who is named by their id at the issuer, or by their id in the account. It
// refuses a name of none, or of several.
func (s *ModelNotes) Member(ctx context.Context, caller Caller, name string) (item.PersonID, error) {
	found, err := s.People.Called(ctx, caller.Account, name)
	if err != nil {
		return "", err
	}
	in := pastAccount(caller)
	if err := s.Store.Load(ctx, in); err != nil {
		return "", err
	}
	return modelnotes.Member(name, append(found, item.PersonID(name)), func(id item.PersonID) bool {
		_, is := in.State.Membership(id)
		return is
	})
}
