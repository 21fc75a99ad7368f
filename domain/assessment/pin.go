package assessment

import (
	"slices"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
)

// Pinned records that a stored assessment was pinned (docs/decisions.md 13).
type Pinned struct {
	ModelID      uuid.UUID `json:"semanticModelId"`
	AssessmentID uuid.UUID `json:"assessmentId"`
	Standing     Standing  `json:"standing"`
}

// Unpinned records that a stored assessment is no longer pinned.
type Unpinned struct {
	ModelID      uuid.UUID `json:"semanticModelId"`
	AssessmentID uuid.UUID `json:"assessmentId"`
	Standing     Standing  `json:"standing"`
}

func (Pinned) EventType() string   { return "assessment.pinned" }
func (Unpinned) EventType() string { return "assessment.unpinned" }

func (e Pinned) After() Standing   { return e.Standing }
func (e Unpinned) After() Standing { return e.Standing }

// Pin pins a stored assessment of a model, or unpins it when Pinned is false. Nothing happens when it
// already is as wanted. It refuses with AssessmentNotFound an assessment that is not in Stored or was
// made in another workspace.
type Pin struct {
	WorkspaceID, ModelID, AssessmentID uuid.UUID
	Pinned                             bool
	Stored                             []Stored
}

func (c Pin) Decide(s Standing) ([]domain.Event, error) {
	i := slices.IndexFunc(c.Stored, func(a Stored) bool { return a.AssessmentID == c.AssessmentID && a.WorkspaceID == c.WorkspaceID })
	switch {
	case i < 0:
		return nil, NotFound(item.SemanticModel, c.ModelID, c.AssessmentID.String())
	case c.Stored[i].Pinned == c.Pinned:
		return nil, nil
	case c.Pinned:
		return []domain.Event{Pinned{c.ModelID, c.AssessmentID, s}}, nil
	}
	return []domain.Event{Unpinned{c.ModelID, c.AssessmentID, s}}, nil
}

// NotFound is the refusal of an id that names no stored assessment of the item in the account.
func NotFound(t item.Type, itemID uuid.UUID, id string) error {
	return domain.Refuse(domain.AssessmentNotFound, "%s %s has no assessment %s in this account", t.Noun(), itemID, id).
		About("assessmentId", id)
}
