package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
)

// DeleteResults deletes every stored assessment of a semantic model in the caller's
// account and returns how many it deleted (docs/decisions.md 7, 8.17). It also
// deletes the documents that no other assessment refers to. The model is looked up
// as the caller. If nothing is stored, nothing happens.
func (s *Assessments) DeleteResults(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID) (deleted int, err error) {
	if _, err := s.Platform.Item(ctx, caller.Caller, workspaceID, item.SemanticModel, modelID); err != nil {
		return 0, err
	}
	stream := assessment.Stream(caller.Account, modelID)
	standing := eventstore.FoldLast[assessment.Standing](stream)
	stored := eventstore.Fold(stream, assessment.EvolveStored)
	tracked := TrackedItem(caller.Account, modelID)
	meta := eventstore.Metadata{Account: caller.Account, Person: string(caller.PersonID), RequestID: caller.RequestID,
		Causation: "deletion of results", Trace: caller.Trace}
	err = s.changeAsMember(ctx, caller, meta, []eventstore.Loadable{standing, stored, tracked}, func(c *eventstore.Change) error {
		all := stored.State
		deleted = len(all)
		if err := eventstore.Decide(c, standing, assessment.DeleteResults{ModelID: modelID, Stored: all}); err != nil || deleted == 0 {
			return err
		}
		var hashes []string
		for _, a := range all {
			hashes = append(hashes, a.DocumentHash)
			if a.FingerprintHash != "" {
				hashes = append(hashes, a.FingerprintHash)
			}
		}
		s.DropDocuments(c.Queue, hashes)
		return eventstore.Decide(c, tracked, trackeditem.DeleteResults{})
	})
	return deleted, err
}
