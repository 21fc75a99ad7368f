package commands_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/optimization"
	"readiness/domain/pixies"
)

// keeping is a platform that keeps every item from the service, or only from being written.
type keeping struct {
	commands.Platform
	onlyWrites bool
	writes     []bool // what was asked
}

func (k *keeping) Item(_ context.Context, _ item.Caller, workspaceID uuid.UUID, t item.Type, id uuid.UUID) (item.Item, error) {
	return item.Item{ID: id, Type: t, WorkspaceID: workspaceID, DisplayName: "Sales"}, nil
}

func (k *keeping) Items(_ context.Context, _ item.Caller, workspaceID uuid.UUID, t item.Type) ([]item.Item, error) {
	return []item.Item{{ID: model(0), Type: t, WorkspaceID: workspaceID, DisplayName: "Sales"}}, nil
}

func (k *keeping) Usable(_ context.Context, _ item.Caller, writes bool, items ...item.Item) error {
	k.writes = append(k.writes, writes)
	if len(items) == 0 || k.onlyWrites && !writes {
		return nil
	}
	return domain.Refuse(domain.OperationNotSupportedForItem, "the platform says ItemHasProtectedLabel").About("id", items[0].ID)
}

// Work on an item that the platform keeps from the service is refused at its look-up: nothing is accepted, queued or spent. What
// writes asks whether it may write.
func TestUnusableItemsAreNotAccepted(t *testing.T) {
	t.Parallel()
	s := newService(t, 1)
	platform := &keeping{Platform: s.Platform}
	s.Platform = platform
	ana, id := s.Ana(account.Team), uuid.NewString()
	reports := []uuid.UUID{model(0)}
	for name, c := range map[string]struct {
		writes bool
		start  func() (commands.Accepted, error)
	}{
		"assess": {false, func() (commands.Accepted, error) { return s.Assessments.Start(t.Context(), ana, retail, model(0)) }},
		"preview": {false, func() (commands.Accepted, error) {
			return s.Optimizations.StartPreview(t.Context(), ana, retail, model(0), "aiInstructions")
		}},
		"bundle preview": {false, func() (commands.Accepted, error) {
			return s.Optimizations.StartBundle(t.Context(), ana, retail, model(0), nil, "required")
		}},
		"apply": {true, func() (commands.Accepted, error) {
			return s.Optimizations.StartApply(t.Context(), ana, retail, model(0), "descriptions", optimization.ApplyPreview{PreviewID: &id})
		}},
		"unattended apply": {true, func() (commands.Accepted, error) {
			return s.Optimizations.StartApply(t.Context(), ana, retail, model(0), "descriptions", optimization.ApplyPreview{Approval: new("none")})
		}},
		"revert": {true, func() (commands.Accepted, error) {
			return s.Optimizations.StartRevert(t.Context(), ana, retail, model(0), id)
		}},
		"unattended bundle": {true, func() (commands.Accepted, error) {
			return s.Optimizations.StartBundle(t.Context(), ana, retail, model(0), nil, "none")
		}},
		"bundle apply": {true, func() (commands.Accepted, error) {
			return s.Optimizations.StartBundleApply(t.Context(), ana, retail, model(0), id, nil)
		}},
		"bundle revert": {true, func() (commands.Accepted, error) {
			return s.Optimizations.StartBundleRevert(t.Context(), ana, retail, model(0), id)
		}},
		"add Pixies": {true, func() (commands.Accepted, error) {
			return s.Pixies.Start(t.Context(), ana, pixies.Adds, retail, model(0))
		}},
		"remove Pixies": {true, func() (commands.Accepted, error) {
			return s.Pixies.Start(t.Context(), ana, pixies.Removes, retail, model(0))
		}},
		"add many": {true, func() (commands.Accepted, error) {
			return s.Pixies.StartBulk(t.Context(), ana, pixies.Adds, retail, reports)
		}},
		"remove many": {true, func() (commands.Accepted, error) {
			return s.Pixies.StartBulk(t.Context(), ana, pixies.Removes, retail, reports)
		}},
	} {
		for _, onlyWrites := range []bool{false, true} {
			platform.onlyWrites, platform.writes = onlyWrites, nil
			if onlyWrites && !c.writes {
				continue // it is accepted
			}
			before := s.Left(t)
			if _, err := c.start(); !domain.IsRefused(err, domain.OperationNotSupportedForItem) {
				t.Errorf("%s: got %v", name, err)
			}
			s.Unchanged(t, before)
			if !slices.Equal(platform.writes, []bool{c.writes}) {
				t.Errorf("%s: asked with %v, want %t", name, platform.writes, c.writes)
			}
		}
	}
}
