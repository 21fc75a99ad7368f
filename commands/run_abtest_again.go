package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/eventstore"
)

// RunAgain starts another run of a test (4.6/run).
func (s *ABTests) RunAgain(ctx context.Context, caller Caller, abTestID string, r abtest.RunAgain) (Accepted, error) {
	if err := r.Check(); err != nil {
		return Accepted{}, err
	}
	return s.startOperation(ctx, caller, func(operationID uuid.UUID) error {
		test, err := s.loadState(ctx, caller, abTestID)
		if err != nil {
			return err
		}
		run := abRun{operationID: operationID, testID: test.AbTestID, mode: test.CorrectAnswers, repeats: test.Repeats}
		if run.sideA, run.inA, err = s.lookUpSideAgain(ctx, caller, test.SideA); err != nil {
			return err
		}
		if run.sideB, run.inB, err = s.lookUpSideAgain(ctx, caller, test.SideB); err != nil {
			return err
		}
		if r.Set() == abtest.Current {
			if err := s.useSavedQuestions(ctx, caller, &run); err != nil {
				return err
			}
			run.repeats, run.freezes = test.Repeats, r.Freezes(test)
		} else if err := s.useFrozenQuestions(ctx, caller, r, &run, test); err != nil {
			return err
		}
		return s.acceptRun(ctx, caller, run, func(_ *eventstore.Change, p *abPasts, _ abtest.Questions) error {
			if !p.test.State.BelongsTo(caller.Account) { // deleted meanwhile
				return abtest.NotFound(abTestID)
			}
			return nil
		})
	})
}

// useFrozenQuestions makes the run ask the questions that the test froze.
func (s *ABTests) useFrozenQuestions(ctx context.Context, caller Caller, r abtest.RunAgain, run *abRun, test abtest.Test) error {
	if test.Source.RunID != nil {
		if _, err := s.loadStoredRun(ctx, caller, *test.Source.RunID, test.SideA.SemanticModelID); err != nil {
			return err
		}
	}
	if err := r.CheckFrozen(test); err != nil {
		return err
	}
	run.stored = test.Frozen
	if r.ReuseRunID != nil {
		stored, err := s.loadStoredRun(ctx, caller, *r.ReuseRunID, test.SideA.SemanticModelID)
		if err != nil {
			return err
		}
		if err := r.CheckReused(test, stored); err != nil {
			return err
		}
		return s.reuseForSideA(ctx, run, stored)
	}
	if run.mode != abtest.Update {
		return nil
	}
	set, err := QuestionsOf(ctx, s.Documents, test.Frozen.Document)
	if err != nil {
		return err
	}
	run.set, run.stored = set, nil
	return s.recomputeAnswers(ctx, caller, run)
}

// loadState returns a test of the caller's account.
func (s *ABTests) loadState(ctx context.Context, caller Caller, text string) (abtest.Test, error) {
	past, err := s.load(ctx, caller, text)
	if err != nil {
		return abtest.Test{}, err
	}
	return past.State, nil
}

func (s *ABTests) load(ctx context.Context, caller Caller, text string) (*eventstore.Stream[abtest.Test], error) {
	id, ok := domain.ParseID(text)
	if !ok {
		return nil, abtest.NotFound(text)
	}
	past := eventstore.FoldCached(abtest.Stream(id), abtest.Evolve)
	if err := s.Store.Load(ctx, past); err != nil {
		return nil, err
	}
	if !past.State.BelongsTo(caller.Account) {
		return nil, abtest.NotFound(text)
	}
	return past, nil
}
