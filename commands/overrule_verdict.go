package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/domain/abtest"
	"readiness/domain/account"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/verdict"
	"readiness/eventstore"
	"readiness/internal/database"
	"readiness/storage/documents"
)

// OverruleVerdict records a person's verdict on the answers to a question of a benchmark run, and computes the outcome of the
// run, and of the comparisons that it is a side of, with it (docs/decisions.md 16). The model is looked up as the caller.
// It returns the run's id. If nothing changes, nothing is recorded.
func (s *Benchmarks) OverruleVerdict(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, runID string,
	o benchmark.Overrule) (uuid.UUID, error) {
	if err := o.Check(); err != nil {
		return uuid.Nil, err
	}
	if _, err := s.lookUpTarget(ctx, caller, workspaceID, modelID); err != nil {
		return uuid.Nil, err
	}
	named := benchmark.NamedRun{Text: runID, AccountID: caller.Account, ModelID: modelID}
	id, err := named.ID()
	if err != nil {
		return uuid.Nil, err
	}
	for try := 1; ; try++ {
		err := s.tryOverrule(ctx, caller, named, id, o)
		if !errors.Is(err, benchmark.ErrOutcomeMoved) || try == maxTries {
			return id, err
		}
	}
}

func (s *Benchmarks) tryOverrule(ctx context.Context, caller Caller, named benchmark.NamedRun, id uuid.UUID, o benchmark.Overrule) error {
	a, err := s.Runs.Load(ctx, id)
	if err != nil {
		return err
	}
	if err := named.Check(a.Run); err != nil {
		return err
	}
	by := benchmark.Overruler{By: caller.PersonID, Admin: caller.Role == account.Admin, Starter: a.starter()}
	if err := by.Check(a.Run); err != nil {
		return err
	}
	from := a.Run.Outcome.DocumentHash
	document, err := s.runDocument(ctx, a.Run)
	if err != nil {
		return err
	}
	document, changed, err := document.Overruled(o)
	if err != nil || !changed {
		return err
	}
	hash, stored, err := s.put(ctx, document)
	if err != nil {
		return err
	}
	compared, err := s.comparisonsOf(ctx, a, document)
	if err != nil {
		return err
	}
	run := eventstore.Fold(benchmark.RunStream(id), benchmark.EvolveRun)
	pasts := []eventstore.Loadable{run}
	for _, r := range compared {
		pasts = append(pasts, r.run, r.test)
	}
	command := benchmark.OverruleVerdict{
		VerdictOverruled: benchmark.VerdictOverruled{Overrule: o, Outcome: document.Outcome(hash), At: s.Runs.now()},
		Overruler:        by, From: from,
	}
	return s.changeAsMember(ctx, caller, caller.metadata(uuid.Nil), pasts, func(c *eventstore.Change) error {
		if err := named.Check(run.State); err != nil {
			return err
		}
		if err := eventstore.Decide(c, run, command); err != nil {
			return err
		}
		c.Queue(stored)
		c.Queue(documents.Expire([]string{from}, s.Now().Add(operation.Life))) // a comparison may still read it
		for _, r := range compared {
			if err := r.record(c, s.Now().Add(operation.Life)); err != nil {
				return err
			}
		}
		return nil
	})
}

// starter returns the person who started the run.
func (a Asking) starter() item.PersonID {
	if a.Run.AbTest != nil {
		return a.Ab.Operation.Owner
	}
	return a.Own.Owner
}

// revision is the comparison of an A/B run, computed with a side's verdicts.
type revision struct {
	run    *eventstore.Stream[abtest.Run]
	test   *eventstore.Stream[abtest.Test]
	seen   string // the document that it replaces
	made   abtest.Compared
	stored database.Statement
}

// comparisonsOf computes the comparisons that a run is a side of with its document: that of the run's A/B run, and those that
// reused it. One whose other side was deleted stays as it is.
func (s *Benchmarks) comparisonsOf(ctx context.Context, a Asking, changed benchmark.RunDocument) (all []revision, err error) {
	ids, err := s.Reusing(ctx, a.Run.AccountID, a.Run.RunID)
	if err != nil {
		return nil, err
	}
	if a.Run.AbTest != nil {
		ids = append(ids, a.Run.OperationID)
	}
	slices.SortFunc(ids, func(x, y uuid.UUID) int { return slices.Compare(x[:], y[:]) })
	for _, id := range slices.Compact(ids) {
		r := revision{run: eventstore.Fold(operation.Stream(id), abtest.EvolveRun)}
		if err := s.Store.Load(ctx, r.run); err != nil {
			return nil, err
		}
		if err := r.run.State.CheckRevisable(); err != nil {
			return nil, err
		}
		if r.run.State.Compared == nil || r.run.State.Erased {
			continue
		}
		r.seen = r.run.State.Compared.Document
		r.test = eventstore.FoldCached(abtest.Stream(r.run.State.AbTestID), abtest.Evolve)
		if err := s.Store.Load(ctx, r.test); err != nil {
			return nil, err
		}
		if err := s.revise(ctx, &r, changed); errors.Is(err, errSideDeleted) {
			continue
		} else if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// errSideDeleted says that the log has no result of the other side: its run was deleted. A result that only the store lacks is lost.
var errSideDeleted = errors.New("commands: the other side was deleted")

func (s *Benchmarks) revise(ctx context.Context, r *revision, changed benchmark.RunDocument) (err error) {
	sides := abtest.Sides{A: changed, B: changed}
	other, into := *r.run.State.A.BenchmarkRunID, &sides.A
	if other == changed.RunID {
		other, into = *r.run.State.B.BenchmarkRunID, &sides.B
	}
	o, err := s.Runs.Load(ctx, other)
	if err != nil {
		return err
	}
	if o.Run.Deleted || o.Run.Outcome == nil {
		return errSideDeleted
	}
	if *into, err = s.runDocument(ctx, o.Run); err != nil {
		return err
	}
	var before verdict.Document
	if err := s.read(ctx, r.seen, &before); err != nil {
		return err
	}
	revised := sides.Revise(r.run.State, r.test.State.Words, before)
	r.made = abtest.Compared{Aggregate: revised.Aggregate, Agreement: revised.Agreement}
	r.made.Document, r.stored, err = s.put(ctx, revised)
	return err
}

// record records the revision, unless the comparison was changed since it was computed.
func (r *revision) record(c *eventstore.Change, expires time.Time) error {
	if now := r.run.State.Compared; now == nil || now.Document != r.seen {
		return benchmark.ErrOutcomeMoved
	}
	recorded := len(c.Recorded())
	if err := eventstore.Decide(c, r.run, abtest.ReviseComparison{Compared: r.made}); err != nil || len(c.Recorded()) == recorded {
		return err
	}
	c.Queue(r.stored)
	c.Queue(documents.Expire([]string{r.seen}, expires))
	return eventstore.Decide(c, r.test, abtest.ReviseRun{RunRevised: abtest.RunRevised{
		RunID: r.run.State.RunID, Aggregate: r.made.Aggregate, Gap: r.made.Agreement.Gap(), Document: r.made.Document,
	}})
}

// runDocument reads the document of a run that succeeded.
func (s *Benchmarks) runDocument(ctx context.Context, r benchmark.Run) (d benchmark.RunDocument, err error) {
	return d, s.read(ctx, r.Outcome.DocumentHash, &d)
}

func (s *Benchmarks) read(ctx context.Context, hash string, into any) error {
	body, err := s.Documents.Get(ctx, hash)
	if err != nil {
		return fmt.Errorf("commands: read a result: %w", err)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("commands: read the result %s: %w", hash, err)
	}
	return nil
}

// put encodes a result, and returns its hash and the statement that stores it.
func (s *Benchmarks) put(ctx context.Context, document any) (hash string, stored database.Statement, err error) {
	body, err := json.Marshal(document)
	if err != nil {
		return "", stored, fmt.Errorf("commands: encode a result: %w", err)
	}
	return s.Documents.Put(ctx, body)
}
