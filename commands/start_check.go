package commands

import (
	"context"

	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/trackeditem/room"
	"readiness/eventstore"
)

// CheckLicense refuses when the caller's license does not allow starting any
// work now. GET /v1/account reports the same.
func (s *Accounts) CheckLicense(ctx context.Context, caller Caller) error {
	owner := pastAccount(caller)
	if err := s.Store.Load(ctx, owner); err != nil {
		return err
	}
	return licenseOf(owner.State, caller).Starts()
}

// workspaceState is what the platform reports about a workspace in which work
// will start. Whether the caller's license allows the work there is decided from
// the account, together with the work.
type workspaceState struct {
	caller    Caller
	workspace item.Workspace
	capacity  item.CapacityState // only when the account lets the service read capacities
	err       error              // why the capacity's state is not known
}

// workspaceState asks the platform about the workspace.
func (s *core) workspaceState(ctx context.Context, caller Caller, workspace item.Workspace) workspaceState {
	c := workspaceState{caller: caller, workspace: workspace}
	if caller.Settings.CapacityDetails {
		c.capacity, c.err = s.Platform.Capacity(ctx, caller.Caller, workspace.ID)
	}
	return c
}

// checkStart refuses to start work in a workspace that the caller's license does not
// cover, or whose capacity is paused (docs/decisions.md 8.6).
func (c workspaceState) checkStart(owner account.Account) error {
	own := licenseOf(owner, c.caller)
	if err := own.Starts(); err != nil {
		return err
	}
	if err := own.StartsOn(c.workspace.Capacity); err != nil {
		return err
	}
	if c.err != nil {
		return c.err
	}
	return c.capacity.CheckStart(c.workspace.ID)
}

// checkStart is workspaceState.checkStart for callers that must check before
// they decide.
func (s *core) checkStart(ctx context.Context, caller Caller, workspace item.Workspace) error {
	c, owner := s.workspaceState(ctx, caller, workspace), pastAccount(caller)
	if err := s.Store.Load(ctx, owner); err != nil {
		return err
	}
	return c.checkStart(owner.State)
}

// pastAccount is the past of the caller's account.
func pastAccount(caller Caller) *eventstore.Stream[account.Account] {
	return eventstore.FoldCached(account.Stream(caller.Account), account.Evolve)
}

// licenseOf returns the caller's license: their own, else the account's default,
// else none.
func licenseOf(owner account.Account, caller Caller) account.License {
	license, _ := room.LicenseOf(owner, caller.License)
	return license
}
