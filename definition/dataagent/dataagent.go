// Package dataagent reads a data agent's definition: its instructions, its sources
// and the selected tables of each source, for the draft and the published stage. It does not change definitions.
package dataagent

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/textfile"
)

// Agent is a data agent's configuration.
type Agent struct {
	// Draft and Published are the stages; nil if the agent does not have one.
	Draft, Published *Stage
	// PublishedDescription is the description it was published with; "" if it was
	// not published.
	PublishedDescription string
}

// Stage is one state of the configuration. Sources are ordered by folder.
type Stage struct {
	Instructions string
	// Runtime is "standard" or "preview"; "" if the configuration does not say.
	Runtime string
	Sources []Source
}

// SemanticModel is the source type that is scored.
const SemanticModel = "semantic_model"

// Source is one source that an agent answers from.
type Source struct {
	// Path is the part that describes the source.
	Path        string
	Type        string // SemanticModel, "lakehouse_tables", "data_warehouse", "kusto", …
	DisplayName string
	// ItemID is uuid.Nil if the part has no valid id.
	ItemID uuid.UUID
	// WorkspaceID is uuid.Nil for the agent's own workspace, as Git writes it.
	WorkspaceID  uuid.UUID
	Instructions string
	Description  string
	Tables       []Table
}

// Table is a table of a source, at any depth. The selection of its columns has no
// effect and is not read.
type Table struct {
	Name     string
	Selected bool
}

// SelectedTables returns the names of the tables that the agent may use, in order.
func (s Source) SelectedTables() []string {
	var names []string
	for _, t := range s.Tables {
		if t.Selected {
			names = append(names, t.Name)
		}
	}
	return names
}

const config = "Files/Config/"

// Read reads a data agent's definition. Its error is a *jsonpart.Error that
// names the part and the line.
func Read(d definition.Definition) (Agent, error) {
	a, err := read(d)
	if err != nil {
		return Agent{}, err
	}
	return a, nil
}

func read(d definition.Definition) (a Agent, err error) {
	if _, ok := d.Part(config + "data_agent.json"); !ok {
		return a, &jsonpart.Error{File: config + "data_agent.json",
			Message: "the part is missing, so this is not a data agent's definition"}
	}
	if a.PublishedDescription, err = readText(d, config+"publish_info.json", "description"); err != nil {
		return a, err
	}
	if a.Draft, err = readStage(d, config+"draft/"); err != nil {
		return a, err
	}
	a.Published, err = readStage(d, config+"published/")
	return a, err
}

// readStage reads the parts in folder. It returns nil if the stage has no
// configuration.
func readStage(d definition.Definition, folder string) (*Stage, error) {
	if _, ok := d.Part(folder + "stage_config.json"); !ok {
		return nil, nil
	}
	instructions, err := readText(d, folder+"stage_config.json", "aiInstructions")
	if err != nil {
		return nil, err
	}
	stage := &Stage{Instructions: instructions}
	var configuration map[string]any
	if data, _ := d.Part(folder + "stage_config.json"); json.Unmarshal(textfile.Trim(data), &configuration) == nil {
		stage.Runtime = RuntimeOf(configuration)
	}
	for _, p := range d.Parts {
		rest, ok := strings.CutPrefix(p.Path, folder)
		_, file, nested := strings.Cut(rest, "/")
		if !ok || !nested || file != "datasource.json" {
			continue
		}
		source, err := readSource(p)
		if err != nil {
			return nil, err
		}
		stage.Sources = append(stage.Sources, source)
	}
	return stage, nil
}

// RuntimeOf returns the runtime that a stage's configuration selects: a member named experimental… that is on, or off; "" without one.
func RuntimeOf(configuration map[string]any) (runtime string) {
	for name, value := range configuration {
		if !strings.HasPrefix(strings.ToLower(name), "experimental") {
			continue
		}
		inner, _ := value.(map[string]any)
		if value == true || slices.ContainsFunc(slices.Collect(maps.Values(inner)), func(v any) bool { return v == true }) {
			return "preview"
		}
		runtime = "standard"
	}
	return runtime
}

// readText reads one text of a part. It returns "" if the part or the text is
// absent.
func readText(d definition.Definition, path, name string) (text string, err error) {
	data, ok := d.Part(path)
	if !ok {
		return "", nil
	}
	r, err := jsonpart.New(path, data)
	if err != nil {
		return "", err
	}
	for member := range r.Object() {
		if member == name {
			text, _ = r.Text()
		}
	}
	return text, r.Err()
}

func readSource(p definition.Part) (Source, error) {
	r, err := jsonpart.New(p.Path, p.Data)
	if err != nil {
		return Source{}, err
	}
	s := Source{Path: p.Path}
	for member := range r.Object() {
		switch member {
		case "type":
			s.Type, _ = r.Text()
		case "displayName":
			s.DisplayName, _ = r.Text()
		case "artifactId":
			s.ItemID = readID(r)
		case "workspaceId":
			s.WorkspaceID = readID(r)
		case "dataSourceInstructions":
			s.Instructions, _ = r.Text()
		case "userDescription":
			s.Description, _ = r.Text()
		case "elements":
			s.Tables = appendTables(s.Tables, r)
		}
	}
	return s, r.Err()
}

func readID(r *jsonpart.Reader) uuid.UUID {
	text, _ := r.Text()
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil
	}
	return id
}

// appendTables appends the tables among elements, at any depth.
func appendTables(tables []Table, r *jsonpart.Reader) []Table {
	for range r.Array() {
		var (
			t    Table
			kind string
			at   = len(tables)
		)
		for member := range r.Object() {
			switch member {
			case "display_name":
				t.Name, _ = r.Text()
			case "is_selected":
				t.Selected = r.Bool()
			case "type":
				kind, _ = r.Text()
			case "children":
				tables = appendTables(tables, r)
			}
		}
		if strings.HasSuffix(kind, ".table") {
			tables = append(tables[:at], t) // tables do not nest
		}
	}
	return tables
}
