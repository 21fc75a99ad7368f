package reads_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/platform/fabric"
	"readiness/platform/reads"
	"readiness/test/pgtest"
	"readiness/test/recordings"
)

// Every recorded bulk export gives each of its items what the recorded client saw: the parts whose longest root is the
// item's.
func TestRecordedExports(t *testing.T) {
	t.Parallel()
	folders := []string{"testdata/recordings"}
	if facts := os.Getenv("READINESS_FABRIC_FACTS"); facts != "" {
		folders = append(folders, filepath.Join(facts, "recordings"))
	}
	n := 0
	for _, folder := range folders {
		all, err := recordings.Read(folder)
		check(t, err)
		for _, r := range all {
			for at, e := range r.Exchanges {
				if e.Method == http.MethodPost && strings.HasSuffix(e.URL.Path, "/items/bulkExportDefinitions") && e.Status == http.StatusAccepted {
					replayExport(t, r.Name, e, r.Exchanges[at+1:])
					n++
				}
			}
		}
	}
	if n == 0 {
		t.Error("no bulk export is recorded")
	}
	t.Logf("%d bulk exports", n)
}

type exported struct {
	ItemDefinitionsIndex []struct{ ID, RootPath string }
	DefinitionParts      []struct {
		Path    string
		Payload []byte
	}
}

// of returns the parts of an item by path.
func (x exported) of(root string) map[string]string {
	parts := map[string]string{}
	for _, p := range x.DefinitionParts {
		longest := ""
		for _, i := range x.ItemDefinitionsIndex {
			if strings.HasPrefix(p.Path, i.RootPath+"/") && len(i.RootPath) > len(longest) {
				longest = i.RootPath
			}
		}
		if path := strings.TrimPrefix(p.Path, root+"/"); longest == root && path != ".platform" {
			parts[path] = string(p.Payload)
		}
	}
	return parts
}

func replayExport(t *testing.T, file string, begun *recordings.Exchange, later []*recordings.Exchange) {
	t.Helper()
	path := "/v1/operations/" + begun.Header.Get("x-ms-operation-id")
	var states []*recordings.Exchange
	var want exported
	var result *recordings.Exchange
	for _, e := range later {
		switch e.URL.Path {
		case path:
			states = append(states, e)
		case path + "/result":
			result = e
			check(t, json.Unmarshal(e.Body, &want))
		}
	}
	if result == nil || len(states) == 0 {
		t.Logf("%s: the recording ends before the export's result", file)
		return
	}
	polls := 0
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/bulkExportDefinitions"):
			begun.ServeHTTP(w, r)
		case r.URL.Path == path:
			states[min(polls, len(states)-1)].ServeHTTP(w, r)
			polls++
		case r.URL.Path == path+"/result":
			result.ServeHTTP(w, r)
		default:
			t.Errorf("%s: %s %s was called", file, r.Method, r.URL)
		}
	}))
	defer server.Close()
	pool := pgtest.Pool(t)
	p, err := fabric.New(fabric.Options{URL: server.URL, PowerBIURL: server.URL, Transport: server.Client().Transport,
		Exports: reads.Exports{Pool: pool}, Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		Tokens: func(context.Context, item.Caller, item.Permission) (string, error) { return "token", nil }})
	check(t, err)
	as, workspace := item.Caller{Person: item.Person{ID: "ada"}, Work: uuid.New()}, uuid.MustParse(strings.Split(begun.URL.Path, "/")[3])
	var ids []uuid.UUID
	for _, i := range want.ItemDefinitionsIndex {
		ids = append(ids, uuid.MustParse(i.ID))
	}
	for len(ids) < 4 { // fewer are not worth an export
		ids = append(ids, uuid.New())
	}
	check(t, p.Announce(t.Context(), as, workspace, ids))
	for i, of := range want.ItemDefinitionsIndex {
		parts := want.of(of.RootPath)
		if len(parts) == 0 {
			continue
		}
		it := item.Item{WorkspaceID: workspace, ID: ids[i], Type: item.SemanticModel}
		d, err := p.Definition(t.Context(), as, it)
		for tries := 0; err != nil && tries < 5+len(states); tries++ {
			come(t, pool)
			d, err = p.Definition(t.Context(), as, it)
		}
		check(t, err)
		got := map[string]string{}
		for _, part := range d.Parts {
			got[part.Path] = string(part.Data)
		}
		if diff := cmp.Diff(parts, got); diff != "" || len(d.Parts) != len(parts) {
			t.Errorf("%s: %s (-recorded +read):\n%s", file, of.RootPath, diff)
		}
	}
}
