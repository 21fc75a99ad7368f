// Package choices stores the decisions of people about the changes of previews before an apply, and the applies that they started.
// Only the console has them: the interface has no reviews, and the log would keep every text that someone typed
// and withdrew. The package checks no rights: its callers have read the preview as the person.
package choices

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/internal/optional"
)

// Verdict is what a person decided about a change.
type Verdict string

// The verdicts.
const (
	Open     Verdict = "open"
	Accepted Verdict = "accepted"
	Rejected Verdict = "rejected"
)

// Choice is the last decision about a change. The zero value means that there is none.
type Choice struct {
	Verdict Verdict
	// Text is a person's own text instead of the proposed one; nil for none.
	Text   *string
	Person string
	At     time.Time
	// Revision counts the decisions about the change.
	Revision int
}

// Preview names a preview of an account.
type Preview struct {
	Account string
	ID      uuid.UUID
	// Expires is when the preview and the decisions about it expire.
	Expires time.Time
}

// Decision is a person's decision about a change. Seen is the revision that they saw.
type Decision struct {
	Key     string
	Seen    int
	Verdict Verdict
	Text    *string
}

// MaxDecisions bounds how many changes are decided at once.
const MaxDecisions = 1000

// Store stores choices and applies.
type Store struct{ pool *pgxpool.Pool }

// NewStore returns the store in pool's database.
func NewStore(pool *pgxpool.Pool) *Store { return &Store{pool} }

// Read returns the choices about a preview by the key of the change.
func (s *Store) Read(ctx context.Context, p Preview) (map[string]Choice, error) {
	rows, err := s.pool.Query(ctx, `SELECT change_key, verdict, own_text, person, decided_at, revision
		FROM console_choices WHERE account_id = $1 AND preview_id = $2`, p.Account, p.ID)
	if err != nil {
		return nil, fmt.Errorf("choices: %w", err)
	}
	all := map[string]Choice{}
	var key string
	var c Choice
	_, err = pgx.ForEachRow(rows, []any{&key, &c.Verdict, &c.Text, &c.Person, &c.At, &c.Revision}, func() error {
		all[key] = c
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("choices: %w", err)
	}
	return all, nil
}

// decide stores a decision unless the change was decided after the revision that the person saw. The same decision again
// changes nothing.
const decide = `INSERT INTO console_choices AS c
	(account_id, preview_id, change_key, verdict, own_text, person, decided_at, revision, expires_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8)
	ON CONFLICT (account_id, preview_id, change_key) DO UPDATE
	SET verdict = $4, own_text = $5, person = $6, decided_at = $7, revision = c.revision + 1
	WHERE c.revision = $9
	RETURNING revision`

// Decide stores the decisions of a person. It returns those that it did not store, because another person decided otherwise since the
// person's page was shown.
func (s *Store) Decide(ctx context.Context, p Preview, person string, now time.Time, all []Decision) (late []Decision, err error) {
	if len(all) > MaxDecisions {
		return nil, fmt.Errorf("choices: %d decisions at once, at most %d", len(all), MaxDecisions)
	}
	// In one order, so that no two people wait for each other.
	all = slices.SortedFunc(slices.Values(all), func(a, b Decision) int { return strings.Compare(a.Key, b.Key) })
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		late = nil
		var batch pgx.Batch
		for _, d := range all {
			q := batch.Queue(decide, p.Account, p.ID, d.Key, d.Verdict, d.Text, person, now, p.Expires, d.Seen)
			q.QueryRow(func(row pgx.Row) error {
				var revision int
				err := row.Scan(&revision)
				if errors.Is(err, pgx.ErrNoRows) {
					late = append(late, d)
					return nil
				}
				return err
			})
		}
		return tx.SendBatch(ctx, &batch).Close()
	})
	if err != nil || len(late) == 0 {
		if err != nil {
			err = fmt.Errorf("choices: %w", err)
		}
		return nil, err
	}
	stored, err := s.Read(ctx, p)
	if err != nil {
		return nil, err
	}
	var others []Decision
	for _, d := range late {
		if c := stored[d.Key]; c.Verdict != d.Verdict || !optional.Equal(c.Text, d.Text) {
			others = append(others, d)
		}
	}
	return others, nil
}

// Apply is an apply that was started in the console.
type Apply struct {
	OperationID uuid.UUID
	Person      string
	At          time.Time
}

// maxApplies bounds how many applies of a preview are read: the newest.
const maxApplies = 5

// Applies returns how many applies of a preview were started, and the newest of them, newest first.
func (s *Store) Applies(ctx context.Context, p Preview) (count int, newest []Apply, err error) {
	rows, err := s.pool.Query(ctx, `SELECT operation_id, person, started_at, count(*) OVER () FROM console_applies
		WHERE account_id = $1 AND preview_id = $2 ORDER BY started_at DESC, operation_id LIMIT $3`, p.Account, p.ID, maxApplies)
	if err != nil {
		return 0, nil, fmt.Errorf("choices: %w", err)
	}
	var a Apply
	_, err = pgx.ForEachRow(rows, []any{&a.OperationID, &a.Person, &a.At, &count}, func() error {
		newest = append(newest, a)
		return nil
	})
	if err != nil {
		return 0, nil, fmt.Errorf("choices: %w", err)
	}
	return count, newest, nil
}

// Applied records that an apply was started. The same again changes nothing.
func (s *Store) Applied(ctx context.Context, p Preview, a Apply) error {
	if _, err := s.pool.Exec(ctx, `INSERT INTO console_applies (account_id, preview_id, operation_id, person, started_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`, p.Account, p.ID, a.OperationID, a.Person, a.At, p.Expires); err != nil {
		return fmt.Errorf("choices: %w", err)
	}
	return nil
}

// Sweep deletes what belongs to expired previews.
func (s *Store) Sweep(ctx context.Context, now time.Time) error {
	for _, table := range []string{"console_choices", "console_applies"} {
		if _, err := s.pool.Exec(ctx, `DELETE FROM `+table+` WHERE expires_at <= $1`, now); err != nil {
			return fmt.Errorf("choices: %w", err)
		}
	}
	return nil
}
