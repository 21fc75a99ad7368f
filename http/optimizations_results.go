package http

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/optimization"
	"readiness/http/api"
	"readiness/internal/optional"
	"readiness/projections"
)

// preview returns the result of a preview. It is readable as long as it can be applied.
func (s *Server) preview(ctx context.Context, o projections.Operation) (api.OperationResult, error) {
	work, err := s.views.Work(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	if err := s.checkExpiry(o, work.ExpiresAt); err != nil {
		return nil, err
	}
	document, err := s.views.Document(ctx, work.Document)
	if err != nil {
		return nil, err
	}
	var p optimization.Preview
	if err := json.Unmarshal(document, &p); err != nil {
		return nil, fmt.Errorf("http: the document of preview %s: %w", o.ID, err)
	}
	out := api.Preview{
		PreviewID: p.PreviewID.String(), Kind: p.Kind, WorkspaceID: p.WorkspaceID.String(),
		SemanticModelID: p.SemanticModelID.String(), SemanticModelName: p.SemanticModelName,
		CreatedAtUtc: p.CreatedAt.UTC(), ExpiresAtUtc: p.ExpiresAt.UTC(), AssessmentID: optional.ID(p.AssessmentID),
		Changes: listed(p.Changes), Skipped: listed(p.Skipped), NothingToDo: p.NothingToDo,
		UsageInProposal: p.UsageInProposal, Usage: s.previewUsage(p.UsageAccess), Reason: p.Reason, Message: p.Message,
		Agent:    s.previewAgent(p.AgentAccess),
		Provider: p.Provider, MaxLength: p.MaxLength, ScoreNow: p.ScoreNow, ScoreAfter: p.ScoreAfter,
		NeedsYourWords: p.NeedsYourWords, DimensionsThatFall: p.DimensionsThatFall,
		Dimensions: p.Dimensions,
	}
	if len(p.Warnings) > 0 {
		out.Warnings = p.Warnings
	}
	if p.Flagged > 0 {
		out.Flagged = &p.Flagged
	}
	out.Falls = optional.Of(p.Falls())
	switch p.Kind {
	case optimization.Properties:
		out.ExistingFolders = new(listed(p.ExistingFolders))
	case optimization.AIDataSchema:
		out.RecommendedKeys = new(listed(p.RecommendedKeys))
	case optimization.AIInstructions, optimization.Descriptions:
	}
	return out, nil
}

// listed returns list, or an empty list instead of nil, so that JSON has [] and not null.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// previewUsage returns why usage was not considered in a preview; nil when the person has granted the permission.
func (s *Server) previewUsage(access item.Access) *api.PreviewUsage {
	permission := account.VendorName(item.PermissionUsage)
	out := &api.PreviewUsage{Access: api.PreviewUsageAccess(access), Permission: permission}
	switch access {
	case item.Granted:
		return nil
	case item.ConsentRequired:
		out.ConsentURL = new(s.consentURL(permission))
		out.Message = "Usage was not read because you have not granted " + permission +
			". What is proposed does not follow what people look at most. " +
			"Grant the permission on the page of consentUrl and make a new preview."
	case item.Unavailable:
		out.Message = "Usage was not read because " + permission +
			" could not be used just now: the platform did not answer, or your organization's sign-in policy did not allow it. " +
			"What is proposed does not follow what people look at most. Make a new preview later."
	}
	return out
}

// previewAgent returns the state of the permission to ask a data agent; nil when it is granted or when no data agent
// is asked.
func (s *Server) previewAgent(access *item.Access) *api.PreviewAgent {
	if access == nil || *access == item.Granted {
		return nil
	}
	permission := account.VendorName(item.PermissionAgent)
	out := &api.PreviewAgent{Access: api.PreviewAgentAccess(*access), Permission: permission}
	if *access == item.ConsentRequired {
		out.ConsentURL = new(s.consentURL(permission))
	}
	return out
}

// applyRecord returns the result of an apply or a revert. When nothing was written, it is readable for RecordLife
// after the end of the operation.
func (s *Server) applyRecord(ctx context.Context, o projections.Operation) (api.OperationResult, error) {
	work, err := s.views.Work(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	out := api.ApplyRecord{
		RevertOperationID: o.ID.String(), Kind: work.Kind, WorkspaceID: o.Resource.WorkspaceID.String(),
		SemanticModelID: o.Resource.ItemID.String(),
		Standing:        work.Standing(), RevertedByOperationID: optional.ID(work.RevertedBy), Unattended: work.Unattended,
		Applied: work.Applied(), Skipped: listed(work.LeftOut()), Reverts: optional.ID(work.Reverts),
	}
	until := o.UpdatedAt.Add(optimization.RecordLife)
	if len(out.Applied) > 0 {
		until = work.AppliedAt().Add(optimization.RecordLife)
		out.AppliedAtUtc, out.ExpiresAtUtc = new(work.AppliedAt().UTC()), new(until.UTC())
	}
	return out, s.checkExpiry(o, until)
}

// bundlePreview returns the result of a bundle of previews. It is readable as long as it can be applied.
func (s *Server) bundlePreview(ctx context.Context, o projections.Operation) (api.OperationResult, error) {
	b, err := s.views.Bundle(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	until := b.ExpiresAt()
	if until == nil {
		return nil, fmt.Errorf("http: bundle %s succeeded without a preview", o.ID)
	}
	out := api.BundlePreview{PreviewID: o.ID.String(), CreatedAtUtc: b.AcceptedAt.UTC(), ExpiresAtUtc: until.UTC(),
		Kinds: make([]api.BundlePreviewKind, len(b.Children))}
	for i, c := range b.Children {
		out.Kinds[i] = api.BundlePreviewKind{
			Kind: c.Kind, OperationID: optional.ID(c.PreviewID),
			Standing: api.BundlePreviewKindStanding(c.Standing), PreviewID: previewID(c),
			Reason: optional.Of(string(c.Code)), Message: optional.Of(c.Message),
		}
	}
	return out, s.checkExpiry(o, *until)
}

// previewID returns the preview of a kind; nil before it has been made.
func previewID(c optimization.Child) *string {
	if c.ExpiresAt == nil {
		return nil
	}
	return optional.ID(c.PreviewID)
}

// bundleApply returns the result of a bundle of applies or reverts.
func (s *Server) bundleApply(ctx context.Context, o projections.Operation) (api.OperationResult, error) {
	b, err := s.views.Bundle(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	out := api.BundleApply{RevertOperationID: o.ID.String(), Standing: b.Standing(), Kinds: make([]api.BundleApplyKind, len(b.Children))}
	if b.Form == optimization.Reverting {
		out.Reverts = optional.ID(b.Of)
	}
	for i, c := range b.Children {
		kind := api.BundleApplyKind{
			Kind: c.Kind, OperationID: optional.ID(cmp.Or(c.OperationID, c.PreviewedBy(b.Form))),
			Standing: api.BundleApplyKindStanding(c.Standing), PreviewID: previewID(c),
			ErrorCode: optional.Of(string(c.Code)), Message: optional.Of(c.Message),
		}
		wrote := c.Standing == optimization.ChildApplied || c.Standing == optimization.ChildReverted
		if wrote && c.Reverts == nil { // a revert cannot be reverted
			kind.RevertOperationID = optional.ID(c.OperationID)
		}
		out.Kinds[i] = kind
	}
	return out, s.checkExpiry(o, b.AcceptedAt.Add(optimization.RecordLife))
}
