package dataagent_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition"
	"readiness/definition/dataagent"
	"readiness/definition/jsonpart"
	"readiness/test/samples"
)

// Any parts give either an agent with its one source or an error with its position.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"aiInstructions":"x","description":"y"}`), []byte(`{"type":"semantic_model","artifactId":"x","elements":[{"type":"a.table","display_name":"t","is_selected":true,"children":[]}]}`))
	for _, text := range samples.Texts(f, func(path string) bool {
		return strings.Contains(path, ".DataAgent/Files/") && strings.HasSuffix(path, ".json")
	}) {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, stage, source []byte) {
		read := func(stage, source []byte) (dataagent.Agent, error) {
			part := func(path string, data []byte) definition.Part {
				return definition.Part{Path: "Files/Config/" + path, Data: data}
			}
			return dataagent.Read(definition.New(
				part("data_agent.json", nil), part("publish_info.json", stage), part("draft/stage_config.json", stage), part("draft/s/datasource.json", source),
			))
		}
		a, err := read(stage, source)
		if err != nil {
			if e, ok := errors.AsType[*jsonpart.Error](err); !ok || e.File == "" || !cmp.Equal(a, dataagent.Agent{}) {
				t.Fatalf("got %+v, %v", a, err)
			}
			return
		}
		if a.Draft == nil || len(a.Draft.Sources) != 1 || len(a.Draft.Sources[0].SelectedTables()) > len(a.Draft.Sources[0].Tables) {
			t.Fatalf("got %+v", a)
		}
		var compact [2]bytes.Buffer
		for i, text := range [][]byte{stage, source} {
			if err := json.Compact(&compact[i], bytes.TrimPrefix(text, []byte("\ufeff"))); err != nil {
				t.Fatalf("read, and no JSON: %v", err)
			}
		}
		again, err := read(compact[0].Bytes(), compact[1].Bytes())
		if diff := cmp.Diff(a, again); diff != "" {
			t.Errorf("without spaces: %v (-with +without)\n%s", err, diff)
		}
	})
}
