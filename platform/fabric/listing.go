package fabric

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/quota"
)

// page is one page of a list. Its last page has neither member, or has null.
type page[T any] struct {
	Value []T    `json:"value"`
	Token string `json:"continuationToken"`
	URI   string `json:"continuationUri"`
}

// list reads all pages of a list. Of a continuationUri it takes only the query. A token that comes twice, and a list
// that is too long, end it with PlatformUnavailable.
func list[T any](ctx context.Context, p *Platform, r request) ([]T, error) {
	var all []T
	first, seen := r.query, map[string]bool{}
	for range p.bounds.pages {
		var got page[T]
		if err := p.get(ctx, r, &got); err != nil {
			return nil, err
		}
		all = append(all, got.Value...)
		query := next(first, got.Token, got.URI)
		if query == "" {
			return all, nil
		}
		if seen[query] || len(all) > p.bounds.listed {
			break
		}
		seen[query] = true
		r.query = query
	}
	p.log.Error("a list of the platform does not end", "route", r.route, "elements", len(all))
	return nil, domain.Refuse(domain.PlatformUnavailable, "the platform's list at %s does not end; try again", r.route).
		After(5 * time.Second)
}

// next returns the query of the next page: that of the continuationUri or, without one, the first query with the token,
// which is already encoded. It is "" after the last page.
func next(first, token, uri string) string {
	if uri != "" {
		if u, err := url.Parse(uri); err == nil && u.RawQuery != "" {
			return u.RawQuery
		}
	}
	if token == "" {
		return ""
	}
	return strings.TrimPrefix(first+"&continuationToken="+token, "&")
}

// wireWorkspace is a workspace as the platform describes it.
type wireWorkspace struct {
	ID          uuid.UUID
	DisplayName string
	Type        string
	CapacityID  string
}

// listed reports whether people share the workspace; those of one person and of administrators are not listed.
func (w wireWorkspace) listed() bool { return w.Type == "" || w.Type == "Workspace" }

func (w wireWorkspace) item() item.Workspace {
	return item.Workspace{ID: w.ID, DisplayName: domain.FirstCharacters(w.DisplayName, maxName), Capacity: w.CapacityID}
}

// Limits on names and descriptions, in characters. They bound what lists and events repeat.
const (
	maxName        = 256
	maxDescription = 4096
)

// Workspaces lists the workspaces that the caller can see, ordered by name and id.
func (p *Platform) Workspaces(ctx context.Context, as item.Caller) ([]item.Workspace, error) {
	all, err := list[wireWorkspace](ctx, p, p.read(as, "/workspaces", "GET /workspaces", subject{}))
	if err != nil {
		return nil, err
	}
	visible := []item.Workspace{}
	for _, w := range all {
		if w.listed() {
			visible = append(visible, w.item())
		}
	}
	slices.SortFunc(visible, func(a, b item.Workspace) int {
		return cmp.Or(cmp.Compare(a.DisplayName, b.DisplayName), slices.Compare(a.ID[:], b.ID[:]))
	})
	return visible, nil
}

// read returns the request of an ordinary GET.
func (p *Platform) read(as item.Caller, path, route string, of subject) request {
	return request{as: as, permission: item.PermissionPlatform, host: p.fabric, method: http.MethodGet, path: path, route: route,
		bucket: quota.Platform, about: of}
}

// Workspace returns one workspace; WorkspaceNotFound if the caller can see none with the id.
func (p *Platform) Workspace(ctx context.Context, as item.Caller, id uuid.UUID) (item.Workspace, error) {
	var w wireWorkspace
	of := subject{workspace: id}
	if err := p.get(ctx, p.read(as, "/workspaces/"+id.String(), "GET /workspaces/{w}", of), &w); err != nil {
		return item.Workspace{}, err
	}
	if w.ID != id || !w.listed() {
		return item.Workspace{}, workspaceNotFound(id)
	}
	return w.item(), nil
}

// Capacity returns the state of the workspace's capacity. A workspace without a capacity is on a shared one, which is
// never paused. Most people cannot see the state of a capacity: then it is Unknown, and a call that needs it running is
// refused by the platform itself.
func (p *Platform) Capacity(ctx context.Context, as item.Caller, workspaceID uuid.UUID) (item.CapacityState, error) {
	w, err := p.Workspace(ctx, as, workspaceID)
	if err != nil {
		return "", err
	}
	if w.Capacity == "" {
		return item.CapacityActive, nil
	}
	id, err := uuid.Parse(w.Capacity)
	if err != nil {
		return item.CapacityUnknown, nil //nolint:nilerr // an id of another form cannot be asked about
	}
	r := p.read(as, "/capacities/"+id.String(), "GET /capacities/{c}", subject{workspace: workspaceID})
	r.permission = PermissionCapacity
	var c struct{ State string }
	if err := p.get(ctx, r, &c); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return item.CapacityUnknown, nil // the person may not see it, or not now: the call itself shows it
	}
	switch c.State {
	case "Active":
		return item.CapacityActive, nil
	case "Inactive":
		return item.CapacityPaused, nil
	}
	return item.CapacityUnknown, nil
}

// maintained lists the models that the platform creates for usage reports and maintains itself.
var maintained = []string{"Usage Metrics Report", "Report Usage Metrics Model", "Dashboard Usage Metrics Model"}

// collections are the paths of the lists of each type.
var collections = map[item.Type]string{item.SemanticModel: "semanticModels", item.Report: "reports", item.DataAgent: "dataAgents"}

type wireItem struct {
	ID          uuid.UUID
	DisplayName string
	Description string
	WorkspaceID uuid.UUID
}

func (w wireItem) item(workspaceID uuid.UUID, t item.Type) item.Item {
	name := domain.FirstCharacters(w.DisplayName, maxName)
	return item.Item{ID: w.ID, Type: t, WorkspaceID: workspaceID, DisplayName: name,
		Description: domain.FirstCharacters(w.Description, maxDescription),
		Maintained:  t == item.SemanticModel && slices.Contains(maintained, name)}
}

// Items lists the items of a type in a workspace, ordered by name and id.
func (p *Platform) Items(ctx context.Context, as item.Caller, workspaceID uuid.UUID, t item.Type) ([]item.Item, error) {
	path := "/workspaces/" + workspaceID.String() + "/" + collections[t]
	all, err := list[wireItem](ctx, p, p.read(as, path, "GET /workspaces/{w}/"+collections[t], subject{workspace: workspaceID}))
	if err != nil {
		return nil, err
	}
	listed := make([]item.Item, 0, len(all))
	for _, w := range all {
		listed = append(listed, w.item(workspaceID, t))
	}
	slices.SortFunc(listed, byName)
	return listed, nil
}

// byName orders items by name, then by id.
func byName(a, b item.Item) int {
	return cmp.Or(cmp.Compare(a.DisplayName, b.DisplayName), slices.Compare(a.ID[:], b.ID[:]))
}

// Item returns one item; ItemNotFound if the workspace has no item of that type and id, WorkspaceNotFound if the caller
// cannot see the workspace.
func (p *Platform) Item(ctx context.Context, as item.Caller, workspaceID uuid.UUID, t item.Type, id uuid.UUID) (item.Item, error) {
	it := item.Item{ID: id, Type: t, WorkspaceID: workspaceID}
	var w wireItem
	err := p.get(ctx, p.read(as, "/workspaces/"+workspaceID.String()+"/"+collections[t]+"/"+id.String(),
		"GET /workspaces/{w}/"+collections[t]+"/{i}", subject{workspace: workspaceID, item: it}), &w)
	if err != nil {
		return item.Item{}, p.workspaceFirst(ctx, as, workspaceID, err)
	}
	if w.ID != id || w.WorkspaceID != uuid.Nil && w.WorkspaceID != workspaceID {
		return item.Item{}, itemNotFound(it)
	}
	return w.item(workspaceID, t), nil
}

// workspaceFirst returns WorkspaceNotFound in place of ItemNotFound if the caller cannot see the workspace.
func (p *Platform) workspaceFirst(ctx context.Context, as item.Caller, workspaceID uuid.UUID, err error) error {
	if !domain.IsRefused(err, domain.ItemNotFound) {
		return err
	}
	if _, failed := p.Workspace(ctx, as, workspaceID); failed != nil {
		return failed
	}
	return err
}
