package openai_test

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"readiness/ai/openai"
	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
	"readiness/test/samples"
)

// maxRequest bounds a request about a real model, in bytes: a few thousand tokens, so that it fits a
// small server.
const maxRequest = 24 << 10

// Every real semantic model is described in requests of a bounded size, and each of its objects has
// one outcome.
func TestCorpus(t *testing.T) {
	t.Parallel()
	root, _ := samples.Corpus(t)
	asked := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || !strings.HasSuffix(path, ".SemanticModel") {
			return err
		}
		m, err := semanticmodel.Read(parts(t, path))
		if err != nil {
			t.Logf("%s: %v", path, err)
			return fs.SkipDir
		}
		asked++
		var objects []proposal.Object
		for _, table := range m.Tables {
			for _, c := range table.Columns {
				objects = append(objects, proposal.Object{Table: table.Name, Name: c.Name, Type: proposal.Column})
			}
			for _, x := range table.Measures {
				objects = append(objects, proposal.Object{Table: table.Name, Name: x.Name, Type: proposal.Measure})
			}
			objects = append(objects, proposal.Object{Table: table.Name, Type: proposal.Table})
		}
		var mu sync.Mutex
		largest, requests := 0, 0
		s := answers(func(r request) reply {
			mu.Lock()
			defer mu.Unlock()
			largest, requests = max(largest, len(r.raw)), requests+1
			return obey(r)
		})
		c, err := openai.New(openai.Settings{BaseURL: "http://example.com", PrivateAddresses: true}, openai.Options{Client: &http.Client{Transport: s}})
		if err != nil {
			t.Fatal(err)
		}
		proposals, skipped, err := c.Describe(t.Context(), m, objects)
		if err != nil || len(proposals)+len(skipped) != len(objects) {
			t.Errorf("%s: %d proposals and %d skipped of %d, error %v", path, len(proposals), len(skipped), len(objects), err)
		}
		for _, k := range skipped {
			t.Errorf("%s: %s[%s]: %s", path, k.Table, k.Name, k.Message)
		}
		t.Logf("%4d objects in %3d requests of at most %5d bytes: %s", len(objects), requests, largest, strings.TrimPrefix(path, root))
		if largest > maxRequest {
			t.Errorf("%s: a request has %d bytes, want at most %d", path, largest, maxRequest)
		}
		return fs.SkipDir
	})
	if err != nil || asked == 0 {
		t.Errorf("%d models: %v", asked, err)
	}
}

func parts(t *testing.T, folder string) definition.Definition {
	t.Helper()
	var all []definition.Part
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		all = append(all, definition.Part{Path: filepath.ToSlash(name), Data: content})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return definition.New(all...)
}
