package commands

import (
	"context"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
)

// Startable refuses to start work that the caller's license cannot carry now,
// whatever the work is about. GET /v1/account announces what it says.
func (s *Service) Startable(ctx context.Context, who Caller) error {
	owner := owner(who)
	if err := s.Store.Load(ctx, owner); err != nil {
		return err
	}
	return license(owner.State, who).Starts()
}

// carrying is what the platform says of a workspace that work is to start in.
// Whether the caller's license carries the work there is decided from the
// account, with the work.
type carrying struct {
	who       Caller
	workspace item.Workspace
	capacity  item.CapacityState // only when the account lets the service read capacities
	err       error              // that nothing could be said of the capacity
}

// carrying asks the platform.
func (s *Service) carrying(ctx context.Context, who Caller, workspace item.Workspace) carrying {
	c := carrying{who: who, workspace: workspace}
	if who.Settings.CapacityDetails {
		c.capacity, c.err = s.Platform.Capacity(ctx, who.Caller, workspace.ID)
	}
	return c
}

// active refuses to start work in a workspace that the caller's license does
// not start it in, or whose capacity is paused (decisions 8.6).
func (c carrying) active(owner account.Account) error {
	own := license(owner, c.who)
	if err := own.Starts(); err != nil {
		return err
	}
	if err := own.StartsOn(c.workspace.Capacity); err != nil {
		return err
	}
	if c.err != nil {
		return c.err
	}
	if c.capacity == item.CapacityPaused {
		return domain.Refuse(domain.CapacityPaused, "the capacity of workspace %s is paused; resume it and call again", c.workspace.ID).About("workspaceId", c.workspace.ID)
	}
	return nil
}

// active is carrying.active for what must know before it decides.
func (s *Service) active(ctx context.Context, who Caller, workspace item.Workspace) error {
	c, owner := s.carrying(ctx, who, workspace), owner(who)
	if err := s.Store.Load(ctx, owner); err != nil {
		return err
	}
	return c.active(owner.State)
}

// owner is the past of the caller's account.
func owner(who Caller) *eventstore.Past[account.Account] {
	return eventstore.FoldKept(account.Stream(who.Account), account.Evolve)
}

// license is the caller's: their own, else the account's default, else none.
func license(owner account.Account, who Caller) account.License {
	license, _ := trackeditem.LicenseOf(owner, who.License)
	return license
}
