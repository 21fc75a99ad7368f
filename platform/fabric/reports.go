package fabric

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"readiness/definition/report"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/quota"
)

// wireReport is a report as Power BI describes it; Fabric's own list does not name the model.
type wireReport struct {
	ID                 anID
	Name               string
	Description        string
	ReportType         string
	DatasetID          anID
	DatasetWorkspaceID anID
	AppID              string // of a copy in an app
}

func (w wireReport) id() uuid.UUID { return uuid.UUID(w.ID) }

func (w wireReport) paginated() bool { return w.ReportType == "PaginatedReport" }

func (w wireReport) item(workspaceID uuid.UUID) item.Item {
	return wireItem{ID: w.ID, DisplayName: w.Name, Description: w.Description}.item(workspaceID, item.Report)
}

// maxOtherModels bounds how many models of other workspaces one listing of reports looks up. The reports on the rest are
// listed with their model's id alone.
const maxOtherModels = 25

// Reports lists the reports of a workspace, ordered by name and id, each with its model. A model that the caller cannot
// see has no workspace and no name. If Power BI refuses its list, Fabric's is read, then relations and definitions.
func (p *Platform) Reports(ctx context.Context, as item.Caller, workspaceID uuid.UUID) ([]item.WorkspaceReport, error) {
	all, err := list[wireReport](ctx, p, p.powerBIRead(as, workspaceID, "", "", item.Item{}))
	if domain.IsRefused(err, domain.PlatformAccessDenied) {
		return p.reportsInFabric(ctx, as, workspaceID, err)
	}
	if err != nil {
		return nil, err
	}
	models := modelsSeen{platform: p, as: as, home: workspaceID, lookUps: maxOtherModels}
	if slices.ContainsFunc(all, func(w wireReport) bool { return w.DatasetID != anID{} }) {
		if err := models.readHome(ctx); err != nil {
			return nil, err
		}
	}
	listed := make([]item.WorkspaceReport, 0, len(all))
	for _, w := range all {
		r := item.WorkspaceReport{Item: w.item(workspaceID), Paginated: w.paginated()}
		if r.Model, err = models.of(ctx, w); err != nil {
			return nil, err
		}
		listed = append(listed, r)
	}
	slices.SortFunc(listed, func(a, b item.WorkspaceReport) int { return item.ByName(a.Item, b.Item) })
	return listed, nil
}

// Limits on what one listing asks about reports of which Power BI does not say the model. A definition is read only if relations do
// not answer, and that takes seconds.
const (
	maxRelations   = 50
	maxDefinitions = 10
)

// reportsInFabric lists the reports of a workspace without Power BI, whose list was refused: Fabric's list has them without their
// models. Where a model cannot be found out, the report says why.
func (p *Platform) reportsInFabric(ctx context.Context, as item.Caller, workspaceID uuid.UUID,
	refusal error) ([]item.WorkspaceReport, error) {
	all, err := p.Items(ctx, as, workspaceID, item.Report)
	if err != nil {
		return nil, err
	}
	models := modelsSeen{platform: p, as: as, home: workspaceID}
	if len(all) > 0 {
		if err := models.readHome(ctx); err != nil {
			return nil, err
		}
	}
	listed := make([]item.WorkspaceReport, len(all))
	relations, definitions := maxRelations, maxDefinitions
	for i, it := range all {
		r := &listed[i]
		if *r = (item.WorkspaceReport{Item: it}); relations == 0 {
			r.Unseen = unseenModel(refusal, fmt.Sprintf("the service asks for the models of %d reports at once", maxRelations))
			continue
		}
		relations--
		model, ok, err := p.upstream(ctx, as, it)
		why := "its definition names no model"
		switch {
		case err == nil && ok || ctx.Err() != nil:
		case definitions == 0:
			ok, err, why = false, nil, fmt.Sprintf("the service reads %d definitions of reports at once", maxDefinitions)
		default:
			definitions--
			model, ok, err = p.modelNamed(ctx, as, it)
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			r.Unseen = unseenModel(refusal, wordsOf(err))
		case !ok:
			r.Unseen = unseenModel(refusal, why)
		default:
			if own, here := models.known[model.ID]; here {
				model = own
			}
			r.Model = &model
		}
	}
	return listed, nil
}

// unseenModel says why the model of a report is not known: Power BI's list was refused, and so was what the service asked instead.
func unseenModel(refusal error, why string) string {
	return "Power BI did not list the reports: " + wordsOf(refusal) + ". Their models were looked up one by one, but not " +
		"this one: " + why + "."
}

// wordsOf returns the message of a refusal.
func wordsOf(err error) string {
	if r, refused := domain.Refused(err); refused {
		return r.Message
	}
	return "the platform did not answer"
}

// powerBIRead returns the request for the reports of a workspace, or for the one with the path's id.
func (p *Platform) powerBIRead(as item.Caller, workspaceID uuid.UUID, id, route string, it item.Item) request {
	return request{as: as, permission: item.PermissionPlatform, host: p.powerBI, method: http.MethodGet, bucket: quota.Platform,
		path: "/groups/" + workspaceID.String() + "/reports" + id, route: "GET /groups/{w}/reports" + route,
		about: subject{workspace: workspaceID, item: it}}
}

// modelsSeen finds the models that reports of one workspace are built on.
type modelsSeen struct {
	platform *Platform
	as       item.Caller
	home     uuid.UUID
	known    map[uuid.UUID]item.Item
	lookUps  int // that are left
}

func (m *modelsSeen) readHome(ctx context.Context) error {
	own, err := m.platform.Items(ctx, m.as, m.home, item.SemanticModel)
	if err != nil {
		return err
	}
	m.known = make(map[uuid.UUID]item.Item, len(own))
	for _, it := range own {
		m.known[it.ID] = it
	}
	return nil
}

// of returns the report's model; nil when the report names none.
func (m *modelsSeen) of(ctx context.Context, w wireReport) (*item.Item, error) {
	id := uuid.UUID(w.DatasetID)
	if id == uuid.Nil {
		return nil, nil //nolint:nilnil // a paginated report has none
	}
	if it, ok := m.known[id]; ok {
		return &it, nil
	}
	it := item.Item{ID: id, Type: item.SemanticModel}
	workspace := uuid.UUID(w.DatasetWorkspaceID)
	if workspace != uuid.Nil && workspace != m.home && m.lookUps > 0 {
		m.lookUps--
		switch found, err := m.platform.Item(ctx, m.as, workspace, item.SemanticModel, id); {
		case err == nil:
			it = found
		case !unseen(err):
			return nil, err
		}
	}
	if m.known == nil {
		m.known = map[uuid.UUID]item.Item{}
	}
	m.known[id] = it
	return &it, nil
}

// unseen reports whether err says that the caller cannot see an item.
func unseen(err error) bool {
	return domain.IsRefused(err, domain.ItemNotFound) || domain.IsRefused(err, domain.WorkspaceNotFound) ||
		domain.IsRefused(err, domain.PlatformAccessDenied)
}

// ModelOf returns the semantic model that a report is built on, in any workspace. If the caller cannot see the model,
// the result has its id alone. ok is false if the report names no model. It asks Power BI, then Fabric's relations, then
// the report's own definition.
func (p *Platform) ModelOf(ctx context.Context, as item.Caller, it item.Item) (model item.Item, ok bool, err error) {
	r := p.powerBIRead(as, it.WorkspaceID, "/"+it.ID.String(), "/{i}", item.Item{ID: it.ID, Type: item.Report, WorkspaceID: it.WorkspaceID})
	w, err := one[wireReport](ctx, p, r)
	models := modelsSeen{platform: p, as: as, home: it.WorkspaceID, lookUps: 1}
	switch {
	case domain.IsRefused(err, domain.PlatformAccessDenied): // Fabric may tell
	case err != nil:
		return item.Item{}, false, p.workspaceFirst(ctx, as, it.WorkspaceID, err)
	case w.paginated():
		return item.Item{}, false, nil
	case w.DatasetID != anID{}:
		if home := uuid.UUID(w.DatasetWorkspaceID); home == uuid.Nil || home == it.WorkspaceID {
			if err := models.readHome(ctx); err != nil {
				return item.Item{}, false, err
			}
		}
		found, err := models.of(ctx, w)
		if err != nil {
			return item.Item{}, false, err
		}
		if found.WorkspaceID != uuid.Nil || w.DatasetWorkspaceID != (anID{}) {
			return *found, true, nil
		}
		if related, ok, err := p.upstream(ctx, as, it); err == nil && ok && related.ID == found.ID {
			return related, true, nil
		}
		return *found, true, nil
	}
	// Where the preview does not answer, the definition does.
	if model, ok, err = p.upstream(ctx, as, it); err == nil && ok || ctx.Err() != nil {
		return model, ok, ctx.Err()
	}
	return p.modelNamed(ctx, as, it)
}

// upstream asks what the report depends on. The interface is a preview of the platform.
func (p *Platform) upstream(ctx context.Context, as item.Caller, it item.Item) (model item.Item, ok bool, err error) {
	r := p.read(as, "/workspaces/"+it.WorkspaceID.String()+"/items/"+it.ID.String()+"/relations/upstream",
		"GET /workspaces/{w}/items/{i}/relations/upstream", subject{workspace: it.WorkspaceID, item: it})
	r.query = "beta=true"
	var text json.RawMessage
	if err := p.get(ctx, r, &text); err != nil {
		return item.Item{}, false, err
	}
	type relation struct{ ItemID, DependentOnItemID anID }
	got := lenient[struct {
		Items []struct {
			wireItem
			Type string
		}
		Relations []relation
	}](text)
	for _, related := range got.Items {
		if related.Type != string(item.SemanticModel) || related.id() == uuid.Nil ||
			len(got.Relations) > 0 && !slices.Contains(got.Relations, relation{anID(it.ID), related.ID}) {
			continue
		}
		return related.item(uuid.UUID(related.WorkspaceID), item.SemanticModel), true, nil
	}
	return item.Item{}, false, nil
}

// modelNamed returns the model that the report's definition.pbir names.
func (p *Platform) modelNamed(ctx context.Context, as item.Caller, it item.Item) (model item.Item, ok bool, err error) {
	d, err := p.Definition(ctx, as, it)
	if err != nil {
		return item.Item{}, false, err
	}
	pbir, found := d.Named("definition.pbir")
	if !found {
		return item.Item{}, false, nil
	}
	named, err := report.ReadModel(pbir.Data)
	if err != nil {
		return item.Item{}, false, notReadable(it, "definition.pbir: %v", err)
	}
	if named.ID == uuid.Nil {
		return item.Item{}, false, nil
	}
	return item.Item{ID: named.ID, Type: item.SemanticModel, DisplayName: named.Name}, true, nil
}
