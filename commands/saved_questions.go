package commands

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/definition/semanticmodel"
	"readiness/documents"
	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/eventstore"
)

// SavedQuestions are the saved benchmark questions of a model in the caller's
// account, each with whether it can run as the model is now (decisions 6, 8.17).
func (s *Service) SavedQuestions(ctx context.Context, who Caller, workspaceID, modelID uuid.UUID) (benchmark.QuestionsResult, error) {
	it, err := s.Platform.Item(ctx, who.Caller, workspaceID, item.SemanticModel, modelID)
	if err != nil {
		return benchmark.QuestionsResult{}, err
	}
	saved, err := s.savedSet(ctx, who.Account, modelID)
	if err != nil || len(saved.Questions) == 0 {
		return benchmark.NewQuestionsResult(modelID, saved, []benchmark.Checked{}), err
	}
	m, unreadable, err := s.definitionOf(ctx, who, it)
	switch {
	case err != nil:
		return benchmark.QuestionsResult{}, err
	case unreadable != nil: // the questions are there, and none can run
		return benchmark.NewQuestionsResult(modelID, saved, saved.Unreadable(unreadable)), nil
	}
	return benchmark.NewQuestionsResult(modelID, saved, saved.Check(m)), nil
}

// runnableQuestions are the saved questions of a model and those of them that can
// run on it now, read as the caller. Both are empty where none are saved; what the
// platform refuses is refused, and of a definition that makes no sense no question
// can run.
func (s *Service) runnableQuestions(ctx context.Context, who Caller, workspaceID, modelID uuid.UUID) (saved, canRun benchmark.Set, err error) {
	if saved, err = s.savedSet(ctx, who.Account, modelID); err != nil || len(saved.Questions) == 0 {
		return saved, saved, err
	}
	m, unreadable, err := s.definitionOf(ctx, who, item.Item{ID: modelID, Type: item.SemanticModel, WorkspaceID: workspaceID})
	if err != nil || unreadable != nil {
		return saved, benchmark.Set{Questions: []benchmark.Question{}, Repeats: saved.Repeats}, err
	}
	return saved, saved.Runnable(m), nil
}

// definitionOf reads a model as the caller. unreadable is what is wrong with a
// definition that makes no sense.
func (s *Service) definitionOf(ctx context.Context, who Caller, it item.Item) (m *semanticmodel.Model, unreadable, err error) {
	d, err := s.Platform.Definition(ctx, who.Caller, it)
	refusal, refused := domain.Refused(err)
	switch {
	case refused && refusal.Code == domain.ItemNotReadable:
		return nil, err, nil
	case refused && refusal.Code == domain.CapacityBusy: // which is no code of a call
		return nil, nil, domain.Refuse(domain.PlatformUnavailable, "%s", refusal.Message).After(refusal.RetryAfter)
	case err != nil:
		return nil, nil, err
	}
	m, unreadable = semanticmodel.Read(d)
	return m, unreadable, nil
}

// savedSet is the set that is saved for a model in an account, empty when none is.
// Its stream says which in one round trip, so it has no view of its own.
func (s *Service) savedSet(ctx context.Context, accountID string, modelID uuid.UUID) (benchmark.Set, error) {
	past := eventstore.FoldLast[benchmark.SavedQuestions](benchmark.QuestionsStream(accountID, modelID))
	if err := s.Store.Load(ctx, past); err != nil {
		return benchmark.Set{}, err
	}
	if past.State.Set == nil {
		return benchmark.Set{Questions: []benchmark.Question{}, Repeats: benchmark.DefaultRepeats}, nil
	}
	return QuestionsOf(ctx, s.Pool, past.State.Set.DocumentHash)
}

// QuestionsOf reads a set of questions from its document.
func QuestionsOf(ctx context.Context, pool *pgxpool.Pool, hash string) (set benchmark.Set, err error) {
	body, err := documents.Get(ctx, pool, hash)
	if err != nil {
		return set, err
	}
	if err := json.Unmarshal(body, &set); err != nil {
		return set, fmt.Errorf("commands: read the questions of document %s: %w", hash, err)
	}
	return set, nil
}
