package projections

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"readiness/domain/benchmark"
	"readiness/domain/verdict"
)

// Evidence is a benchmark run that measured a model: an AI answered it, and at most a third of its questions had no answer.
type Evidence struct {
	RunID   uuid.UUID         `json:"runId"`
	EndedAt time.Time         `json:"endedAt"`
	Outcome benchmark.Outcome `json:"outcome"`
}

// evidenceSQL selects the newest evidence about a model as JSON, that about the definition with the hash first. Runs that
// did not record their definition, and answers of the rules engine, are none.
func evidenceSQL(account, model, hash string) string {
	return fmt.Sprintf(`(SELECT jsonb_build_object('runId', r.run_id, 'endedAt', r.ended_at, 'outcome', r.outcome) FROM %s r
		WHERE r.account_id = %s AND r.model_id = %s AND r.outcome ? 'definitionHash' AND r.outcome ? 'accuracyCi'
			AND r.outcome->>'answerer' NOT LIKE '%s%%'
			AND 3 * ((r.accepted->>'count')::int - (r.outcome->>'scored')::int) <= (r.accepted->>'count')::int
		ORDER BY r.outcome->>'definitionHash' = %s DESC, r.accepted_at DESC, r.run_id DESC LIMIT 1)`,
		live.benchmarkRuns, account, model, verdict.Embedded, hash)
}
