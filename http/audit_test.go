package http_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
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
		for name, tt := range map[string]struct {
			query url.Values
			where string
			args  []any
		}{
			"a stream":                   {url.Values{"stream": {stream}}, `stream = $1`, []any{stream}},
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
			if diff := cmp.Diff(w.recorded(tt.where, tt.args...), positions(w.history(ada, tt.query)), cmp.Comparer(slices.Equal[[]int64])); diff != "" {
				t.Errorf("%s: positions (-want +got):\n%s", name, diff)
			}
		}

		page := w.get("/v1/audit/events?maxResults=1&person=ada", ada).ok(200).body["continuationToken"].(string)
		for _, query := range []string{
			"since=yesterday", "until=2026-13-01T00:00:00Z", "operationId=x", "stream=", "type=", "person=", "maxResults=0", "maxResults=501", "continuationToken=x",
			"continuationToken=" + page, "person=bob&continuationToken=" + page, "type=a&type=b",
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
	// The checkpoint still covers the complete events.
	if c := w.checkpoint(w.as("ada")); !w.agrees(w.as("ada"), c) {
		t.Error("the checkpoint does not agree with the list")
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

// Only administrators of the account can read the history and its checkpoint.
//
// proves: 7.2/AdminRoleRequired 5/6-AdminRoleRequired 5/3
func TestAuditIsForAdministrators(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.spendsNothing(func() {
		for _, path := range []string{"/v1/audit/events", "/v1/audit/checkpoint"} {
			w.get(path, w.as("bob")).refused(403, domain.AdminRoleRequired)
			w.get(path+"?maxResults=nonsense", w.as("bob")).refused(403, domain.AdminRoleRequired)
			w.get(path, w.as("bob", "openid")).refused(403, domain.InsufficientScopes)
			w.get(path, w.as("ada")).ok(200)
			w.post(path, w.as("ada"), "").refused(405, domain.InvalidRequest)
		}
	})
}

// checkpointed is a checkpoint whose signature was verified as docs/operating.md describes.
type checkpointed struct {
	position, events int64
	hash             string
	key              string
}

func (w *world) checkpoint(tok string) checkpointed {
	w.t.Helper()
	b := w.get("/v1/audit/checkpoint", tok).ok(200).body
	c := checkpointed{int64(b["position"].(float64)), int64(b["events"].(float64)), b["hash"].(string), b["keyId"].(string)}
	public, err := base64.StdEncoding.DecodeString(b["publicKey"].(string))
	check(w.t, err)
	signature, err := base64.StdEncoding.DecodeString(b["signature"].(string))
	check(w.t, err)
	signed := fmt.Sprintf("readiness checkpoint v1\n%s\n%d\n%d\n%s\n%s\n", b["accountId"], c.position, c.events, c.hash, b["signedAtUtc"])
	if b["algorithm"] != "Ed25519" || !ed25519.Verify(public, []byte(signed), signature) {
		w.t.Fatalf("the signature does not verify: %v", b)
	}
	if ed25519.Verify(public, []byte(strings.Replace(signed, "acme", "other", 1)), signature) {
		w.t.Fatal("the signature does not bind the account")
	}
	if id := sha256.Sum256(public); c.key != hex.EncodeToString(id[:])[:16] {
		w.t.Errorf("got keyId %s of key %x", c.key, public)
	}
	return c
}

// agrees reports whether a checkpoint matches the events that the API lists now.
func (w *world) agrees(tok string, c checkpointed) bool {
	w.t.Helper()
	head, n := make([]byte, sha256.Size), int64(0)
	for _, e := range w.history(tok, url.Values{"maxResults": {"500"}}) {
		at := int64(e["position"].(float64))
		if at > c.position {
			break
		}
		hash, err := hex.DecodeString(e["hash"].(string))
		check(w.t, err)
		sum := sha256.Sum256(slices.Concat(head, binary.BigEndian.AppendUint64(nil, uint64(at)), hash))
		head, n = sum[:], n+1
	}
	return n == c.events && hex.EncodeToString(head) == c.hash
}

// A checkpoint matches the listed events. A stored checkpoint still matches after more events, but no longer after an
// earlier event was changed or removed, even by the owner of the database.
func TestAuditCheckpoint(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	w.assess("ada", modelA)
	w.assess("oscar", modelA)
	first := w.checkpoint(ada)
	if want := w.recorded(`account_id = 'acme'`); first.position != want[len(want)-1] || first.events != int64(len(want)) {
		t.Errorf("got %+v, want up to %d, %d events", first, want[len(want)-1], len(want))
	}
	if again := w.checkpoint(ada); again != first {
		t.Errorf("got %+v, then %+v, and nothing happened", first, again)
	}
	w.assess("bob", modelB)
	second := w.checkpoint(ada)
	if !w.agrees(ada, first) || !w.agrees(ada, second) || second.events <= first.events || second.key != first.key {
		t.Errorf("the checkpoints %+v and %+v do not agree with the log", first, second)
	}

	for name, damage := range map[string]string{
		"an event changed with its hash": `UPDATE events SET type = 'operation.succeeded', hash = sha256(hash) WHERE position = $1`,
		"a whole stream removed":         `DELETE FROM events WHERE stream = (SELECT stream FROM events WHERE position = $1)`,
	} {
		w := newWorld(t)
		w.assess("ada", modelA)
		kept := w.checkpoint(w.as("ada"))
		_, err := w.Pool.Exec(t.Context(), `ALTER TABLE events DISABLE TRIGGER USER`)
		check(t, err)
		_, err = w.Pool.Exec(t.Context(), damage, w.recorded(`account_id = 'acme' AND type LIKE 'operation.%'`)[0])
		check(t, err)
		if w.agrees(w.as("ada"), kept) {
			t.Errorf("%s: the checkpoint still agrees", name)
		}
	}
}
