package http_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/assessment"
)

// A stored result that was changed or deleted is 502 StoreUnavailable, says what to do and changes nothing; storing it again repairs it.
func TestDamagedDocument(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, op := w.as("ada"), uuid.New()
	id := w.assessed("acme", op, modelA, assessment.Usage{})
	path := modelPath(modelA) + "/assessments/" + id.String()
	want := w.get(path, ada).ok(200)
	var hash string
	var body []byte
	check(t, w.Pool.QueryRow(t.Context(), `SELECT hash, body FROM documents`).Scan(&hash, &body))
	for _, sql := range []string{`UPDATE documents SET body = substr(body, 2)`, `DELETE FROM documents`} {
		_, err := w.Pool.Exec(t.Context(), sql)
		check(t, err)
		w.untouched(func() {
			got := w.get(path, ada).refused(502, domain.StoreUnavailable)
			if !strings.Contains(string(got.text), "readinessd documents verify") || strings.Contains(string(got.text), "sha256") {
				t.Errorf("%s: the refusal is %s", sql, got.text)
			}
		})
	}
	_, err := w.Pool.Exec(t.Context(), `INSERT INTO documents (hash, body) VALUES ($1, $2)`, hash, body)
	check(t, err)
	if got := w.get(path, ada).ok(200); string(got.text) != string(want.text) {
		t.Errorf("the restored result is %s", got.text)
	}
}
