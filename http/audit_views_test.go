package http_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/operation"
	"readiness/http/token"
	"readiness/projections"
)

func viewPath(view string) string { return "/v1/audit/views/" + view }

// liveRows returns the live rows of an account's view, as a result has them.
func (w *world) liveRows(v *projections.View, account string) (rows []any) {
	w.t.Helper()
	for _, table := range v.Tables {
		columns := make([]string, len(table.Columns))
		for i, c := range table.Columns {
			columns[i] = c.Name
		}
		found, err := w.Pool.Query(w.t.Context(), fmt.Sprintf(`SELECT json_build_object('table', $1::text, 'row', to_json(r))::text
			FROM (SELECT %s FROM %s_v%d WHERE account_id = $2 ORDER BY %s) r`, strings.Join(columns, ", "), table.Name, v.Version, strings.Join(table.Key, ", ")), table.Name, account)
		check(w.t, err)
		texts, err := pgx.CollectRows(found, pgx.RowTo[string])
		check(w.t, err)
		for _, text := range texts {
			var row any
			check(w.t, json.Unmarshal([]byte(text), &row))
			rows = append(rows, row)
		}
	}
	return rows
}

// Every view as of the newest position has the live rows of the account and no others, and changes nothing of them.
//
// proves: decisions/18/as-of
func TestViewAsOfNow(t *testing.T) {
	t.Parallel()
	w := newOnDisk(t)
	w.done("ada", "/assess", "")
	w.done("oscar", "/assess", "")
	w.done("ada", "/descriptions/preview", "")
	w.start("ada", "/schedules", everyMorning).ok(200)
	others := 0
	for _, v := range projections.All() {
		end, err := w.Store.Watermark(t.Context())
		check(t, err)
		_, err = w.Pool.Exec(t.Context(), `INSERT INTO followers (name, position) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET position = excluded.position`,
			fmt.Sprintf("%s_v%d", v.Name, v.Version), end) // nothing follows the log here
		check(t, err)
		_, err = w.Engine.Rebuild(t.Context(), w.Store, v.Name, projections.RebuildOptions{})
		check(t, err)
		want := w.liveRows(v, "acme")
		others += len(w.liveRows(v, "other"))
		_, got := w.done("ada", viewPath(v.Name), fmt.Sprintf(`{"asOf":{"position":%d}}`, end))
		if diff := cmp.Diff(append([]any{}, want...), got["value"]); diff != "" {
			t.Errorf("%s (-live +as of now):\n%s", v.Name, diff)
		}
		if got["view"] != v.Name || got["position"] != float64(end) || got["checkpointNote"] != nil {
			t.Errorf("%s: got %v, %v, %v", v.Name, got["view"], got["position"], got["checkpointNote"])
		}
		if v.Name == "operations" || v.Name == "assessments" || v.Name == "schedules" || v.Name == "audit" {
			if len(want) == 0 {
				t.Errorf("%s is empty, so this test compares nothing", v.Name)
			}
		}
	}
	if others == 0 {
		t.Error("the other account has no rows")
	}
}

// A time stands for the last head that was signed at or before it; the rows are those before what was recorded later. With a position the
// head is the first that covers it.
//
// proves: decisions/18/as-of-time
func TestViewAsOfTime(t *testing.T) {
	t.Parallel()
	w := newOnDisk(t)
	w.done("ada", "/assess", "")
	none := w.start("ada", viewPath("assessments"), `{"asOf":{"timeUtc":"2000-01-01T00:00:00Z"}}`)
	none.refused(404, domain.AuditRecordNotFound)
	w.sealed("acme")
	first := w.get("/v1/audit/checkpoint", w.as("ada")).ok(200).text
	var signed, between time.Time
	var position int64
	check(t, w.Pool.QueryRow(t.Context(), `SELECT signed_at, position FROM audit_checkpoints WHERE tree = ''`).Scan(&signed, &position))
	w.Clock.Advance(time.Minute)
	between = signed.Add(time.Second)
	w.done("ada", "/assess", "")
	check(t, w.trees().Seal(t.Context()))
	second := w.get("/v1/audit/checkpoint", w.as("ada")).ok(200).text
	for at, tt := range map[string]struct {
		rows int
		note []byte
	}{
		`"timeUtc":"` + signed.Format(time.RFC3339Nano) + `"`:        {1, first},
		`"timeUtc":"` + between.Format(time.RFC3339Nano) + `"`:       {1, first},
		`"timeUtc":"` + w.Now().UTC().Format(time.RFC3339Nano) + `"`: {2, second},
		fmt.Sprintf(`"position":%d`, position):                       {1, first},
		fmt.Sprintf(`"position":%d`, position+1):                     {1, second},
		`"position":0`:                                               {0, first},
	} {
		_, got := w.done("ada", viewPath("assessments"), `{"asOf":{`+at+`}}`)
		rows := 0
		for _, r := range got["value"].([]any) {
			if r.(map[string]any)["table"] == "assessments" {
				rows++
			}
		}
		if rows != tt.rows || got["checkpointNote"] != string(tt.note) || got["signedAtUtc"] == nil {
			t.Errorf("%s: got %d rows under\n%v signed at %v; want %d under\n%s", at, rows, got["checkpointNote"], got["signedAtUtc"], tt.rows, tt.note)
		}
	}
	before := signed.Add(-time.Microsecond).Format(time.RFC3339Nano)
	w.untouched(func() {
		w.start("ada", viewPath("assessments"), `{"asOf":{"timeUtc":"`+before+`"}}`).refused(404, domain.AuditRecordNotFound)
	})
}

// Only administrators list views, and only they read the result, also of another administrator. What is refused starts nothing.
//
// proves: decisions/18/as-of-access
func TestWhoListsViews(t *testing.T) {
	t.Parallel()
	w := newOnDisk(t)
	id, _ := w.done("ada", viewPath("accounts"), `{"asOf":{"position":1}}`)
	w.untouched(func() {
		w.start("bob", viewPath("accounts"), `{"asOf":{"position":1}}`).refused(403, domain.AdminRoleRequired)
		w.get(operationPath(id), w.as("bob")).ok(200)
		w.get(operationPath(id)+"/result", w.as("bob")).refused(404, domain.OperationNotFound)
		w.get(operationPath(id)+"/result", w.as("oscar")).refused(404, domain.OperationNotFound)
		w.send("POST", viewPath("accounts"), w.as("ada", token.ScopeRead), `{"asOf":{"position":1}}`).refused(403, domain.InsufficientScopes)
		w.start("ada", viewPath("people"), `{"asOf":{"position":1}}`).refused(404, domain.AuditRecordNotFound)
		for _, body := range []string{
			`{"asOf":{}}`, `{"asOf":{"position":1,"timeUtc":"2026-01-01T00:00:00Z"}}`, `{"asOf":{"position":1000000}}`, `{"asOf":{"position":-1}}`,
			`{"asOf":{"position":1.5}}`, `{"asOf":{"timeUtc":"yesterday"}}`, `{"asOf":null}`, `{}`, ``, `{"asOf":{"position":1},"account":"other"}`,
		} {
			w.start("ada", viewPath("accounts"), body).refused(400, domain.InvalidRequest)
		}
	})
	w.Clock.Advance(7*24*time.Hour + time.Second)
	w.get(operationPath(id)+"/result", w.as("ada")).refused(410, domain.OperationExpired)

	w.uncounted()
	path, body := viewPath("accounts"), `{"asOf":{"position":1}}`
	key := uuid.NewString()
	one := w.start("ada", path, body, "Idempotency-Key", key).operation()
	if again := w.start("ada", path, body, "Idempotency-Key", key).operation(); again != one {
		t.Errorf("repeated with the same key, the call started %s and %s", one, again)
	}
	if op := w.ended("ada", one); op.Status != operation.StatusSucceeded {
		t.Errorf("it ended %s", op.Status)
	}
}
