package work

import (
	"context"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/operation"
)

// rests records that the operation waits for its owner, if only the owner can resolve the error of its step, and reports whether that
// is so. The job then ends: the owner's sign-in enqueues the step again. seen is how often the operation had continued when the step
// began.
func (o Options) rests(ctx context.Context, of commands.Origin, seen int, err error) (bool, error) {
	refusal, refused := domain.Refused(err)
	if !refused || !operation.NeedsOwner(refusal) {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	o.Log.Info("a step waits for its owner to sign in", "operationId", of.OperationID, "code", refusal.Code)
	return true, commands.Recorder{Store: o.Store, Vault: o.Vault, Now: o.Now}.NeedSignIn(ctx, of, seen, refusal)
}
