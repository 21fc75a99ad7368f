package projections

import (
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain/item"
)

// QueueSeen queues queries for the people of all accounts, and for the semantic models and data agents that were assessed.
// They read entire tables, so they are for operators.
func (v *Views) QueueSeen(b *pgx.Batch, people *[]item.Person, assessed map[uuid.UUID]bool) {
	current := `SELECT w.account_id, w.person_id, w.key || w.sealed
		FROM people w JOIN ` + live.members + ` m ON m.account_id = w.account_id AND m.person = w.person_id`
	b.Queue(current).Query(func(rows pgx.Rows) (err error) {
		var accountID string
		var id item.PersonID
		var sealed []byte
		seen := map[item.Person]bool{}
		_, err = pgx.ForEachRow(rows, []any{&accountID, &id, &sealed}, func() error {
			who, err := v.People.Open(accountID, id, sealed)
			if err == nil && !seen[who] {
				seen[who], *people = true, append(*people, who)
			}
			return err
		})
		return err
	})
	b.Queue(`SELECT DISTINCT model_id FROM ` + live.assessments).Query(func(rows pgx.Rows) error {
		var id uuid.UUID
		_, err := pgx.ForEachRow(rows, []any{&id}, func() error { assessed[id] = true; return nil })
		return err
	})
}
