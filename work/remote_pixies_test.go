package work_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/pixies"
	"readiness/platform/fabric/emulator"
)

// recording is a transport that keeps the definitions of updates as they were sent.
type recording struct {
	http.RoundTripper
	sent []sentUpdate
}

type sentUpdate struct {
	Format string
	Parts  []struct {
		Path    string
		Payload []byte
	}
}

func (r *recording) RoundTrip(req *http.Request) (*http.Response, error) {
	if strings.HasSuffix(req.URL.Path, "/updateDefinition") {
		text, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		req.Body = io.NopCloser(bytes.NewReader(text))
		var body struct{ Definition sentUpdate }
		if err := json.Unmarshal(text, &body); err != nil {
			return nil, err
		}
		r.sent = append(r.sent, body.Definition)
	}
	return r.RoundTripper.RoundTrip(req)
}

// legacyReport is a report that has everything in report.json.
const legacyReport = `{"config":"{}","layoutOptimization":0,"sections":[
  {"name":"p1","displayName":"Page","width":1280.0,"height":720.0,"displayOption":1,"config":"{}","filters":"[]","visualContainers":[
    {"x":1.0,"y":1.0,"z":5.0,"width":10.0,"height":10.0,"config":"{\"name\":\"v1\",\"singleVisual\":{\"visualType\":\"card\"}}"}]},
  {"name":"p2","displayName":"Page 2","width":1280.0,"height":720.0,"displayOption":1,"config":"{}","filters":"[]","visualContainers":[]}]}`

// Pixies are added and removed over REST in every form of report, as in a folder. Each update has every part, in the format in which the
// platform returned the report, and does not change the reference to its model, in any workspace.
//
// proves: 4.7/add/4 4.7/remove
func TestRemotePixies(t *testing.T) {
	t.Parallel()
	forms := map[string]struct {
		format  string
		prepare func(t *testing.T, dir string)
	}{
		"PBIR":   {"PBIR", func(*testing.T, string) {}},
		"legacy": {"PBIR-Legacy", func(t *testing.T, dir string) { toLegacy(t, dir) }},
		"thin, its model elsewhere": {"PBIR", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "definition.pbir"), modelElsewhere)
		}},
		"thin and legacy": {"PBIR-Legacy", func(t *testing.T, dir string) {
			toLegacy(t, dir)
			write(t, filepath.Join(dir, "definition.pbir"), modelElsewhere)
		}},
	}
	for name, form := range forms {
		for layout, l := range map[string]emulator.Layout{"exact": {Exact: true}, "usual": {}, "re-laid": {CRLF: true, CompactJSON: true}} {
			t.Run(name+", "+layout, func(t *testing.T) {
				t.Parallel()
				b := newReporting(t)
				form.prepare(t, b.report(report1))
				r := overREST(t, b, l)
				log := &recording{RoundTripper: r.server.Client().Transport}
				r.server.Client().Transport = log
				r.Work.Platform = r.client(t, nil)
				it := item.Item{ID: report1, Type: item.Report, WorkspaceID: workspace}
				read := func() definition.Definition {
					t.Helper()
					d, err := r.Work.Platform.Definition(t.Context(), r.ana().Caller, it)
					check(t, err)
					return d
				}
				before := read()
				if before.Format != form.format {
					t.Fatalf("the report is given as %q", before.Format)
				}
				do := func(verb pixies.Verb, want pixies.Outcome, collector string, addresses, updates int) {
					t.Helper()
					r.Pixies.CollectorURL = collector
					id := r.pixiesOf(t, verb, report1)
					r.change(t, r.Work)
					if op := r.operation(t, id); op.Status != operation.StatusSucceeded {
						t.Fatalf("%s is %s: %+v", verb, op.Status, op.Failure)
					}
					if result, _ := r.run(t, id).Result(report1); result.Outcome != want {
						t.Errorf("%s: the outcome is %s: %+v", verb, result.Outcome, result.Error)
					}
					found := 0
					for _, p := range read().Parts {
						found += bytes.Count(p.Data, []byte(collector+"/p/"))
					}
					if found != addresses || len(log.sent) != updates {
						t.Errorf("%s: %d addresses after %d updates, want %d after %d", verb, found, len(log.sent), addresses, updates)
					}
				}
				do(pixies.Adds, pixies.OutcomeAdded, "https://views.example", 2, 1)
				do(pixies.Adds, pixies.OutcomeUpdated, "https://views.example", 2, 1) // nothing is written
				do(pixies.Adds, pixies.OutcomeUpdated, "https://other.example", 2, 2)
				do(pixies.Removes, pixies.OutcomeRemoved, "https://views.example", 0, 3)
				if after := read(); after.Hash() != before.Hash() {
					t.Errorf("after the removal (-before +after):\n%s", cmp.Diff(texts(before), texts(after)))
				}
				for i, s := range log.sent {
					s.check(t, fmt.Sprintf("update %d", i), before)
				}
			})
		}
	}
}

// check compares an update with the report as it was read.
func (s sentUpdate) check(t *testing.T, name string, read definition.Definition) {
	t.Helper()
	if s.Format != read.Format {
		t.Errorf("%s: the format is %q, and was read as %q", name, s.Format, read.Format)
	}
	sent := map[string]string{}
	for _, p := range s.Parts {
		sent[p.Path] = string(p.Payload)
	}
	for path, text := range texts(read) {
		got, there := sent[path]
		if !there || path == "definition.pbir" && got != text {
			t.Errorf("%s: part %s is sent: %t, as %q", name, path, there, got)
		}
	}
	if _, there := sent[".platform"]; there {
		t.Errorf("%s: .platform is sent", name)
	}
}

func texts(d definition.Definition) map[string]string {
	all := map[string]string{}
	for _, p := range d.Parts {
		all[p.Path] = string(p.Data)
	}
	return all
}

// modelElsewhere refers to a model in a workspace that no one here sees.
var modelElsewhere = fmt.Sprintf(`{"version":"4.0","datasetReference":{"byConnection":{"connectionString":"semanticmodelid=%s"}}}`,
	uuid.MustParse("eeeeeeee-0000-0000-0000-000000000009"))

// toLegacy replaces the files of a report by one.
func toLegacy(t *testing.T, dir string) {
	t.Helper()
	check(t, os.RemoveAll(filepath.Join(dir, "definition")))
	write(t, filepath.Join(dir, "report.json"), legacyReport)
}

// A report without a page fails over REST as in a folder: nothing is sent, and it is no tracked item.
//
// proves: decisions/8/7-no-page
func TestRemoteReportWithoutPages(t *testing.T) {
	t.Parallel()
	b := newReporting(t)
	check(t, os.RemoveAll(filepath.Join(b.report(ruined), "definition", "pages")))
	write(t, filepath.Join(b.report(ruined), "definition", "pages", "pages.json"), `{"pageOrder":[],"activePageName":null}`)
	r := overREST(t, b, emulator.Layout{})
	log := &recording{RoundTripper: r.server.Client().Transport}
	r.server.Client().Transport = log
	r.Work.Platform = r.client(t, nil)
	id := r.pixiesOf(t, pixies.Adds, ruined)
	r.change(t, r.Work)
	op := r.operation(t, id)
	if op.Status != operation.StatusFailed || op.Failure.Code != domain.AddPixiesFailed || !strings.Contains(op.Failure.Message, "no page") {
		t.Errorf("the run is %s: %+v", op.Status, op.Failure)
	}
	if s := b.standing(t, ruined); s.Status != pixies.StatusNeverAdded || s.Holder != nil || b.tracked(t, ruined).Counts() || len(log.sent) != 0 {
		t.Errorf("its standing is %+v after %d updates", s, len(log.sent))
	}
}
