package wiring

import (
	"context"

	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain/operation"
	"readiness/domain/webhook"
	"readiness/work/webhooks"
)

// sender returns what makes and sends the messages to webhooks.
func sender(p Parts, with *commands.Commands) *webhooks.Sender {
	views := p.Log.Views
	typeOf := func(ctx context.Context, accountID string, id uuid.UUID) (operation.Type, operation.Resource, bool, error) {
		op, found, err := views.Operation(ctx, accountID, id)
		return op.Type, op.Resource, found, err
	}
	return webhooks.New(webhooks.Options{
		Store: p.Log.Store, Webhooks: with.Webhooks, Plans: p.Plans, Life: p.Log.Life, Now: p.Now, Log: p.Logger,
		PrivateAddresses: p.PrivateWebhooks, Client: p.WebhookClient, Console: p.Console,
		ScoreBefore: views.ScoreBefore, ScoredBefore: views.ScoredBefore, AIFormatBefore: views.AIFormatBefore, Operation: typeOf,
		Unassessed: func(ctx context.Context, accountID string, operationID, itemID uuid.UUID) (webhook.Unassessed, bool, error) {
			f, found, err := views.UnassessedBy(ctx, accountID, operationID, itemID)
			if err != nil || !found {
				return webhook.Unassessed{}, false, err
			}
			of, _, _, err := typeOf(ctx, accountID, operationID)
			return webhook.Unassessed{OperationID: operationID, WorkspaceID: f.WorkspaceID, ItemID: itemID, WorkspaceName: f.WorkspaceName,
				ItemName: f.ModelName, Type: of}, true, err
		},
	})
}
