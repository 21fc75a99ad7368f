package overfabric_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"readiness/platform/fabric"
	"readiness/platform/fabric/emulator"
	"readiness/platform/fabric/setup"
	"readiness/test/scenarios/program"
	"readiness/test/testlog"
	"readiness/test/testworld"
)

// The program over REST says in every result that the platform may hold parts back.
func TestNotShownOverFabric(t *testing.T) {
	t.Parallel()
	c := program.WithModels(t, 5, 3, "--database-url", testlog.URL(t))
	c.OverFabric([]string{"ada"}, func(o *emulator.Options) { o.Layout = emulator.Layout{DropCopilot: true} })
	c.Launch()
	workspace := "/v1/workspaces/" + c.WorkspaceID.String()
	of := workspace + "/semanticModels/" + c.Models[0].String() + "/aiReadiness/"

	_, assessed := c.Do(of+"assess", nil)
	if lacks, _ := assessed["notAssessable"].([]any); assessed["scoreComplete"] != false || len(lacks) != 1 ||
		!strings.Contains(fmt.Sprint(lacks), "does not show") || assessed["score"] == nil {
		t.Errorf("the assessment is %v, complete %v, lacks %v", assessed["score"], assessed["scoreComplete"], lacks)
	}
	for i, row := range mustList(t, c, workspace+"/aiReadiness/assess", map[string]any{"semanticModelIds": c.Models}) {
		if row["scoreComplete"] != false || row["outcome"] != "Assessed" {
			t.Errorf("row %d of the bulk assessment is %v", i, row)
		}
	}
	list, ok := c.Call(t.Context(), http.MethodGet, of+"assessments", http.StatusOK, nil)
	if all, _ := list["value"].([]any); !ok || len(all) != 2 || all[0].(map[string]any)["scoreComplete"] != false ||
		all[0].(map[string]any)["comparableWithPrevious"] != true {
		t.Errorf("the assessments are %v", list)
	}
	_, preview := c.Do(of+"aiInstructions/preview", nil)
	if nothing := fmt.Sprint(preview["nothingToDo"]); !strings.Contains(nothing, "does not show") || len(preview["changes"].([]any)) != 0 {
		t.Errorf("the preview of AI instructions proposes %v: %s", preview["changes"], nothing)
	}
}

// Unless writes are on, the account may write and a probe of the tenant has passed, the service refuses what it would have to
// write with why and what to do. It accepts nothing, asks the platform for no write, and changes no file.
func TestWritesOverFabricAreRefused(t *testing.T) {
	t.Parallel()
	c := program.WithModels(t, 1, 3, "--database-url", testlog.URL(t))
	service := c.OverFabric([]string{"ada"}, func(*emulator.Options) {})
	accounts := c.Args[slices.Index(c.Args, "--accounts")+1]
	before, err := testworld.Files(c.Root)
	testworld.Check(t, err)
	of := "/v1/workspaces/" + c.WorkspaceID.String() + "/semanticModels/" + c.Models[0].String() + "/aiReadiness/"
	p := c.Launch()
	c.Do(of+"assess", nil)
	_, preview := c.Do(of+"descriptions/preview", nil)
	refuses := func(says string) {
		t.Helper()
		accepted, _ := program.Query[int](c, `SELECT count(*) FROM events WHERE type = 'operation.accepted'`)
		refusal, refused := c.Call(t.Context(), http.MethodPost, of+"descriptions/apply", http.StatusBadRequest,
			map[string]any{"previewId": preview["previewId"]})
		if !refused || refusal["errorCode"] != "OperationNotSupportedForItem" || !strings.Contains(fmt.Sprint(refusal["message"]), says) {
			t.Errorf("a write over REST is answered with %v, want %q", refusal, says)
		}
		if now, ok := program.Query[int](c, `SELECT count(*) FROM events WHERE type = 'operation.accepted'`); !ok || now != accepted {
			t.Errorf("%d operations were accepted", now-accepted)
		}
	}
	refuses("the service only reads from Fabric; download")
	p.Kill()

	c.WritesToFabric()
	text, err := os.ReadFile(accounts)
	testworld.Check(t, err)
	testworld.Check(t, os.WriteFile(accounts, bytes.Replace(text, []byte("fabricWrites: true"), []byte("fabricWrites: false"), 1), 0o600))
	p = c.Launch()
	refuses("settings.fabricWrites of the account")
	p.Kill()

	testworld.Check(t, os.WriteFile(accounts, text, 0o600))
	testworld.Check(t, setup.KeepAnswers(c.Args[slices.Index(c.Args, "--fabric-answers")+1], program.Tenant, fabric.Answers{ProbedAt: time.Now()}))
	c.Launch()
	refuses("its operator runs readinessd fabric probe")
	after, err := testworld.Files(c.Root)
	testworld.Check(t, err)
	if diff := testworld.Difference(before, after); diff != "" {
		t.Errorf("files changed:\n%s", diff)
	}
	for _, call := range service.Calls() {
		if strings.HasSuffix(call.Path, "/updateDefinition") {
			t.Errorf("the platform was asked to write: %s", call.Path)
		}
	}
}

// mustList runs an operation whose result has rows.
func mustList(t *testing.T, c *program.Program, path string, body any) (rows []map[string]any) {
	t.Helper()
	_, result := c.Do(path, body)
	all, _ := result["value"].([]any)
	if len(all) == 0 {
		t.Fatalf("%s gave %v", path, result)
	}
	for _, row := range all {
		rows = append(rows, row.(map[string]any))
	}
	return rows
}
