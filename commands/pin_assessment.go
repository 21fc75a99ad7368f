package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/eventstore"
)

// Pin pins a stored assessment of a semantic model in the caller's account, or unpins it when pinned is
// false, and returns the assessment's id (docs/decisions.md 13). The model is looked up as the caller. A
// malformed id is refused as not found. If nothing changes, nothing is recorded.
func (s *Assessments) Pin(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, assessmentID string,
	pinned bool) (uuid.UUID, error) {
	if _, err := s.Platform.Item(ctx, caller.Caller, workspaceID, item.SemanticModel, modelID); err != nil {
		return uuid.Nil, err
	}
	id, ok := domain.ParseID(assessmentID)
	if !ok {
		return id, assessment.NotFound(item.SemanticModel, modelID, assessmentID)
	}
	stream := assessment.Stream(caller.Account, modelID)
	standing := eventstore.FoldLast[assessment.Standing](stream)
	stored := eventstore.Fold(stream, assessment.EvolveStored)
	meta := eventstore.Metadata{Account: caller.Account, Person: string(caller.PersonID), RequestID: caller.RequestID,
		Causation: "pin of an assessment", Trace: caller.Trace}
	return id, s.changeAsMember(ctx, caller, meta, []eventstore.Loadable{standing, stored}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, standing, assessment.Pin{
			WorkspaceID: workspaceID, ModelID: modelID, AssessmentID: id, Pinned: pinned, Stored: stored.State,
		})
	})
}
