package portfolio

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/http/console/page"
)

var (
	chooseView   = page.NewView(files, "choose.html")
	progressView = page.NewView(files, "progress.html")
)

// nothingChosen is the problem of a form without a model.
var nothingChosen = &page.Problem{Status: http.StatusBadRequest, Title: "No model is chosen",
	Text: "Check the models to assess, and press Assess again.", Link: "/assess", LinkText: "Choose models"}

// choice is what the page shows on which people choose models, also those that were never assessed.
type choice struct {
	Workspaces []client.Workspace
	Workspace  *client.Workspace
	Models     []client.SemanticModel
	Next       string
}

// choose lists the workspaces that the person sees, and the models of one.
func choose(v *page.Visit) error {
	q := v.Request.URL.Query()
	workspaces, err := v.API.ListWorkspacesWithResponse(v.Request.Context(), &client.ListWorkspacesParams{MaxResults: new(500)})
	if err != nil {
		return err
	}
	c := choice{Workspaces: workspaces.JSON200.Value}
	for _, w := range c.Workspaces {
		if w.WorkspaceID.String() == q.Get("workspaceId") {
			c.Workspace = &w
		}
	}
	if c.Workspace != nil {
		params := &client.ListSemanticModelsParams{MaxResults: new(maxChosen)}
		if token := q.Get("continuationToken"); token != "" {
			params.ContinuationToken = &token
		}
		got, err := v.API.ListSemanticModelsWithResponse(v.Request.Context(), c.Workspace.WorkspaceID, params)
		if err != nil {
			return err
		}
		c.Models = got.JSON200.Value
		if next := got.JSON200.ContinuationToken; next != nil {
			c.Next = "/assess?" + url.Values{"workspaceId": {q.Get("workspaceId")}, "continuationToken": {*next}}.Encode()
		}
	}
	return v.Show(chooseView, page.Page{Title: "Assess models", In: "/", Data: c})
}

// maxChosen is how many models of a workspace one call assesses at most.
const maxChosen = 100

// assess starts the assessment of the chosen models: one operation for each workspace.
func assess(v *page.Visit) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	chosen := map[uuid.UUID][]uuid.UUID{}
	var order []uuid.UUID
	for _, pair := range form["model"] {
		first, second, _ := strings.Cut(pair, "/")
		workspaceID, wrong := uuid.Parse(first)
		modelID, err := uuid.Parse(second)
		if wrong != nil || err != nil {
			return nothingChosen
		}
		if chosen[workspaceID] == nil {
			order = append(order, workspaceID)
		}
		chosen[workspaceID] = append(chosen[workspaceID], modelID)
	}
	if len(order) == 0 {
		return nothingChosen
	}
	return start(v, order, chosen)
}

// outdated starts the assessment of the models of the portfolio that were scored by earlier rules, the lowest scores first: at most
// maxChosen of each workspace, in at most maxShown workspaces, and as many as the account's assessments of the day allow, if those allow
// one. What is left waits for the next press.
func outdated(v *page.Visit) error {
	account, err := v.API.GetAccountWithResponse(v.Request.Context())
	if err != nil {
		return err
	}
	left := exported
	if of := account.JSON200.Allowances.Assessments; of.Limit != nil && of.Used != nil {
		left = max(1, *of.Limit-*of.Used) // where none is left, the service says so
	}
	got, err := v.API.GetPortfolioWithResponse(v.Request.Context(), &client.GetPortfolioParams{Outdated: new(true), MaxResults: new(exported)})
	if err != nil {
		return err
	}
	chosen := map[uuid.UUID][]uuid.UUID{}
	var order []uuid.UUID
	for _, m := range got.JSON200.Value {
		of := chosen[m.WorkspaceID]
		if left == 0 || len(of) == maxChosen || of == nil && len(order) == maxShown {
			continue
		}
		if of == nil {
			order = append(order, m.WorkspaceID)
		}
		chosen[m.WorkspaceID] = append(of, m.SemanticModelID)
		left--
	}
	if len(order) == 0 {
		return v.See("/")
	}
	return start(v, order, chosen)
}

// everything starts the assessment of all models that the person sees, in at most maxShown operations.
func everything(v *page.Visit) error {
	ctx := v.Request.Context()
	workspaces, err := v.API.ListWorkspacesWithResponse(ctx, &client.ListWorkspacesParams{MaxResults: new(500)})
	if err != nil {
		return err
	}
	s := starting{Visit: v}
	for _, w := range workspaces.JSON200.Value {
		params := &client.ListSemanticModelsParams{MaxResults: new(maxChosen)}
		for params != nil {
			if len(s.ids) == maxShown {
				s.refused = append(s.refused, w.WorkspaceID.String()+".Later")
				break
			}
			got, err := v.API.ListSemanticModelsWithResponse(ctx, w.WorkspaceID, params)
			if err != nil {
				if err := s.refuse(w.WorkspaceID, err); err != nil {
					return err
				}
				break
			}
			var ids []uuid.UUID
			for _, m := range got.JSON200.Value {
				ids = append(ids, m.SemanticModelID)
			}
			if err := s.start(w.WorkspaceID, ids); err != nil {
				return err
			}
			if params = nil; got.JSON200.ContinuationToken != nil {
				params = &client.ListSemanticModelsParams{MaxResults: new(maxChosen), ContinuationToken: got.JSON200.ContinuationToken}
			}
		}
	}
	return s.follow()
}

// start starts the assessment of models: one operation for each workspace, in the given order.
func start(v *page.Visit, order []uuid.UUID, chosen map[uuid.UUID][]uuid.UUID) error {
	s := starting{Visit: v}
	for _, workspaceID := range order {
		if err := s.start(workspaceID, chosen[workspaceID]); err != nil {
			return err
		}
	}
	return s.follow()
}

// starting is work on several workspaces: what one refuses does not keep the others from beginning.
type starting struct {
	*page.Visit
	ids     []string
	refused []string // workspaces and codes, as the address of the progress has them
	first   error
}

func (s *starting) start(workspaceID uuid.UUID, models []uuid.UUID) error {
	if len(models) == 0 {
		return nil
	}
	got, err := s.API.AssessSemanticModelsWithResponse(s.Request.Context(), workspaceID, nil, client.BulkAssessRequest{SemanticModelIds: models})
	if err != nil {
		return s.refuse(workspaceID, err)
	}
	s.ids = append(s.ids, got.JSON202.OperationID.String())
	return nil
}

// refuse keeps a refusal, and returns any other error.
func (s *starting) refuse(workspaceID uuid.UUID, err error) error {
	refused, ok := errors.AsType[*client.Error](err)
	if !ok || refused.Status == http.StatusUnauthorized {
		return err
	}
	s.first = cmp.Or(s.first, err)
	s.refused = append(s.refused, workspaceID.String()+"."+refused.ErrorCode)
	return nil
}

// follow leads to the progress of what began; nothing began if all was refused.
func (s *starting) follow() error {
	switch {
	case len(s.ids) > 0:
		return s.See("/assessing?" + url.Values{"id": s.ids, "refused": s.refused}.Encode())
	case s.first != nil:
		return s.first
	}
	return nothingChosen
}

// refusals are the reasons why nothing began in a workspace.
var refusals = map[string]string{"CapacityPaused": "its capacity is paused", "AssessmentDailyLimitReached": "the day's assessments are used up",
	"Later":                "one press starts at most 20 operations; choose its models under Assess models",
	"PlatformAccessDenied": "the platform refused the access", "PlatformUnavailable": "the platform did not answer"}

// refusedWorkspace is a workspace in which nothing began.
type refusedWorkspace struct{ Name, Why string }

// refusedOf returns the workspaces that the address of a progress names, as far as the person sees them.
func refusedOf(v *page.Visit) (all []refusedWorkspace, err error) {
	named := v.Request.URL.Query()["refused"]
	if len(named) == 0 {
		return nil, nil
	}
	got, err := v.API.ListWorkspacesWithResponse(v.Request.Context(), &client.ListWorkspacesParams{MaxResults: new(500)})
	if err != nil {
		return nil, err
	}
	for _, w := range got.JSON200.Value {
		for _, text := range named {
			if id, code, _ := strings.Cut(text, "."); id == w.WorkspaceID.String() {
				all = append(all, refusedWorkspace{w.WorkspaceName, cmp.Or(refusals[code], "assess one of its models to see why")})
			}
		}
	}
	return all, nil
}

// progress is what the page of running assessments shows.
type progress struct {
	Operations []client.Operation
	Running    bool
	Refused    []refusedWorkspace
	// Percent is how much of all of it is done.
	Percent int
	page.Outcomes
}

// maxShown bounds the operations of one page of progress.
const maxShown = 20

// follow shows how far assessments are, and how their models ended. Until all have ended, the page loads itself again.
func follow(v *page.Visit) error {
	ctx, q := v.Request.Context(), v.Request.URL.Query()
	var p progress
	for _, text := range q["id"] {
		id, err := uuid.Parse(text)
		if err != nil || len(p.Operations) == maxShown {
			return page.NotFound
		}
		got, err := v.API.GetOperationWithResponse(ctx, id, nil)
		if err != nil {
			return err
		}
		o := *got.JSON200
		p.Operations = append(p.Operations, o)
		switch {
		case o.Ended():
			p.Percent += 100
		case o.PercentComplete != nil:
			p.Percent += *o.PercentComplete
		}
		if o.Status == client.OperationStatusSucceeded {
			if err := p.Add(ctx, v.API, id); err != nil {
				return err
			}
		}
	}
	if len(p.Operations) == 0 {
		return page.NotFound
	}
	var err error
	if p.Refused, err = refusedOf(v); err != nil {
		return err
	}
	p.Percent /= len(p.Operations)
	running := slices.IndexFunc(p.Operations, func(o client.Operation) bool { return !o.Ended() })
	p.Running = running >= 0
	with := page.Page{Title: "Assessing", In: "/", Data: &p}
	if p.Running {
		with.Refresh = page.Again(p.Operations[running].CreatedTimeUtc)
	} else {
		with.Title = "Assessed"
	}
	return v.Show(progressView, with)
}
