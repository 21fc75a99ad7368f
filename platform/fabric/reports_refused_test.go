package fabric_test

import (
	"net/http"
	"strings"
	"testing"

	"readiness/domain"
	"readiness/platform/fabric/emulator"
)

// refusesReports has Power BI refuse its lists of reports.
func refusesReports(o *emulator.Options) {
	o.Unknown.ReportsRefused, o.Layout = "PowerBINotAuthorizedException", emulator.Layout{}
}

// Where Power BI refuses its list, Fabric's names the reports, and relations or definitions their models.
func TestReportsWithoutPowerBI(t *testing.T) {
	t.Parallel()
	w := newWorld(t, refusesReports)
	want, err := w.folder.Reports(t.Context(), person("ada"), retail)
	check(t, err)
	for name, fault := range map[string]*emulator.Fault{
		"relations":   nil,
		"definitions": {Path: "/relations/upstream", Answer: emulator.Error(404, "EntityNotFound", "no"), Times: 100},
	} {
		t.Run(name, func(t *testing.T) {
			if fault != nil {
				w.service.Script(*fault)
				defer w.service.Unscript()
			}
			got, err := w.Reports(t.Context(), person("ada"), retail)
			check(t, err)
			seen := 0
			for _, r := range want {
				if r.Paginated {
					continue
				}
				at := -1
				for i := range got {
					if got[i].ID == r.ID {
						at = i
					}
				}
				switch {
				case at < 0:
					t.Errorf("%s is not listed", r.DisplayName)
				case r.Model != nil && (got[at].Model == nil || got[at].Model.ID != r.Model.ID || got[at].Unseen != ""):
					t.Errorf("%s is on %+v (%q), want %+v", r.DisplayName, got[at].Model, got[at].Unseen, r.Model)
				default:
					seen++
				}
				if model, ok, err := w.ModelOf(t.Context(), person("ada"), r.Item); r.Model != nil && (err != nil || !ok || model.ID != r.Model.ID) {
					t.Errorf("the model of %s: %+v, %v", r.DisplayName, model, err)
				}
			}
			if seen == 0 || len(got) != seen {
				t.Errorf("%d of %d reports", seen, len(got))
			}
		})
	}
}

// What is not visible is said, and the reports are listed nevertheless. A report that is not seen has no model that is made up.
func TestReportsWhoseModelsAreNotVisible(t *testing.T) {
	t.Parallel()
	w := newWorld(t, refusesReports)
	w.service.Script(emulator.Fault{Path: "/relations/upstream", Answer: emulator.Error(403, "InsufficientPrivileges", "no"), Times: 100},
		emulator.Fault{Method: http.MethodPost, Path: "/getDefinition", Answer: emulator.Error(403, "InsufficientPrivileges", "no"), Times: 100})
	got, err := w.Reports(t.Context(), person("ada"), retail)
	check(t, err)
	if len(got) == 0 {
		t.Fatal("no report is listed")
	}
	for _, r := range got {
		if r.Model != nil || !strings.Contains(r.Unseen, "PowerBINotAuthorizedException") || !strings.Contains(r.Unseen, "you may not read the definition") {
			t.Errorf("%s is on %+v: %q", r.DisplayName, r.Model, r.Unseen)
		}
	}
	// A workspace that nobody can see stays one, and so does a missing consent.
	_, err = w.Reports(t.Context(), person("mallory"), closed)
	refused(t, err, domain.WorkspaceNotFound, "")
	w.service.Script(emulator.Fault{Path: "/reports", Answer: emulator.Error(401, "Unauthorized", "no"), Times: 2})
	_, err = w.Reports(t.Context(), person("ada"), retail)
	refused(t, err, domain.PlatformAccessDenied, "")
}

// An id of another form names no model: relations do.
func TestReportWithMalformedModelID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *emulator.Options) { o.Layout = emulator.Layout{} })
	all, err := w.folder.Reports(t.Context(), person("ada"), retail)
	check(t, err)
	for _, r := range all {
		if r.Model == nil {
			continue
		}
		w.service.Script(emulator.Fault{Path: "/reports/" + r.ID.String(), Times: 1, Answer: func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Content-Type", "application/json")
			_, _ = out.Write([]byte(`{"id": "` + r.ID.String() + `", "datasetId": "live connection"}`))
		}})
		if m, ok, err := w.ModelOf(t.Context(), person("ada"), r.Item); err != nil || !ok || m.ID != r.Model.ID {
			t.Errorf("%s is on %+v, %t, %v, want %s", r.DisplayName, m, ok, err, r.Model.ID)
		}
		return
	}
	t.Fatal("no report has a model")
}
