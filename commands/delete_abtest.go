package commands

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/documents"
	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/aiprovider"
	"readiness/eventstore"
)

// DeleteAbTest deletes a test with its runs and their comparisons, and says how
// many runs that were (spec 4.6, DELETE rules). Runs that go on are deleted first,
// so that their operations fail; the benchmark runs of the sides stay.
func (s *Service) DeleteAbTest(ctx context.Context, who Caller, abTestID string) (runs int, err error) {
	test, err := s.loadTest(ctx, who, abTestID)
	if err != nil {
		return 0, err
	}
	id := test.State.AbTestID
	providers := eventstore.FoldKept(aiprovider.Stream(who.Account), aiprovider.Evolve)
	// A run that is started between the look and the decision is deleted in another round.
	for try := 1; ; try++ {
		deleted := 0
		for _, going := range test.State.Going() {
			if err := s.eraseRun(ctx, who, going); err != nil {
				return 0, err
			}
		}
		err := s.Store.Change(ctx, who.metadata(uuid.Nil), []eventstore.Loadable{test, providers}, func(c *eventstore.Change) error {
			if !test.State.Held(who.Account) {
				return abtest.NotFound(abTestID)
			}
			if len(test.State.Going()) > 0 {
				return errSideBegan
			}
			deleted = len(test.State.Runs)
			s.drop(c, test.State.Documents(nil))
			if err := eventstore.Decide(c, test, abtest.Delete{}); err != nil {
				return err
			}
			return eventstore.Decide(c, providers, aiprovider.Release{By: "abTest/" + id.String()})
		})
		if !errors.Is(err, errSideBegan) || try == movedTries {
			return deleted, err
		}
	}
}

// DeleteAbTestRun deletes one run of a test with its comparison; the test stays.
func (s *Service) DeleteAbTestRun(ctx context.Context, who Caller, abTestID, runID string) error {
	test, err := s.loadTest(ctx, who, abTestID)
	if err != nil {
		return err
	}
	id, ok := domain.ParseID(runID)
	if !ok || !test.State.Has(id) {
		return abtest.RunNotFound(runID)
	}
	return s.Runs.change(ctx, who.metadata(uuid.Nil), id, func(c *eventstore.Change, w *whole) error {
		if !w.test.State.Held(who.Account) {
			return abtest.NotFound(abTestID)
		}
		s.drop(c, w.test.State.Documents(&id))
		if err := eventstore.Decide(c, w.ab, abtest.Erase{}); err != nil {
			return err
		}
		return eventstore.Decide(c, w.test, abtest.RemoveRun{RunID: id})
	})
}

// eraseRun ends a run that goes on, because it is deleted with its test.
func (s *Service) eraseRun(ctx context.Context, who Caller, id uuid.UUID) error {
	return s.Runs.change(ctx, who.metadata(uuid.Nil), id, func(c *eventstore.Change, w *whole) error {
		return eventstore.Decide(c, w.ab, abtest.Erase{})
	})
}

// drop lets documents go that nothing refers to any more.
func (s *Service) drop(c *eventstore.Change, hashes []string) {
	if hashes = slices.DeleteFunc(hashes, func(h string) bool { return h == "" }); len(hashes) > 0 {
		sql, args := documents.Expire(hashes, s.Now().Add(-time.Second))
		c.Queue(sql, args...)
	}
}
