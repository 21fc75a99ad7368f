package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
)

// Startable refuses to start work that the caller's license cannot carry now,
// whatever the work is about. GET /v1/account announces what it says.
func (s *Service) Startable(ctx context.Context, who Caller) error {
	license, err := s.license(ctx, who)
	if err != nil {
		return err
	}
	return license.Starts()
}

// active refuses to start work in a workspace that the caller's license does
// not start it in, or whose capacity is paused, when the account lets the
// service read capacities (decisions 8.6).
func (s *Service) active(ctx context.Context, who Caller, workspaceID uuid.UUID) error {
	license, err := s.license(ctx, who)
	if err != nil {
		return err
	}
	if err := license.Starts(); err != nil {
		return err
	}
	if license.CapacityRequired {
		workspace, err := s.Platform.Workspace(ctx, who.Caller, workspaceID)
		if err != nil {
			return err
		}
		if err := license.StartsOn(workspace.Capacity); err != nil {
			return err
		}
	}
	if !who.Settings.CapacityDetails {
		return nil
	}
	state, err := s.Platform.Capacity(ctx, who.Caller, workspaceID)
	if err != nil {
		return err
	}
	if state == item.CapacityPaused {
		return domain.Refuse(domain.CapacityPaused, "the capacity of workspace %s is paused; resume it and call again", workspaceID).About("workspaceId", workspaceID)
	}
	return nil
}

// license is the caller's: their own, else the account's default, else none.
func (s *Service) license(ctx context.Context, who Caller) (account.License, error) {
	owner := eventstore.FoldKept(account.Stream(who.Account), account.Evolve)
	if err := s.Store.Load(ctx, owner); err != nil {
		return account.License{}, err
	}
	license, _ := trackeditem.LicenseOf(owner.State, who.License)
	return license, nil
}
