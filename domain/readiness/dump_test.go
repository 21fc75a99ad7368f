package readiness_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/internal/samples"
)

// dumpedCase is a line of a dump: an input and, after scoring, its result.
type dumpedCase struct {
	Name string `json:"name"`
	// Kind is "model", "as_agent" (an agent that selected every exposed table and has no
	// configuration) or "agent".
	Kind    string        `json:"kind"`
	Model   *dumpedModel  `json:"model,omitempty"`
	Agent   *dumpedAgent  `json:"agent,omitempty"`
	Options dumpedOptions `json:"options"`
}

type dumpedOptions struct {
	Usage  map[string]map[string]int64 `json:"usage"` // null: no usage map
	Ignore []dumpedIgnore              `json:"ignore"`
}

type dumpedIgnore struct {
	Rule       string `json:"rule"`
	Source     string `json:"source_model_id"`
	Table      string `json:"table"`
	ObjectName string `json:"object_name"`
}

// realModels returns the semantic models of the sample workspaces and of the corpus, by
// name.
func realModels(t *testing.T) (names []string, models map[string]*semanticmodel.Model) {
	t.Helper()
	models = map[string]*semanticmodel.Model{}
	corpus, public := samples.Corpus(t)
	roots := map[string]string{"samples": samples.Workspaces(t)}
	if public {
		roots["corpus"] = corpus
	}
	for _, of := range []string{"samples", "corpus"} {
		if roots[of] == "" {
			continue
		}
		err := filepath.WalkDir(roots[of], func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() || !strings.HasSuffix(path, ".SemanticModel") {
				return err
			}
			if m, err := semanticmodel.Read(parts(t, path)); err == nil {
				name := of + filepath.ToSlash(strings.TrimPrefix(path, roots[of]))
				names, models[name] = append(names, name), m
			}
			return fs.SkipDir
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names, models
}

// The dump gives another implementation of the regime what it needs: the inputs as
// plain JSON, one line each, in READINESS_DUMP or a folder of the test.
func TestDump(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("READINESS_DUMP")
	if folder == "" {
		folder = t.TempDir()
	}
	file, err := os.Create(filepath.Join(folder, "inputs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(file)
	lines := 0
	write := func(c dumpedCase) {
		data, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		lines++
		_, _ = fmt.Fprintf(w, "%s\n", data)
	}
	names, models := realModels(t)
	for _, name := range names {
		m := models[name]
		var tables []string
		for _, t := range m.Tables {
			tables = append(tables, t.Name)
		}
		none := dumpedOptions{Ignore: []dumpedIgnore{}}
		write(dumpedCase{Name: name, Kind: "model", Model: dumpModel(m), Options: none})
		write(dumpedCase{Name: name, Kind: "as_agent", Model: dumpModel(m), Options: none})
		agent := readiness.Agent{Instructions: "Answer by [Net Sales] of 'Sales'[Amount], never from Order Lines.", Description: "Answers questions about sales."}
		sources := []readiness.Source{selecting("1", m, tables...), {ID: "lake", Name: "Lake"}}
		write(dumpedCase{Name: name, Kind: "agent", Agent: dumpAgent(agent, sources), Options: none})
	}
	if err := w.Flush(); err != nil || lines == 0 {
		t.Fatalf("%d lines: %v", lines, err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
