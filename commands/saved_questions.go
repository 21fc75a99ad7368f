package commands

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"readiness/definition/semanticmodel"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/eventstore"
	"readiness/storage/documents"
)

// SavedQuestions returns the saved benchmark questions of a model in the caller's
// account, each with whether it can run on the model's current definition
// (docs/decisions.md 6, 8.17).
func (s *Benchmarks) SavedQuestions(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID) (benchmark.QuestionsResult, error) {
	it, err := s.Platform.Item(ctx, caller.Caller, workspaceID, item.SemanticModel, modelID)
	if err != nil {
		return benchmark.QuestionsResult{}, err
	}
	saved, err := s.loadSavedSet(ctx, caller.Account, modelID)
	if err != nil || len(saved.Questions) == 0 {
		return benchmark.NewQuestionsResult(modelID, saved, []benchmark.Checked{}), err
	}
	m, unreadable, err := s.readDefinition(ctx, caller, it)
	switch {
	case err != nil:
		return benchmark.QuestionsResult{}, err
	case unreadable != nil: // the questions exist, but none can run
		return benchmark.NewQuestionsResult(modelID, saved, saved.Unreadable(unreadable)), nil
	}
	return benchmark.NewQuestionsResult(modelID, saved, saved.Check(m, s.Now())), nil
}

// runnableQuestions returns those of a model's saved questions that can run on its current definition, read as the caller. It refuses
// where there are none, and where the platform refuses.
func (s *Benchmarks) runnableQuestions(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID) (canRun benchmark.Set, err error) {
	saved, err := s.loadSavedSet(ctx, caller.Account, modelID)
	if err != nil || len(saved.Questions) == 0 {
		return saved, cmp.Or(err, saved.CheckRunnable(modelID, saved))
	}
	m, unreadable, err := s.readDefinition(ctx, caller, item.Item{ID: modelID, Type: item.SemanticModel, WorkspaceID: workspaceID})
	if err != nil {
		return canRun, err
	}
	canRun = benchmark.Set{Questions: []benchmark.Question{}, Repeats: saved.Repeats}
	if unreadable == nil {
		canRun = saved.Runnable(m)
	}
	return canRun, saved.CheckRunnable(modelID, canRun)
}

// readDefinition reads a model as the caller. unreadable reports why its definition
// cannot be parsed.
func (s *core) readDefinition(ctx context.Context, caller Caller, it item.Item) (m *semanticmodel.Model, unreadable, err error) {
	d, err := s.Platform.Definition(ctx, caller.Caller, it)
	if err != nil {
		unreadable, err = item.ReadFailure(err)
		return nil, unreadable, err
	}
	err = s.processors.Compute(func() error { m, unreadable = semanticmodel.Read(d); return nil })
	return m, unreadable, err
}

// loadSavedSet returns the question set saved for a model in an account; empty when
// none is saved. It needs no view: the stream's last event names the set's
// document.
func (s *Benchmarks) loadSavedSet(ctx context.Context, accountID string, modelID uuid.UUID) (benchmark.Set, error) {
	past := eventstore.FoldLast[benchmark.SavedQuestions](benchmark.QuestionsStream(accountID, modelID))
	if err := s.Store.Load(ctx, past); err != nil {
		return benchmark.Set{}, err
	}
	if past.State.Set == nil {
		return benchmark.Set{Questions: []benchmark.Question{}, Repeats: benchmark.DefaultRepeats}, nil
	}
	return QuestionsOf(ctx, s.Documents, past.State.Set.DocumentHash)
}

// QuestionsOf returns the question set stored in a document.
func QuestionsOf(ctx context.Context, in *documents.Store, hash string) (set benchmark.Set, err error) {
	body, err := in.Get(ctx, hash)
	if err != nil {
		return set, err
	}
	if err := json.Unmarshal(body, &set); err != nil {
		return set, fmt.Errorf("commands: read the questions of document %s: %w", hash, err)
	}
	return set, nil
}
