package person_test

import (
	"net/http"
	"strings"
	"testing"

	"readiness/platform/fabric/emulator"
)

// Where Power BI refuses its list, the reports are listed with their models all the same; a model that nothing shows is null and says
// why, and no answer says so of one that is known.
func TestReportsWithoutPowerBI(t *testing.T) {
	t.Parallel()
	s := newOverEntra(t)
	models := func() (all map[string]any) {
		t.Helper()
		status, list := s.send(s.signIn("ada"), http.MethodGet, s.expand(ofReports), "")
		if status != http.StatusOK {
			t.Fatalf("%d %v", status, list)
		}
		all = map[string]any{}
		for _, one := range list["value"].([]any) {
			r := one.(map[string]any)
			reasons, _ := r["unavailableReasons"].(map[string]any)
			if why, said := reasons["semanticModelId"].(string); said != (r["semanticModelId"] == nil) || said && !strings.Contains(why, "PowerBINotAuthorizedException") {
				t.Errorf("%v says %v", r, reasons)
			}
			all[r["reportName"].(string)] = r["semanticModelId"]
		}
		return all
	}
	want := models()
	s.service.Set(func(o *emulator.Options) { o.Unknown.ReportsRefused = "PowerBINotAuthorizedException" })
	for name, model := range models() {
		if model == nil || model != want[name] {
			t.Errorf("%s is on %v, want %v", name, model, want[name])
		}
	}
	s.service.Script(emulator.Fault{Path: "/relations/upstream", Answer: emulator.Error(403, "InsufficientPrivileges", "no"), Times: 100},
		emulator.Fault{Path: "/getDefinition", Answer: emulator.Error(403, "InsufficientPrivileges", "no"), Times: 100})
	got := models()
	for name := range want {
		if model, listed := got[name]; !listed || model != nil {
			t.Errorf("%s is on %v, listed: %t", name, model, listed)
		}
	}
	if len(want) == 0 || len(got) != len(want) {
		t.Errorf("%d reports, want %d", len(got), len(want))
	}
}
