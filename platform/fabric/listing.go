package fabric

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/internal/lists"
	"readiness/platform/quota"
)

// page is one page of a list. Its last page has neither member of the next one, or has null. A page without value is
// none: it must not be taken for an empty one.
type page struct {
	Value *[]json.RawMessage `json:"value"`
	Token string             `json:"continuationToken"`
	URI   string             `json:"continuationUri"`
}

// list reads all pages of a list. Of a continuationUri it takes only the query. A token that comes twice, and a list
// that is too long, end it with PlatformUnavailable. Elements without an id are left out: nothing can be asked of them.
func list[T identified](ctx context.Context, p *Platform, r request) ([]T, error) {
	all := []T{}
	first, seen := r.query, map[string]bool{}
	left := p.bounds.listBytes
	for range p.bounds.pages {
		var got page
		r.limit = left
		if err := p.get(ctx, r, &got); err != nil {
			return nil, err
		}
		if got.Value == nil {
			return nil, p.garbled(ctx, r, errors.New("it has no list"))
		}
		for _, text := range *got.Value {
			left -= len(text)
			if one := lenient[T](text); one.id() != uuid.Nil {
				all = append(all, one)
			} else {
				p.log.Warn("an element of a list of the platform has no id", "route", r.route)
			}
		}
		query := next(first, got.Token, got.URI)
		if query == "" {
			return all, nil
		}
		if seen[query] || len(all) > p.bounds.listed || left <= 0 {
			break
		}
		seen[query] = true
		r.query = query
	}
	p.log.Error("a list of the platform does not end", "route", r.route, "elements", len(all))
	return nil, domain.Refuse(domain.PlatformUnavailable, "the platform's list at %s does not end; try again", r.route).
		After(5 * time.Second)
}

// identified is what the platform describes by its id.
type identified interface{ id() uuid.UUID }

// lenient decodes a JSON object. Members of other types than expected count as absent, and so do all members of anything
// else than an object.
func lenient[T any](text []byte) (out T) {
	_ = json.Unmarshal(text, &out)
	return out
}

// one makes a call and decodes its answer, which is an object with an id.
func one[T identified](ctx context.Context, p *Platform, r request) (out T, err error) {
	var text json.RawMessage
	if err := p.get(ctx, r, &text); err != nil {
		return out, err
	}
	if out = lenient[T](text); out.id() == uuid.Nil {
		return out, p.garbled(ctx, r, errors.New("it has no id"))
	}
	return out, nil
}

// anID is an id; the zero UUID if the platform gives none, or one of another form.
type anID uuid.UUID

// UnmarshalJSON implements json.Unmarshaler.
func (i *anID) UnmarshalJSON(text []byte) error {
	*i = anID{}
	if id, err := uuid.Parse(lenient[string](text)); err == nil {
		*i = anID(id)
	}
	return nil
}

// next returns the query of the next page: that of the continuationUri or, without one, the first query with the token,
// which is already encoded. It is "" after the last page.
func next(first, token, uri string) string {
	if uri != "" {
		if u, err := url.Parse(uri); err == nil && u.RawQuery != "" {
			return encodedQuery(u.RawQuery)
		}
	}
	if token == "" {
		return ""
	}
	return strings.TrimPrefix(first+"&continuationToken="+strings.ReplaceAll(encodedQuery(token), "&", "%26"), "&")
}

// encodedQuery encodes the characters that no query has.
func encodedQuery(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"#<>\^`+"`{|}", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// wireWorkspace is a workspace as the platform describes it.
type wireWorkspace struct {
	ID          anID
	DisplayName string
	Type        string
	CapacityID  string
}

func (w wireWorkspace) id() uuid.UUID { return uuid.UUID(w.ID) }

// listed reports whether people share the workspace; those of one person and of administrators are not listed.
func (w wireWorkspace) listed() bool { return w.Type == "" || w.Type == "Workspace" }

func (w wireWorkspace) item() item.Workspace {
	return item.Workspace{ID: w.id(), DisplayName: named(w.DisplayName, maxName), Capacity: w.CapacityID}
}

// Limits on names and descriptions, in characters. They bound what lists and events repeat.
const (
	maxName        = 256
	maxDescription = 4096
)

// named returns the first n characters of a text that a person gave a thing, without what no text of the service may hold.
func named(text string, n int) string {
	return strings.Clone(domain.FirstCharacters(strings.ReplaceAll(text, "\x00", "\ufffd"), n))
}

// Workspaces lists the workspaces that the caller can see, ordered by name and id.
func (p *Platform) Workspaces(ctx context.Context, as item.Caller) ([]item.Workspace, error) {
	all, err := list[wireWorkspace](ctx, p, p.read(as, "/workspaces", "GET /workspaces", subject{everybodys: true}))
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
	of := subject{workspace: id}
	w, err := one[wireWorkspace](ctx, p, p.read(as, "/workspaces/"+id.String(), "GET /workspaces/{w}", of))
	if err != nil {
		return item.Workspace{}, err
	}
	if w.id() != id || !w.listed() {
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
	var text json.RawMessage
	if err := p.get(ctx, r, &text); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return item.CapacityUnknown, nil // the person may not see it, or not now: the call itself shows it
	}
	switch lenient[struct{ State string }](text).State {
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
	ID          anID
	DisplayName string
	Description string
	WorkspaceID anID
	// SensitivityLabel has its id under one of two names.
	SensitivityLabel struct{ ID, SensitivityLabelID string }
}

func (w wireItem) id() uuid.UUID { return uuid.UUID(w.ID) }

func (w wireItem) item(workspaceID uuid.UUID, t item.Type) item.Item {
	name := named(w.DisplayName, maxName)
	return item.Item{ID: w.id(), Type: t, WorkspaceID: workspaceID, DisplayName: name,
		Description: named(w.Description, maxDescription),
		Label:       named(cmp.Or(w.SensitivityLabel.ID, w.SensitivityLabel.SensitivityLabelID), maxName),
		Maintained:  t == item.SemanticModel && slices.Contains(maintained, name)}
}

// Items lists the items of a type in a workspace, ordered by name and id.
func (p *Platform) Items(ctx context.Context, as item.Caller, workspaceID uuid.UUID, t item.Type) ([]item.Item, error) {
	path := "/workspaces/" + workspaceID.String() + "/" + collections[t]
	all, err := list[wireItem](ctx, p, p.read(as, path, "GET /workspaces/{w}/"+collections[t], subject{workspace: workspaceID}))
	if err != nil {
		return nil, err
	}
	listed := lists.Map(all, func(w wireItem) item.Item { return w.item(workspaceID, t) })
	slices.SortFunc(listed, item.ByName)
	return listed, nil
}

// Item returns one item; ItemNotFound if the workspace has no item of that type and id, WorkspaceNotFound if the caller
// cannot see the workspace.
func (p *Platform) Item(ctx context.Context, as item.Caller, workspaceID uuid.UUID, t item.Type, id uuid.UUID) (item.Item, error) {
	it := item.Item{ID: id, Type: t, WorkspaceID: workspaceID}
	w, err := one[wireItem](ctx, p, p.read(as, "/workspaces/"+workspaceID.String()+"/"+collections[t]+"/"+id.String(),
		"GET /workspaces/{w}/"+collections[t]+"/{i}", subject{workspace: workspaceID, item: it}))
	if err != nil {
		return item.Item{}, p.workspaceFirst(ctx, as, workspaceID, err)
	}
	if w.id() != id || w.WorkspaceID != (anID{}) && uuid.UUID(w.WorkspaceID) != workspaceID {
		return item.Item{}, itemNotFound(it)
	}
	return w.item(workspaceID, t), nil
}

// workspaceFirst returns WorkspaceNotFound instead of ItemNotFound if the caller cannot see the workspace.
func (p *Platform) workspaceFirst(ctx context.Context, as item.Caller, workspaceID uuid.UUID, err error) error {
	if !domain.IsRefused(err, domain.ItemNotFound) {
		return err
	}
	if _, failed := p.Workspace(ctx, as, workspaceID); failed != nil {
		return failed
	}
	return err
}
