package person_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric/emulator"
)

// perMinute is how many queries the platform allows a person in a minute.
const perMinute = 120

// tired is a service whose person has used up the queries of a minute with another tool.
type tired struct {
	*overEntra
	as    item.Caller // ada, with her other tool
	model uuid.UUID

	mu    sync.Mutex
	waits []time.Duration
	lasts bool // the minute does not pass while the run waits
}

func newTired(t *testing.T) *tired {
	t.Helper()
	s := &tired{overEntra: newOverEntra(t)}
	s.Clock.Stop()
	s.StopWorkers()
	s.Work.Wait = s.wait
	s.StartWorkers()
	s.service.Set(func(o *emulator.Options) { o.AtOnce, o.Quotas.Queries = true, perMinute })
	bearer := s.signIn("ada")
	s.model = uuid.MustParse(s.vars["semanticModelId"])
	s.as = item.Caller{Person: item.Person{Issuer: s.tenant.Issuer, ID: s.tenant.Person("ada")}, Token: bearer}
	return s
}

// wait moves the clock of the service and of the platform, unless the block lasts. It is how the service's work waits.
func (s *tired) wait(ctx context.Context, d time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits = append(s.waits, d)
	if !s.lasts {
		s.Clock.Advance(d)
	}
	return ctx.Err()
}

// exhaust makes queries until the platform has no room for another one, and returns how many were answered.
func (s *tired) exhaust() (answered int) {
	s.T.Helper()
	for ; ; answered++ {
		_, err := s.tenant.Platform.Query(s.T.Context(), s.as, uuid.MustParse(s.vars["workspaceId"]), s.model, `EVALUATE ROW("n", 1)`)
		if err == nil {
			continue
		}
		refusal, refused := domain.Refused(err)
		if !refused || refusal.Code != domain.PlatformUnavailable || refusal.RetryAfter <= 0 || refusal.RetryAfter > time.Minute ||
			!strings.Contains(refusal.Message, "lets you make no further calls for now (RequestBlocked); try again in ") {
			s.T.Fatalf("a query without room: %v", err)
		}
		return answered
	}
}

// ask runs the questions and returns the run's document.
func (s *tired) ask() map[string]any {
	s.T.Helper()
	const of = inWorkspace + "/semanticModels/{semanticModelId}/aiReadiness/benchmark"
	do := func(path, body string) map[string]any {
		status, accepted := s.send(s.signIn("ada"), http.MethodPost, s.expand(of+path), body)
		if status != http.StatusAccepted {
			s.T.Fatalf("%s: %d, %v", path, status, accepted)
		}
		if state := s.ends(fmt.Sprint(accepted["operationId"])); state["status"] != "Succeeded" {
			s.T.Fatalf("%s ends as %v", path, state)
		}
		_, result := s.send(s.signIn("ada"), http.MethodGet, "/v1/operations/"+fmt.Sprint(accepted["operationId"])+"/result", "")
		return result
	}
	do("/questions/save", `{"questions": [
		{"questionId": "stores", "text": "What are net sales by store?", "expected": {"dax": "EVALUATE SUMMARIZECOLUMNS('Store'[Store Name], \"n\", [Net Sales] * 1)"}},
		{"questionId": "years", "text": "Net sales in 2025?", "expected": {"dax": "EVALUATE ROW(\"n\", CALCULATE([Net Sales], 'Date'[Year] = 2025) * 1)"}}]}`)
	run := do("/runs", `{"answeredBy":{"kind":"PlatformAssistant"}}`)["run"].(map[string]any)
	_, result := s.send(s.signIn("ada"), http.MethodGet, s.expand(of+"/runs/"+fmt.Sprint(run["runId"])+"/result"), "")
	return result["document"].(map[string]any)
}

// A person whose queries of a minute are used up by another tool of theirs: the platform answers 120 in a minute and blocks the next
// one. A run waits until there is room and then compares rows. If there never is, it compares none, and says so of each query; no
// answer counts as wrong for that.
func TestQueriesThatRunOut(t *testing.T) {
	t.Parallel()
	for name, lasts := range map[string]bool{"for a minute": false, "for good": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTired(t)
			if n := s.exhaust(); n != perMinute {
				t.Errorf("%d queries were answered in a minute, want %d", n, perMinute)
			}
			s.lasts = lasts
			from := len(s.service.Calls())
			for _, q := range s.ask()["questions"].([]any) {
				ask := q.(map[string]any)["asks"].([]any)[0].(map[string]any)
				reason := fmt.Sprint(ask["reason"])
				switch {
				case !lasts && (ask["verdict"] != "correct" || ask["method"] != "result_set"):
					t.Errorf("with room after a minute: %v", ask)
				case lasts && (ask["verdict"] != "unclear" || ask["method"] != nil ||
					!strings.Contains(reason, "The reference query has no rows to compare: the platform lets you make no further calls for now (RequestBlocked)") ||
					!strings.Contains(reason, " Its query has no rows to compare: the platform lets you make no further calls for now (RequestBlocked)")):
					t.Errorf("without room: %v", ask)
				}
			}
			if len(s.waits) == 0 || !lasts && len(s.waits) > 3 || lasts && len(s.waits) > 4*3 {
				t.Errorf("the run waited %v", s.waits)
			}
			for _, c := range s.calls(from) {
				if strings.Contains(strings.ToLower(c.Path), "queries") && c.Person.ID != "ada" {
					t.Errorf("called %+v", c)
				}
			}
		})
	}
}
