package commands

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"readiness/domain/abtest"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/verdict"
	"readiness/eventstore"
	"readiness/internal/database"
	"readiness/internal/optional"
)

// Create creates an A/B test and starts its first run (4.6/create). It trims
// the name and the other words.
func (s *ABTests) Create(ctx context.Context, caller Caller, r abtest.CreateRequest) (Accepted, error) {
	r.Words = r.Words.Trimmed()
	if err := r.Check(); err != nil {
		return Accepted{}, err
	}
	return s.startOperation(ctx, caller, func(operationID uuid.UUID) error {
		sideA, inA, err := s.benchmarks.lookUpSide(ctx, caller, r.SideA.WorkspaceID, r.SideA.SemanticModelID, r.SideA.AnsweredBy)
		if err != nil {
			return err
		}
		sideB, inB, err := s.benchmarks.lookUpSide(ctx, caller, r.SideB.WorkspaceID, r.SideB.SemanticModelID, r.SideB.AnsweredBy)
		if err != nil {
			return err
		}
		run := abRun{operationID: operationID, testID: s.NewID(), sideA: sideA, sideB: sideB, inA: inA, inB: inB, mode: r.Mode(),
			freezes: r.Source.RunID == nil}
		source := abtest.Source{Kind: abtest.SourceKind(r.Source.Kind)}
		if r.Source.RunID != nil {
			stored, err := s.loadStoredRun(ctx, caller, *r.Source.RunID, sideA.SemanticModelID)
			if err != nil {
				return err
			}
			run.replay(stored)
			if r.ReuseSideA {
				if err := s.reuseForSideA(ctx, &run, stored); err != nil {
					return err
				}
			}
			source.RunID, source.RunStoredAt = r.Source.RunID, &stored.EndedAt
		} else if err := s.useSavedQuestions(ctx, caller, &run); err != nil {
			return err
		}
		run.repeats = cmp.Or(optional.Value(r.Repeats), run.repeats)
		return s.acceptRun(ctx, caller, run, func(c *eventstore.Change, p *abPasts, questions abtest.Questions) error {
			return eventstore.Decide(c, p.test, abtest.CreateABTest{Created: abtest.Created{
				AbTestID: run.testID, AccountID: caller.Account, Words: r.Words, SideA: *p.asking.sides[0], SideB: *p.asking.sides[1],
				Source: source, CorrectAnswers: run.mode, Repeats: run.repeats, Questions: questions, At: p.asking.at,
			}})
		})
	})
}

// abRun is a run of a test about to be accepted.
type abRun struct {
	operationID, testID uuid.UUID
	sideA, sideB        benchmark.Side
	inA, inB            item.Workspace // of the sides' models
	mode                abtest.CorrectAnswers
	computedAt          *time.Time
	// freezes reports whether the questions become the test's own once side A
	// has answered them.
	freezes bool
	repeats int
	// stored are questions that are already a document; if nil, set is put, and storing stores it.
	stored  *abtest.Questions
	set     benchmark.Set
	storing database.Statement
	// reused is the stored run that serves as side A; nil when side A asks.
	reused *benchmark.Run
}

// loadStoredRun returns a benchmark run of the model that has ended with answers, or
// refuses with RunNotFound.
func (s *ABTests) loadStoredRun(ctx context.Context, caller Caller, runID, modelID uuid.UUID) (benchmark.Run, error) {
	past := eventstore.Fold(benchmark.RunStream(runID), benchmark.EvolveRun)
	if err := s.Store.Load(ctx, past); err != nil {
		return past.State, err
	}
	return past.State, past.State.CheckStored(caller.Account, modelID, runID)
}

// replay makes the run ask what a stored run asked, with the same repeats
// (4.6/create/2).
func (r *abRun) replay(stored benchmark.Run) {
	r.stored = &abtest.Questions{Document: stored.Questions, SetHash: stored.QuestionSetHash, Count: stored.Count,
		Clusters: stored.Clusters}
	r.repeats = stored.Repeats
}

// reuseForSideA takes the answers of a stored run for side A.
func (s *ABTests) reuseForSideA(ctx context.Context, r *abRun, stored benchmark.Run) error {
	body, err := s.Documents.Get(ctx, stored.Outcome.DocumentHash)
	if err != nil {
		return err
	}
	var document struct{ Judge *verdict.Judge }
	if err := json.Unmarshal(body, &document); err != nil {
		return fmt.Errorf("commands: read benchmark run %s: %w", stored.RunID, err)
	}
	saved := eventstore.FoldCached(aiprovider.Stream(stored.AccountID), aiprovider.Evolve)
	if document.Judge != nil {
		if err := s.Store.Load(ctx, saved); err != nil {
			return err
		}
	}
	if err := abtest.CheckReuse(stored, document.Judge, r.sideA, r.sideB, saved.State); err != nil {
		return err
	}
	r.reused = &stored
	return nil
}

// useSavedQuestions makes the run ask those saved questions of side A's model
// that can run.
func (s *ABTests) useSavedQuestions(ctx context.Context, caller Caller, r *abRun) error {
	set, err := s.benchmarks.runnableQuestions(ctx, caller, r.sideA.WorkspaceID, r.sideA.SemanticModelID)
	if err != nil {
		return err
	}
	r.set, r.stored, r.repeats = set, nil, cmp.Or(set.Repeats, benchmark.DefaultRepeats)
	return s.recomputeAnswers(ctx, caller, r)
}

// recomputeAnswers computes the correct answers from the current definition of
// side A's model, if the test's mode is Update.
func (s *ABTests) recomputeAnswers(ctx context.Context, caller Caller, r *abRun) error {
	if r.mode != abtest.Update {
		return nil
	}
	m, unreadable, err := s.benchmarks.readDefinition(ctx, caller,
		item.Item{ID: r.sideA.SemanticModelID, Type: item.SemanticModel, WorkspaceID: r.sideA.WorkspaceID})
	if err != nil {
		return err
	}
	if err := abtest.CheckReadable(unreadable); err != nil {
		return err
	}
	r.set = r.set.Recomputed(m)
	r.computedAt = new(s.Now().UTC().Truncate(time.Microsecond))
	return nil
}

// abPasts are the streams from which a run of a test is decided.
type abPasts struct {
	asking *pendingAsks
	test   *eventstore.Stream[abtest.Test]
	run    *eventstore.Stream[abtest.Run]
	first  *eventstore.Stream[benchmark.Run] // the run of the side that asks first
	// reused is the stored run that serves as side A; nil when side A asks.
	reused *eventstore.Stream[benchmark.Run]
}

// acceptRun counts, records and enqueues a run of a test. with decides what the
// run changes in the test, before the run is added to it.
func (s *ABTests) acceptRun(ctx context.Context, caller Caller, r abRun,
	with func(*eventstore.Change, *abPasts, abtest.Questions) error) error {
	sides := []workspaceState{s.workspaceState(ctx, caller, r.inA)}
	if r.inA.ID != r.inB.ID {
		sides = append(sides, s.workspaceState(ctx, caller, r.inB))
	}
	sideA, sideB := r.sideA, r.sideB
	a, err := s.benchmarks.prepareAsking(caller, r.operationID, &sideA, &sideB)
	if err != nil {
		return err
	}
	if r.stored == nil {
		var questions abtest.Questions
		if questions, r.storing, err = s.benchmarks.putSet(ctx, r.set); err != nil {
			return err
		}
		r.stored = &questions
	}
	firstID := s.NewID()
	p := &abPasts{
		asking: a,
		test:   eventstore.FoldCached(abtest.Stream(r.testID), abtest.Evolve),
		run:    eventstore.Fold(operation.Stream(r.operationID), abtest.EvolveRun),
		first:  eventstore.Fold(benchmark.RunStream(firstID), benchmark.EvolveRun),
	}
	pasts := a.pasts(p.test, p.run, p.first)
	if r.reused != nil {
		p.reused = eventstore.Fold(benchmark.RunStream(r.reused.RunID), benchmark.EvolveRun)
		pasts = append(pasts, p.reused)
	}
	return s.changeAsMember(ctx, caller, caller.metadata(r.operationID), pasts, func(c *eventstore.Change) error {
		for _, side := range sides {
			if err := side.checkStart(a.owner.State); err != nil {
				return err
			}
		}
		return s.decideRun(c, r, p, firstID, with)
	})
}

func (s *ABTests) decideRun(c *eventstore.Change, r abRun, p *abPasts, firstID uuid.UUID,
	with func(*eventstore.Change, *abPasts, abtest.Questions) error) error {
	a := p.asking
	if p.reused != nil && !p.reused.State.BelongsTo(a.caller.Account) { // deleted meanwhile
		return abtest.RunNotFound(r.reused.RunID.String())
	}
	if err := a.checkProviders(c, "abTest/"+r.testID.String()); err != nil {
		return err
	}
	accepted := abtest.RunAccepted{
		RunID: r.operationID, AbTestID: r.testID, SideA: *a.sides[0], SideB: *a.sides[1], CorrectAnswers: r.mode,
		ComputedAt: r.computedAt, Repeats: r.repeats, Freezes: r.freezes, Allowance: a.stream, At: a.at,
	}
	firstName, first := abtest.A, accepted.SideA
	if r.reused != nil {
		accepted.Reused, firstName, first = &r.reused.RunID, abtest.B, accepted.SideB
	}
	impact, err := a.spend(c, accepted.Counted())
	if err != nil {
		return err
	}
	accepted.Questions = *r.stored
	if r.storing.SQL != "" {
		c.Queue(r.storing)
	}
	if err := with(c, p, accepted.Questions); err != nil {
		return err
	}
	op := s.acceptance(a.caller, r.operationID, operation.RunAbTest, accepted.SideA.WorkspaceID, accepted.SideA.SemanticModelID)
	op.Impact = impact
	if err := eventstore.Decide(c, p.run, abtest.AcceptRun{Operation: op, Run: accepted, BenchmarkRunID: firstID}); err != nil {
		return err
	}
	start := benchmark.StartRun{RunAccepted: sideRun(p.run.State, firstName, firstID, first)}
	if err := eventstore.Decide(c, p.first, start); err != nil {
		return err
	}
	if err := eventstore.Decide(c, p.test, abtest.AddRun{RunAdded: abtest.RunAdded{
		RunID: r.operationID, SideA: accepted.SideA, SideB: accepted.SideB, Questions: accepted.Questions, At: a.at,
	}}); err != nil {
		return err
	}
	s.benchmarks.enqueueRun(c, a.caller, r.operationID, firstID)
	s.keys.remember(c, a.caller, r.operationID)
	return nil
}

// sideRun returns the acceptance of the benchmark run of a side that asks.
func sideRun(r abtest.Run, name abtest.SideName, id uuid.UUID, side benchmark.Side) benchmark.RunAccepted {
	return benchmark.RunAccepted{
		RunID: id, AccountID: r.Operation.Account, OperationID: r.RunID, Side: side,
		Questions: r.Questions.Document, QuestionSetHash: r.Questions.SetHash, Count: r.Questions.Count, Clusters: r.Questions.Clusters,
		Repeats: r.Repeats, AbTest: &benchmark.OfTest{AbTestID: r.AbTestID, Side: string(name)}, At: r.At,
	}
}
