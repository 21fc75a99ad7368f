package probe

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/domain/item"
	"readiness/internal/lists"
	"readiness/platform/fabric"
)

//go:embed items
var items embed.FS

// definitionIn returns the definition in a folder of items.
func definitionIn(folder string) (definition.Definition, error) {
	var parts []definition.Part
	err := fs.WalkDir(items, folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := items.ReadFile(path)
		parts = append(parts, definition.Part{Path: strings.TrimPrefix(path, folder+"/"), Data: data})
		return err
	})
	return definition.New(parts...), err
}

// without returns d without the parts below Copilot/.
func without(d definition.Definition) definition.Definition {
	parts := lists.Where(d.Parts, func(p definition.Part) bool { return !strings.HasPrefix(p.Path, "Copilot/") })
	return definition.New(parts...)
}

// bodyOf returns the body of a call that gives the platform a definition; of a creation with a name.
func bodyOf(name string, d definition.Definition) ([]byte, error) {
	type part struct {
		Path        string `json:"path"`
		Payload     []byte `json:"payload"`
		PayloadType string `json:"payloadType"`
	}
	parts := lists.Map(d.Parts, func(p definition.Part) part { return part{p.Path, p.Data, "InlineBase64"} })
	body := map[string]any{"definition": map[string]any{"parts": parts}}
	if name != "" {
		body["displayName"] = name
	}
	return json.Marshal(body)
}

// ending is how an operation of the platform ended: Code is "" if it succeeded.
type ending struct {
	code string
	body []byte // its result, if it has one
}

// create makes an item. The end of ctx does not cancel the call, so that the new item is known and can be deleted.
func (r *run) create(ctx context.Context, t item.Type, collection string, d definition.Definition) (item.Item, string, error) {
	body, err := bodyOf(r.name, d)
	if err != nil {
		return item.Item{}, "", err
	}
	r.began = true
	answer, err := r.once(context.WithoutCancel(ctx), fabric.Call{Method: http.MethodPost, Path: r.in() + "/" + collection,
		Route: "POST /workspaces/{w}/" + collection, Body: body})
	if err != nil {
		r.unanswered = true
		return item.Item{}, "", err
	}
	if answer.Code != "" {
		return item.Item{}, answer.Code, nil
	}
	made := answer.Body
	if answer.Operation != "" {
		r.creating = append(r.creating, answer.Operation)
		over, err := r.await(ctx, answer, true)
		if err != nil || over.code != "" {
			return item.Item{}, over.code, err
		}
		made = over.body
	}
	var named struct{ ID uuid.UUID }
	if err := json.Unmarshal(made, &named); err != nil || named.ID == uuid.Nil {
		return item.Item{}, "", errors.New("the platform does not name the item that it created")
	}
	it := item.Item{ID: named.ID, Type: t, WorkspaceID: r.Workspace, DisplayName: r.name}
	r.made = append(r.made, it)
	return it, "", nil
}

// firstWait is how long the first poll of an operation waits, if the platform does not say.
const firstWait = 5 * time.Second

// await asks for an operation, never before the time that the platform named, until it has ended.
func (r *run) await(ctx context.Context, began fabric.Answered, result bool) (ending, error) {
	path, pause := "/operations/"+began.Operation, began.After
	for {
		pause = cmp.Or(pause, firstWait)
		if err := r.wait(ctx, pause); err != nil {
			return ending{}, err
		}
		answer, err := r.once(ctx, fabric.Call{Method: http.MethodGet, Path: path, Route: "GET /operations/{o}"})
		if err != nil {
			return ending{}, err
		}
		blocked, is := blockedFor(answer)
		if is {
			pause = blocked
			continue
		}
		over, state, err := stateOf(answer)
		if err != nil || state != "Succeeded" && state != "Failed" {
			if pause = answer.After; err != nil {
				return over, err
			}
			continue
		}
		if state == "Failed" || !result {
			return over, nil
		}
		answer, err = r.once(ctx, fabric.Call{Method: http.MethodGet, Path: path + "/result", Route: "GET /operations/{o}/result"})
		return ending{answer.Code, answer.Body}, err
	}
}

func stateOf(a fabric.Answered) (over ending, state string, err error) {
	if a.Code != "" {
		return over, "", fmt.Errorf("the platform does not say how its operation goes (%s)", a.Code)
	}
	var s struct {
		Status string
		Error  *struct{ ErrorCode string }
	}
	if err := json.Unmarshal(a.Body, &s); err != nil {
		return over, "", fmt.Errorf("the state of an operation cannot be read: %w", err)
	}
	if over.code = "Failed"; s.Error != nil && s.Error.ErrorCode != "" {
		over.code = s.Error.ErrorCode
	}
	if s.Status == "Succeeded" {
		over.code = ""
	}
	return over, s.Status, nil
}

// clean deletes the items of the probe, and returns an error that names what is left. It waits for items that are still being
// created.
func (r *run) clean(ctx context.Context) error {
	if !r.began {
		return nil
	}
	for _, operation := range r.creating {
		if _, err := r.await(ctx, fabric.Answered{Operation: operation, After: time.Second}, false); err != nil {
			break // the lists show what there is
		}
	}
	if r.unanswered && !r.appears(ctx) {
		r.Report("deleted", "not known")
		return fmt.Errorf("the creation of an item was not answered; if the workspace ever has an item named %s, delete it", r.name)
	}
	var left []item.Item
	var err error
	for range 5 {
		if left, err = r.left(ctx); err == nil && len(left) == 0 {
			r.Report("deleted", "yes; nothing that the probe made is left")
			return nil
		}
		for _, it := range left {
			r.remove(ctx, it)
		}
		if left, err = r.left(ctx); err == nil && len(left) == 0 {
			continue
		}
		if r.wait(ctx, 10*time.Second) != nil {
			break
		}
	}
	r.Report("deleted", "no")
	if err != nil {
		return fmt.Errorf("it is not known whether something is left (%w); look for items named %s in the workspace and delete them", err,
			r.name)
	}
	return fmt.Errorf("%d item(s) named %s are left in the workspace; delete them", len(left), r.name)
}

// appears waits until the item of an unanswered creation is listed; false if that takes too long.
func (r *run) appears(ctx context.Context) bool {
	for range 30 {
		if left, err := r.left(ctx); err == nil && len(left) > len(r.made) {
			return true
		}
		if r.wait(ctx, 10*time.Second) != nil {
			return false
		}
	}
	return false
}

// remove asks the platform to delete an item.
func (r *run) remove(ctx context.Context, it item.Item) {
	answer, err := r.once(ctx, fabric.Call{Method: http.MethodDelete, Path: r.in() + "/items/" + it.ID.String(),
		Route: "DELETE /workspaces/{w}/items/{i}"})
	if err == nil && (answer.Code == "" || answer.Status == http.StatusNotFound) {
		r.made = slices.DeleteFunc(r.made, func(m item.Item) bool { return m.ID == it.ID })
	}
}

// left returns the remaining items of the probe, reports before their model.
func (r *run) left(ctx context.Context) (left []item.Item, err error) {
	for _, t := range []item.Type{item.Report, item.SemanticModel} {
		all, err := r.platform.Items(ctx, r.as, r.Workspace, t)
		if err != nil {
			return nil, err
		}
		for _, it := range all {
			if it.DisplayName == r.name {
				left = append(left, it)
			}
		}
	}
	for _, it := range r.made { // lists may not have it yet
		if !slices.ContainsFunc(left, func(l item.Item) bool { return l.ID == it.ID }) {
			left = append(left, it)
		}
	}
	return left, nil
}
