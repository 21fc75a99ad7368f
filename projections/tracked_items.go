package projections

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
	"readiness/internal/lists"
)

var trackedItems = &Table{
	Name: "tracked_items",
	Columns: []Column{
		{"account_id", "text"}, {"item_id", "uuid"}, {"item_type", "text"}, {"workspace_id", "uuid"}, {"license_id", "text"},
		{"status", "text"}, {"tracked_since", "timestamptz"}, {"item", "jsonb"},
	},
	Key: []string{"account_id", "item_id"},
	Indexes: []string{
		"(account_id, tracked_since, item_id)",
		"(account_id, license_id, tracked_since, item_id)",
		"(account_id, workspace_id, item_type)",
	},
}

// TrackedItems is the view behind GET /v1/trackedItems: one row per tracked item, fed by the item's
// stream alone.
var TrackedItems = &View{
	Name: "tracked_items", Version: 1, Inline: true,
	Tables: []*Table{trackedItems},
	Of: []domain.Event{
		trackeditem.Claimed{}, trackeditem.Removed{}, trackeditem.AddedAgain{}, trackeditem.Deleted{}, trackeditem.ResultsDeleted{},
		trackeditem.TrackedAgain{}, trackeditem.Renamed{},
	},
	Project: func(rows *Rows, r eventstore.Recorded) error {
		i, ours := domain.After[trackeditem.Item](r.Event)
		if !ours || !i.Counts() { // an item that is only reserved is not tracked
			return nil
		}
		columns := Row{"workspace_id": i.WorkspaceID, "status": string(i.Status), "item": i}
		if _, claimed := r.Event.(trackeditem.Claimed); !claimed {
			rows.Set(trackedItems, Key{r.Account, i.ItemID}, columns)
			return nil
		}
		columns["account_id"], columns["item_id"], columns["item_type"] = r.Account, i.ItemID, string(i.ItemType)
		columns["license_id"], columns["tracked_since"] = i.LicenseID, i.TrackedSince
		rows.Insert(trackedItems, columns)
		return nil
	},
}

// TrackedItemCursor is the place after which a page of tracked items starts.
type TrackedItemCursor struct {
	TrackedSince time.Time
	ItemID       uuid.UUID
}

// TrackedItemsQuery selects a page of an account's tracked items, those tracked longest first.
type TrackedItemsQuery struct {
	AccountID  string
	LicenseID  string             // "" means every license's
	ActiveOnly bool               // only items with the status Tracked (docs/decisions.md 8.9)
	After      *TrackedItemCursor // nil for the first page
	Limit      int
}

func scanTrackedItem(row pgx.CollectableRow) (i trackeditem.Item, err error) {
	var text []byte
	if err := row.Scan(&text); err != nil {
		return i, err
	}
	return i, json.Unmarshal(text, &i)
}

// TrackedItems returns a page of the account's tracked items.
func (v *Views) TrackedItems(ctx context.Context, q TrackedItemsQuery) ([]trackeditem.Item, error) {
	sql := `SELECT item FROM ` + live.trackedItems + ` WHERE account_id = $1`
	args := []any{q.AccountID}
	if q.LicenseID != "" {
		args = append(args, q.LicenseID)
		sql += fmt.Sprintf(` AND license_id = $%d`, len(args))
	}
	if q.ActiveOnly {
		args = append(args, string(trackeditem.StatusTracked))
		sql += fmt.Sprintf(` AND status = $%d`, len(args))
	}
	if q.After != nil {
		args = append(args, q.After.TrackedSince, q.After.ItemID)
		sql += fmt.Sprintf(` AND (tracked_since, item_id) > ($%d, $%d)`, len(args)-1, len(args))
	}
	args = append(args, q.Limit)
	return collect(ctx, v, "list tracked items", scanTrackedItem,
		sql+fmt.Sprintf(` ORDER BY tracked_since, item_id LIMIT $%d`, len(args)), args...)
}

// TrackedIn returns the account's tracked items of a type in a workspace, whatever their status.
func (v *Views) TrackedIn(ctx context.Context, accountID string, workspaceID uuid.UUID, t item.Type) ([]trackeditem.Item, error) {
	return collect(ctx, v, "read the tracked items of a workspace", scanTrackedItem,
		`SELECT item FROM `+live.trackedItems+`
		WHERE account_id = $1 AND workspace_id = $2 AND item_type = $3`,
		accountID, workspaceID, string(t))
}

// Tracked returns which of the items count as tracked items of the account, whatever their status.
func (v *Views) Tracked(ctx context.Context, accountID string, itemIDs []uuid.UUID) (map[uuid.UUID]bool, error) {
	rows, err := v.Pool.Query(ctx, `SELECT item_id FROM `+live.trackedItems+` WHERE account_id = $1 AND item_id = ANY($2)`,
		accountID, itemIDs)
	if err != nil {
		return nil, fmt.Errorf("projections: look for tracked items: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	tracked := lists.Set(found)
	return tracked, err
}
