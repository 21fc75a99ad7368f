package corpus_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/test/samples"
	"readiness/test/scenarios/program"
	"readiness/test/testlog"
	"readiness/test/testworld"
)

// TestCorpus optimizes every semantic model of the corpus in every kind, checks that none is worse for an AI, and
// reverts everything: every file, to the byte.
//
// proves: 1/does/optimize 4.5/bundle/4 4.5/bundle/7 4.5/revert/1 decisions/8/20
func TestCorpus(t *testing.T) {
	t.Parallel()
	corpus, _ := samples.Corpus(t)
	var found []string
	testworld.Check(t, filepath.WalkDir(corpus, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasSuffix(path, ".SemanticModel") {
			found = append(found, path)
			return fs.SkipDir
		}
		return err
	}))
	var people []string // one per model, because each may start only so many calls a minute
	for i := range found {
		people = append(people, fmt.Sprintf("p%d", i))
	}
	c := program.New(t, people, "--database-url", testlog.URL(t))
	for i, path := range found {
		name, id := fmt.Sprintf("Model %02d", i), uuid.New()
		c.Models = append(c.Models, id)
		at := filepath.Join(c.Root, "Retail", name+".SemanticModel")
		testworld.Check(t, os.CopyFS(at, os.DirFS(path)))
		c.Item(t, "Retail", name+".SemanticModel", name, id)
	}
	before, err := testworld.Files(c.Root)
	testworld.Check(t, err)
	p := c.Launch()
	defer p.Kill()

	better, changed := 0, 0
	for i, path := range found {
		c.Token = c.Mint(people[i])
		m := visited{Program: c, name: filepath.Base(path), route: fmt.Sprintf("/v1/workspaces/%s/semanticModels/%s/aiReadiness/", c.WorkspaceID, c.Models[i])}
		first, ok := m.run("assess", "")
		if !ok {
			t.Logf("%s cannot be assessed: %v", m.name, c.Last["error"])
			continue
		}
		bundle, _ := m.run("optimize", `{"approval": "none"}`)
		var schema map[string]any
		if preview, _ := m.run("aiDataSchema/preview", ""); preview["recommendedKeys"] != nil && len(preview["recommendedKeys"].([]any)) > 0 {
			schema, _ = m.run("aiDataSchema/apply", fmt.Sprintf(`{"previewId": %q}`, preview["previewId"]))
		}
		second, ok := m.run("assess", "")
		if !ok {
			t.Errorf("%s cannot be assessed any more: %v", m.name, c.Last)
			continue
		}
		was, is := score(first), score(second)
		t.Logf("%s: %v, then %v", m.name, was, is)
		if is < was {
			t.Errorf("%s scored %v and scores %v when everything proposed is written", m.name, was, is)
		}
		if is > was {
			better++
		}
		after, err := testworld.Files(c.Root)
		testworld.Check(t, err)
		if testworld.Difference(before, after) != "" {
			changed++
		}
		if schema != nil {
			m.must("revert", schema)
		}
		if strings.Contains(fmt.Sprint(bundle["kinds"]), "standing:Applied") {
			m.must("optimize/revert", bundle)
		}
		after, err = testworld.Files(c.Root)
		testworld.Check(t, err)
		if diff := testworld.Difference(before, after); diff != "" {
			t.Fatalf("%s was not put back:\n%.2000s", m.name, diff)
		}
	}
	t.Logf("%d models, %d written, %d with a better score", len(found), changed, better)
	if better == 0 {
		t.Error("no model scores better")
	}
	c.Operate("events", "verify")
	c.Operate("projections", "rebuild", "--diff")
}

// visited is a model of the corpus and its person.
type visited struct {
	*program.Program
	name, route string
}

// run starts an operation and reads it until it ends; ok if it succeeded.
func (m *visited) run(route, body string) (result map[string]any, ok bool) {
	m.T.Helper()
	var sent any
	if body != "" {
		sent = json.RawMessage(body)
	}
	accepted, ok := m.Call(m.T.Context(), http.MethodPost, m.route+route, http.StatusAccepted, sent)
	if !ok {
		m.T.Errorf("%s: %s was not accepted: %v", m.name, route, m.Last)
		return nil, false
	}
	at := "/v1/operations/" + accepted["operationId"].(string)
	var state map[string]any
	m.Await(route+" ends", func() bool {
		state, _ = m.Call(m.T.Context(), http.MethodGet, at, http.StatusOK, nil)
		return state["status"] == "Succeeded" || state["status"] == "Failed"
	})
	if state["status"] == "Failed" {
		return nil, false
	}
	return m.Call(m.T.Context(), http.MethodGet, at+"/result", http.StatusOK, nil)
}

// must reverts everything that an apply or a bundle recorded.
func (m *visited) must(route string, record map[string]any) {
	m.T.Helper()
	got, ok := m.run(route, fmt.Sprintf(`{"operationId": %q}`, record["revertOperationId"]))
	if skipped, _ := got["skipped"].([]any); !ok || len(skipped) > 0 {
		m.T.Errorf("%s: %s did not put everything back: %v %v", m.name, route, m.Last, skipped)
	}
}

func score(assessment map[string]any) float64 {
	s, _ := assessment["score"].(float64) // a model without tables has none
	return s
}
