package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/google/uuid"
)

// Ended reports whether no later read of the operation will say otherwise. A status that is not known here has not ended.
func (o Operation) Ended() bool {
	return o.Status == OperationStatusSucceeded || o.Status == OperationStatusFailed || o.Status == OperationStatusCancelled
}

// States reads the state of an operation until it has ended, each time when the answer before said to (Retry-After), and yields
// what it reads. An error ends it.
//
// Reading is more than looking: work that has more than one write (an apply of properties, one without a preview, a bundle and
// its revert) and side B of an A/B test go on when the person who started them reads the operation, with a token that may start
// work. So whoever starts such work must read until it has ended; reads by anybody else move nothing on, and say in WaitingFor
// what is waited for and which scope the token needs.
func (s *Service) States(ctx context.Context, operationID uuid.UUID) iter.Seq2[Operation, error] {
	return func(yield func(Operation, error) bool) {
		for {
			read, err := s.GetOperationWithResponse(ctx, operationID, nil)
			if err == nil && read.JSON200 == nil {
				err = fmt.Errorf("client: the state of operation %s was asked for and not answered", operationID)
			}
			if err != nil {
				yield(Operation{}, err)
				return
			}
			if !yield(*read.JSON200, nil) || read.JSON200.Ended() {
				return
			}
			wait, _ := RetryAfter(read.HTTPResponse.Header)
			if err := s.pause(ctx, min(cmp.Or(wait, time.Second), longestPause)); err != nil {
				yield(Operation{}, err)
				return
			}
		}
	}
}

// Wait reads the state of an operation, as States does, until it has ended, and returns the last. How it ended is for the caller
// to see: one that failed is no error here.
func (s *Service) Wait(ctx context.Context, operationID uuid.UUID) (last Operation, err error) {
	for last, err = range s.States(ctx, operationID) {
		if err != nil {
			return Operation{}, err
		}
	}
	return last, nil
}

// NotSucceededError says that an operation has ended and has no result.
type NotSucceededError struct{ Operation }

func (e *NotSucceededError) Error() string {
	if e.Operation.Error == nil {
		return fmt.Sprintf("operation %s ended as %s", e.ID, e.Status)
	}
	return fmt.Sprintf("operation %s ended as %s: %s: %s", e.ID, e.Status, e.Operation.Error.ErrorCode, e.Operation.Error.Message)
}

// Result waits until an operation has ended and returns its result as a T, whose shape follows the operation's type: Assessment,
// Preview, ApplyRecord and so on, or json.RawMessage for what the service sent. An operation that failed or was cancelled is a
// *NotSucceededError.
func Result[T any](ctx context.Context, s *Service, operationID uuid.UUID) (result T, err error) {
	ended, err := s.Wait(ctx, operationID)
	if err != nil {
		return result, err
	}
	if ended.Status != OperationStatusSucceeded {
		return result, &NotSucceededError{ended}
	}
	read, err := s.GetOperationResultWithResponse(ctx, operationID)
	if err != nil {
		return result, err
	}
	if err := json.Unmarshal(read.Body, &result); err != nil {
		return result, fmt.Errorf("client: the result of operation %s, a %s: %w", operationID, deref(ended.OperationType), err)
	}
	return result, nil
}

func deref(s *string) string {
	if s == nil {
		return "type that is not told"
	}
	return *s
}

// Pages reads a list page after page. read makes the call that answers the page after a continuation token, nil at first, and
// returns the page with the token of the next, nil on the last.
func Pages[P any](read func(continuationToken *string) (page P, next *string, err error)) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		var token *string
		for {
			page, next, err := read(token)
			if err == nil && next != nil && token != nil && *next == *token {
				err = errors.New("client: a page of a list names itself as the next one")
			}
			if !yield(page, err) || err != nil || next == nil {
				return
			}
			token = next
		}
	}
}
