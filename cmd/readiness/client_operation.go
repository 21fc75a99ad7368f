package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/google/uuid"

	"readiness/client"
)

// started goes on from the answer to a call that starts work: it waits for the operation and tells its result.
func (c *clientCalls) started(ctx context.Context, s *client.Service, answer *http.Response, err error) error {
	if err != nil {
		if ctx.Err() != nil {
			fmt.Fprintf(c.r.stderr, "readiness: the service may have taken the call; readiness client operations list%s shows it\n", c.profileFlag())
		}
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	var accepted client.Accepted
	if err := json.Unmarshal(body, &accepted); err != nil || accepted.OperationID == uuid.Nil {
		return fmt.Errorf("the service took the call and named no operation: %s", printable(string(body)))
	}
	if c.noWait {
		return c.answered(body, func(s *sheet) { s.say("%s", accepted.OperationID) })
	}
	first, _ := client.RetryAfter(answer.Header)
	return c.wait(ctx, s, accepted.OperationID, max(first, time.Second))
}

// wait reads the operation, for the first time after a while, until it has ended, and tells its result. Who ends it early is told
// how to go on.
func (c *clientCalls) wait(ctx context.Context, s *client.Service, operationID uuid.UUID, first time.Duration) error {
	last, err := c.follow(ctx, s, operationID, first)
	if err != nil {
		again := c.profileFlag()
		if c.json {
			again += " --json"
		}
		fmt.Fprintf(c.r.stderr, "readiness: operation %s was not waited for to its end; go on with\n  readiness client operations wait %s%s\n", operationID, operationID, again)
		return err
	}
	return c.result(ctx, s, last)
}

func (c *clientCalls) follow(ctx context.Context, s *client.Service, operationID uuid.UUID, first time.Duration) (last client.Operation, err error) {
	bar := newProgress(c.r.stderr, "operation "+operationID.String())
	defer bar.end()
	if first > 0 {
		if err := s.Pause(ctx, first); err != nil {
			return last, err
		}
	}
	told := false
	for last, err = range s.States(ctx, operationID) {
		if w := last.WaitingFor; err == nil && w != nil && !told {
			told = true
			fmt.Fprintf(c.r.stderr, "readiness: operation %s goes on when the person who started it reads it with a token of the scope %s; reads with this one move nothing. Wait for it with such a token.\n", operationID, w.Scope)
		}
		if err == nil && last.PercentComplete != nil {
			bar.at(int64(*last.PercentComplete), 100)
		}
	}
	return last, err
}

// result tells the result of an operation that has ended.
func (c *clientCalls) result(ctx context.Context, s *client.Service, o client.Operation) error {
	if o.Status != client.OperationStatusSucceeded {
		return &client.NotSucceededError{Operation: o}
	}
	got, err := s.GetOperationResultWithResponse(ctx, o.ID)
	if err != nil {
		return err
	}
	told, err := readResult(text(o.OperationType), got.Body)
	if err != nil {
		return fmt.Errorf("the result of operation %s: %w", o.ID, err)
	}
	if err := c.answered(got.Body, told.tell); err != nil {
		return err
	}
	return told.shortfall
}
