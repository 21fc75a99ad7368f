package testworld

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// Disk is a folder of workspaces as the folder platform reads it.
type Disk struct{ Root string }

// Workspace is a workspace of a Disk. Everyone sees it unless it has Members.
type Workspace struct {
	ID      uuid.UUID
	Name    string // also of its folder
	Members []string
	Paused  bool // whether its capacity is paused
}

// Path returns the path of a file of the folder.
func (d Disk) Path(path ...string) string {
	return filepath.Join(append([]string{d.Root}, path...)...)
}

// Write writes a file of the folder.
func (d Disk) Write(t testing.TB, text string, path ...string) {
	t.Helper()
	Write(t, d.Path(path...), text)
}

// Remove removes a file or a directory of the folder.
func (d Disk) Remove(t testing.TB, path ...string) {
	t.Helper()
	Check(t, os.RemoveAll(d.Path(path...)))
}

// Workspace writes the settings of a workspace.
func (d Disk) Workspace(t testing.TB, w Workspace) {
	t.Helper()
	settings := map[string]any{"id": w.ID, "displayName": w.Name}
	if len(w.Members) > 0 {
		settings["members"] = w.Members
	}
	if w.Paused {
		settings["capacity"] = map[string]string{"id": "f8f8f8f8-0000-4000-8000-000000000001", "state": "Paused"}
	}
	d.writeJSON(t, settings, w.Name, "workspace.json")
}

// Members makes people the only ones who see the workspaces.
func (d Disk) Members(t testing.TB, people ...string) {
	t.Helper()
	files, err := filepath.Glob(d.Path("*", "workspace.json"))
	Check(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		Check(t, err)
		var settings map[string]any
		Check(t, json.Unmarshal(text, &settings))
		settings["members"] = people
		text, err = json.Marshal(settings)
		Check(t, err)
		Write(t, file, string(text))
	}
}

// Item writes the identity of an item. dir is its folder in the workspace and ends
// in the item's type, as in "Sales.SemanticModel".
func (d Disk) Item(t testing.TB, workspace, dir, name string, id uuid.UUID) {
	t.Helper()
	d.writeJSON(t, map[string]any{
		"metadata": map[string]string{"type": strings.TrimPrefix(filepath.Ext(dir), "."), "displayName": name},
		"config":   map[string]string{"version": "2.0", "logicalId": id.String()},
	}, workspace, dir, ".platform")
}

// Model writes a semantic model with one table, in TMDL.
func (d Disk) Model(t testing.TB, workspace, name string, id uuid.UUID, table string) {
	t.Helper()
	dir := name + ".SemanticModel"
	d.Item(t, workspace, dir, name, id)
	d.Write(t, table, workspace, dir, "definition", "tables", "Sales.tmdl")
}

// Report writes a report without pages on a model of its workspace and returns its
// folder. model is the model's folder without its type.
func (d Disk) Report(t testing.TB, workspace, dir, name string, id uuid.UUID, model string) string {
	t.Helper()
	d.Item(t, workspace, dir, name, id)
	d.Write(t, `{"version":"4.0","datasetReference":{"byPath":{"path":"../`+model+`.SemanticModel"}}}`, workspace, dir, "definition.pbir")
	d.Write(t, `{"themeCollection":{}}`, workspace, dir, "definition", "report.json")
	d.Write(t, `{"version":"2.0.0"}`, workspace, dir, "definition", "version.json")
	return d.Path(workspace, dir)
}

// Agent writes a data agent that was never published.
func (d Disk) Agent(t testing.TB, workspace, name string, id uuid.UUID) {
	t.Helper()
	dir := name + ".DataAgent"
	d.Item(t, workspace, dir, name, id)
	d.Write(t, `{}`, workspace, dir, "Files", "Config", "data_agent.json")
	d.Write(t, `{}`, workspace, dir, "Files", "Config", "draft", "stage_config.json")
}

func (d Disk) writeJSON(t testing.TB, v any, path ...string) {
	t.Helper()
	text, err := json.Marshal(v)
	Check(t, err)
	d.Write(t, string(text), path...)
}

// Write writes a file and the directories above it.
func Write(t testing.TB, path, text string) {
	t.Helper()
	Check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	Check(t, os.WriteFile(path, []byte(text), 0o644))
}
