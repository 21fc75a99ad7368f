//go:build hard

package overfabric_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"readiness/platform/fabric/emulator"
	"readiness/test/scenarios/program"
	"readiness/test/testlog"
)

// A schedule runs as its owner over Fabric after the token that she sent has ended, by the refresh token that the service keeps
// sealed. Once her sessions are revoked, the next slot pauses her schedule with a plain reason and calls nothing for her.
//
// proves: decisions/7/schedule-token
func TestHardScheduleOverFabric(t *testing.T) {
	t.Parallel()
	c := program.WithModels(t, 2, 3, "--database-url", testlog.URL(t))
	service := c.OverFabric([]string{"ada", "grace"}, func(o *emulator.Options) { o.Lasts = time.Nanosecond })
	c.Launch()
	first := time.Now().UTC().Truncate(time.Minute).Add(2 * time.Minute)
	slots := [2]time.Time{first, first.Add(time.Minute)}
	ids, token := [2]string{}, ""
	for i, slot := range slots {
		for life := 20 * time.Second; ids[i] == ""; life *= 2 { // a busy machine needs longer to create it
			c.Token = c.MintEnding(life)
			path := "/v1/workspaces/" + c.WorkspaceID.String() + "/semanticModels/" + c.Models[i].String() + "/aiReadiness/schedules"
			if made, ok := c.Call(t.Context(), http.MethodPost, path, http.StatusOK, map[string]any{"frequency": "Daily", "timeUtc": slot.Format("15:04")}); ok {
				ids[i], token = made["scheduleId"].(string), c.Token
			}
		}
	}
	c.Await("the owner's token has ended", func() bool {
		status, got, _ := program.Exchange(t.Context(), c.Base, token, http.MethodGet, "/v1/aiReadiness/schedules", nil)
		return status == http.StatusUnauthorized && got["errorCode"] == "TokenExpired"
	})
	c.Token = c.Mint("grace")
	of := func(id string) map[string]any {
		list, _ := c.Call(t.Context(), http.MethodGet, "/v1/aiReadiness/schedules", http.StatusOK, nil)
		all, _ := list["value"].([]any)
		for _, s := range all {
			if member, _ := s.(map[string]any); member["scheduleId"] == id {
				return member
			}
		}
		return nil
	}
	if before := of(ids[0]); before["lastRun"] != nil || c.Entra.Sessions() == 0 {
		t.Fatalf("before its slot, %d refresh tokens are valid and the schedule is %v", c.Entra.Sessions(), before)
	}
	var state map[string]any
	c.Await("the slot's assessment ends", func() bool {
		run, _ := of(ids[0])["lastRun"].(map[string]any)
		if id, _ := run["operationId"].(string); id != "" {
			state, _ = c.Call(t.Context(), http.MethodGet, "/v1/operations/"+id, http.StatusOK, nil)
		}
		return state["status"] == "Succeeded" || state["status"] == "Failed" || state["waitingFor"] != nil
	})
	if state["status"] != "Succeeded" {
		t.Fatalf("the slot's assessment is %v; the schedule is %v", state, of(ids[0]))
	}

	c.Entra.EndSessions()
	asked := len(service.Calls())
	var paused map[string]any
	c.Await("the next slot pauses its schedule", func() bool {
		paused = of(ids[1])
		return paused["status"] == "Paused"
	})
	reason, _ := paused["pausedReason"].(map[string]any)
	if message, _ := reason["message"].(string); reason["code"] != "CredentialExpired" || !strings.Contains(message, "token that the schedule acted with has expired") {
		t.Errorf("the schedule is paused for %v", paused["pausedReason"])
	}
	for _, call := range service.Calls()[asked:] {
		if call.Person.ID == "ada" {
			t.Errorf("after the revocation %s %s was called as her", call.Method, call.Path)
		}
	}
}
