package http_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/eventstore"
	"readiness/http/token"
	"readiness/test/testworld"
)

// members returns the sorted names of an object's members.
func members(object any) string {
	m, _ := object.(map[string]any)
	return strings.Join(slices.Sorted(maps.Keys(m)), " ")
}

// objects converts a list of objects.
func objects(t *testing.T, list any) []map[string]any {
	t.Helper()
	all, ok := list.([]any)
	if !ok {
		t.Fatalf("got %v, want a list", list)
	}
	out := make([]map[string]any, len(all))
	for i, o := range all {
		out[i] = o.(map[string]any)
	}
	return out
}

// sorted returns words in the order of members.
func sorted(words ...string) string {
	all := strings.Fields(strings.Join(words, " "))
	slices.Sort(all)
	return strings.Join(all, " ")
}

const (
	previewMembers = "previewId kind workspaceId semanticModelId semanticModelName createdAtUtc expiresAtUtc assessmentId changes skipped nothingToDo usageInProposal reason message provider scoreNow scoreAfter"
	changeMembers  = "key type table object objectType property current proposed reason recommended"
	recordMembers  = "revertOperationId kind workspaceId semanticModelId standing revertedByOperationId unattended appliedAtUtc expiresAtUtc applied skipped"
	objectMembers  = "key type table object objectType property previous written"
)

// The preview, the apply record and the revert record of each kind, with all members by name. The revert restores the
// files byte for byte.
//
// proves: decisions/7/part-score 2.12/preview/changes 2.12/preview/key-aiInstructions 2.12/preview/key-table-object 2.12/preview/change-types 2.12/preview/properties 2.12/preview/recommended 2.12/apply/record 2.12/apply/standing 2.12/apply/reverts 3.5/reverted 4.5/route/preview 4.5/route/apply 4.5/route/revert
func TestOptimizationResults(t *testing.T) {
	t.Parallel()
	w := newOnDisk(t)
	assessment, _ := w.done("ada", "/assess", "")
	made := w.get(operationPath(assessment)+"/result", w.as("ada")).body["assessmentId"]
	before := w.files()
	for _, tt := range []struct {
		kind, more string
		key        string // of one change
		types      string
		property   string
		assessed   any
	}{
		{"aiInstructions", "maxLength needsYourWords", "aiInstructions", "aiInstructions", "instructions", nil},
		{"descriptions", "needsYourWords", "Sales|Revenue", "description", "description", made},
		{"properties", "existingFolders needsYourWords", "Sales|Revenue YTD", "displayFolder summarizeBy", "displayFolder", made},
		{"aiDataSchema", "recommendedKeys", "Sales|", "aiDataSchema", "visibility", nil},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			id, p := w.done("ada", "/"+tt.kind+"/preview", "")
			if got, want := strings.NewReplacer("dimensionsThatFall ", "", "dimensions ", "").Replace(members(p)), sorted(previewMembers, tt.more); got != want {
				t.Errorf("the preview has the members\n%s\nwant\n%s", got, want)
			}
			if p["previewId"] != id.String() || p["kind"] != tt.kind || p["workspaceId"] != sales.String() || p["semanticModelId"] != modelA.String() || p["semanticModelName"] != "Actuals" ||
				p["assessmentId"] != tt.assessed || p["nothingToDo"] != nil || p["usageInProposal"] != false {
				t.Errorf("the preview says %v", p)
			}
			if created, expires := instant(t, p["createdAtUtc"]), instant(t, p["expiresAtUtc"]); expires.Sub(created) != 24*time.Hour {
				t.Errorf("the preview is kept from %v to %v, want 24 hours", created, expires)
			}
			changes := objects(t, p["changes"])
			types := map[string]bool{}
			w.scoresParts(tt.kind, id, p, changes)
			var one map[string]any
			for _, c := range changes {
				types[c["type"].(string)] = true
				if got := members(c); got != sorted(changeMembers) {
					t.Errorf("the change has the members %s", got)
				}
				if c["key"] == tt.key {
					one = c
				}
			}
			if got := strings.Join(slices.Sorted(maps.Keys(types)), " "); got != tt.types || one == nil || one["property"] != tt.property || one["proposed"] == "" || one["reason"] == "" || one["current"] != nil {
				t.Errorf("got changes of types %s, and of %s %v", got, tt.key, one)
			}

			applied, record := w.done("ada", "/"+tt.kind+"/apply", fmt.Sprintf(`{"previewId":%q,"keys":[%q]}`, id, tt.key))
			if got := members(record); got != sorted(recordMembers) {
				t.Errorf("the record has the members %s", got)
			}
			wrote := map[string]any{
				"key": tt.key, "type": one["type"], "table": one["table"], "object": one["object"], "objectType": one["objectType"], "property": tt.property,
				"previous": nil, "written": one["proposed"],
			}
			if diff := cmp.Diff([]any{wrote}, record["applied"]); diff != "" {
				t.Errorf("applied (-want +got):\n%s", diff)
			}
			stands := map[string]any{
				"revertOperationId": applied.String(), "kind": tt.kind, "workspaceId": sales.String(), "semanticModelId": modelA.String(),
				"standing": "Applied", "revertedByOperationId": nil, "unattended": false, "skipped": []any{},
				"applied": record["applied"], "appliedAtUtc": record["appliedAtUtc"], "expiresAtUtc": record["expiresAtUtc"],
			}
			if diff := cmp.Diff(stands, record); diff != "" {
				t.Errorf("the record (-want +got):\n%s", diff)
			}
			if at, until := instant(t, record["appliedAtUtc"]), instant(t, record["expiresAtUtc"]); until.Sub(at) != 30*24*time.Hour {
				t.Errorf("the record is kept from %v to %v, want 30 days", at, until)
			}
			if cmp.Equal(before, w.files()) {
				t.Error("nothing was written")
			}

			reverted, back := w.done("ada", "/revert", fmt.Sprintf(`{"operationId":%q}`, applied))
			if got := members(back); got != sorted(recordMembers, "reverts") || back["reverts"] != applied.String() || back["revertOperationId"] != reverted.String() || back["standing"] != "Applied" {
				t.Errorf("the revert's record says %v", back)
			}
			if diff := cmp.Diff(map[string]any{"previous": one["proposed"], "written": nil}, part(objects(t, back["applied"])[0], "previous", "written")); diff != "" {
				t.Errorf("the revert wrote (-want +got):\n%s", diff)
			}
			after := w.get(operationPath(applied)+"/result", w.as("ada")).ok(200).body
			stands["standing"], stands["revertedByOperationId"] = "Reverted", reverted.String()
			if diff := cmp.Diff(stands, after); diff != "" {
				t.Errorf("the record once reverted (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, w.files()); diff != "" {
				t.Errorf("the files are not what they were (-before +after):\n%s", diff)
			}

			w.untouched(func() {
				w.start("ada", "/revert", fmt.Sprintf(`{"operationId":%q}`, applied)).refused(400, domain.InvalidRequest).says("already reverted", reverted.String())
				w.start("ada", "/revert", fmt.Sprintf(`{"operationId":%q}`, reverted)).refused(404, domain.OperationNotFound)
			})
		})
	}
}

func instant(t *testing.T, text any) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(text))
	check(t, err)
	return at
}

// part returns an object with only the named members.
func part(object map[string]any, names ...string) map[string]any {
	out := map[string]any{}
	for _, n := range names {
		if v, there := object[n]; there {
			out[n] = v
		}
	}
	return out
}

// A kind with nothing to propose still has a preview, and an unattended apply of it has a record without writes.
//
// proves: 2.12/preview/nothingToDo 4.5/preview/5 4.5/apply/7 4.5/revert/4
func TestNothingToDo(t *testing.T) {
	t.Parallel()
	w := newOnDisk(t)
	plain := modelPath(modelC)
	w.done("ada", plain+"/assess", "")
	_, p := w.done("ada", plain+"/properties/preview", "")
	if p["nothingToDo"] == nil || p["nothingToDo"] == "" || len(objects(t, p["changes"])) != 0 || p["scoreNow"] != p["scoreAfter"] {
		t.Errorf("the preview says %v", p)
	}
	if p["existingFolders"] == nil || p["provider"] != nil {
		t.Errorf("got existingFolders %v and provider %v, want an empty list and none", p["existingFolders"], p["provider"])
	}
	before := w.files()
	id, record := w.done("ada", plain+"/properties/apply", `{"approval":"none"}`)
	if diff := cmp.Diff(map[string]any{"unattended": true, "standing": "Applied", "appliedAtUtc": nil, "expiresAtUtc": nil, "applied": []any{}},
		part(record, "unattended", "standing", "appliedAtUtc", "expiresAtUtc", "applied")); diff != "" {
		t.Errorf("the record (-want +got):\n%s", diff)
	}
	if skipped := objects(t, record["skipped"]); len(skipped) == 0 || skipped[0]["message"] == "" {
		t.Errorf("got skipped %v, want why nothing was written", skipped)
	}
	if diff := cmp.Diff(before, w.files()); diff != "" {
		t.Errorf("the platform was written to:\n%s", diff)
	}
	w.untouched(func() {
		w.start("ada", plain+"/revert", fmt.Sprintf(`{"operationId":%q}`, id)).refused(400, domain.InvalidRequest).says("wrote nothing")
	})
	w.Clock.Advance(30*24*time.Hour - time.Minute)
	w.get(operationPath(id)+"/result", w.as("ada")).ok(200)
	w.Clock.Advance(2 * time.Minute)
	w.get(operationPath(id)+"/result", w.as("ada")).refused(410, domain.OperationExpired)
}

// A preview reports the optional permissions of the person who made it.
//
// proves: 2.12/preview/usage 2.12/preview/agent 4.5/preview/6 4.5/preview/7 5/4-agent
func TestPermissionsOfPreviews(t *testing.T) {
	t.Parallel()
	w := newOnDisk(t)
	w.agents()
	portal := "https://portal.example.com/consent?grant="
	usage := func(access string, more ...string) map[string]any {
		m := map[string]any{"access": access, "permission": "Dataset.Read.All"}
		for i := 0; i+1 < len(more); i += 2 {
			m[more[i]] = more[i+1]
		}
		return m
	}
	none := usage("ConsentRequired", "consentUrl", portal+"Dataset.Read.All")
	for _, tt := range []struct {
		person       string
		usage, agent any
		reason       any
	}{
		{"ada", nil, nil, nil},
		{"bob", none, nil, nil},
		{"uma", usage("Unavailable"), nil, nil},
		{"gus", none, map[string]any{"access": "ConsentRequired", "permission": "DataAgent.Execute.All", "consentUrl": portal + "DataAgent.Execute.All"}, "PermissionRequired"},
		{"hal", none, map[string]any{"access": "Unavailable", "permission": "DataAgent.Execute.All"}, "PermissionRequired"},
		{"ivy", none, nil, nil},
	} {
		_, p := w.done(tt.person, "/aiInstructions/preview", "")
		got, _ := p["usage"].(map[string]any)
		if message := fmt.Sprint(got["message"]); tt.usage != nil && !strings.Contains(message, "Dataset.Read.All") {
			t.Errorf("%s: the message %q does not name the permission", tt.person, message)
		}
		delete(got, "message")
		if diff := cmp.Diff(tt.usage, p["usage"]); diff != "" {
			t.Errorf("%s: usage (-want +got):\n%s", tt.person, diff)
		}
		if diff := cmp.Diff(tt.agent, p["agent"]); diff != "" {
			t.Errorf("%s: agent (-want +got):\n%s", tt.person, diff)
		}
		if p["reason"] != tt.reason || tt.reason != nil && !strings.Contains(fmt.Sprint(p["message"]), "DataAgent.Execute.All") {
			t.Errorf("%s: got reason %v and message %v", tt.person, p["reason"], p["message"])
		}
	}
}

// A bundle: its preview, its apply and its revert, in which each kind has its own operation.
//
// proves: 2.12/bundle/preview 2.12/bundle/apply 4.5/bundle/2 4.5/bundle/6 4.5/bundle/7 4.5/route/optimize 4.5/route/optimize-apply 4.5/route/optimize-revert
func TestBundleResults(t *testing.T) {
	t.Parallel()
	w := newOnDisk(t)
	before := w.files()
	preview, p := w.done("ada", "/optimize", `{"approval":"required"}`) // never assessed
	if members(p) != sorted("previewId createdAtUtc expiresAtUtc kinds") || p["previewId"] != preview.String() {
		t.Errorf("the bundle preview says %v", p)
	}
	kinds := objects(t, p["kinds"])
	var standings []string
	for _, k := range kinds {
		standings = append(standings, fmt.Sprint(k["kind"], " ", k["standing"]))
		if members(k) != sorted("kind operationId standing previewId reason message") {
			t.Errorf("the kind has the members %s", members(k))
		}
		if k["standing"] == "Skipped" {
			if k["operationId"] != nil || k["previewId"] != nil || k["reason"] != "AssessmentNotFound" || k["message"] == nil {
				t.Errorf("got %v, want why there is no preview", k)
			}
			continue
		}
		if k["operationId"] == nil || k["operationId"] != k["previewId"] || k["reason"] != nil || k["message"] != nil {
			t.Errorf("got %v, want the preview, which is the operation", k)
		}
		child := w.get(operationPath(uuid.MustParse(k["operationId"].(string)))+"/result", w.as("ada")).ok(200)
		if child.body["kind"] != k["kind"] || child.body["previewId"] != k["previewId"] {
			t.Errorf("the child's result is %s", child.text)
		}
	}
	if diff := cmp.Diff([]string{"aiInstructions Succeeded", "descriptions Skipped", "properties Skipped", "aiDataSchema Succeeded"}, standings); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}

	applied, a := w.done("ada", "/optimize/apply", fmt.Sprintf(`{"previewId":%q}`, preview))
	if members(a) != sorted("revertOperationId standing kinds") || a["revertOperationId"] != applied.String() || a["standing"] != "Applied" {
		t.Errorf("the bundle apply says %v", a)
	}
	written := map[any]any{}
	for i, k := range objects(t, a["kinds"]) {
		want := map[string]any{
			"kind": []any{"aiInstructions", "aiDataSchema"}[i], "operationId": k["operationId"], "standing": "Applied",
			"revertOperationId": k["operationId"], "previewId": kinds[i*3]["previewId"], "errorCode": nil, "message": nil,
		}
		if diff := cmp.Diff(want, k); diff != "" || k["operationId"] == nil {
			t.Errorf("kind %d (-want +got):\n%s", i, diff)
		}
		written[k["kind"]] = k["operationId"]
	}

	reverted, r := w.done("ada", "/optimize/revert", fmt.Sprintf(`{"operationId":%q}`, applied))
	if r["revertOperationId"] != reverted.String() || r["reverts"] != applied.String() || r["standing"] != "Reverted" {
		t.Errorf("the bundle revert says %v", r)
	}
	for i, k := range objects(t, r["kinds"]) {
		want := map[string]any{
			"kind": []any{"aiDataSchema", "aiInstructions"}[i], "operationId": k["operationId"], "standing": "Reverted",
			"revertOperationId": nil, "previewId": nil, "errorCode": nil, "message": nil,
		}
		if diff := cmp.Diff(want, k); diff != "" {
			t.Errorf("kind %d of the revert (-want +got):\n%s", i, diff)
		}
		back := w.get(operationPath(uuid.MustParse(k["operationId"].(string)))+"/result", w.as("ada")).ok(200).body
		if back["reverts"] != written[k["kind"]] {
			t.Errorf("the revert of %v put %v back, want %v", k["kind"], back["reverts"], written[k["kind"]])
		}
	}
	if a := w.get(operationPath(applied)+"/result", w.as("ada")).ok(200).body; a["standing"] != "Reverted" || objects(t, a["kinds"])[0]["standing"] != "Reverted" {
		t.Errorf("the reverted bundle apply says %v", a)
	}
	if diff := cmp.Diff(before, w.files()); diff != "" {
		t.Errorf("the files are not what they were (-before +after):\n%s", diff)
	}

	w.done("ada", "/assess", "")
	_, u := w.done("ada", "/optimize", `{"approval":"none","kinds":["aiDataSchema","properties"]}`)
	unattended := objects(t, u["kinds"])
	if len(unattended) != 2 || unattended[0]["kind"] != "properties" || unattended[0]["standing"] != "Applied" {
		t.Fatalf("got %v", u)
	}
	last := unattended[1]
	if last["standing"] != "Skipped" || last["operationId"] == nil || last["operationId"] != last["previewId"] || last["revertOperationId"] != nil || last["previewId"] == nil || last["errorCode"] != "InvalidRequest" {
		t.Errorf("got %v, want it skipped and its preview there to be applied", last)
	}
	child := w.get(operationPath(uuid.MustParse(last["operationId"].(string)))+"/result", w.as("ada")).ok(200).body
	if child["kind"] != "aiDataSchema" || child["previewId"] != last["previewId"] {
		t.Errorf("its operation answers %v", child)
	}
	w.done("ada", "/aiDataSchema/apply", fmt.Sprintf(`{"previewId":%q,"keys":["Sales|"]}`, last["previewId"]))
}

// While a bundle apply is being reverted, neither it nor one of its kinds is reverted a second time: the revert that runs
// puts every kind back, and its result says so.
//
// proves: 4.5/bundle/7 4.5/revert/4 7.3/409-OperationInProgress/held
func TestOneRevertOfABundleAtATime(t *testing.T) {
	t.Parallel()
	w := newOnDisk(t)
	before := w.files()
	preview, _ := w.done("ada", "/optimize", `{"approval":"required","kinds":["aiInstructions","aiDataSchema"]}`)
	applied, a := w.done("ada", "/optimize/apply", fmt.Sprintf(`{"previewId":%q}`, preview))
	kinds := objects(t, a["kinds"])
	revert := func(id any) string { return fmt.Sprintf(`{"operationId":"%v"}`, id) }

	var mu sync.Mutex
	var accepted []uuid.UUID
	var calls sync.WaitGroup
	for _, person := range []string{"ada", "bob", "ada", "bob"} {
		token := w.as(person)
		calls.Go(func() {
			got := w.post(modelPath(modelA)+"/optimize/revert", token, revert(applied))
			mu.Lock()
			defer mu.Unlock()
			if got.status == http.StatusAccepted {
				accepted = append(accepted, got.operation())
			} else {
				got.refused(409, domain.OperationInProgress)
			}
		})
	}
	calls.Wait()
	if len(accepted) != 1 {
		t.Fatalf("%d reverts were accepted, want 1", len(accepted))
	}
	first := accepted[0]
	if op := w.resting(first); op.Waiting == nil {
		t.Fatalf("the revert is %s and does not wait for its owner", op.Status)
	}
	w.untouched(func() {
		for _, call := range []struct{ person, path, id string }{
			{"ada", "/optimize/revert", applied.String()}, {"bob", "/optimize/revert", applied.String()},
			{"ada", "/revert", kinds[0]["revertOperationId"].(string)}, {"bob", "/revert", kinds[0]["revertOperationId"].(string)},
		} {
			got := w.start(call.person, call.path, revert(call.id)).refused(409, domain.OperationInProgress)
			if got.body["isRetriable"] != true || got.header.Get("Retry-After") == "" || !slices.Contains(got.parameter("operationId"), first.String()) {
				t.Errorf("%s: got %v %s, want it retriable, naming the revert", call.path, got.header, got.text)
			}
		}
	})
	owner := "ada"
	if w.resting(first).Owner != "ada" {
		owner = "bob"
	}
	w.ended(owner, first)
	result := w.get(operationPath(first)+"/result", w.as(owner)).ok(200).body
	if result["standing"] != "Reverted" {
		t.Errorf("the revert says %v", result)
	}
	if diff := cmp.Diff(before, w.files()); diff != "" {
		t.Errorf("the files are not what they were (-before +after):\n%s", diff)
	}
	w.untouched(func() {
		w.start("ada", "/optimize/revert", revert(applied)).refused(400, domain.InvalidRequest).says("already reverted")
	})
}

// Ids that a revert refuses, for any caller.
//
// proves: 4.5/revert/4 4.5/bundle/7 7.2/OperationNotFound 7.3/404-OperationNotFound 7.3/400-InvalidRequest/optimizations 7.3/409-ItemChanged 7.3/409-OperationInProgress/held decisions/8/12 decisions/8/13
func TestRevertRefusals(t *testing.T) {
	t.Parallel()
	w := newOnDisk(t)
	revert := func(id any) string { return fmt.Sprintf(`{"operationId":"%v"}`, id) }
	assessment, _ := w.done("ada", "/assess", "")
	preview, _ := w.done("ada", "/properties/preview", "")
	bundlePreview, _ := w.done("ada", "/optimize", `{"approval":"required","kinds":["aiInstructions"]}`)
	first, _ := w.done("ada", "/properties/apply", fmt.Sprintf(`{"previewId":%q,"keys":["Sales|Region"]}`, preview))
	bundle, _ := w.done("ada", "/optimize/apply", fmt.Sprintf(`{"previewId":%q}`, bundlePreview))
	const table = "Sales/Actuals.SemanticModel/definition/tables/Sales.tmdl"
	path := modelPath(modelA)
	for _, tt := range []struct {
		name, person, path string
		id                 any
	}{
		{"malformed", "ada", path + "/revert", "latest"},
		{"nobody's", "ada", path + "/revert", nowhere},
		{"an assessment", "ada", path + "/revert", assessment},
		{"a preview", "ada", path + "/revert", preview},
		{"a bundle", "ada", path + "/revert", bundle},
		{"another model's", "ada", modelPath(modelB) + "/revert", first},
		{"another account's", "oscar", path + "/revert", first},
		{"bundle: malformed", "ada", path + "/optimize/revert", "latest"},
		{"bundle: nobody's", "ada", path + "/optimize/revert", nowhere},
		{"bundle: an apply of one kind", "ada", path + "/optimize/revert", first},
		{"bundle: a bundle preview", "ada", path + "/optimize/revert", bundlePreview},
		{"bundle: another model's", "ada", modelPath(modelB) + "/optimize/revert", bundle},
		{"bundle: another account's", "oscar", path + "/optimize/revert", bundle},
	} {
		w.untouched(func() {
			t.Log(tt.name)
			w.start(tt.person, tt.path, revert(tt.id)).refused(404, domain.OperationNotFound)
		})
	}

	before := w.files()
	w.model("Sales", "Actuals", modelA, shop()) // simulates another person's change
	second, _ := w.done("ada", "/properties/apply", fmt.Sprintf(`{"previewId":%q,"keys":["Sales|Region"]}`, preview))
	w.untouched(func() {
		got := w.start("bob", "/revert", revert(first)).refused(409, domain.ItemChanged).says("Sales[Region]", second.String())
		if ids := got.parameter("operationId"); !slices.Contains(ids, second.String()) {
			t.Errorf("got parameters %v, want the later apply", got.body["parameters"])
		}
	})
	w.done("bob", "/revert", revert(second))
	w.write(before[table], table) // as the first apply left it
	w.done("bob", "/revert", revert(first))

	// An apply that waits for its owner locks the model and cannot be reverted.
	waiting := w.start("ada", "/properties/apply", `{"approval":"none"}`).operation()
	if op := w.resting(waiting); op.Waiting == nil {
		t.Fatalf("the unattended apply is %s and does not wait for its owner", op.Status)
	}
	w.untouched(func() {
		w.start("ada", "/revert", revert(waiting)).refused(409, domain.OperationInProgress).says(waiting.String())
		w.start("bob", "/optimize/revert", revert(bundle)).refused(409, domain.OperationInProgress).says(waiting.String())
		held := w.start("bob", "/aiInstructions/apply", `{"approval":"none"}`).refused(409, domain.OperationInProgress).says(waiting.String())
		if held.body["isRetriable"] != true || held.header.Get("Retry-After") == "" || !slices.Contains(held.parameter("operationId"), waiting.String()) {
			t.Errorf("got %v %s, want it retriable, naming the operation", held.header, held.text)
		}
	})
	w.ended("ada", waiting)
	w.done("bob", "/optimize/revert", revert(bundle))
}

// Previews are readable for 24 hours, results of applies and reverts for 30 days; after that, reads return 410.
//
// proves: 2.12/preview/lifetime 3.5/lifetimes 4.5/preview/1 4.5/apply/4 8/preview-lifetime 8/apply-record-lifetime 7.2/OperationExpired
func TestOptimizationResultsExpire(t *testing.T) {
	t.Parallel()
	w := newOnDisk(t)
	const day = 24 * time.Hour
	lives := map[uuid.UUID]time.Duration{}
	done := func(life time.Duration, path, body string) uuid.UUID {
		id, _ := w.done("ada", path, body)
		lives[id] = life
		return id
	}
	preview := done(day, "/aiInstructions/preview", "")
	bundle := done(day, "/optimize", `{"approval":"required","kinds":["aiInstructions","aiDataSchema"]}`)
	apply := done(30*day, "/aiInstructions/apply", fmt.Sprintf(`{"previewId":%q}`, preview))
	done(30*day, "/revert", fmt.Sprintf(`{"operationId":%q}`, apply))
	bundled := done(30*day, "/optimize/apply", fmt.Sprintf(`{"previewId":%q}`, bundle))
	standing := done(30*day, "/optimize", `{"approval":"none","kinds":["aiInstructions"]}`) // nothing left to do
	done(30*day, "/optimize/revert", fmt.Sprintf(`{"operationId":%q}`, bundled))
	for id, life := range lives {
		w.ahead(life - 5*time.Minute)
		w.get(operationPath(id)+"/result", w.as("ada")).ok(200)
		w.ahead(life + time.Minute)
		w.get(operationPath(id)+"/result", w.as("ada")).refused(410, domain.OperationExpired)
		w.get(operationPath(id), w.as("ada")).ok(200)
	}
	w.ahead(30*day + time.Minute)
	late, _ := w.done("ada", "/aiInstructions/apply", `{"approval":"none"}`)
	w.ahead(60*day + 2*time.Minute)
	w.untouched(func() {
		w.start("ada", "/revert", fmt.Sprintf(`{"operationId":%q}`, late)).refused(410, domain.OperationExpired)
		w.start("ada", "/optimize/revert", fmt.Sprintf(`{"operationId":%q}`, standing)).refused(400, domain.InvalidRequest)
	})
}

// The remaining writes wait for the person who started them. Nothing is started by a read by another member, with a
// read-only token, of the list or of the result. Ten reads by the owner start the next write once.
//
// proves: 4.5/apply/6 4.5/apply/7 5/5 decisions/2/etag
func TestOwnersRead(t *testing.T) {
	t.Parallel()
	w := newOnDisk(t)
	w.done("ada", "/assess", "")
	preview, _ := w.done("ada", "/properties/preview", "")
	id := w.start("ada", "/properties/apply", fmt.Sprintf(`{"previewId":%q,"keys":["Sales|Revenue YTD","Sales|Region"]}`, preview)).operation()
	if op := w.resting(id); op.Waiting == nil || op.Status != operation.StatusRunning {
		t.Fatalf("after the first write the operation is %s, want it Running and waiting", op.Status)
	}
	running := w.get(operationPath(id), w.as("bob")).ok(200)
	tag := running.header.Get("ETag")
	w.untouched(func() {
		for name, got := range map[string]reply{
			"another member":      w.get(operationPath(id), w.as("bob")).ok(200),
			"a token for reading": w.get(operationPath(id), w.as("ada", token.ScopeRead)).ok(200),
		} {
			if got.body["status"] != "Running" || got.header.Get("Location") != w.base+operationPath(id) || got.header.Get("Retry-After") == "" {
				t.Errorf("%s: got %s", name, got.text)
			}
		}
		w.get(operationPath(id), w.as("bob"), "If-None-Match", tag).ok(304)
		w.get(operationPath(id), w.as("oscar")).refused(404, domain.OperationNotFound)
		w.get("/v1/operations", w.as("ada")).ok(200)
		if got := w.send(http.MethodHead, operationPath(id), w.as("ada"), ""); got.status != 200 { // a HEAD is safe, even from the owner
			t.Errorf("a HEAD: got %d", got.status)
		}
		w.get(operationPath(id)+"/result", w.as("ada")).refused(409, domain.OperationInProgress)
		w.post(operationPath(id)+"/cancel", w.as("ada"), "").refused(409, domain.OperationInProgress)
	})

	steps := w.jobs.count()
	ada := w.as("ada")
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if got := w.get(operationPath(id), ada, "If-None-Match", tag); got.status != 200 {
				t.Errorf("got %d %s, want another state than the one before", got.status, got.text)
			}
		})
	}
	wg.Wait()
	if op := w.resting(id); op.Status != operation.StatusSucceeded {
		t.Fatalf("the apply ended %s: %+v", op.Status, op.Failure)
	}
	if got := w.jobs.count() - steps; got != 1 {
		t.Errorf("ten reads started %d steps, want one", got)
	}
	if diff := cmp.Diff(map[string]any{"optimizationApplies": 2.0, "trackedItem": true}, w.get(operationPath(id), ada).body["allowanceImpact"]); diff != "" {
		t.Errorf("allowanceImpact (-want +got):\n%s", diff)
	}
	record := w.get(operationPath(id)+"/result", w.as("bob")).ok(200).body
	if got := objects(t, record["applied"]); len(got) != 2 || got[0]["property"] != "displayFolder" || got[1]["property"] != "summarizeBy" {
		t.Errorf("got applied %v, want the folder and then the default", got)
	}
}

// A bundle resumes in the same way: ten concurrent reads start one child, and reads by another member start none.
//
// proves: 4.5/bundle/4 4.5/bundle/5 4.5/bundle/6 5/5
func TestOwnersReadOfABundle(t *testing.T) {
	t.Parallel()
	w := newOnDisk(t)
	preview, _ := w.done("ada", "/optimize", `{"approval":"required","kinds":["aiDataSchema","aiInstructions"]}`)
	id := w.start("ada", "/optimize/apply", fmt.Sprintf(`{"previewId":%q}`, preview)).operation()
	if op := w.resting(id); op.Waiting == nil {
		t.Fatalf("after the first kind the bundle is %s and does not wait for its owner", op.Status)
	}
	w.untouched(func() {
		if got := w.get(operationPath(id), w.as("bob")).ok(200); got.body["status"] != "Running" {
			t.Errorf("another member: got %s", got.text)
		}
		w.get(operationPath(id), w.as("ada", token.ScopeRead)).ok(200)
	})
	steps := w.jobs.count()
	ada := w.as("ada")
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() { w.get(operationPath(id), ada).ok(200) })
	}
	wg.Wait()
	if op := w.resting(id); op.Status != operation.StatusSucceeded {
		t.Fatalf("the bundle ended %s: %+v", op.Status, op.Failure)
	}
	if got := w.jobs.count() - steps; got != 1 {
		t.Errorf("ten reads started %d steps, want one", got)
	}
}

// On each of the six routes, a repeated key returns the first 202 again and has no further effect.
//
// proves: decisions/2/idempotency decisions/2/idempotency-other-request decisions/8/15-replay
func TestIdempotencyKeyOfOptimizations(t *testing.T) {
	t.Parallel()
	w := newOnDisk(t)
	preview, _ := w.done("ada", "/aiInstructions/preview", "")
	apply, _ := w.done("ada", "/aiInstructions/apply", fmt.Sprintf(`{"previewId":%q}`, preview))
	bundle, _ := w.done("ada", "/optimize", `{"approval":"required","kinds":["aiDataSchema"]}`)
	schema, _ := w.done("ada", "/aiDataSchema/preview", "")
	var bundled uuid.UUID
	for i, tt := range []struct{ path, body, other string }{
		{"/aiInstructions/preview", "", ""},
		{"/revert", fmt.Sprintf(`{"operationId":%q}`, apply), fmt.Sprintf(`{"operationId":%q}`, nowhere)},
		{"/aiDataSchema/apply", fmt.Sprintf(`{"previewId":%q,"keys":["Sales|"]}`, schema), fmt.Sprintf(`{"previewId":%q}`, schema)},
		{"/optimize", `{"approval":"required"}`, `{"approval":"none"}`},
		{"/optimize/apply", fmt.Sprintf(`{"previewId":%q}`, bundle), fmt.Sprintf(`{"previewId":%q,"kinds":["aiDataSchema"]}`, bundle)},
		{"/optimize/revert", `{"operationId":"bundled"}`, fmt.Sprintf(`{"operationId":%q}`, nowhere)},
	} {
		body := strings.ReplaceAll(tt.body, "bundled", bundled.String())
		key := fmt.Sprint("key-", i)
		first := w.start("ada", tt.path, body, "Idempotency-Key", key).operation()
		w.ended("ada", first)
		w.untouched(func() {
			if again := w.start("ada", tt.path, body, "Idempotency-Key", key).operation(); again != first {
				t.Errorf("%s: got operation %s, want %s again", tt.path, again, first)
			}
			if tt.other == "" {
				return
			}
			w.start("ada", tt.path, tt.other, "Idempotency-Key", key).refused(422, domain.InvalidRequest)
		})
		if tt.path == "/aiDataSchema/apply" { // so that it does not block the bundle
			w.done("ada", "/revert", fmt.Sprintf(`{"operationId":%q}`, first))
		}
		if tt.path == "/optimize/apply" {
			bundled = first
		}
	}
}

// Daily applies of the Free plan: a call that exceeds the remainder is refused completely.
//
// proves: 8/allowance-optimizationApplies 8/exhausted/OptimizationApplyDailyLimitReached decisions/8/4
func TestDailyApplies(t *testing.T) {
	t.Parallel()
	w := newOnDisk(t)
	w.done("tim", "/assess", "")
	preview, _ := w.done("tim", "/properties/preview", "")
	w.done("tim", "/aiInstructions/apply", `{"approval":"none"}`)
	both := fmt.Sprintf(`{"previewId":%q,"keys":["Sales|Revenue YTD","Sales|Region"]}`, preview)
	w.untouched(func() {
		got := w.start("tim", "/properties/apply", both).refused(429, domain.OptimizationApplyDailyLimitReached)
		if a, used, limit := got.parameter("allowance"), got.parameter("used"), got.parameter("limit"); fmt.Sprint(a, used, limit) != "[optimizationApplies] [1] [2]" || got.header.Get("Retry-After") == "" {
			t.Errorf("got %s", got.text)
		}
	})
	id, _ := w.done("tim", "/properties/apply", fmt.Sprintf(`{"previewId":%q,"keys":["Sales|Region"]}`, preview))
	w.untouched(func() {
		w.start("tim", "/revert", fmt.Sprintf(`{"operationId":%q}`, id)).refused(429, domain.OptimizationApplyDailyLimitReached)
	})
}

// scoresParts scores a preview entirely and one change of it alone, as the preview itself says; what an apply would refuse is refused, and
// nothing is stored.
func (w *onDisk) scoresParts(kind string, id uuid.UUID, p map[string]any, changes []map[string]any) {
	w.t.Helper()
	path, tok := modelPath(modelA)+"/"+kind+"/score", w.as("ada")
	var stored int
	count := func() (n int) {
		check(w.t, w.Pool.QueryRow(w.t.Context(), `SELECT count(*) FROM events`).Scan(&n))
		return n
	}
	stored = count()
	keys := make([]string, len(changes))
	for i, c := range changes {
		keys[i] = c["key"].(string)
	}
	all, err := json.Marshal(map[string]any{"previewId": id, "keys": keys})
	check(w.t, err)
	got := w.post(path, tok, string(all)).ok(http.StatusOK).body
	if got["scoreNow"] != p["scoreNow"] || got["scoreAfter"] != p["scoreAfter"] || !cmp.Equal(got["dimensions"], p["dimensions"]) || got["changes"] != float64(len(keys)) {
		w.t.Errorf("%s: all changes score %v, the preview says %v and %v", kind, got, p["scoreNow"], p["scoreAfter"])
	}
	one, err := json.Marshal(map[string]any{"previewId": id, "keys": keys[:1]})
	check(w.t, err)
	if got := w.post(path, tok, string(one)).ok(http.StatusOK).body; got["changes"] != 1.0 || got["scoreNow"] != p["scoreNow"] {
		w.t.Errorf("%s: one change scores %v", kind, got)
	}
	w.post(path, tok, fmt.Sprintf(`{"previewId":"%s","keys":["no|such"]}`, id)).refused(http.StatusBadRequest, domain.InvalidRequest)
	w.post(path, tok, fmt.Sprintf(`{"previewId":"%s","keys":[]}`, id)).refused(http.StatusBadRequest, domain.InvalidRequest)
	w.post(path, tok, fmt.Sprintf(`{"previewId":"%s"}`, uuid.New())).refused(http.StatusBadRequest, domain.InvalidPreview)
	if n := count(); n != stored {
		w.t.Errorf("%s: scoring stored %d events", kind, n-stored)
	}
}

// The record of an earlier version, whose apply of AI instructions turned Q&A on and had a type for it, reads with the types
// of the specification, and a revert restores every byte.
//
// proves: decisions/6/qna 2.12/apply/record 4.5/revert/1
func TestRevertOfAnEarlierVersionsApply(t *testing.T) {
	t.Parallel()
	w := newOnDisk(t)
	folder := []string{"Sales", "Actuals.SemanticModel"}
	file := func(text string, path ...string) { w.write(text, append(slices.Clone(folder), path...)...) }
	file("{\r\n  \"version\": \"4.2\",\r\n  \"settings\": {}\r\n}\r\n", "definition.pbism")
	before := w.files()
	file("{\r\n  \"version\": \"4.2\",\r\n  \"settings\": {\r\n    \"qnaEnabled\": true\r\n  }\r\n}\r\n", "definition.pbism")
	file("Use [Revenue].", "Copilot", "Instructions", "instructions.md")
	const was = `[{"type":"aiInstructions","objects":[
		{"key":"aiInstructions","type":"aiInstructions","table":"","object":"","objectType":"Model","property":"instructions","previous":null,"written":"Use [Revenue]."},
		{"key":"qnaEnabled","type":"qnaEnabled","table":"","object":"","objectType":"Model","property":"qnaEnabled","previous":null,"written":"true"}]}]`
	const undo = `[{"property":"instructions","table":"","name":"","written":"Use [Revenue].","created":["Copilot/Instructions/instructions.md"]},
		{"property":"qnaEnabled","table":"","name":"","written":"true","lines":"{}","made":{"settings":""}}]`
	var writes []optimization.Write
	intended := optimization.WriteIntended{}
	check(t, json.Unmarshal([]byte(was), &writes))
	check(t, json.Unmarshal([]byte(undo), &intended.Undo))
	id, model := uuid.Must(uuid.NewV7()), modelA
	testworld.Record(t, w.World, "acme", eventstore.Fold(operation.Stream(id), optimization.Evolve),
		optimization.AcceptWrite{Operation: operation.Accepted{OperationID: id, AccountID: "acme", Type: operation.ApplyOptimization, Owner: "ada",
			Resource: operation.Resource{WorkspaceID: sales, ItemID: &model, ItemType: item.SemanticModel}},
			Apply: optimization.ApplyAccepted{Kind: optimization.AIInstructions, ModelName: "Actuals", Writes: writes, Applies: 1}},
		optimization.Begin{}, optimization.Intend{Intended: intended}, optimization.Land{Write: 0, At: w.Now()})

	record := w.get(operationPath(id)+"/result", w.as("ada")).ok(200).body
	for _, o := range objects(t, record["applied"]) {
		if o["type"] != "aiInstructions" {
			t.Errorf("the record has %v", o)
		}
	}
	_, back := w.done("ada", "/revert", `{"operationId":"`+id.String()+`"}`)
	if applied := objects(t, back["applied"]); len(applied) != 2 || len(back["skipped"].([]any)) != 0 {
		t.Errorf("the revert restored %v, skipped %v", applied, back["skipped"])
	}
	if diff := cmp.Diff(before, w.files()); diff != "" {
		t.Errorf("the revert leaves (-before +after):\n%s", diff)
	}
}
