package commands

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/aiprovider"
	"readiness/eventstore"
	"readiness/storage/documents"
)

// Delete deletes a test with its runs and their comparisons, and returns how
// many runs it deleted (4.6/delete). The operations of unfinished runs fail; the
// benchmark runs of the sides are kept.
func (s *ABTests) Delete(ctx context.Context, caller Caller, abTestID string) (runs int, err error) {
	for try := 1; ; try++ {
		test, err := s.load(ctx, caller, abTestID)
		if err != nil {
			return 0, err
		}
		runs, err = s.deleteLoaded(ctx, caller, test)
		if !errors.Is(err, errSideBegan) || try == maxTries {
			return runs, err
		}
	}
}

// deleteLoaded deletes the loaded test and its unfinished runs. It returns
// errSideBegan when the unfinished runs have changed since the test was loaded.
func (s *ABTests) deleteLoaded(ctx context.Context, caller Caller, test *eventstore.Stream[abtest.Test]) (deleted int, err error) {
	providers := eventstore.FoldCached(aiprovider.Stream(caller.Account), aiprovider.Evolve)
	id, going := test.State.AbTestID, test.State.Unfinished()
	runs, err := s.benchmarks.Runs.findPasts(ctx, going...)
	if err != nil {
		return 0, err
	}
	pasts := []eventstore.Loadable{test, providers}
	for _, w := range runs {
		pasts = append(pasts, w.pasts()...)
	}
	err = s.changeAsMember(ctx, caller, caller.metadata(uuid.Nil), pasts, func(c *eventstore.Change) error {
		if !test.State.BelongsTo(caller.Account) {
			return abtest.NotFound(id.String())
		}
		if !slices.Equal(test.State.Unfinished(), going) {
			return errSideBegan
		}
		deleted = len(test.State.Runs)
		s.expireDocuments(c, test.State.Documents(nil))
		for _, w := range runs {
			if err := s.benchmarks.Runs.decideAbRun(c, w, func() error { return eventstore.Decide(c, w.ab, abtest.Erase{}) }); err != nil {
				return err
			}
		}
		if err := eventstore.Decide(c, test, abtest.Delete{}); err != nil {
			return err
		}
		return eventstore.Decide(c, providers, aiprovider.Release{By: "abTest/" + id.String()})
	})
	return deleted, err
}

// DeleteRun deletes one run of a test with its comparison; the test is kept.
func (s *ABTests) DeleteRun(ctx context.Context, caller Caller, abTestID, runID string) error {
	test, err := s.load(ctx, caller, abTestID)
	if err != nil {
		return err
	}
	id, ok := domain.ParseID(runID)
	if !ok || !test.State.Has(id) {
		return abtest.RunNotFound(runID)
	}
	return s.benchmarks.Runs.changeAbRun(ctx, caller.metadata(uuid.Nil), id, func(c *eventstore.Change, w *abRunPasts) error {
		if !w.test.State.BelongsTo(caller.Account) {
			return abtest.NotFound(abTestID)
		}
		s.expireDocuments(c, w.test.State.Documents(&id))
		if err := eventstore.Decide(c, w.ab, abtest.Erase{}); err != nil {
			return err
		}
		return eventstore.Decide(c, w.test, abtest.RemoveRun{RunID: id})
	})
}

// expireDocuments deletes documents that nothing refers to any longer.
func (s *ABTests) expireDocuments(c *eventstore.Change, hashes []string) {
	if hashes = slices.DeleteFunc(hashes, func(h string) bool { return h == "" }); len(hashes) > 0 {
		c.Queue(documents.Expire(hashes, s.Now().Add(-time.Second)))
	}
}
