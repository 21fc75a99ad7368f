package projections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/schedule"
	"readiness/eventstore"
)

var schedules = &Table{
	Name: "schedules",
	Columns: []Column{
		{"account_id", "text"}, {"schedule_id", "uuid"}, {"semantic_model_id", "uuid"}, {"created_at", "timestamptz"},
		{"next_at", "timestamptz"}, {"schedule", "jsonb"},
	},
	Key: []string{"account_id", "schedule_id"},
	Indexes: []string{
		"(account_id, created_at, schedule_id)",
		"(account_id, semantic_model_id)",
		"(next_at, schedule_id) WHERE next_at IS NOT NULL",
	},
}

// Schedules is the view behind the schedules' routes and the search for due schedules: one row per
// schedule, fed by the stream of its model's schedules alone.
var Schedules = &View{
	Name: "schedules", Version: 2, Inline: true,
	Tables: []*Table{schedules},
	Of: []domain.Event{
		schedule.Created{}, schedule.Changed{}, schedule.SlotStarted{}, schedule.SlotRefused{}, schedule.Paused{}, schedule.Deleted{},
	},
	Project: func(rows *Rows, r eventstore.Recorded) error {
		s, ours := domain.After[schedule.Schedule](r.Event)
		if !ours {
			return nil
		}
		columns := Row{"next_at": s.NextRunAt(), "schedule": s}
		switch e := r.Event.(type) {
		case schedule.Created:
			columns["account_id"], columns["schedule_id"], columns["semantic_model_id"], columns["created_at"] = r.Account, s.ScheduleID,
				s.ModelID, s.CreatedAt
			rows.Insert(schedules, columns)
		case schedule.Deleted:
			rows.Delete(schedules, Key{r.Account, e.ScheduleID})
		default:
			rows.Set(schedules, Key{r.Account, s.ScheduleID}, columns)
		}
		return nil
	},
}

// ScheduleCursor is the place after which a page of schedules starts.
type ScheduleCursor struct {
	CreatedAt  time.Time
	ScheduleID uuid.UUID
}

// SchedulesQuery selects a page of an account's schedules, oldest first.
type SchedulesQuery struct {
	AccountID string
	ModelID   *uuid.UUID      // nil means every model's
	After     *ScheduleCursor // nil for the first page
	Limit     int
}

// OwnedSchedule is a schedule, and its owner as people call them; "" for one who was
// erased.
type OwnedSchedule struct {
	schedule.Schedule
	OwnerName string
}

var ownedSchedules = `SELECT s.account_id, s.schedule, w.key || w.sealed FROM ` + live.schedules + ` s
	LEFT JOIN people w ON w.account_id = s.account_id AND w.person_id = s.schedule ->> 'owner' WHERE s.account_id = $1`

func (v *Views) scanSchedule(row pgx.CollectableRow) (s OwnedSchedule, err error) {
	var accountID string
	var text, owner []byte
	if err := row.Scan(&accountID, &text, &owner); err != nil {
		return s, err
	}
	if err = json.Unmarshal(text, &s.Schedule); err == nil {
		s.OwnerName, err = v.People.Shown(accountID, s.Owner, owner)
	}
	return s, err
}

// Schedules returns a page of the account's schedules.
func (v *Views) Schedules(ctx context.Context, q SchedulesQuery) ([]OwnedSchedule, error) {
	sql := ownedSchedules
	args := []any{q.AccountID}
	if q.ModelID != nil {
		args = append(args, *q.ModelID)
		sql += fmt.Sprintf(` AND semantic_model_id = $%d`, len(args))
	}
	if q.After != nil {
		args = append(args, q.After.CreatedAt, q.After.ScheduleID)
		sql += fmt.Sprintf(` AND (created_at, schedule_id) > ($%d, $%d)`, len(args)-1, len(args))
	}
	args = append(args, q.Limit)
	return collect(ctx, v, "list schedules", v.scanSchedule,
		sql+fmt.Sprintf(` ORDER BY created_at, schedule_id LIMIT $%d`, len(args)), args...)
}

// Schedule returns a schedule of the account.
func (v *Views) Schedule(ctx context.Context, accountID string, id uuid.UUID) (OwnedSchedule, bool, error) {
	rows, err := v.Pool.Query(ctx, ownedSchedules+` AND s.schedule_id = $2`, accountID, id)
	if err != nil {
		return OwnedSchedule{}, false, fmt.Errorf("projections: read schedule %s: %w", id, err)
	}
	s, err := pgx.CollectExactlyOneRow(rows, v.scanSchedule)
	if errors.Is(err, pgx.ErrNoRows) {
		return OwnedSchedule{}, false, nil
	}
	if err != nil {
		return OwnedSchedule{}, false, fmt.Errorf("projections: read schedule %s: %w", id, err)
	}
	return s, true, nil
}

// DueSlots returns at most limit slots, of every account's schedules, that are due at now: the
// earliest first, starting after the slot after. The zero Slot comes before every other.
func (v *Views) DueSlots(ctx context.Context, now time.Time, after schedule.Slot, limit int) ([]schedule.Slot, error) {
	rows, err := v.Pool.Query(ctx, `SELECT account_id, semantic_model_id, schedule_id, next_at FROM `+live.schedules+`
		WHERE next_at <= $1 AND (next_at, schedule_id) > ($2, $3)
			ORDER BY next_at, schedule_id LIMIT $4`, now, after.At, after.ScheduleID, limit)
	if err != nil {
		return nil, fmt.Errorf("projections: look for due schedules: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s schedule.Slot, err error) {
		err = row.Scan(&s.AccountID, &s.ModelID, &s.ScheduleID, &s.At)
		s.At = s.At.UTC()
		return s, err
	})
}

// QueueLate queues a query for the number of schedules of all accounts whose slot began before the time and was not
// started.
func (v *Views) QueueLate(b *pgx.Batch, before time.Time, late *int64) {
	b.Queue(`SELECT count(*) FROM `+live.schedules+` WHERE next_at < $1`, before).
		QueryRow(func(row pgx.Row) error { return row.Scan(late) })
}
