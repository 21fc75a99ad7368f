package clientcmd

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/client"
	"readiness/cmd/readiness/clientcmd/sheet"
)

// A bulk result shows what differs or repeats across its models, by their names, and nothing where there is nothing.
func TestAcrossTable(t *testing.T) {
	t.Parallel()
	show := func(across string) string {
		t.Helper()
		row := `{"semanticModelId":%q,"semanticModelName":%s,"outcome":"Assessed","assessmentId":null,"score":null,"scoreDataAgent":null,"findingsCount":null,"firstLook":false,"error":null}`
		var b client.BulkAssessment
		text := fmt.Sprintf(`{"workspaceId":"w","workspaceName":null,"succeeded":3,"failed":0,"value":[`+row+`,`+row+`,`+row+`],"acrossModels":%s}`, "1", `"Sales"`, "2", `"Returns"`, "3", "null", across)
		if err := json.Unmarshal([]byte(text), &b); err != nil {
			t.Fatal(err)
		}
		s := &sheet.Sheet{}
		acrossTable(s, b)
		return s.String()
	}
	names := func(name string) string {
		return `{"count":1,"value":[{"name":"` + name + `","models":3,"texts":2,"value":[{"models":12,"semanticModelIds":["1","2"]},{"models":1,"semanticModelIds":["3"]}]}]}`
	}
	none, noGroups := `{"count":0,"value":[]}`, `{"count":0,"value":[]}`
	for name, tt := range map[string]struct{ across, want string }{
		"null":     {"null", ""},
		"nothing":  {`{"compared":3,"measures":` + none + `,"tables":` + none + `,"nearIdentical":` + noGroups + `}`, ""},
		"measures": {`{"compared":3,"measures":` + names("Net") + `,"tables":` + none + `,"nearIdentical":` + noGroups + `}`, "ACROSS MODELS  WHAT           SEMANTIC MODELS\n[Net]          2 expressions  (1) Sales, Returns, 10 more (2) 3\n"},
		"tables":   {`{"compared":3,"measures":` + none + `,"tables":` + names("Date") + `,"nearIdentical":` + noGroups + `}`, "ACROSS MODELS  WHAT            SEMANTIC MODELS\n'Date'         2 descriptions  (1) Sales, Returns, 10 more (2) 3\n"},
		"groups":   {`{"compared":3,"measures":` + none + `,"tables":` + none + `,"nearIdentical":{"count":12,"value":[{"models":2,"share":0.956,"semanticModelIds":["2","1"]}]}}`, "ACROSS MODELS     WHAT                         SEMANTIC MODELS\nnearly identical  95 % of the objects or more  Returns, Sales\n… and 2 more; --json prints all\n"},
	} {
		if diff := cmp.Diff(strings.TrimSpace(tt.want), strings.TrimSpace(show(tt.across))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
