package clientcmd

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/cmd/readiness/clientcmd/sheet"
	"readiness/internal/optional"
)

// started handles the response to a call that starts work: it waits for the operation and prints its result.
func (c *calls) started(ctx context.Context, s *client.Service, answer *client.Started, err error) error {
	accepted, first, err := c.accepted(ctx, answer, err)
	if err != nil {
		return err
	}
	if c.noWait {
		return c.answered(answer.Body, func(s *sheet.Sheet) { s.Say("%s", accepted) })
	}
	return c.wait(ctx, s, accepted, first)
}

// finished handles the response to a call that starts work: it waits for the operation and returns it with its result.
func (c *calls) finished(ctx context.Context, s *client.Service, answer *client.Started, err error) (o client.Operation, result []byte,
	_ error) {
	accepted, first, err := c.accepted(ctx, answer, err)
	if err != nil {
		return o, nil, err
	}
	if o, err = c.waited(ctx, s, accepted, first); err != nil {
		return o, nil, err
	}
	result, err = resultOf(ctx, s, o)
	return o, result, err
}

// accepted returns the operation that a call started, and how long to wait before the first read of its state.
func (c *calls) accepted(ctx context.Context, answer *client.Started, err error) (uuid.UUID, time.Duration, error) {
	if err != nil {
		if ctx.Err() != nil {
			fmt.Fprintf(c.program.Stderr, "readiness: the service may have accepted the call; check with "+
				"readiness client operations list%s\n", c.profileFlag())
		}
		return uuid.Nil, 0, err
	}
	if answer.JSON202 == nil || answer.JSON202.OperationID == uuid.Nil {
		return uuid.Nil, 0, fmt.Errorf("the service accepted the call but named no operation: %s", cli.Printable(string(answer.Body)))
	}
	first, _ := client.RetryAfter(answer.HTTPResponse.Header)
	return answer.JSON202.OperationID, max(first, time.Second), nil
}

// wait waits until the operation has ended and prints its result.
func (c *calls) wait(ctx context.Context, s *client.Service, operationID uuid.UUID, first time.Duration) error {
	last, err := c.waited(ctx, s, operationID, first)
	if err != nil {
		return err
	}
	return c.result(ctx, s, last)
}

// waited polls the operation until it has ended, the first time after the given delay. If it stops early, it prints the
// command that resumes waiting.
func (c *calls) waited(ctx context.Context, s *client.Service, operationID uuid.UUID, first time.Duration) (client.Operation, error) {
	last, err := c.follow(ctx, s, operationID, first)
	if err != nil {
		again := c.profileFlag()
		if c.json {
			again += " --json"
		}
		fmt.Fprintf(c.program.Stderr, "readiness: stopped waiting for operation %s; resume with\n  readiness client operations wait %s%s\n",
			operationID, operationID, again)
	}
	return last, err
}

func (c *calls) follow(ctx context.Context, s *client.Service, operationID uuid.UUID, first time.Duration) (last client.Operation,
	err error) {
	bar := c.program.Progress("operation " + operationID.String())
	defer bar.End()
	if first > 0 {
		if err := s.Pause(ctx, first); err != nil {
			return last, err
		}
	}
	reported := false
	for last, err = range s.States(ctx, operationID) {
		if w := last.WaitingFor; err == nil && w != nil && !reported {
			reported = true
			if w.Kind == client.OwnersSignIn {
				c.needsSignIn(operationID, *w)
				continue
			}
			fmt.Fprintf(c.program.Stderr, "readiness: operation %s continues only when the person who started it reads it with a "+
				"token of the scope %s. Wait for it with such a token.\n", operationID, w.Scope)
		}
		if err == nil && last.PercentComplete != nil {
			bar.At(int64(*last.PercentComplete), 100)
		}
	}
	return last, err
}

// needsSignIn says that an operation waits for its owner to sign in or to agree.
func (c *calls) needsSignIn(operationID uuid.UUID, w client.OperationWait) {
	fmt.Fprintf(c.program.Stderr, "readiness: operation %s waits until the person who started it signs in again: %s\n", operationID,
		cli.Printable(optional.Text(w.Message)))
	if page := optional.Text(w.ConsentURL); page != "" {
		fmt.Fprintf(c.program.Stderr, "readiness: agree at %s\n", cli.Printable(page))
	}
}

// resultOf returns the result of an operation that has ended; an error if it did not succeed.
func resultOf(ctx context.Context, s *client.Service, o client.Operation) ([]byte, error) {
	if o.Status != client.OperationStatusSucceeded {
		return nil, &client.NotSucceededError{Operation: o}
	}
	got, err := s.GetOperationResultWithResponse(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	return got.Body, nil
}

// result prints the result of an operation that has ended.
func (c *calls) result(ctx context.Context, s *client.Service, o client.Operation) error {
	body, err := resultOf(ctx, s, o)
	if err != nil {
		return err
	}
	result, err := readResult(optional.Text(o.OperationType), body)
	if err != nil {
		return fmt.Errorf("the result of operation %s: %w", o.ID, err)
	}
	if err := c.answered(body, result.show); err != nil {
		return err
	}
	return result.shortfall
}
