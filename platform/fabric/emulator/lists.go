package emulator

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/internal/lists"
)

// page answers with one page of a list. The last page leaves the token out, or has null when the list has an even
// number of pages: the platform does both.
func (c *call) page(all []map[string]any) {
	at := 0
	if token := c.r.URL.Query().Get("continuationToken"); token != "" {
		text, err := base64.StdEncoding.DecodeString(token)
		fields := strings.Split(string(text), ",")
		if err == nil && len(fields) == 4 {
			at, err = strconv.Atoi(fields[1])
		}
		if err != nil || at <= 0 || at > len(all) {
			fail(c.w, http.StatusBadRequest, "InvalidParameter", "The continuation token is invalid")
			return
		}
	}
	end := min(at+c.o.PageSize, len(all))
	body := map[string]any{"value": append([]map[string]any{}, all[at:end]...)}
	switch {
	case end < len(all):
		token := url.QueryEscape(base64.StdEncoding.EncodeToString(fmt.Appendf(nil, ",%d,%d,", end, len(all))))
		body["continuationToken"] = token
		body["continuationUri"] = "https://api.fabric.microsoft.com" + c.r.URL.Path + "?continuationToken=" + token
	case at > 0 && at/c.o.PageSize%2 == 1:
		body["continuationToken"], body["continuationUri"] = nil, nil
	}
	send(c.w, body)
}

func (c *call) workspaces() {
	seen, err := c.o.Folder.Workspaces(c.r.Context(), c.as())
	if err != nil {
		c.refuse(err)
		return
	}
	all := []map[string]any{{"id": personal(c.person.ID).String(), "displayName": "My workspace", "description": "", "type": "Personal"}}
	for _, w := range seen {
		all = append(all, describe(w))
	}
	c.page(all)
}

// personal returns the id of a person's My workspace, the first of every list.
func personal(id string) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceURL, []byte("personal/"+id)) }

func describe(w item.Workspace) map[string]any {
	d := map[string]any{"id": w.ID.String(), "displayName": w.DisplayName, "description": "", "type": "Workspace"}
	if w.Capacity != "" {
		d["capacityId"], d["capacityRegion"] = capacityID(w.Capacity), "Central US"
	}
	return d
}

// capacityID returns the capacity's id: that of the folder if it is one.
func capacityID(name string) string {
	if id, err := uuid.Parse(name); err == nil {
		return id.String()
	}
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("capacity/"+name)).String()
}

func (c *call) workspace() {
	w, err := c.o.Folder.Workspace(c.r.Context(), c.as(), c.id("w"))
	if err != nil {
		c.refuse(err)
		return
	}
	d := describe(w)
	if w.Capacity != "" {
		d["capacityAssignmentProgress"] = "Completed"
	}
	d["oneLakeEndpoints"] = map[string]any{"blobEndpoint": "https://onelake.blob.fabric.microsoft.com",
		"dfsEndpoint": "https://onelake.dfs.fabric.microsoft.com"}
	send(c.w, d)
}

func (c *call) describeItem(it item.Item) map[string]any {
	d := map[string]any{"id": it.ID.String(), "type": string(it.Type), "displayName": it.DisplayName,
		"workspaceId": it.WorkspaceID.String()}
	if it.Description != "" || it.Type == item.SemanticModel {
		d["description"] = it.Description
	}
	if label, _ := c.o.Unknown.Label(it); label != "" {
		d["sensitivityLabel"] = map[string]any{"sensitivityLabelId": label}
	}
	return d
}

// listed returns the items of a type, or of all types, in the workspace of the path.
func (c *call) listed(t item.Type) ([]item.Item, error) {
	var all []item.Item
	for _, one := range []item.Type{item.DataAgent, item.Report, item.SemanticModel} {
		if t != "" && t != one {
			continue
		}
		some, err := c.o.Folder.Items(c.r.Context(), c.as(), c.id("w"), one)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return append(all, c.madeHere(c.id("w"), t)...), nil
}

func (c *call) items(t item.Type) {
	if t == "" {
		t = item.Type(c.r.URL.Query().Get("type"))
	}
	found, err := c.listed(t)
	if err != nil {
		c.refuse(err)
		return
	}
	all := lists.Map(found, c.describeItem)
	c.page(all)
}

// find returns the item of the path.
func (c *call) find(t item.Type) (it item.Item, err error) {
	c.mu.Lock()
	made := c.made[c.id("i")]
	c.mu.Unlock()
	if made != nil && made.WorkspaceID == c.id("w") && !c.o.Now().Before(made.from) && (t == "" || t == made.Type) {
		return made.Item, nil
	}
	for _, one := range []item.Type{item.SemanticModel, item.Report, item.DataAgent} {
		if t != "" && t != one {
			continue
		}
		if it, err = c.o.Folder.Item(c.r.Context(), c.as(), c.id("w"), one, c.id("i")); err == nil {
			return it, nil
		}
	}
	return it, err
}

func (c *call) item(t item.Type) {
	it, err := c.find(t)
	if err != nil {
		c.refuse(err)
		return
	}
	c.w.Header()["ETag"] = []string{`""`} // the platform's letter case
	send(c.w, c.describeItem(it), "ETag")
}

func (c *call) upstream() {
	it, err := c.find("")
	if err != nil {
		c.refuse(err)
		return
	}
	items, relations, workspaces := []any{}, []any{}, []any{}
	if it.Type == item.Report {
		all, err := c.o.Folder.Reports(c.r.Context(), c.as(), c.id("w"))
		if err != nil {
			c.refuse(err)
			return
		}
		for _, r := range all {
			if r.ID != it.ID || r.Model == nil || r.Model.WorkspaceID == uuid.Nil {
				continue
			}
			items = append(items, map[string]any{"id": r.Model.ID, "type": "SemanticModel", "displayName": r.Model.DisplayName,
				"workspaceId": r.Model.WorkspaceID})
			relations = append(relations, map[string]any{"itemId": it.ID, "dependentOnItemId": r.Model.ID,
				"relationType": "WeakAssociation"})
			workspaces = append(workspaces, map[string]any{"id": r.Model.WorkspaceID})
		}
	}
	send(c.w, map[string]any{"items": items, "relations": relations, "workspaces": workspaces})
}

// seenCapacities returns the capacities of the caller's workspaces.
func (c *call) seenCapacities() ([]map[string]any, error) {
	all := []map[string]any{}
	if !c.o.CapacityReader(c.person.ID) {
		return all, nil
	}
	seen, err := c.o.Folder.Workspaces(c.r.Context(), c.as())
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, w := range seen {
		if w.Capacity == "" || known[w.Capacity] {
			continue
		}
		known[w.Capacity] = true
		state, err := c.o.Folder.Capacity(c.r.Context(), c.as(), w.ID)
		if err != nil {
			return nil, err
		}
		text := "Active"
		if state == item.CapacityPaused {
			text = "Inactive"
		}
		all = append(all, map[string]any{"id": capacityID(w.Capacity), "displayName": w.Capacity, "sku": "F16", "region": "Central US",
			"state": text})
	}
	return all, nil
}

func (c *call) capacities() {
	all, err := c.seenCapacities()
	if err != nil {
		c.refuse(err)
		return
	}
	c.page(all)
}

func (c *call) capacity() {
	all, err := c.seenCapacities()
	if err != nil {
		c.refuse(err)
		return
	}
	for _, one := range all {
		if one["id"] == c.id("c").String() {
			send(c.w, one)
			return
		}
	}
	fail(c.w, http.StatusNotFound, "EntityNotFound", "The requested resource could not be found")
}
