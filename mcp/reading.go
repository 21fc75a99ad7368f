package mcp

import (
	"context"
	"fmt"
	"strings"

	"readiness/offline/show"
)

// ListInput selects models.
type ListInput struct {
	Within string `json:"within,omitempty" jsonschema:"a folder below the root, or the id of a workspace; empty lists everything"`
	Cursor string `json:"cursor,omitempty" jsonschema:"the nextCursor of the previous page"`
}

// ModelInput names a model.
type ModelInput struct {
	Model       string `json:"model" jsonschema:"the id of a model, from list_models"`
	OperationID string `json:"operationId,omitempty" jsonschema:"the operation of an earlier call that had not ended"`
}

// FindingsInput selects findings of an assessment.
type FindingsInput struct {
	Model        string `json:"model" jsonschema:"the model that was assessed"`
	AssessmentID string `json:"assessmentId" jsonschema:"from assess"`
	Rule         string `json:"rule,omitempty" jsonschema:"only findings of this rule, such as DSC-02"`
	Table        string `json:"table,omitempty" jsonschema:"only findings about this table and its objects"`
	Object       string `json:"object,omitempty" jsonschema:"only findings about the object with this name"`
	Cursor       string `json:"cursor,omitempty" jsonschema:"the nextCursor of the previous page"`
}

// CompareInput names two assessments of a model.
type CompareInput struct {
	Model  string `json:"model" jsonschema:"the model that was assessed"`
	Before string `json:"before" jsonschema:"the assessmentId of the earlier assessment"`
	After  string `json:"after" jsonschema:"the assessmentId of the later assessment"`
	Cursor string `json:"cursor,omitempty" jsonschema:"the nextCursor of the previous page"`
}

// ModelsOutput is a page of models.
type ModelsOutput struct {
	Rows []ModelRow `json:"rows"`
	Next string     `json:"nextCursor,omitempty"` // cursor of the next page; absent on the last
}

// reads are the hints of a tool that changes nothing.
var reads = hints{readOnly: true, idempotent: true}

// records are the hints of a tool that reads models; a service stores what it makes.
func (t tools) records() hints {
	if t.Service {
		return hints{}
	}
	return reads
}

// withoutOperation lists operationId where nothing runs in the background.
func (t tools) withoutOperation(more ...string) []string {
	if t.Service {
		return nil
	}
	return append(more, "operationId")
}

func (t tools) addReading() {
	add(t, spec{name: "list_models", title: "List models", hints: reads,
		description: "Lists the semantic models, page by page. On a service, lists the workspaces unless within names one."},
		func(ctx context.Context, m Models, in ListInput) (result[ModelsOutput], error) {
			rows, next, err := m.List(ctx, in.Within, in.Cursor)
			for i := range rows {
				rows[i].Name = clip(rows[i].Name, maxName)
			}
			return result[ModelsOutput]{summary: fmt.Sprintf("%d on this page.", len(rows)), data: ModelsOutput{append([]ModelRow{},
					rows...), next}},
				err
		})
	assess := "Assesses a semantic model and returns the score, the score of each dimension and the findings by rule, what to mend first at the " +
		"beginning. fixedBy names the kinds of preview that mend a rule's findings; the others only a person can, so tell them."
	if t.Service {
		assess += " The assessment counts against the account's allowance and is stored, so the token needs the scope to write."
	}
	add(t, spec{name: "assess", title: "Assess a model", hints: t.records(), description: assess, without: t.withoutOperation()},
		func(ctx context.Context, m Models, in ModelInput) (result[*AssessmentSummary], error) {
			a, pending, err := m.Assess(ctx, in.Model, in.OperationID)
			if err != nil || pending != nil {
				return result[*AssessmentSummary]{pending: pending}, err
			}
			s := a.summary()
			return result[*AssessmentSummary]{summary: fmt.Sprintf("Score %s: %d findings of %d rules (%d high, %d medium, %d low).",
				show.Number(a.Score), s.Findings, len(s.Rules), s.High, s.Medium, s.Low), data: &s}, nil
		})
	add(t, spec{name: "list_findings", title: "List findings", hints: reads,
		description: "Lists the findings of an assessment, page by page, those that cost the most points first."},
		func(ctx context.Context, m Models, in FindingsInput) (result[FindingsOutput], error) {
			a, err := m.Assessment(ctx, in.Model, in.AssessmentID)
			if err != nil {
				return result[FindingsOutput]{}, err
			}
			page, err := pageAs(a.about(strings.ToUpper(in.Rule), in.Table, in.Object), in.Cursor, Finding.row)
			out := FindingsOutput{Page: page}
			if page.Total == 0 {
				out.Nearest = a.like(in.Table, in.Object)
			}
			return result[FindingsOutput]{summary: fmt.Sprintf("%d of %d findings.", len(page.Rows), page.Total), data: out}, err
		})
	add(t, spec{name: "compare", title: "Compare two assessments", hints: reads,
		description: "Compares two assessments of a model: the scores, and the findings that are new or fixed, page by page."},
		func(ctx context.Context, m Models, in CompareInput) (result[Comparison], error) {
			before, err := m.Assessment(ctx, in.Model, in.Before)
			if err != nil {
				return result[Comparison]{}, err
			}
			after, err := m.Assessment(ctx, in.Model, in.After)
			if err != nil {
				return result[Comparison]{}, err
			}
			c, changed := compared(before, after)
			c.Findings, err = pageAs(changed, in.Cursor, changedFinding.row)
			return result[Comparison]{summary: fmt.Sprintf("Score %s before, %s after; %d findings new, %d fixed, %d unchanged.",
				show.Number(c.Before), show.Number(c.After), c.New, c.Fixed, c.Unchanged), data: c}, err
		})
	add(t, spec{name: "explain", title: "Explain a rule or a finding", hints: reads,
		description: "Explains a rule: what it judges, why, examples, and how to satisfy it. With a model and an assessmentId, also " +
			"shows " +
			"its findings."},
		explainRule)
}
