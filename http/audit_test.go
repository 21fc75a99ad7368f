package http_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/assessment"
)

// history reads all pages of an account's events.
func (w *world) history(tok string, query url.Values) (all []map[string]any) {
	w.t.Helper()
	for address := w.base + "/v1/audit/events?" + query.Encode(); address != ""; {
		answer := w.get(address, tok).ok(200)
		all = append(all, answer.value()...)
		if len(all) > 10_000 {
			w.t.Fatal("the list does not end")
		}
		address, _ = answer.body["continuationUri"].(string)
	}
	return all
}

// positions returns the positions of events in the log.
func positions(events []map[string]any) []int64 {
	all := make([]int64, len(events))
	for i, e := range events {
		all[i] = int64(e["position"].(float64))
	}
	return all
}

// recorded returns the positions of the stored events that match a condition.
func (w *world) recorded(where string, args ...any) (all []int64) {
	w.t.Helper()
	check(w.t, w.Pool.QueryRow(w.t.Context(), `SELECT coalesce(array_agg(position ORDER BY position), '{}') FROM events WHERE `+where, args...).Scan(&all))
	return all
}

// An administrator reads all events of the account as they were recorded, in pages and with filters. The events
// contain nothing of another account, whatever ids a call names, and never a token.
//
// proves: 7.2/AdminRoleRequired
func TestAuditEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	op := w.assess("ada", modelA)
	w.Clock.Advance(time.Hour)
	bobs := w.assess("bob", modelB)
	w.assessed("acme", bobs, modelB, assessment.Usage{})
	theirs := w.assess("oscar", modelA)

	w.spendsNothing(func() {
		all := w.history(ada, url.Values{"maxResults": {"3"}})
		want := w.recorded(`account_id = 'acme'`)
		if diff := cmp.Diff(want, positions(all)); diff != "" || len(all) < 12 {
			t.Fatalf("positions (-want +got):\n%s", diff)
		}
		for _, e := range all {
			var stored struct {
				id, stream, kind, data, meta, hash string
				version, schema                    int
				at                                 time.Time
			}
			check(t, w.Pool.QueryRow(t.Context(), `SELECT event_id::text, stream, version, type, schema_version, data::text, metadata::text, recorded_at, encode(hash, 'hex') FROM events WHERE position = $1`, int64(e["position"].(float64))).
				Scan(&stored.id, &stored.stream, &stored.version, &stored.kind, &stored.schema, &stored.data, &stored.meta, &stored.at, &stored.hash))
			var data, meta map[string]any
			check(t, json.Unmarshal([]byte(stored.data), &data))
			check(t, json.Unmarshal([]byte(stored.meta), &meta))
			want := map[string]any{
				"position": e["position"], "eventId": stored.id, "stream": stored.stream, "version": float64(stored.version), "type": stored.kind, "schemaVersion": float64(stored.schema),
				"recordedAtUtc": stored.at.UTC().Format(time.RFC3339Nano), "person": meta["person"], "personId": meta["person"], "requestId": meta["requestId"], "operationId": meta["operationId"], "data": data, "hash": stored.hash,
			}
			if diff := cmp.Diff(want, e); diff != "" {
				t.Errorf("event (-stored +answered):\n%s", diff)
			}
		}
		if text := fmt.Sprint(all); strings.Contains(text, "eyJ") || strings.Contains(text, "oscar") {
			t.Error("the history contains a token, or data of another account")
		}

		stream := "assessment-acme-" + modelB.String()
		middle := all[len(all)/2]["recordedAtUtc"].(string)
		const ofItem = `(stream LIKE '%-' || $1 OR stream IN (SELECT 'operation-' || id FROM operations_v6 WHERE account_id = 'acme' AND item_id::text = $1))`
		for name, tt := range map[string]struct {
			query url.Values
			where string
			args  []any
		}{
			"a stream":                   {url.Values{"stream": {stream}}, `stream = $1`, []any{stream}},
			"an item":                    {url.Values{"itemId": {modelB.String()}}, `account_id = 'acme' AND ` + ofItem, []any{modelB.String()}},
			"another item":               {url.Values{"itemId": {modelA.String()}}, `account_id = 'acme' AND ` + ofItem, []any{modelA.String()}},
			"an item and a person":       {url.Values{"itemId": {modelB.String()}, "person": {"ada"}}, `account_id = 'acme' AND metadata->>'person' = 'ada' AND ` + ofItem, []any{modelB.String()}},
			"an item without events":     {url.Values{"itemId": {theirs.String()}}, `false`, nil},
			"another account's stream":   {url.Values{"stream": {"account-other"}}, `false`, nil},
			"a type":                     {url.Values{"type": {"operation.accepted"}}, `type = 'operation.accepted' AND account_id = 'acme'`, nil},
			"a type there is not":        {url.Values{"type": {"operation"}}, `false`, nil},
			"an operation":               {url.Values{"operationId": {strings.ToUpper(op.String())}}, `metadata->>'operationId' = $1`, []any{op.String()}},
			"another account's":          {url.Values{"operationId": {theirs.String()}}, `false`, nil},
			"a person":                   {url.Values{"person": {"bob"}}, `metadata->>'person' = 'bob'`, nil},
			"another account's person":   {url.Values{"person": {"oscar"}}, `false`, nil},
			"since":                      {url.Values{"since": {middle}}, `account_id = 'acme' AND recorded_at >= $1::timestamptz`, []any{middle}},
			"until":                      {url.Values{"until": {middle}}, `account_id = 'acme' AND recorded_at < $1::timestamptz`, []any{middle}},
			"since and until":            {url.Values{"since": {middle}, "until": {middle}}, `false`, nil},
			"a person, a type and since": {url.Values{"person": {"bob"}, "type": {"operation.accepted"}, "since": {"2026-01-01T00:00:00+01:00"}}, `metadata->>'person' = 'bob' AND type = 'operation.accepted'`, nil},
		} {
			tt.query.Set("maxResults", "2")
			newest := maps.Clone(tt.query)
			newest.Set("sort", "latest")
			back := positions(w.history(ada, newest))
			slices.Reverse(back)
			if diff := cmp.Diff(w.recorded(tt.where, tt.args...), back, cmp.Comparer(slices.Equal[[]int64])); diff != "" {
				t.Errorf("%s, newest first: positions (-want +got):\n%s", name, diff)
			}
			if diff := cmp.Diff(w.recorded(tt.where, tt.args...), positions(w.history(ada, tt.query)), cmp.Comparer(slices.Equal[[]int64])); diff != "" {
				t.Errorf("%s: positions (-want +got):\n%s", name, diff)
			}
		}

		page := w.get("/v1/audit/events?maxResults=1&person=ada", ada).ok(200).body["continuationToken"].(string)
		for _, query := range []string{
			"since=yesterday", "itemId=x", "sort=name", "until=2026-13-01T00:00:00Z", "operationId=x", "stream=", "type=", "person=", "maxResults=0", "maxResults=501", "continuationToken=x",
			"continuationToken=" + page, "person=bob&continuationToken=" + page, "person=ada&sort=latest&continuationToken=" + page, "type=a&type=b",
		} {
			w.get("/v1/audit/events?"+query, ada).refused(400, domain.InvalidRequest)
		}
	})
}

// Lists contain no texts of models. An event of an optimization names the objects that it changed, but not what it
// replaced or wrote.
//
// proves: decisions/9/9
func TestAuditEventsHoldNoTexts(t *testing.T) {
	t.Parallel()
	w := newOnDisk(t)
	const text = "Answers of the whole house, in euros."
	preview, _ := w.done("ada", "/aiInstructions/preview", "")
	w.done("ada", "/aiInstructions/apply", fmt.Sprintf(`{"previewId":"%s","values":{"aiInstructions":%q}}`, preview, text))
	again, _ := w.done("ada", "/aiInstructions/preview", "")
	applied, _ := w.done("ada", "/aiInstructions/apply", fmt.Sprintf(`{"previewId":"%s"}`, again))
	w.done("ada", "/revert", fmt.Sprintf(`{"operationId":"%s"}`, applied))
	if sealed, plain := len(w.recorded(`data::text LIKE '%{"$sealed":1%'`)), len(w.recorded(`data::text LIKE '%' || $1 || '%'`, text)); sealed < 3 || plain > 0 {
		t.Fatalf("the log holds %d events with sealed texts, and the text itself %d times", sealed, plain)
	}
	all := w.history(w.as("ada"), nil)
	withheld := 0
	for _, e := range all {
		if strings.Contains(fmt.Sprint(e), text) {
			t.Errorf("the history holds a text: %v", e)
		}
		writes, _ := e["data"].(map[string]any)["writes"].([]any)
		for _, write := range writes {
			for _, object := range write.(map[string]any)["objects"].([]any) {
				object := object.(map[string]any)
				if written, there := object["written"]; !there || written != nil || object["key"] != "aiInstructions" {
					t.Errorf("an object shows %v", object)
				}
				withheld++
			}
		}
	}
	if withheld < 3 {
		t.Errorf("%d objects are listed", withheld)
	}
}

// The list shows texts that people of the account wrote; the lines have them encrypted.
//
// proves: decisions/23/listed
func TestAuditEventsShowWhatPeopleWrote(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const name = "Quokka or numbat?"
	w.abTest("acme", abtest.Words{Name: name}, sideOf(modelA, "Actuals", assistant), sideOf(modelB, "Budget", assistant), abtest.Source{Kind: abtest.FromQuestions})
	ada := w.as("ada")
	created := w.history(ada, url.Values{"type": {"abtest.created"}})
	if len(created) != 1 {
		t.Fatalf("%d A/B tests were created", len(created))
	}
	data := created[0]["data"].(map[string]any)
	if data["name"] != name || data["accountId"] != "acme" {
		t.Errorf("the list shows %v, want the name", data)
	}
	lines := strings.Join(w.lines(ada, url.Values{"type": {"abtest.created"}}), "\n")
	if strings.Contains(lines, name) || !strings.Contains(lines, `"name":{"$sealed":1`) {
		t.Errorf("a line is %s", lines)
	}
}

// An append in progress holds back later events, so that no event can appear on a page that was already read.
func TestAuditEventsStayBelowTheWatermark(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.assess("ada", modelA)
	before := positions(w.history(w.as("ada"), nil))
	running, err := w.Pool.Begin(t.Context())
	check(t, err)
	defer func() { _ = running.Rollback(t.Context()) }()
	mark, err := w.Store.Watermark(t.Context())
	check(t, err)
	_, err = running.Exec(t.Context(), `SELECT pg_advisory_xact_lock_shared($1)`, int64(0x4553)<<44+mark) // as an append does
	check(t, err)
	w.assess("ada", modelB)
	if diff := cmp.Diff(before, positions(w.history(w.as("ada"), nil))); diff != "" {
		t.Errorf("while an append is running (-before +got):\n%s", diff)
	}
	check(t, running.Rollback(t.Context()))
	if got := positions(w.history(w.as("ada"), nil)); len(got) <= len(before) {
		t.Errorf("got %v after it, want more than %v", got, before)
	}
}

// Only administrators of the account can read the history.
//
// proves: 7.2/AdminRoleRequired 5/6-AdminRoleRequired 5/3
func TestAuditIsForAdministrators(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.spendsNothing(func() {
		const path = "/v1/audit/events"
		w.get(path, w.as("bob")).refused(403, domain.AdminRoleRequired)
		w.get(path+"?maxResults=nonsense", w.as("bob")).refused(403, domain.AdminRoleRequired)
		w.get(path, w.as("bob", "openid")).refused(403, domain.InsufficientScopes)
		w.get(path, w.as("ada")).ok(200)
		w.post(path, w.as("ada"), "").refused(405, domain.InvalidRequest)
	})
}
