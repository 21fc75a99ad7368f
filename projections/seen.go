package projections

import (
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain/item"
)

// QueueSeen queues queries for the people of all accounts, and for the semantic models and data agents that were assessed.
// They read entire tables, so they are for operators.
func (v *Views) QueueSeen(b *pgx.Batch, people *[]item.Person, assessed map[uuid.UUID]bool) {
	b.Queue(`SELECT DISTINCT issuer, person FROM ` + liveMembers).Query(func(rows pgx.Rows) (err error) {
		*people, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (p item.Person, err error) {
			err = row.Scan(&p.Issuer, &p.ID)
			return p, err
		})
		return err
	})
	b.Queue(`SELECT DISTINCT model_id FROM ` + liveAssessments).Query(func(rows pgx.Rows) error {
		var id uuid.UUID
		_, err := pgx.ForEachRow(rows, []any{&id}, func() error { assessed[id] = true; return nil })
		return err
	})
}
