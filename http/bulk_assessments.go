package http

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/crossmodel"
	"readiness/domain/item"
	"readiness/domain/readiness"
	"readiness/http/api"
	"readiness/internal/lists"
	"readiness/projections"
)

// assessedMany returns the result of the assessment of many models.
func (s *Server) assessedMany(ctx context.Context, o projections.Operation) (api.OperationResult, error) {
	if err := s.checkExpiry(o, o.UpdatedAt.Add(retention)); err != nil {
		return nil, err
	}
	run, err := s.views.Run(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	stored, err := s.views.StoredBy(ctx, o.AccountID, o.ID)
	if err != nil {
		return nil, err
	}
	out := bulk(run, stored)
	out.AcrossModels, err = s.acrossModels(ctx, o, run, stored)
	return out, err
}

// bulk returns the result of an assessment of many models: one row per model, in the order of the request. When an
// assessment is no longer stored, its row has only the outcome.
func bulk(run assessment.Run, stored map[uuid.UUID]*readiness.Fingerprint) api.BulkAssessment {
	out := api.BulkAssessment{WorkspaceID: run.WorkspaceID.String(), WorkspaceName: &run.WorkspaceName,
		Value: make([]api.BulkAssessmentRow, len(run.Models))}
	for i, m := range run.Models {
		row := api.BulkAssessmentRow{
			SemanticModelID: m.ModelID.String(), SemanticModelName: new(m.ModelName),
			FirstLook: m.FirstLook, TrackedItem: m.TrackedItem, Outcome: api.BulkAssessmentRowOutcomeNotAssessed,
		}
		if r, ended := run.Result(m.ModelID); ended {
			row.Outcome = api.BulkAssessmentRowOutcome(r.Outcome)
			if r.AssessmentID != nil {
				if _, kept := stored[*r.AssessmentID]; kept {
					row.AssessmentID = new(r.AssessmentID.String())
					row.Score, row.ScoreDataAgent, row.FindingsCount = r.Score, r.ScoreDataAgent, r.FindingsCount
					row.ScoreComplete = r.ScoreComplete
				}
			}
			row.Error = r.Error
		}
		if row.Outcome == api.BulkAssessmentRowOutcomeAssessed {
			out.Succeeded++
		} else {
			out.Failed++
		}
		out.Value[i] = row
	}
	return out
}

// acrossModels compares those of the run's models that are stored and that the reader may see. It
// returns nil if there are fewer than two.
func (s *Server) acrossModels(ctx context.Context, o projections.Operation, run assessment.Run,
	stored map[uuid.UUID]*readiness.Fingerprint) (*api.AcrossModels, error) {
	visible, err := s.visibleModels(ctx, o, run)
	if err != nil {
		return nil, err
	}
	var ids []string
	var prints []readiness.Fingerprint
	for _, m := range run.Models {
		r, _ := run.Result(m.ModelID)
		if r.AssessmentID == nil || !visible(m.ModelID) {
			continue
		}
		if f := stored[*r.AssessmentID]; f != nil {
			ids, prints = append(ids, m.ModelID.String()), append(prints, *f)
		}
	}
	if len(ids) < 2 {
		return nil, nil
	}
	found := crossmodel.Compare(prints)
	return &api.AcrossModels{
		Compared: found.Compared, Measures: namesAcross(found.Measures, ids), Tables: namesAcross(found.Tables, ids),
		NearIdentical: nearIdentical(found.Groups, ids),
	}, nil
}

// visibleModels returns which models of a run the reader may see: all for the person who started it, for others those
// that the platform lists for them.
func (s *Server) visibleModels(ctx context.Context, o projections.Operation, run assessment.Run) (func(uuid.UUID) bool, error) {
	who := callerOf(ctx)
	if o.Owner == who.PersonID {
		return func(uuid.UUID) bool { return true }, nil
	}
	listed, err := s.commands.Workspaces.Visible(ctx, who, run.WorkspaceID, item.SemanticModel)
	if _, refused := domain.Refused(err); err != nil && !refused {
		return nil, err
	}
	seen := lists.SetOf(listed, func(m item.Item) uuid.UUID { return m.ID })
	return func(id uuid.UUID) bool { return seen[id] }, nil
}

func namesAcross(found crossmodel.List[crossmodel.Difference], ids []string) api.NamesAcrossModels {
	out := api.NamesAcrossModels{Count: found.Count, Value: make([]api.NameAcrossModels, len(found.First))}
	for i, d := range found.First {
		texts := lists.Map(d.Texts.First, func(v crossmodel.Variant) api.TextAcrossModels {
			return api.TextAcrossModels{Models: v.Count, SemanticModelIds: pick(ids, v.First)}
		})
		out.Value[i] = api.NameAcrossModels{Name: d.Name, Models: d.Models, Texts: d.Texts.Count, Value: texts}
	}
	return out
}

func nearIdentical(found crossmodel.List[crossmodel.Group], ids []string) api.NearIdenticalModels {
	out := api.NearIdenticalModels{Count: found.Count, Value: make([]api.NearIdenticalModelsGroup, len(found.First))}
	for i, g := range found.First {
		out.Value[i] = api.NearIdenticalModelsGroup{Models: g.Models.Count, Share: g.Share, SemanticModelIds: pick(ids, g.Models.First)}
	}
	return out
}

// pick returns the ids at the indexes.
func pick(ids []string, at []int) []string {
	return lists.Map(at, func(n int) string { return ids[n] })
}
