package http_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
)

func quoted(format string, ids ...any) string { return fmt.Sprintf(format, ids...) }

// Faults that do not depend on stored data are refused before anything is looked up. Each call names a workspace that
// no person sees.
//
// proves: 4.5/kind 4.5/aiDataSchema-unattended 4.5/bundle/1 7.3/400-InvalidRequest/optimizations decisions/8/10-others decisions/8/11 decisions/8/14
func TestMalformedOptimizations(t *testing.T) {
	t.Parallel()
	w := newOnDisk(t)
	unseen := "/v1/workspaces/" + nowhere.String() + "/semanticModels/" + modelA.String() + "/aiReadiness"
	kinds := "aiInstructions, descriptions, properties or aiDataSchema"
	preview := quoted(`"previewId":"%s"`, nowhere)
	w.untouched(func() {
		for _, tt := range []struct{ path, body, says string }{
			{"/measures/preview", "", kinds},
			{"/Descriptions/preview", "", kinds},
			{"/optimize/preview", "", kinds},
			{"/descriptions/preview", `{"kinds":[]}`, "this call takes no body"},

			{"/measures/apply", `{"approval":"none"}`, kinds},
			{"/descriptions/apply", "", "previewId"},
			{"/descriptions/apply", `{}`, "neither previewId"},
			{"/descriptions/apply", `{"keys":["Sales|"]}`, "neither previewId"},
			{"/descriptions/apply", `{` + preview + `,"approval":"none"}`, "both previewId and approval"},
			{"/descriptions/apply", `{"approval":"required"}`, "approval is \"required\"; it must be none"},
			{"/descriptions/apply", `{` + preview + `,"approval":"given"}`, "approval is \"given\"; it must be none"},
			{"/descriptions/apply", `{` + preview + `,"approval":"given","values":{"Sales|":"x"}}`, "approval is \"given\"; it must be none"},
			{"/descriptions/apply", `{"approval":"none","keys":["Sales|"]}`, "keys cannot be combined with approval"},
			{"/descriptions/apply", `{"approval":"none","keys":[]}`, "keys is empty"},
			{"/descriptions/apply", `{"approval":"none","values":{"Sales|":"x"}}`, "values cannot be combined with approval"},
			{"/descriptions/apply", `{"approval":"none","values":{}}`, "values cannot be combined with approval"},
			{"/aiDataSchema/apply", `{"approval":"none"}`, "a person must review"},
			{"/descriptions/apply", `{` + preview + `,"keys":[]}`, "keys is empty"},
			{"/descriptions/apply", `{` + preview + `,"key":["Sales|"]}`, "keys"},
			{"/descriptions/apply", `{"previewID":"x"}`, "previewId"},
			{"/descriptions/apply", `{"previewId":7}`, "previewId"},
			{"/descriptions/apply", `{"previewId":null}`, "previewId"},
			{"/descriptions/apply", `{` + preview + `,"keys":[7]}`, "keys[0]"},
			{"/descriptions/apply", `{` + preview + `,"keys":null}`, "keys"},
			{"/descriptions/apply", `{` + preview + `,"values":{"Sales|":7}}`, "values.Sales|"},
			{"/descriptions/apply", `{` + preview + `,"values":[]}`, "values"},
			{"/descriptions/apply", `{` + preview + `,"values":{"Sales|":"a","Sales|":"b"}}`, "twice"},

			{"/revert", "", "operationId"},
			{"/revert", `{}`, "operationId"},
			{"/revert", `{"operationID":"x"}`, "operationId"},
			{"/revert", `{"operationId":null}`, "operationId"},
			{"/optimize/revert", "", "operationId"},
			{"/optimize/revert", `{}`, "operationId"},
			{"/optimize/revert", `{"previewId":"x"}`, "operationId"},

			{"/optimize", "", "approval"},
			{"/optimize", `{}`, "approval"},
			{"/optimize", `{"kinds":["descriptions"]}`, "approval"},
			{"/optimize", `{"approval":"maybe"}`, "required"},
			{"/optimize", `{"approval":"required","kinds":[]}`, "kinds is empty"},
			{"/optimize", `{"approval":"required","kinds":["measures"]}`, kinds},
			{"/optimize", `{"approval":"required","kinds":["descriptions","properties","descriptions"]}`, "descriptions twice"},
			{"/optimize", `{"approval":"none","kinds":["aiDataSchema"]}`, "a person must review"},
			{"/optimize", `{"approval":"required","kind":["descriptions"]}`, "kinds"},
			{"/optimize/apply", "", "previewId"},
			{"/optimize/apply", `{}`, "previewId"},
			{"/optimize/apply", `{` + preview + `,"kinds":[]}`, "kinds is empty"},
			{"/optimize/apply", `{` + preview + `,"kinds":["measures"]}`, kinds},
			{"/optimize/apply", `{` + preview + `,"kinds":["properties","properties"]}`, "properties twice"},
			{"/optimize/apply", `{` + preview + `,"approval":"none"}`, "approval"},
		} {
			w.start("ada", unseen+tt.path, tt.body).refused(400, domain.InvalidRequest).says(tt.says)
		}
		for _, path := range []string{
			"/v1/workspaces/sales/semanticModels/" + modelA.String() + "/aiReadiness/revert",
			"/v1/workspaces/" + sales.String() + "/semanticModels/actuals/aiReadiness/revert",
		} {
			w.start("ada", path, `{"operationId":"x"}`).refused(400, domain.InvalidRequest).says("is not a UUID")
		}
		long := strings.Repeat("k", 100_000)
		if got := w.start("ada", unseen+"/"+long+"/preview", ""); got.status != 400 || len(got.text) > 1000 {
			t.Errorf("a kind of 100,000 letters: got %d and %d bytes, want 400 that does not repeat it", got.status, len(got.text))
		}
	})
}

// Workspace and model are looked up as the caller on each of the six routes, which refuse a model that the platform maintains itself.
// Descriptions and properties need an assessment.
//
// proves: 1/2 7.3/404-ItemNotFound 7.3/404-AssessmentNotFound 4.5/preview/3 4.5/apply/7 4.5/bundle/3 decisions/8/14
func TestOptimizationsOfInvisibleItems(t *testing.T) {
	t.Parallel()
	w := newOnDisk(t)
	w.done("oscar", "/assess", "") // another account's assessment does not count
	maintained := uuid.New()
	w.model("Sales", "Report Usage Metrics Model", maintained, shop())
	w.untouched(func() {
		for path, body := range map[string]string{
			"/aiInstructions/preview": "", "/descriptions/preview": "",
			"/descriptions/apply": quoted(`{"previewId":"%s"}`, nowhere), "/aiInstructions/apply": `{"approval":"none"}`,
			"/revert": quoted(`{"operationId":"%s"}`, nowhere), "/optimize": `{"approval":"required"}`,
			"/optimize/apply": quoted(`{"previewId":"%s"}`, nowhere), "/optimize/revert": quoted(`{"operationId":"%s"}`, nowhere),
		} {
			of := func(workspace, model uuid.UUID) string {
				return "/v1/workspaces/" + workspace.String() + "/semanticModels/" + model.String() + "/aiReadiness" + path
			}
			w.start("bob", of(nowhere, modelA), body).refused(404, domain.WorkspaceNotFound)
			w.start("bob", of(finance, kept), body).refused(404, domain.WorkspaceNotFound)
			w.start("bob", of(sales, nowhere), body).refused(404, domain.ItemNotFound)
			w.start("bob", of(sales, kept), body).refused(404, domain.ItemNotFound)
			w.start("bob", of(sales, maintained), body).refused(400, domain.OperationNotSupportedForItem).says("itself maintains")
		}
		for path, body := range map[string]string{
			"/descriptions/preview": "", "/properties/preview": "", "/descriptions/apply": `{"approval":"none"}`, "/properties/apply": `{"approval":"none"}`,
			"/optimize": `{"approval":"required","kinds":["properties","descriptions"]}`,
		} {
			w.start("ada", path, body).refused(404, domain.AssessmentNotFound).says(modelA.String())
		}
	})
}

// A preview that cannot be applied, a key that it lacks and a text that cannot be written are refused without effect.
//
// proves: 4.5/apply/1 4.5/apply/2 4.5/apply/3 4.5/bundle/6 7.3/400-InvalidPreview 7.3/400-InvalidRequest/optimizations 8/display-folder 8/preview-lifetime decisions/8/12
func TestApplyRefusals(t *testing.T) {
	t.Parallel()
	w := newOnDisk(t)
	assessment, _ := w.done("ada", "/assess", "")
	w.done("oscar", "/assess", "")
	theirs, _ := w.done("oscar", "/descriptions/preview", "")
	theirBundle, _ := w.done("oscar", "/optimize", `{"approval":"required","kinds":["descriptions"]}`)
	descriptions, _ := w.done("ada", "/descriptions/preview", "")
	properties, _ := w.done("ada", "/properties/preview", "")
	schema, _ := w.done("ada", "/aiDataSchema/preview", "")
	bundle, _ := w.done("ada", "/optimize", `{"approval":"required","kinds":["descriptions","properties"]}`)
	budget := modelPath(modelB)
	apply := func(id any, more string) string { return quoted(`{"previewId":"%v"%s}`, id, more) }
	values := func(key, text string) string { return fmt.Sprintf(`,"values":{%q:%q}`, key, text) }

	type row struct {
		name, path, body string
		code             domain.Code
		says             string
	}
	refused := func(person string, rows []row) {
		t.Helper()
		w.untouched(func() {
			for _, tt := range rows {
				t.Log(tt.name)
				w.start(person, tt.path, tt.body).refused(400, tt.code).says(tt.says)
			}
		})
	}
	invalid := []row{
		{"malformed", "/descriptions/apply", apply("latest", ""), domain.InvalidPreview, "latest"},
		{"empty", "/descriptions/apply", apply("", ""), domain.InvalidPreview, ""},
		{"in braces", "/descriptions/apply", apply("{"+descriptions.String()+"}", ""), domain.InvalidPreview, ""},
		{"nobody's", "/descriptions/apply", apply(nowhere, ""), domain.InvalidPreview, "none with this id"},
		{"another account's", "/descriptions/apply", apply(theirs, ""), domain.InvalidPreview, "none with this id"},
		{"an operation that is no preview", "/descriptions/apply", apply(assessment, ""), domain.InvalidPreview, "none with this id"},
		{"a bundle", "/descriptions/apply", apply(bundle, ""), domain.InvalidPreview, "none with this id"},
		{"of another kind", "/properties/apply", apply(descriptions, ""), domain.InvalidPreview, "it previews descriptions, not properties"},
		{"of another model", budget + "/descriptions/apply", apply(descriptions, ""), domain.InvalidPreview, "another semantic model"},
		{"bundle: malformed", "/optimize/apply", apply("latest", ""), domain.InvalidPreview, "latest"},
		{"bundle: nobody's", "/optimize/apply", apply(nowhere, ""), domain.InvalidPreview, ""},
		{"bundle: another account's", "/optimize/apply", apply(theirBundle, ""), domain.InvalidPreview, ""},
		{"bundle: a preview of one kind", "/optimize/apply", apply(descriptions, ""), domain.InvalidPreview, ""},
		{"bundle: of another model", budget + "/optimize/apply", apply(bundle, ""), domain.InvalidPreview, "another semantic model"},
		{"bundle: a kind it lacks", "/optimize/apply", apply(bundle, `,"kinds":["aiInstructions"]`), domain.InvalidRequest, "aiInstructions"},
	}
	refused("ada", append(invalid,
		row{"unknown key", "/descriptions/apply", apply(descriptions, `,"keys":["Sales|Revenue","Sales|Nothing"]`), domain.InvalidRequest, "Sales|Nothing"},
		row{"key in another letter case", "/descriptions/apply", apply(descriptions, `,"keys":["sales|"]`), domain.InvalidRequest, "sales|"},
		row{"nothing recommended", "/aiDataSchema/apply", apply(schema, `,"keys":["Nobody|"]`), domain.InvalidRequest, "Nobody|"},
		row{"a text for what is not written", "/descriptions/apply", apply(descriptions, `,"keys":["Sales|Revenue"]`+values("Sales|Units", "A long enough text.")), domain.InvalidRequest, "does not write"},
		row{"a text for a key that it lacks", "/descriptions/apply", apply(descriptions, values("Nobody|", "A long enough text.")), domain.InvalidRequest, "does not write"},
		row{"a text for a default", "/properties/apply", apply(properties, values("Sales|Region", "sum")), domain.InvalidRequest, "summarizeBy"},
		row{"a text for a visibility", "/aiDataSchema/apply", apply(schema, `,"keys":["Sales|"]`+values("Sales|", "Hidden")), domain.InvalidRequest, "aiDataSchema"},
		row{"a blank description", "/descriptions/apply", apply(descriptions, values("Sales|Revenue", " \t\n ")), domain.InvalidRequest, "Sales|Revenue"},
		row{"no description", "/descriptions/apply", apply(descriptions, values("Sales|Revenue", "")), domain.InvalidRequest, "Sales|Revenue"},
		row{"a line separator", "/descriptions/apply", apply(descriptions, values("Sales|Revenue", "one\u2028two")), domain.InvalidRequest, "Sales|Revenue"},
		row{"a paragraph separator", "/descriptions/apply", apply(descriptions, values("Sales|Revenue", "one\u2029two")), domain.InvalidRequest, "Sales|Revenue"},
		row{"a vertical tab", "/descriptions/apply", apply(descriptions, `,"values":{"Sales|Revenue":"one\u000btwo"}`), domain.InvalidRequest, "Sales|Revenue"},
		row{"a form feed", "/descriptions/apply", apply(descriptions, `,"values":{"Sales|Revenue":"one\u000ctwo"}`), domain.InvalidRequest, "Sales|Revenue"},
		row{"a folder with a tab", "/properties/apply", apply(properties, values("Sales|Revenue", "a\tb")), domain.InvalidRequest, "Sales|Revenue"},
		row{"a folder in two lines", "/properties/apply", apply(properties, values("Sales|Revenue", "a\nb")), domain.InvalidRequest, "Sales|Revenue"},
		row{"a folder that is too long", "/properties/apply", apply(properties, values("Sales|Revenue", strings.Repeat("é", 101))), domain.InvalidRequest, "Sales|Revenue"},
		row{"a blank folder", "/properties/apply", apply(properties, values("Sales|Revenue", "  ")), domain.InvalidRequest, "Sales|Revenue"},
	))
	for _, id := range []any{descriptions, bundle} {
		w.Clock.Advance(24*time.Hour - 2*time.Minute)
		w.get(operationPath(id.(uuid.UUID))+"/result", w.as("ada")).ok(200)
		w.ahead(0)
	}
	w.Clock.Advance(24*time.Hour + time.Minute)
	refused("ada", []row{
		{"past its life", "/descriptions/apply", apply(descriptions, ""), domain.InvalidPreview, "24 hours"},
		{"bundle: past its life", "/optimize/apply", apply(bundle, ""), domain.InvalidPreview, "24 hours"},
	})
	w.ahead(0)

	// Another member may apply ada's preview, and the letter case of its id does not matter. The bundle is written
	// once.
	w.done("bob", "/descriptions/apply", apply(strings.ToUpper(descriptions.String()), `,"keys":["Sales|Revenue"]`))
	used, _ := w.done("ada", "/optimize/apply", apply(bundle, `,"kinds":["properties"]`))
	refused("ada", []row{{"bundle: applied already", "/optimize/apply", apply(bundle, ""), domain.InvalidPreview, used.String()}})
}
