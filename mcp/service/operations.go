package service

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/client/inprocess"
	"readiness/internal/optional"
	"readiness/mcp"
)

// started is the id of the operation that a tool waits for: one that it starts, or one of an earlier call of the tool.
func started(operationID string, start func() (*client.Accepted, error)) (uuid.UUID, error) {
	if operationID != "" {
		id, err := uuid.Parse(operationID)
		if err != nil {
			return uuid.Nil, problem("operationId must be one that this tool returned.")
		}
		return id, nil
	}
	accepted, err := start()
	if err != nil {
		return uuid.Nil, refused(err)
	}
	return accepted.OperationID, nil
}

// finish waits for an operation of a type for a while, and reads its result. It returns a Pending if it has not ended.
func finish[T any](ctx context.Context, m models, id uuid.UUID, of string) (result T, pending *mcp.Pending, err error) {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var last client.Operation
	for state, err := range m.States(waiting, id) {
		late := errors.Is(err, inprocess.ErrLate) || waiting.Err() != nil
		if err != nil && late && last.ID != uuid.Nil && ctx.Err() == nil {
			return result, &mcp.Pending{OperationID: id.String(), Status: string(last.Status), Percent: last.PercentComplete}, nil
		}
		if err != nil {
			return result, nil, refused(err)
		}
		last = state
		if kind := optional.Text(last.OperationType); kind != of {
			return result, nil, problem("The type of the operation is " + kind + "; this tool is for " + of + ". Use the id that " +
				"this tool returned.")
		}
	}
	if last.Status != client.OperationStatusSucceeded {
		failed := &mcp.Problem{Text: "The operation ended as " + string(last.Status) + "."}
		if last.Error != nil {
			failed.Text = "The operation failed with " + last.Error.ErrorCode + "."
			failed.Reason = last.Error.Message
		}
		return result, nil, failed
	}
	body, err := m.result(ctx, id)
	if err != nil {
		return result, nil, err
	}
	return result, nil, json.Unmarshal(body, &result)
}

// result returns the result of an operation that has succeeded.
func (m models) result(ctx context.Context, id uuid.UUID) ([]byte, error) {
	got, err := m.GetOperationResultWithResponse(ctx, id)
	if err != nil {
		return nil, refused(err)
	}
	return got.Body, nil
}

// ended reads an operation of a type that has succeeded, and its result.
func (m models) ended(ctx context.Context, operationID, of, hint string) (client.Operation, []byte, error) {
	id, err := uuid.Parse(operationID)
	if err != nil {
		return client.Operation{}, nil, problem(hint)
	}
	got, err := m.GetOperationWithResponse(ctx, id, nil)
	if err != nil {
		return client.Operation{}, nil, refused(err)
	}
	o := *got.JSON200
	if optional.Text(o.OperationType) != of || o.Status != client.OperationStatusSucceeded {
		return o, nil, problem(hint)
	}
	body, err := m.result(ctx, id)
	return o, body, err
}
