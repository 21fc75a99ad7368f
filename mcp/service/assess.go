package service

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/internal/optional"
	"readiness/mcp"
	"readiness/offline"
)

// Assess implements mcp.Models.
func (m models) Assess(ctx context.Context, model, operationID string) (mcp.Assessment, *mcp.Pending, error) {
	workspaceID, modelID, err := parsed(model)
	if err != nil {
		return mcp.Assessment{}, nil, err
	}
	id, err := started(operationID, func() (*client.Accepted, error) {
		got, err := m.AssessSemanticModelWithResponse(ctx, workspaceID, modelID, nil)
		if err != nil {
			return nil, err
		}
		return got.JSON202, nil
	})
	if err != nil {
		return mcp.Assessment{}, nil, err
	}
	made, pending, err := finish[client.Assessment](ctx, m, id, "AssessSemanticModel")
	if err != nil || pending != nil {
		return mcp.Assessment{}, pending, err
	}
	a, err := assessed(model, made)
	if err == nil && optional.Text(made.SemanticModelID) != modelID.String() {
		return mcp.Assessment{}, nil, problem("The operation assessed another model. Use the operationId of this model.")
	}
	return a, nil, err
}

// assessed returns an assessment of the interface.
func assessed(model string, made client.Assessment) (mcp.Assessment, error) {
	var document struct {
		Report readiness.Result `json:"report"`
	}
	if err := json.Unmarshal(made.Document, &document); err != nil {
		return mcp.Assessment{}, err
	}
	r := document.Report
	a := mcp.Assessment{ID: optional.Text(made.AssessmentID), Model: model, Regime: made.Regime.ID, Score: r.Score,
		Caps: r.Caps, Own: r.Own, Dimensions: r.Dimensions}
	if made.ScoreDataAgent != nil {
		a.ScoreDataAgent = new(int(*made.ScoreDataAgent))
	}
	for _, f := range r.Findings {
		a.Findings = append(a.Findings, mcp.Finding{Finding: f, Own: r.OwnRule(explained.Leading(f.RuleIDs))})
	}
	for _, w := range offline.OwnWarnings([]offline.Assessed{{Path: optional.Text(made.SemanticModelName), Result: r}}) {
		a.Warnings = append(a.Warnings, w.String())
	}
	return a, nil
}

// Assessment implements mcp.Models.
func (m models) Assessment(ctx context.Context, model, id string) (mcp.Assessment, error) {
	workspaceID, modelID, err := parsed(model)
	if err != nil {
		return mcp.Assessment{}, err
	}
	assessmentID, err := uuid.Parse(id)
	if err != nil {
		return mcp.Assessment{}, problem("assessmentId must be one that assess returned.")
	}
	got, err := m.GetAssessmentWithResponse(ctx, workspaceID, modelID, assessmentID.String())
	if err != nil {
		return mcp.Assessment{}, refused(err)
	}
	return assessed(model, *got.JSON200)
}

// View implements mcp.Models.
func (m models) View(ctx context.Context, model string) (mcp.View, error) {
	workspaceID, modelID, err := parsed(model)
	if err != nil {
		return mcp.View{}, err
	}
	got, err := m.GetAIViewWithResponse(ctx, workspaceID, modelID)
	if err != nil {
		return mcp.View{}, refused(err)
	}
	v := mcp.View{Instructions: optional.Text(got.JSON200.Instructions), Rows: make([]mcp.ViewRow, len(got.JSON200.Objects))}
	for i, o := range got.JSON200.Objects {
		v.Rows[i] = mcp.NewView(o.Type, optional.Text(o.Table), optional.Text(o.Name), optional.Text(o.Description), o.Synonyms)
	}
	return v, nil
}
