package fabric_test

import (
	"net/http"
	"testing"

	"readiness/domain/item"
)

// The models that the platform makes for usage reports and maintains itself are marked in lists and look-ups, by the name
// that it gives them. Nothing else is: no report of that name, and no model of a similar one.
func TestModelsOfUsageMetrics(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind item.Type
		name string
		want bool
	}{
		{item.SemanticModel, "Usage Metrics Report", true},
		{item.SemanticModel, "Report Usage Metrics Model", true},
		{item.SemanticModel, "Dashboard Usage Metrics Model", true},
		{item.SemanticModel, "usage metrics report", false},
		{item.SemanticModel, "Usage Metrics Report ", false},
		{item.SemanticModel, "Our Usage Metrics Report", false},
		{item.Report, "Usage Metrics Report", false},
		{item.Report, "Report Usage Metrics Model", false},
		{item.DataAgent, "Report Usage Metrics Model", false},
	} {
		one := `{"id":"` + attacked.ID.String() + `","workspaceId":"` + attacked.WorkspaceID.String() + `","type":"` + string(c.kind) +
			`","displayName":"` + c.name + `"}`
		p := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path[len(r.URL.Path)-1] == 's' {
				says(200, nil, `{"value":[`+one+`]}`)(w, r)
				return
			}
			says(200, nil, one)(w, r)
		}))
		listed, err := p.Items(t.Context(), person("ada"), attacked.WorkspaceID, c.kind)
		check(t, err)
		looked, err := p.Item(t.Context(), person("ada"), attacked.WorkspaceID, c.kind, attacked.ID)
		check(t, err)
		if len(listed) != 1 || listed[0].Maintained != c.want || looked.Maintained != c.want {
			t.Errorf("%s %q: the list has %+v, the look-up %+v; want maintained %t", c.kind, c.name, listed, looked, c.want)
		}
	}
}
