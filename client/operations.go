package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"time"

	"github.com/google/uuid"
)

// Ended reports whether the operation has reached its final status. A status that this client does not know counts as
// not ended.
func (o Operation) Ended() bool {
	return o.Status == OperationStatusSucceeded || o.Status == OperationStatusFailed || o.Status == OperationStatusCancelled
}

// States reads the state of an operation repeatedly until it has ended and yields each state. Between reads it waits
// as long as Retry-After asks. An error ends the sequence.
//
// Reading is more than looking. Some operations have several writes: an apply of properties, an apply without a
// preview, a bundle and its revert. These operations, and side B of an A/B test, resume only when the person who
// started them reads the operation with a token that may start work. So the caller who starts such work must read
// until it has ended. Reads by anyone else resume nothing; WaitingFor then says what the operation waits for and
// which scope the token needs.
//
// An operation may also wait for its owner to sign in again (OwnersSignIn). States then calls Options.Renew with the claims, a few
// times at most, and reads again with the new token.
func (s *Service) States(ctx context.Context, operationID uuid.UUID) iter.Seq2[Operation, error] {
	return func(yield func(Operation, error) bool) {
		renewals := 0
		for {
			read, err := s.GetOperationWithResponse(ctx, operationID, nil)
			if err == nil && read.JSON200 == nil {
				err = fmt.Errorf("client: the service did not return the state of operation %s", operationID)
			}
			if err != nil {
				yield(Operation{}, err)
				return
			}
			if !yield(*read.JSON200, nil) || read.JSON200.Ended() {
				return
			}
			if w := read.JSON200.WaitingFor; w != nil && w.Kind == OwnersSignIn && s.renew != nil && renewals < maxRenewals {
				renewals++
				if err := s.signInFor(ctx, *w); err != nil {
					yield(Operation{}, err)
					return
				}
			}
			wait, _ := RetryAfter(read.HTTPResponse.Header)
			if err := s.pause(ctx, min(cmp.Or(wait, time.Second), longestPause)); err != nil {
				yield(Operation{}, err)
				return
			}
		}
	}
}

// maxRenewals is how often States signs the owner in again.
const maxRenewals = 5

// signInFor renews the token that an operation waits for. Consent cannot be given this way.
func (s *Service) signInFor(ctx context.Context, w OperationWait) error {
	e := &Error{Status: http.StatusUnauthorized, ErrorResponse: ErrorResponse{ErrorCode: "TokenExpired"}}
	if w.ErrorCode != nil {
		e.ErrorCode = *w.ErrorCode
	}
	if w.Message != nil {
		e.Message = *w.Message
	}
	if w.Claims != nil {
		e.Parameters = []ErrorParameter{{Name: "claims", Value: *w.Claims}}
	}
	if e.ErrorCode == "PlatformConsentRequired" {
		return nil
	}
	_, err := s.renew(ctx, e)
	return err
}

// Wait reads the state of an operation, as States does, until it has ended, and returns the last state. A failed
// operation is not an error here: the caller must check Status.
func (s *Service) Wait(ctx context.Context, operationID uuid.UUID) (last Operation, err error) {
	for last, err = range s.States(ctx, operationID) {
		if err != nil {
			return Operation{}, err
		}
	}
	return last, nil
}

// NotSucceededError is the error for an operation that ended without a result.
type NotSucceededError struct{ Operation }

func (e *NotSucceededError) Error() string {
	if e.Operation.Error == nil {
		return fmt.Sprintf("operation %s ended as %s", e.ID, e.Status)
	}
	return fmt.Sprintf("operation %s ended as %s: %s: %s", e.ID, e.Status, e.Operation.Error.ErrorCode, e.Operation.Error.Message)
}

// Result waits until an operation has ended and returns its result as a T. T depends on the operation's type:
// Assessment, Preview, ApplyRecord and so on, or json.RawMessage for the unparsed result. For an operation that
// failed or was cancelled, the error is a *NotSucceededError.
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
		kind := "result of unknown type"
		if ended.OperationType != nil {
			kind = *ended.OperationType
		}
		return result, fmt.Errorf("client: the result of operation %s, a %s: %w", operationID, kind, err)
	}
	return result, nil
}

// Pages returns all pages of a list. read makes the call for one page, given a continuation token that is nil for the
// first page. It returns the page and the token of the next page, nil on the last.
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
