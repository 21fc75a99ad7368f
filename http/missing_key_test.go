package http_test

import (
	"fmt"
	"net/url"
	"testing"

	"readiness/domain"
)

// While the key of the account's texts is missing, no result has an empty list of what it wrote: results, reverts and the history are refused, with
// what to do, and nothing is stored. Once the key is back, everything is as before.
func TestMissingKeyMakesNoResultFalse(t *testing.T) {
	t.Parallel()
	w := newOnDisk(t)
	preview, _ := w.done("ada", "/aiInstructions/preview", "")
	applied, record := w.done("ada", "/aiInstructions/apply", fmt.Sprintf(`{"previewId":%q}`, preview))
	if len(objects(t, record["applied"])) == 0 {
		t.Fatalf("nothing was applied: %v", record)
	}
	exec := func(sql string) {
		t.Helper()
		_, err := w.Pool.Exec(t.Context(), sql)
		check(t, err)
	}
	exec(`CREATE TABLE backup AS TABLE account_keys`)
	for _, lost := range []string{`DELETE FROM account_keys WHERE account_id = 'acme'`, `UPDATE account_keys SET key = NULL WHERE account_id = 'acme'`} {
		exec(lost)
		files := w.files()
		w.untouched(func() {
			for _, path := range []string{operationPath(applied) + "/result", "/v1/audit/events"} {
				w.get(path, w.as("ada")).refused(502, domain.StoreUnavailable).says("key", "docs/operating.md")
			}
			w.send("GET", "/v1/audit/events", w.as("ada"), "", "Accept", "application/x-ndjson").refused(502, domain.StoreUnavailable).says("key")
			w.start("ada", "/revert", fmt.Sprintf(`{"operationId":%q}`, applied)).refused(502, domain.StoreUnavailable).says("key")
		})
		var keys int
		check(t, w.Pool.QueryRow(t.Context(), `SELECT count(*) FROM account_keys WHERE account_id = 'acme' AND key IS NOT NULL`).Scan(&keys))
		if keys != 0 {
			t.Errorf("after %s another key was made", lost)
		}
		if after := w.files(); fmt.Sprint(after) != fmt.Sprint(files) {
			t.Errorf("after %s files were written", lost)
		}
		exec(`DELETE FROM account_keys`)
		exec(`INSERT INTO account_keys TABLE backup`)
		if again := w.get(operationPath(applied)+"/result", w.as("ada")).ok(200).body; fmt.Sprint(again) != fmt.Sprint(record) {
			t.Errorf("with the key again the result is\n%v\nand was\n%v", again, record)
		}
	}
	w.done("ada", "/revert", fmt.Sprintf(`{"operationId":%q}`, applied))
	if all := w.history(w.as("ada"), url.Values{}); len(all) == 0 {
		t.Error("the history is empty")
	}
}
