package optimization

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
)

// ApplyBundle writes the previews of a bundle preview, one kind after the other.
// PreviewID is the text that the call gave. Kinds are the names it gave, nil for every
// kind that has a preview.
type ApplyBundle struct {
	PreviewID string
	Kinds     *[]string
	AccountID string
	ModelID   uuid.UUID
	Now       time.Time
}

// Check refuses names that are not those of kinds.
func (c ApplyBundle) Check() error {
	_, err := kindsOf(c.Kinds)
	return err
}

// ID returns the id of the bundle preview.
func (c ApplyBundle) ID() (uuid.UUID, error) {
	id, ok := domain.ParseID(c.PreviewID)
	if !ok {
		return id, c.none()
	}
	return id, nil
}

func (c ApplyBundle) none() error {
	return NotThePreview(c.PreviewID, "there is no bundle preview with this id")
}

// CheckPreview refuses what is not an unused bundle preview of the account and the
// model that succeeded and whose previews have not expired.
func (c ApplyBundle) CheckPreview(b Bundle) error {
	switch {
	case b.Operation.Account != c.AccountID || b.Form != Previewing:
		return c.none()
	case *b.Operation.Resource.ItemID != c.ModelID:
		return NotThePreview(c.PreviewID, "it was made for another semantic model")
	case b.Operation.Status != operation.StatusSucceeded:
		return NotThePreview(c.PreviewID, "it has not succeeded")
	case b.Lapsed(c.Now):
		return NotThePreview(c.PreviewID, "it is older than 24 hours")
	}
	_, err := Use{}.Decide(b)
	return err
}

// Children returns the kinds to write, in the order of the bundle preview. It refuses a
// kind that the call names and that has no preview to write.
func (c ApplyBundle) Children(preview Bundle) ([]Child, error) {
	kinds, err := kindsOf(c.Kinds)
	if err != nil {
		return nil, err
	}
	var children []Child
	for _, made := range preview.Children {
		switch {
		case !slices.Contains(kinds, made.Kind):
		case made.Standing == ChildSucceeded:
			children = append(children, Child{Kind: made.Kind, PreviewID: made.PreviewID, ExpiresAt: made.ExpiresAt,
				Standing: ChildNotStarted})
		case c.Kinds != nil:
			return nil, domain.Refuse(domain.InvalidRequest, "bundle preview %s has no preview of %s to write",
				domain.ExcerptID(c.PreviewID), made.Kind).About("kind", made.Kind)
		}
	}
	for _, k := range kinds {
		if _, ok := preview.Child(k); !ok && c.Kinds != nil {
			return nil, domain.Refuse(domain.InvalidRequest, "bundle preview %s does not include %s", domain.ExcerptID(c.PreviewID),
				k).About("kind", k)
		}
	}
	return children, nil
}
