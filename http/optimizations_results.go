package http

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/domain/optimization"
	"readiness/http/api"
	"readiness/projections"
)

// preview is the result of a preview operation (spec 2.12): readable for as long as it can be applied.
func (s *Server) preview(ctx context.Context, o projections.Operation) (api.OperationResult, error) {
	work, err := s.views.Work(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	if err := s.inTime(o, work.ExpiresAt); err != nil {
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
		CreatedAtUtc: p.CreatedAt.UTC(), ExpiresAtUtc: p.ExpiresAt.UTC(), AssessmentID: idText(p.AssessmentID),
		Changes: listed(p.Changes), Skipped: listed(p.Skipped), NothingToDo: p.NothingToDo,
		UsageInProposal: p.UsageInProposal, Usage: s.previewUsage(p.UsageAccess), Reason: p.Reason, Message: p.Message, Agent: s.previewAgent(p.AgentAccess),
		Provider: p.Provider, MaxLength: p.MaxLength, ScoreNow: p.ScoreNow, ScoreAfter: p.ScoreAfter,
	}
	switch p.Kind {
	case optimization.Properties:
		out.ExistingFolders = new(listed(p.ExistingFolders))
	case optimization.AIDataSchema:
		out.RecommendedKeys = new(listed(p.RecommendedKeys))
	case optimization.AIInstructions, optimization.Descriptions:
	}
	return out, nil
}

// listed is a list as JSON shows it: empty rather than null.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func idText(id *uuid.UUID) *string {
	if id == nil {
		return nil
	}
	return new(id.String())
}

// previewUsage says why usage took no part in a preview; nil where the person has granted it (spec 4.5, preview rule 6).
func (s *Server) previewUsage(access item.Access) *api.PreviewUsage {
	out := &api.PreviewUsage{Access: api.PreviewUsageAccess(access), Permission: usagePermission}
	switch access {
	case item.Granted:
		return nil
	case item.ConsentRequired:
		out.ConsentURL = new(s.consentURL(usagePermission))
		out.Message = "Usage was not read because you have not granted " + usagePermission + ". What is proposed does not follow what people look at most. Grant the permission on the page of consentUrl and make a new preview."
	case item.Unavailable:
		out.Message = "Usage was not read because " + usagePermission + " could not be used just now: the platform did not answer, or your organization's sign-in policy did not allow it. What is proposed does not follow what people look at most. Make a new preview later."
	}
	return out
}

// previewAgent says how the person stands to the permission to ask a data agent; nil where it is granted, or where no data
// agent is asked (spec 4.5, preview rule 7).
func (s *Server) previewAgent(access *item.Access) *api.PreviewAgent {
	if access == nil || *access == item.Granted {
		return nil
	}
	out := &api.PreviewAgent{Access: api.PreviewAgentAccess(*access), Permission: agentPermission}
	if *access == item.ConsentRequired {
		out.ConsentURL = new(s.consentURL(agentPermission))
	}
	return out
}

// applyRecord is the result of an apply or a revert (spec 2.12). One that wrote nothing is readable for as long after it
// ended.
func (s *Server) applyRecord(ctx context.Context, o projections.Operation) (api.OperationResult, error) {
	work, err := s.views.Work(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	out := api.ApplyRecord{
		RevertOperationID: o.ID.String(), Kind: work.Kind, WorkspaceID: o.Resource.WorkspaceID.String(), SemanticModelID: o.Resource.ItemID.String(),
		Standing: work.Standing(), RevertedByOperationID: idText(work.RevertedBy), Unattended: work.Unattended,
		Applied: work.Applied(), Skipped: listed(work.LeftOut()), Reverts: idText(work.Reverts),
	}
	until := o.UpdatedAt.Add(optimization.RecordLife)
	if len(out.Applied) > 0 {
		until = work.AppliedAt().Add(optimization.RecordLife)
		out.AppliedAtUtc, out.ExpiresAtUtc = new(work.AppliedAt().UTC()), new(until.UTC())
	}
	return out, s.inTime(o, until)
}

// bundlePreview is the result of a bundle of previews: readable for as long as it can be applied.
func (s *Server) bundlePreview(ctx context.Context, o projections.Operation) (api.OperationResult, error) {
	b, err := s.views.Bundle(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	until := b.ExpiresAt()
	if until == nil {
		return nil, fmt.Errorf("http: the bundle %s succeeded and there is no preview of it", o.ID)
	}
	out := api.BundlePreview{PreviewID: o.ID.String(), CreatedAtUtc: b.AcceptedAt.UTC(), ExpiresAtUtc: until.UTC(), Kinds: make([]api.BundlePreviewKind, len(b.Children))}
	for i, c := range b.Children {
		out.Kinds[i] = api.BundlePreviewKind{
			Kind: c.Kind, OperationID: idText(c.PreviewID), Standing: api.BundlePreviewKindStanding(c.Standing), PreviewID: previewID(c),
			Reason: text(string(c.Code)), Message: text(c.Message),
		}
	}
	return out, s.inTime(o, *until)
}

// previewID is the preview of a kind, once it was made.
func previewID(c optimization.Child) *string {
	if c.ExpiresAt == nil {
		return nil
	}
	return idText(c.PreviewID)
}

// bundleApply is the result of a bundle of applies or reverts.
func (s *Server) bundleApply(ctx context.Context, o projections.Operation) (api.OperationResult, error) {
	b, err := s.views.Bundle(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	out := api.BundleApply{RevertOperationID: o.ID.String(), Standing: b.Standing(), Kinds: make([]api.BundleApplyKind, len(b.Children))}
	if b.Form == optimization.Reverting {
		out.Reverts = idText(b.Of)
	}
	for i, c := range b.Children {
		kind := api.BundleApplyKind{
			Kind: c.Kind, OperationID: idText(c.OperationID), Standing: api.BundleApplyKindStanding(c.Standing), PreviewID: previewID(c),
			ErrorCode: text(string(c.Code)), Message: text(c.Message),
		}
		wrote := c.Standing == optimization.ChildApplied || c.Standing == optimization.ChildReverted
		if wrote && c.Reverts == nil { // a revert is not reverted
			kind.RevertOperationID = kind.OperationID
		}
		out.Kinds[i] = kind
	}
	return out, s.inTime(o, b.AcceptedAt.Add(optimization.RecordLife))
}
