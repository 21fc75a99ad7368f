package emulator_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"readiness/platform/fabric/emulator"
	"readiness/platform/folder"
	"readiness/test/samples"
)

const platform = "platform/definitions/platform.json#/definitions/"

// published names the schema of each route's answer in the descriptions that Microsoft publishes for Fabric; "" for Power
// BI's routes.
func published() map[string]string {
	all := map[string]string{
		"GET /v1/workspaces":                                         platform + "Workspaces",
		"GET /v1/workspaces/{w}":                                     platform + "WorkspaceInfo",
		"GET /v1/workspaces/{w}/items":                               platform + "Items",
		"GET /v1/workspaces/{w}/items/{i}":                           "common/definitions.json#/definitions/Item",
		"POST /v1/workspaces/{w}/items/{i}/getDefinition":            platform + "ItemDefinitionResponse",
		"GET /v1/workspaces/{w}/items/{i}/relations/upstream":        "platform/definitions/relations.json#/definitions/RelationsResponse",
		"POST /v1/workspaces/{w}/items/bulkExportDefinitions":        platform + "BulkExportItemDefinitionsResponse",
		"GET /v1/capacities":                                         platform + "Capacities",
		"GET /v1/capacities/{c}":                                     platform + "Capacity",
		"GET /v1/operations/{o}":                                     platform + "OperationState",
		"GET /v1/operations/{o}/result":                              platform + "ItemDefinitionResponse",
		"DELETE /v1/workspaces/{w}/items/{i}":                        "", // answers with nothing
		"POST /v1.0/myorg/groups/{w}/datasets/{i}/executeQueries":    "",
		"POST /v1.0/myorg/groups/{w}/datasets/{i}/executeDaxQueries": "",
		"GET /v1.0/myorg/groups/{w}/reports":                         "",
		"GET /v1.0/myorg/groups/{w}/reports/{i}":                     "",
	}
	for path, kind := range map[string]string{"semanticModels": "SemanticModel", "reports": "Report", "dataAgents": "DataAgent"} {
		file := strings.ToLower(kind[:1]) + kind[1:] + "/definitions.json#/definitions/"
		all["GET /v1/workspaces/{w}/"+path] = file + kind + "s"
		all["GET /v1/workspaces/{w}/"+path+"/{i}"] = file + kind
		all["POST /v1/workspaces/{w}/"+path] = file + kind // the result of the operation
		all["POST /v1/workspaces/{w}/"+path+"/{i}/getDefinition"] = file + kind + "DefinitionResponse"
	}
	return all
}

// schema returns a published schema; nil where READINESS_FABRIC_FACTS does not name the folder of the descriptions.
func schema(t *testing.T, ref string) *jsonschema.Schema {
	t.Helper()
	facts := os.Getenv("READINESS_FABRIC_FACTS")
	if facts == "" || ref == "" {
		return nil
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft4)
	at, err := filepath.Abs(filepath.Join(facts, "specs", ref))
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(at)
	if err != nil {
		t.Fatalf("%s: %v", ref, err)
	}
	return s
}

// present returns the value without parts that recorded traffic has and the descriptions lack: members that are null, and times
// without a zone.
func present(v any) any {
	switch v := v.(type) {
	case map[string]any:
		maps.DeleteFunc(v, func(_ string, one any) bool { return one == nil })
		for name, one := range v {
			v[name] = present(one)
		}
	case string:
		if _, err := time.Parse("2006-01-02T15:04:05.9999999", v); err == nil {
			return v + "Z"
		}
	case []any:
		for i, one := range v {
			v[i] = present(one)
		}
	}
	return v
}

// asPublished makes a call, whose answer must be as the route's description says, and returns it.
func asPublished(t *testing.T, s *httptest.Server, method, path, body string, status int, ref string) (map[string]any, http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer ada")
	res, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != status {
		t.Fatalf("%s %s: got %s %s, %v", method, path, res.Status, text, err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	if sch := schema(t, ref); sch != nil {
		if err := sch.Validate(present(value)); err != nil {
			t.Errorf("%s %s: %v\n%s", method, path, err, text)
		}
	}
	var out map[string]any
	_ = json.Unmarshal(text, &out)
	return out, res.Header
}

const commonError = "common/definitions.json#/definitions/ErrorResponse"

// Every route answers as Microsoft's descriptions say, with a result, at once and by an operation, and with an error. An
// update has an empty answer.
func TestAnswersArePublished(t *testing.T) {
	t.Parallel()
	behind, err := folder.Open(samples.Workspaces(t), folder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	emulated := emulator.New(emulator.Options{Folder: behind, Lasts: time.Nanosecond, PageSize: 1,
		Person: func(bearer string) (emulator.Person, error) {
			return emulator.Person{ID: bearer, Scopes: []string{"Workspace.Read.All", "Item.ReadWrite.All", "Report.Read.All",
				"Capacity.Read.All"}}, nil
		}})
	s := httptest.NewTLSServer(emulated)
	t.Cleanup(s.Close)
	refs := published()
	for _, route := range emulated.Templates() {
		if _, listed := refs[route]; !listed && !strings.Contains(route, "updateDefinition") && !strings.Contains(route, "/mcp/") {
			t.Errorf("%s: no schema is named", route)
		}
	}

	const retail, unknown = "dd861a23-9ffc-5a77-a120-f2f1e51bfd19", "00000000-0000-4000-8000-000000000000"
	in := "/v1/workspaces/" + retail
	first := func(list map[string]any) string {
		values, _ := list["value"].([]any)
		if len(values) == 0 {
			return ""
		}
		id, _ := values[0].(map[string]any)["id"].(string)
		return id
	}
	get := func(path, ref string) map[string]any {
		t.Helper()
		out, _ := asPublished(t, s, http.MethodGet, path, "", http.StatusOK, ref)
		return out
	}
	list := get("/v1/workspaces", refs["GET /v1/workspaces"])
	next, _ := list["continuationToken"].(string)
	get("/v1/workspaces?continuationToken="+next, refs["GET /v1/workspaces"])
	get(in, refs["GET /v1/workspaces/{w}"])
	capacity := first(get("/v1/capacities", refs["GET /v1/capacities"]))
	get("/v1/capacities/"+capacity, refs["GET /v1/capacities/{c}"])
	for _, kind := range []string{"items", "semanticModels", "reports", "dataAgents"} {
		id := first(get(in+"/"+kind, refs["GET /v1/workspaces/{w}/"+kind]))
		if id == "" {
			continue // this workspace has none
		}
		get(in+"/"+kind+"/"+id, refs["GET /v1/workspaces/{w}/"+kind+"/{i}"])
		read := in + "/" + kind + "/" + id + "/getDefinition"
		definition := refs["POST /v1/workspaces/{w}/"+kind+"/{i}/getDefinition"]
		_, h := asPublished(t, s, http.MethodPost, read, "", http.StatusAccepted, "")
		operation := "/v1/operations/" + h.Get("x-ms-operation-id")
		if at := h.Get("Location"); !strings.HasSuffix(at, operation) || strings.HasPrefix(at, s.URL) || h.Get("Retry-After") != "20" {
			t.Errorf("%s: the headers are %v", read, h)
		}
		get(operation, refs["GET /v1/operations/{o}"])
		get(operation+"/result", definition)
		emulated.Set(func(o *emulator.Options) { o.AtOnce = true })
		asPublished(t, s, http.MethodPost, read, "", http.StatusOK, definition)
		emulated.Set(func(o *emulator.Options) { o.AtOnce = false })
		for _, missing := range []string{in + "/" + kind + "/" + unknown, "/v1/workspaces/" + unknown + "/" + kind} {
			_, h := asPublished(t, s, http.MethodGet, missing, "", http.StatusNotFound, commonError)
			if h.Get("x-ms-public-api-error-code") == "" || h.Get("RequestId") == "" {
				t.Errorf("%s: the headers are %v", missing, slices.Sorted(maps.Keys(h)))
			}
		}
	}
	report := first(get(in+"/reports", refs["GET /v1/workspaces/{w}/reports"]))
	get(in+"/items/"+report+"/relations/upstream?beta=true", refs["GET /v1/workspaces/{w}/items/{i}/relations/upstream"])
	_, h := asPublished(t, s, http.MethodPost, in+"/items/bulkExportDefinitions?beta=true", `{"mode":"All"}`, http.StatusAccepted, "")
	get("/v1/operations/"+h.Get("x-ms-operation-id")+"/result", refs["POST /v1/workspaces/{w}/items/bulkExportDefinitions"])
	part := func(path, text string) string {
		return `{"path": "` + path + `", "payload": "` + base64.StdEncoding.EncodeToString([]byte(text)) + `", "payloadType": "InlineBase64"}`
	}
	_, h = asPublished(t, s, http.MethodPost, in+"/semanticModels", `{"displayName": "Made", "definition": {"parts": [`+
		part("definition.pbism", `{"version": "4.2", "settings": {}}`)+`, `+part("definition/model.tmdl", "model Model\n")+`]}}`, http.StatusAccepted, "")
	made := get("/v1/operations/"+h.Get("x-ms-operation-id")+"/result", refs["POST /v1/workspaces/{w}/semanticModels"])
	if names := emulated.Made(); len(names) != 1 || made["displayName"] != "Made" {
		t.Errorf("created %v, which answers %v", names, made)
	}
	for _, removal := range []struct {
		workspace string
		status    int
	}{{unknown, http.StatusNotFound}, {retail, http.StatusOK}, {retail, http.StatusNotFound}} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, s.URL+"/v1/workspaces/"+removal.workspace+"/items/"+made["id"].(string), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer ada")
		res, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if _ = res.Body.Close(); res.StatusCode != removal.status {
			t.Errorf("deleted in %s: got %s, want %d", removal.workspace, res.Status, removal.status)
		}
	}
	if names := emulated.Made(); len(names) != 0 {
		t.Errorf("left %v", names)
	}
	emulated.Script(emulator.Fault{Path: "/v1/workspaces", Answer: emulated.Throttled(time.Second)})
	asPublished(t, s, http.MethodGet, "/v1/workspaces", "", http.StatusTooManyRequests, commonError)
}
