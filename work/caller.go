package work

import (
	"context"

	"readiness/commands"
	"readiness/domain/item"
)

// caller returns the person of a step, who acts with the token. The
// platform does not know a person who was erased.
func (o *Options) caller(ctx context.Context, of commands.Origin, token string) (item.Caller, error) {
	who, err := o.People.Name(ctx, of.AccountID, of.PersonID)
	return item.Caller{Account: of.AccountID, PersonID: of.PersonID, Person: who, Token: token, Work: of.OperationID}, err
}
