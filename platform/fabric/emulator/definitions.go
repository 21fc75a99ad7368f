package emulator

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/domain/item"
	"readiness/internal/lists"
)

type wirePart struct {
	Path        string `json:"path"`
	Payload     string `json:"payload"`
	PayloadType string `json:"payloadType"`
}

type wireDefinition struct {
	Format string     `json:"format,omitempty"`
	Parts  []wirePart `json:"parts"`
}

func encode(path string, data []byte) wirePart {
	return wirePart{path, base64.StdEncoding.EncodeToString(data), "InlineBase64"}
}

// platformFile is the .platform of an item, which folders need not have.
func platformFile(it item.Item) []byte {
	text, err := json.MarshalIndent(map[string]any{
		"$schema":  "https://developer.microsoft.com/json-schemas/fabric/gitIntegration/platformProperties/2.0.0/schema.json",
		"metadata": map[string]any{"type": string(it.Type), "displayName": it.DisplayName},
		"config":   map[string]any{"version": "2.0", "logicalId": uuid.NewSHA1(it.ID, []byte("logical")).String()},
	}, "", "  ")
	if err != nil {
		panic(err)
	}
	return text
}

// wireOf returns the definition as the service gives it: in its own layout, with .platform.
func (c *call) wireOf(it item.Item, d definition.Definition) wireDefinition {
	laid := c.o.Layout.Apply(it.Type, c.byConnection(it, d))
	w := wireDefinition{Format: formatOf(it.Type, laid)}
	for _, p := range laid.Parts {
		w.Parts = append(w.Parts, encode(p.Path, p.Data))
	}
	w.Parts = append(w.Parts, encode(".platform", platformFile(it)))
	return w
}

// byConnection returns a report's definition with its model named by its id, as the platform gives it.
func (c *call) byConnection(it item.Item, d definition.Definition) definition.Definition {
	pbir, there := d.Part(reportPart)
	if c.o.Layout.Exact || it.Type != item.Report || !there || !bytes.Contains(pbir, []byte("byPath")) {
		return d
	}
	all, err := c.o.Folder.Reports(c.r.Context(), c.as(), it.WorkspaceID)
	if err != nil {
		return d
	}
	parts := slices.Clone(d.Parts)
	for _, r := range all {
		for i, p := range parts {
			if r.ID == it.ID && r.Model != nil && p.Path == reportPart {
				parts[i].Data = c.o.Layout.connected(r.Model.ID)
			}
		}
	}
	return definition.New(parts...)
}

// formatOf returns what the platform calls the definition's format; "" for an item of one format.
func formatOf(t item.Type, d definition.Definition) string {
	switch t {
	case item.SemanticModel:
		if _, tmsl := d.Part("model.bim"); tmsl {
			return "TMSL"
		}
		return "TMDL"
	case item.Report:
		if _, legacy := d.Part("report.json"); legacy {
			return "PBIR-Legacy"
		}
		return "PBIR"
	case item.DataAgent:
	}
	return ""
}

// labelled refuses an item whose sensitivity label protects it.
func (c *call) labelled(it item.Item) bool {
	_, code := c.o.Unknown.Label(it)
	if code != "" {
		fail(c.w, http.StatusBadRequest, code, "The item has a protected label")
	}
	return code != ""
}

func (c *call) unprivileged() {
	fail(c.w, http.StatusForbidden, "InsufficientPrivileges",
		"The caller does not have sufficient permissions to perform this operation")
}

// getDefinition reads an item's definition. The platform gives it only to people who may write to the item.
func (c *call) getDefinition(t item.Type) {
	if c.r.ContentLength < 0 {
		fail(c.w, http.StatusLengthRequired, "LengthRequired", "A Content-Length is required")
		return
	}
	it, err := c.find(t)
	if err != nil {
		c.refuse(err)
		return
	}
	if c.o.Role(c.person.ID, it.WorkspaceID) < Contributor {
		c.unprivileged()
		return
	}
	if c.labelled(it) {
		return
	}
	if !slices.Contains([]string{"", "TMDL", "TMSL", "PBIR", "PBIR-Legacy"}, c.r.URL.Query().Get("format")) {
		fail(c.w, http.StatusBadRequest, "InvalidDefinitionFormat", "The definition format is invalid")
		return
	}
	d, err := c.definitionOf(c.r.Context(), c.o, c.as(), it)
	if err != nil {
		c.refuse(err)
		return
	}
	body := map[string]any{"definition": c.wireOf(it, d)}
	if c.o.AtOnce {
		send(c.w, body)
		return
	}
	c.accept(body)
}

// maxBody bounds the body of a call, in bytes.
const maxBody = 1 << 20

// bulkExport reads the definitions of several items, or of all, in one operation. An item that cannot be read is left
// out of the index.
func (c *call) bulkExport() {
	var asked struct {
		Mode  string
		Items []struct{ ID uuid.UUID }
	}
	text, err := io.ReadAll(io.LimitReader(c.r.Body, maxBody))
	if err == nil {
		err = json.Unmarshal(text, &asked)
	}
	if err != nil || asked.Mode != "All" && asked.Mode != "Selective" || c.r.URL.Query().Get("beta") != "true" {
		fail(c.w, http.StatusBadRequest, "InvalidInput", "The request has an invalid input")
		return
	}
	all, err := c.listed("")
	if err != nil {
		c.refuse(err)
		return
	}
	if c.o.Role(c.person.ID, c.id("w")) < Contributor {
		c.unprivileged()
		return
	}
	wanted := lists.SetOf(asked.Items, func(it struct{ ID uuid.UUID }) uuid.UUID { return it.ID })
	index, parts := []any{}, []wirePart{}
	for _, it := range all {
		if asked.Mode == "Selective" && !wanted[it.ID] {
			continue
		}
		d, err := c.definitionOf(c.r.Context(), c.o, c.as(), it)
		if _, code := c.o.Unknown.Label(it); err != nil || code != "" {
			continue
		}
		root := "/" + strings.ReplaceAll(it.DisplayName, "/", "_") + "." + string(it.Type)
		index = append(index, map[string]any{"id": it.ID.String(), "rootPath": root})
		for _, p := range c.wireOf(it, d).Parts {
			p.Path = root + "/" + p.Path
			parts = append(parts, p)
		}
	}
	c.accept(map[string]any{"itemDefinitionsIndex": index, "definitionParts": parts})
}
