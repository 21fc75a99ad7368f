package dataagent_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/definition"
	"readiness/definition/dataagent"
	"readiness/definition/jsonpart"
)

func parts(byPath map[string]string) definition.Definition {
	var all []definition.Part
	for path, text := range byPath {
		all = append(all, definition.Part{Path: "Files/Config/" + path, Data: []byte(text)})
	}
	return definition.New(all...)
}

func TestRead(t *testing.T) {
	t.Parallel()
	got, err := dataagent.Read(parts(map[string]string{
		"data_agent.json":         `{"$schema":"2.1.0"}`,
		"publish_info.json":       `{"$schema":"1.0.0","description":"Answers questions about sales."}`,
		"draft/stage_config.json": `{"$schema":"1.0.0","aiInstructions":"Be brief.","experimental":{"advancedDax":true,"other":false}}`,
		"draft/semantic-model-Sales/datasource.json": `{
  "$schema": "1.0.0",
  "artifactId": "86D4B769-b3d6-39cd-9d26-4cb3b3db57bd",
  "workspaceId": "00000000-0000-0000-0000-000000000000",
  "displayName": "Sales",
  "type": "semantic_model",
  "userDescription": null,
  "dataSourceInstructions": "Prefer measures.",
  "elements": [
    {"display_name": "Orders", "type": "semantic_model.table", "is_selected": true, "children": [
      {"display_name": "Amount", "type": "semantic_model.column", "is_selected": false}]},
    {"display_name": "Audit", "type": "semantic_model.table", "is_selected": false},
    {"display_name": "Rates", "type": "semantic_model.table"}
  ]
}`,
		"draft/lakehouse-tables-Raw/datasource.json": `{"artifactId":"no id","type":"lakehouse_tables","displayName":"Raw","elements":[
  {"display_name":"dbo","type":"lakehouse_tables.schema","is_selected":true,"children":[
    {"children":[],"is_selected":true,"type":"lakehouse_tables.table","display_name":"events"}]}]}`,
		"draft/lakehouse-tables-Raw/fewshots.json": `{`,
		"draft/a/b/datasource.json":                `{`,
		"published/stage_config.json":              `{"aiInstructions":null,"experimentalFeatures":false}`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := dataagent.Agent{
		PublishedDescription: "Answers questions about sales.",
		Draft: &dataagent.Stage{Instructions: "Be brief.", Runtime: "preview", Sources: []dataagent.Source{
			{
				Path: "Files/Config/draft/lakehouse-tables-Raw/datasource.json", Type: "lakehouse_tables", DisplayName: "Raw",
				Tables: []dataagent.Table{{Name: "events", Selected: true}},
			},
			{
				Path: "Files/Config/draft/semantic-model-Sales/datasource.json", Type: dataagent.SemanticModel, DisplayName: "Sales",
				ItemID: uuid.MustParse("86d4b769-b3d6-39cd-9d26-4cb3b3db57bd"), Instructions: "Prefer measures.",
				Tables: []dataagent.Table{{Name: "Orders", Selected: true}, {Name: "Audit"}, {Name: "Rates"}},
			},
		}},
		Published: &dataagent.Stage{Runtime: "standard"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Orders"}, got.Draft.Sources[1].SelectedTables()); diff != "" {
		t.Errorf("SelectedTables (-want +got)\n%s", diff)
	}
}

func TestReadWithoutStages(t *testing.T) {
	t.Parallel()
	got, err := dataagent.Read(parts(map[string]string{"data_agent.json": `{}`, "draft/x/datasource.json": `{`}))
	if diff := cmp.Diff(dataagent.Agent{}, got); err != nil || diff != "" {
		t.Errorf("got %v\n%s", err, diff)
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, path, text, want string }{
		{"no stage configuration", "draft/stage_config.json", "", "Files/Config/draft/stage_config.json:1:1: not valid JSON"},
		{"instructions that are no text", "published/stage_config.json", "{\n\"aiInstructions\": 5}", "Files/Config/published/stage_config.json:2:19: a text is expected here"},
		{"a broken description", "publish_info.json", "[]", "Files/Config/publish_info.json:1:1: an object is expected here"},
		{"a broken source", "draft/s/datasource.json", "{\n", "Files/Config/draft/s/datasource.json:"},
		{"elements that are no array", "draft/s/datasource.json", `{"elements":{}}`, "Files/Config/draft/s/datasource.json:1:13: an array is expected here"},
		{"a selection that is no truth", "draft/s/datasource.json", `{"elements":[{"is_selected":"yes"}]}`, "Files/Config/draft/s/datasource.json:1:29: true or false is expected here"},
	} {
		all := map[string]string{"data_agent.json": "{}", "draft/stage_config.json": "{}"}
		all[c.path] = c.text
		got, err := dataagent.Read(parts(all))
		if _, ok := errors.AsType[*jsonpart.Error](err); !ok || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %s…", c.name, err, c.want)
		}
		if diff := cmp.Diff(dataagent.Agent{}, got); diff != "" {
			t.Errorf("%s: an agent was returned: %s", c.name, diff)
		}
	}
	if _, err := dataagent.Read(definition.New()); err == nil || !strings.Contains(err.Error(), "data_agent.json: the part is missing") {
		t.Errorf("an empty definition: got %v", err)
	}
}
