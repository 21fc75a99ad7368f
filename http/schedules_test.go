package http_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/http/token"
)

const (
	schedulesPath = "/v1/aiReadiness/schedules"
	everyMorning  = `{"frequency":"Daily","timeUtc":"06:00"}`
)

// id returns an id member of the response.
func (r reply) id(member string) uuid.UUID {
	r.t.Helper()
	id, err := uuid.Parse(fmt.Sprint(r.body[member]))
	check(r.t, err)
	return id
}

// plan creates a model's schedule for every morning.
func (w *world) plan(person string, model uuid.UUID) (path string) {
	w.t.Helper()
	return schedulesPath + "/" + w.post(modelPath(model)+"/schedules", w.as(person), everyMorning).ok(200).id("scheduleId").String()
}

// keptUntil returns when the single stored token expires; zero without one.
func (w *world) keptUntil() time.Time {
	w.t.Helper()
	rows, err := w.Pool.Query(w.t.Context(), `SELECT expires_at FROM step_tokens`)
	check(w.t, err)
	all, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	check(w.t, err)
	switch len(all) {
	case 0:
		return time.Time{}
	case 1:
		return all[0]
	}
	w.t.Fatalf("%d tokens are stored", len(all))
	return time.Time{}
}

// The life of a schedule, as callers see it.
//
// proves: 7.2/ScheduleConflict 7.2/ScheduleNotFound
func TestSchedule(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, bob := w.as("ada"), w.as("bob")
	ofModel := modelPath(modelA) + "/schedules"
	if got := w.get(ofModel, ada).ok(200).value(); len(got) != 0 {
		t.Errorf("without a schedule: %v", got)
	}

	asked := w.Now()
	made := w.post(ofModel, ada, `{"frequency":"Weekly","dayOfWeek":"Sunday","timeUtc":"06:30"}`).ok(200)
	id := made.id("scheduleId").String()
	next, err := time.Parse(time.RFC3339, fmt.Sprint(made.body["nextRunAtUtc"]))
	if err != nil || next.Weekday() != time.Sunday || next.Format("15:04:05") != "06:30:00" || !next.After(asked) || next.Sub(asked) > 7*24*time.Hour {
		t.Errorf("it runs next at %v", made.body["nextRunAtUtc"])
	}
	if made.body["createdAtUtc"] != made.body["changedAtUtc"] {
		t.Errorf("made at %v, changed at %v", made.body["createdAtUtc"], made.body["changedAtUtc"])
	}
	want := map[string]any{
		"scheduleId": id, "workspaceId": sales.String(), "workspaceName": "Sales", "semanticModelId": modelA.String(), "semanticModelName": "Actuals",
		"frequency": "Weekly", "dayOfWeek": "Sunday", "timeUtc": "06:30", "enabled": true, "status": "Active", "pausedReason": nil, "pausedAtUtc": nil,
		"owner": map[string]any{"personId": "ada"}, "nextRunAtUtc": made.body["nextRunAtUtc"], "lastRun": nil,
		"createdAtUtc": made.body["createdAtUtc"], "changedAtUtc": made.body["changedAtUtc"],
	}
	if diff := cmp.Diff(want, made.body); diff != "" {
		t.Errorf("made (-want +got):\n%s", diff)
	}
	if w.jobs.count() != 0 {
		t.Error("creating it started work")
	}
	path := schedulesPath + "/" + id
	for who, tok := range map[string]string{"its owner": ada, "a member": bob, "who only reads": w.as("bob", token.ScopeRead)} {
		for _, at := range []string{ofModel, schedulesPath} {
			if got := w.get(at, tok).ok(200).value(); len(got) != 1 || !cmp.Equal(got[0], want) {
				t.Errorf("%s lists at %s %v", who, at, got)
			}
		}
		if got := w.get(path, tok).ok(200).body; !cmp.Equal(got, want) {
			t.Errorf("%s reads %v", who, got)
		}
	}

	w.untouched(func() {
		got := w.post(ofModel, bob, everyMorning).refused(409, domain.ScheduleConflict).says(id)
		if named := got.parameter("scheduleId"); !slices.Equal(named, []string{id}) {
			t.Errorf("a second one: got parameters %v", named)
		}
		for _, c := range []struct{ path, tok string }{{path, w.as("oscar")}, {schedulesPath + "/" + nowhere.String(), ada}} {
			w.get(c.path, c.tok).refused(404, domain.ScheduleNotFound)
			w.patch(c.path, c.tok, `{"enabled":false}`).refused(404, domain.ScheduleNotFound)
			w.patch(c.path, c.tok, `{"enabled":true}`).refused(404, domain.ScheduleNotFound)
			w.delete(c.path, c.tok).refused(404, domain.ScheduleNotFound)
		}
		if got := w.get(schedulesPath, w.as("oscar")).ok(200).value(); len(got) != 0 {
			t.Errorf("another account lists %v", got)
		}
		w.get(schedulesPath+"/x", ada).refused(400, domain.InvalidRequest)
		w.patch(path, ada, `{}`).ok(200)
		w.patch(path, ada, `{"frequency":"Weekly","dayOfWeek":"Sunday","timeUtc":"06:30","enabled":true}`).ok(200)
	})

	w.Clock.Advance(time.Minute)
	ada, bob = w.as("ada"), w.as("bob")
	got := w.patch(path, bob, `{"enabled":false}`).ok(200).body
	if got["status"] != "Disabled" || got["enabled"] != false || got["nextRunAtUtc"] != nil || got["changedAtUtc"] == want["changedAtUtc"] || got["createdAtUtc"] != want["createdAtUtc"] {
		t.Errorf("turned off: %v", got)
	}
	got = w.patch(path, bob, `{"enabled":true,"frequency":"Daily"}`).ok(200).body
	if got["status"] != "Active" || got["dayOfWeek"] != nil || got["frequency"] != "Daily" || got["timeUtc"] != "06:30" || got["nextRunAtUtc"] == nil || !cmp.Equal(got["owner"], map[string]any{"personId": "bob"}) {
		t.Errorf("taken over by another person: %v", got)
	}

	if got := w.delete(path, ada).ok(200).body; !cmp.Equal(got, map[string]any{"scheduleId": id, "deleted": true}) {
		t.Errorf("deleted: %v", got)
	}
	w.untouched(func() {
		w.get(path, ada).refused(404, domain.ScheduleNotFound)
		w.delete(path, ada).refused(404, domain.ScheduleNotFound)
	})
	if again := w.plan("ada", modelA); again == path {
		t.Error("a schedule created again has the id of the deleted one")
	}
	w.get(path, ada).refused(404, domain.ScheduleNotFound)
}

// The body of a call is validated before anything is looked up. Absent, null and empty members are distinguished.
func TestMalformedSchedules(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	daily, weekly := w.plan("ada", modelA), w.plan("ada", modelB)
	w.patch(weekly, ada, `{"frequency":"Weekly","dayOfWeek":"Monday"}`).ok(200)
	unseen := "/v1/workspaces/" + nowhere.String() + "/semanticModels/" + modelC.String() + "/aiReadiness/schedules"
	w.untouched(func() {
		for _, c := range []struct{ method, path, body, says string }{
			{"POST", unseen, "", "needs a JSON body"},
			{"POST", unseen, `{}`, "frequency"},
			{"POST", unseen, `{"frequency":"Daily"}`, "timeUtc"},
			{"POST", unseen, `{"frequency":"Hourly","timeUtc":"06:00"}`, "frequency"},
			{"POST", unseen, `{"frequency":"Daily","timeUtc":"6:00"}`, "timeUtc"},
			{"POST", unseen, `{"frequency":"Daily","timeUtc":"24:00"}`, "timeUtc"},
			{"POST", unseen, `{"frequency":"Daily","timeUtc":null}`, "timeUtc"},
			{"POST", unseen, `{"frequency":"Daily","timeUtc":""}`, "timeUtc"},
			{"POST", unseen, `{"frequency":"Daily","timeUtc":"06:00","dayOfWeek":"Monday"}`, "dayOfWeek"},
			{"POST", unseen, `{"frequency":"Weekly","timeUtc":"06:00"}`, "dayOfWeek is missing"},
			{"POST", unseen, `{"frequency":"Weekly","timeUtc":"06:00","dayOfWeek":null}`, "dayOfWeek is missing"},
			{"POST", unseen, `{"frequency":"Weekly","timeUtc":"06:00","dayOfWeek":""}`, "dayOfWeek"},
			{"POST", unseen, `{"frequency":"Weekly","timeUtc":"06:00","dayOfWeek":"monday"}`, "dayOfWeek"},
			{"POST", unseen, `{"frequency":"Daily","timeUtc":"06:00","enabled":null}`, "enabled"},
			{"POST", unseen, `{"frequency":"Daily","timeUtc":"06:00","time":"07:00"}`, "the closest documented member is timeUtc"},
			{"PATCH", daily, "", "needs a JSON body"},
			{"PATCH", daily, `{"frequency":null}`, "frequency"},
			{"PATCH", daily, `{"frequency":""}`, "frequency"},
			{"PATCH", daily, `{"timeUtc":null}`, "timeUtc"},
			{"PATCH", daily, `{"timeUtc":""}`, "timeUtc"},
			{"PATCH", daily, `{"enabled":null}`, "enabled"},
			{"PATCH", daily, `{"enabled":"true"}`, "enabled"},
			{"PATCH", daily, `{"dayOfWeek":"Monday"}`, "dayOfWeek is for Weekly schedules"},
			{"PATCH", daily, `{"frequency":"Weekly"}`, "dayOfWeek is missing"},
			{"PATCH", daily, `{"frequency":"Weekly","dayOfWeek":null}`, "dayOfWeek is missing"},
			{"PATCH", daily, `{"status":"Paused"}`, "status is not a member"},
			{"PATCH", daily, `{"owner":{"personId":"bob"}}`, "owner is not a member"},
			{"PATCH", weekly, `{"dayOfWeek":null}`, "dayOfWeek is missing"},
			{"PATCH", weekly, `{"dayOfWeek":""}`, "dayOfWeek is missing"},
			{"PATCH", weekly, `{"dayOfWeek":"Mo"}`, "dayOfWeek"},
			{"PATCH", weekly, `{"frequency":"Daily","dayOfWeek":"Monday"}`, "dayOfWeek is for Weekly schedules"},
			{"DELETE", daily, `{"deleted":true}`, "deleted"},
		} {
			w.nextMinute()
			w.send(c.method, c.path, ada, c.body).refused(400, domain.InvalidRequest).says(c.says)
		}
		w.patch(daily, ada, `{"dayOfWeek":null}`).ok(200)
		w.patch(daily, ada, `{"dayOfWeek":""}`).ok(200)
	})
	for _, c := range []struct {
		body      string
		day, time any
	}{
		{`{"timeUtc":"09:45"}`, "Monday", "09:45"},
		{`{"dayOfWeek":"Friday"}`, "Friday", "09:45"},
		{`{"frequency":"Daily","dayOfWeek":null}`, nil, "09:45"},
		{`{"frequency":"Weekly","dayOfWeek":"Saturday","timeUtc":"00:00"}`, "Saturday", "00:00"},
		{`{"frequency":"Daily","dayOfWeek":""}`, nil, "00:00"},
	} {
		if got := w.patch(weekly, ada, c.body).ok(200).body; got["dayOfWeek"] != c.day || got["timeUtc"] != c.time || !cmp.Equal(got, w.get(weekly, ada).ok(200).body) {
			t.Errorf("%s: got %v", c.body, got)
		}
	}
}

// Workspace and model are looked up as the caller by calls that create a schedule, list a model's schedules or take
// one over, and by no other calls.
func TestSchedulesAreLookedUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ledger := uuid.MustParse("aaaaaaaa-0000-4000-8000-00000000000e")
	w.cloud.items = append(w.cloud.items, item.Item{ID: ledger, Type: item.SemanticModel, WorkspaceID: finance, DisplayName: "Ledger"})
	inFinance := strings.Replace(modelPath(ledger), sales.String(), finance.String(), 1) + "/schedules"
	path := schedulesPath + "/" + w.post(inFinance, w.as("ada"), everyMorning).ok(200).id("scheduleId").String()
	bob := w.as("bob")
	w.untouched(func() {
		for _, c := range []struct {
			path string
			code domain.Code
		}{{inFinance, domain.WorkspaceNotFound}, {modelPath(nowhere) + "/schedules", domain.ItemNotFound}, {modelPath(agent) + "/schedules", domain.ItemNotFound}} {
			w.get(c.path, bob).refused(404, c.code)
			w.post(c.path, bob, everyMorning).refused(404, c.code)
		}
		w.patch(path, bob, `{"enabled":true}`).refused(404, domain.WorkspaceNotFound)
		w.post(modelPath(kept)+"/schedules", bob, everyMorning).refused(400, domain.OperationNotSupportedForItem)
		w.post(modelPath(modelA)+"/schedules", w.as("tim"), everyMorning).refused(403, domain.FeatureNotInPlan)
		w.post(modelPath(modelA)+"/schedules", w.as("bob", token.ScopeRead), everyMorning).refused(403, domain.InsufficientScopes)
	})
	if got := w.get(path, bob).ok(200).body; !cmp.Equal(got["owner"], map[string]any{"personId": "ada"}) {
		t.Errorf("refused, yet it is %v", got)
	}
	w.cloud.mu.Lock()
	asked := w.cloud.calls
	w.cloud.mu.Unlock()
	w.get(schedulesPath, bob).ok(200)
	w.patch(path, bob, `{"timeUtc":"07:00"}`).ok(200)
	w.patch(path, bob, `{"enabled":false}`).ok(200)
	w.delete(path, bob).ok(200)
	w.cloud.mu.Lock()
	defer w.cloud.mu.Unlock()
	if w.cloud.calls != asked {
		t.Errorf("the platform was asked %d times more, want never", w.cloud.calls-asked)
	}
}

// The stored token of a schedule is its owner's, from a call that may write, and is deleted when the schedule no
// longer runs.
//
// proves: decisions/3/token-secrecy
func TestTokensOfSchedules(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := w.plan("ada", modelA)
	kept := w.keptUntil()
	if d := kept.Sub(w.Now()); d > time.Hour || d < 59*time.Minute {
		t.Fatalf("a token is stored for %v", d)
	}
	same := func(what string) {
		t.Helper()
		if now := w.keptUntil(); !now.Equal(kept) {
			t.Errorf("%s: the token is stored until %v, want %v", what, now, kept)
		}
	}
	w.Clock.Advance(20 * time.Minute)
	w.get(path, w.as("ada")).ok(200)
	same("a read while the one kept is young")
	w.Clock.Advance(15 * time.Minute) // 25 of 60 minutes are left
	w.get(path, w.as("ada", token.ScopeRead)).ok(200)
	same("a read that may not write")
	w.get(path, w.as("bob")).ok(200)
	w.get(modelPath(modelA)+"/schedules", w.as("bob")).ok(200)
	same("a read by another")
	w.send(http.MethodHead, path, w.as("ada"), "").ok(200)
	same("a HEAD")
	w.get(schedulesPath, w.as("ada")).ok(200)
	same("the account's list")
	w.patch(path, w.as("bob"), `{"timeUtc":"07:00"}`).ok(200)
	same("a change by another")
	brief, err := w.issuer.Mint("acme", "ada", []string{token.ScopeReadWrite}, w.Now(), 5*time.Minute)
	check(t, err)
	w.patch(path, brief, `{"timeUtc":"08:00"}`).ok(200)
	same("a token that expires before the one kept")

	before := w.events()
	renewed := func(what string, until time.Duration) {
		t.Helper()
		now := w.keptUntil()
		if d := now.Sub(w.Now()); !now.After(kept) || d > until || d < until-time.Minute {
			t.Errorf("%s: a token is stored for %v", what, d)
		}
		kept = now
	}
	w.get(path, w.as("ada")).ok(200)
	renewed("a read of the schedule", time.Hour)
	w.Clock.Advance(40 * time.Minute)
	w.get(modelPath(modelA)+"/schedules", w.as("ada")).ok(200)
	renewed("a read of the model's schedules", time.Hour)
	w.Clock.Advance(time.Minute)
	w.patch(path, w.as("ada"), `{}`).ok(200)
	renewed("a change", time.Hour)
	if w.events() != before {
		t.Error("the log shows that a token was stored")
	}
	w.Clock.Advance(time.Minute)
	w.patch(path, w.as("bob"), `{"enabled":true}`).ok(200)
	if w.keptUntil().Equal(kept) {
		t.Error("after the takeover, the previous owner's token is still stored")
	}
	kept = w.keptUntil()
	w.Clock.Advance(55 * time.Minute)
	w.get(path, w.as("ada")).ok(200)
	same("a read by its owner of before")

	none := func(what string) {
		t.Helper()
		if until := w.keptUntil(); !until.IsZero() {
			t.Errorf("%s: a token is stored until %v", what, until)
		}
	}
	w.patch(path, w.as("ada"), `{"enabled":false}`).ok(200)
	none("turned off")
	w.get(path, w.as("bob")).ok(200)
	w.patch(path, w.as("bob"), `{"timeUtc":"09:00"}`).ok(200)
	none("read and changed while it is off")
	off := schedulesPath + "/" + w.post(modelPath(modelB)+"/schedules", w.as("ada"), `{"frequency":"Daily","timeUtc":"06:00","enabled":false}`).ok(200).id("scheduleId").String()
	none("made turned off")
	w.patch(off, w.as("ada"), `{"enabled":true}`).ok(200)
	if w.keptUntil().IsZero() {
		t.Error("turned on, but no token is stored")
	}
	w.delete(off, w.as("bob")).ok(200)
	none("deleted")
	if strings.Contains(w.log.String(), "eyJ") {
		t.Error("a token was logged")
	}
}

// Pages of schedules, the oldest first. A schedule deleted between two pages neither repeats nor hides another.
func TestSchedulesArePaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	var made []string
	for _, m := range []uuid.UUID{modelB, modelA, modelC} {
		made = append(made, strings.TrimPrefix(w.plan("ada", m), schedulesPath+"/"))
	}
	listed := func(r reply) (ids []string) {
		for _, s := range r.value() {
			ids = append(ids, fmt.Sprint(s["scheduleId"]))
		}
		return ids
	}
	if got := listed(w.get(schedulesPath, ada).ok(200)); !slices.Equal(got, made) {
		t.Errorf("listed %v, want %v", got, made)
	}
	first := w.get(schedulesPath+"?maxResults=2", ada).ok(200)
	w.delete(schedulesPath+"/"+made[0], ada).ok(200)
	second := w.get(fmt.Sprint(first.body["continuationUri"]), ada).ok(200)
	if got := slices.Concat(listed(first), listed(second)); !slices.Equal(got, made) || second.body["continuationToken"] != nil {
		t.Errorf("in pages %v, want %v", got, made)
	}
	w.get(schedulesPath+"?continuationToken="+fmt.Sprint(first.body["continuationToken"]), w.as("oscar")).refused(400, domain.InvalidRequest)
	w.get(modelPath(modelA)+"/schedules?continuationToken="+fmt.Sprint(first.body["continuationToken"]), ada).refused(400, domain.InvalidRequest)
	w.get(schedulesPath+"?maxResults=0", ada).refused(400, domain.InvalidRequest)
}
