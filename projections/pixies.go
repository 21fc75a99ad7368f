package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/operation"
	"readiness/domain/pixies"
	"readiness/eventstore"
	"readiness/internal/lists"
)

var pixieReports = &Table{
	Name: "pixies",
	Columns: []Column{
		{"account_id", "text"}, {"report_id", "uuid"}, {"workspace_id", "uuid"}, {"report_name", "text"}, {"model_id", "uuid"},
		{"status", "text"}, {"pages", "int"}, {"visuals", "int"}, {"changed_at", "timestamptz"}, {"last_operation", "uuid"},
		{"holder", "uuid"},
	},
	Key:     []string{"account_id", "report_id"},
	Indexes: []string{"(account_id, model_id) WHERE status = 'HasPixies'"},
}

// An id stays when its Pixie is removed, because older copies of the report are still viewed. So a row
// has nothing but its key and a count, and placing the Pixie again adds to the count.
var pixieIDs = &Table{
	Name:    "pixie_ids",
	Columns: []Column{{"id", "text"}, {"account_id", "text"}, {"report_id", "uuid"}, {"page", "text"}, {"placed", "bigint"}},
	Key:     []string{"id", "account_id", "report_id", "page"},
}

var reportCopies = &Table{
	Name: "report_copies",
	Columns: []Column{
		{"operation_id", "uuid"}, {"report_id", "uuid"}, {"account_id", "text"}, {"workspace_id", "uuid"}, {"report_name", "text"},
		{"at", "timestamptz"}, {"hash", "text"},
	},
	Key:     []string{"operation_id", "report_id"},
	Indexes: []string{"(account_id, at DESC) WHERE hash IS NOT NULL"},
}

// Pixies is the view of the Pixies of reports. It has one row per report, fed by the report's stream
// alone; the report and the page of every id that a Pixie ever had; and the copies of definitions that
// operations keep, one row per report, fed by the operation's stream.
var Pixies = &View{
	Name: "pixies", Version: 1, Inline: true,
	Tables: []*Table{pixieReports, pixieIDs, reportCopies},
	Of: []domain.Event{
		pixies.Locked{}, pixies.Added{}, pixies.Removed{}, pixies.Unchanged{}, pixies.ReportDeleted{}, pixies.RunAccepted{},
		pixies.ChangeIntended{},
	},
	Project: func(rows *Rows, r eventstore.Recorded) error {
		if report, ours := domain.After[pixies.Report](r.Event); ours {
			projectReport(rows, r, report)
			return nil
		}
		operationID, ours := operation.StreamID(r.Stream)
		switch e := r.Event.(type) {
		case pixies.RunAccepted:
			for _, n := range e.Reports {
				if ours && e.KeepCopies {
					rows.Insert(reportCopies, Row{
						"operation_id": operationID, "report_id": n.ReportID, "account_id": r.Account, "workspace_id": e.WorkspaceID,
						"report_name": n.ReportName, "at": nil, "hash": nil,
					})
				}
			}
		case pixies.ChangeIntended:
			if ours && e.CopyHash != "" {
				rows.Set(reportCopies, Key{operationID, e.ReportID}, Row{"at": r.RecordedAt, "hash": e.CopyHash})
			}
		}
		return nil
	},
}

// projectReport projects an event of a report's stream. Every such event carries the report's entire
// state.
func projectReport(rows *Rows, r eventstore.Recorded, report pixies.Report) {
	columns := Row{
		"workspace_id": report.WorkspaceID, "report_name": report.ReportName, "model_id": report.ModelID, "status": string(report.Status),
		"pages": report.Pages, "visuals": report.Visuals, "changed_at": report.ChangedAt, "last_operation": report.LastOperation,
		"holder": report.Holder,
	}
	if r.Version > 1 {
		rows.Set(pixieReports, Key{r.Account, report.ReportID}, columns)
	} else {
		columns["account_id"], columns["report_id"] = r.Account, report.ReportID
		rows.Insert(pixieReports, columns)
	}
	if _, added := r.Event.(pixies.Added); added {
		for _, p := range report.Placed {
			rows.Add(pixieIDs, Key{p.ID, r.Account, report.ReportID, p.Page}, Row{"placed": 1})
		}
	}
}

const pixieReportColumns = `report_id, workspace_id, report_name, model_id, status, pages, visuals, changed_at, last_operation, holder`

func scanPixieReport(row pgx.CollectableRow) (r pixies.Report, err error) {
	err = row.Scan(&r.ReportID, &r.WorkspaceID, &r.ReportName, &r.ModelID, &r.Status, &r.Pages, &r.Visuals, &r.ChangedAt, &r.LastOperation,
		&r.Holder)
	if r.ChangedAt != nil {
		*r.ChangedAt = r.ChangedAt.UTC()
	}
	return r, err
}

func (v *Views) pixieReports(ctx context.Context, where string, args ...any) ([]pixies.Report, error) {
	return collect(ctx, v, "read reports with Pixies", scanPixieReport,
		`SELECT `+pixieReportColumns+` FROM `+live.pixieReports+` WHERE `+where, args...)
}

// Pixies returns the account's record of each of the reports that it has one of, without the places of
// the Pixies.
func (v *Views) Pixies(ctx context.Context, accountID string, reportIDs []uuid.UUID) (map[uuid.UUID]pixies.Report, error) {
	found, err := v.pixieReports(ctx, `account_id = $1 AND report_id = ANY($2)`, accountID, reportIDs)
	byID := lists.Index(found, func(r pixies.Report) uuid.UUID { return r.ReportID })
	return byID, err
}

// ReportsOnModel returns the account's reports that have Pixies now and used the model when Pixies
// were last added.
func (v *Views) ReportsOnModel(ctx context.Context, accountID string, modelID uuid.UUID) ([]pixies.Report, error) {
	return v.pixieReports(ctx, `account_id = $1 AND model_id = $2 AND status = 'HasPixies' ORDER BY report_id`, accountID, modelID)
}

// PixieID is the place where the Pixie with an id is or was.
type PixieID struct {
	AccountID string
	ReportID  uuid.UUID
	Page      string
}

// PixieIDs returns the places of the Pixies with the ids, in any account: a page view reports only the
// id in its address.
func (v *Views) PixieIDs(ctx context.Context, ids []string) (map[string]PixieID, error) {
	rows, err := v.Pool.Query(ctx, `SELECT id, account_id, report_id, page FROM `+live.pixieIDs+` WHERE id = ANY($1)`, ids)
	if err != nil {
		return nil, fmt.Errorf("projections: look up Pixies: %w", err)
	}
	found := make(map[string]PixieID, len(ids))
	var id string
	var p PixieID
	_, err = pgx.ForEachRow(rows, []any{&id, &p.AccountID, &p.ReportID, &p.Page}, func() error {
		found[id] = p
		return nil
	})
	return found, err
}

// OwnPixies returns which of the ids belong to a Pixie that the account has or had.
func (v *Views) OwnPixies(ctx context.Context, accountID string, ids []string) (map[string]bool, error) {
	own := map[string]bool{}
	if len(ids) == 0 {
		return own, nil
	}
	rows, err := v.Pool.Query(ctx, `SELECT id FROM `+live.pixieIDs+` WHERE id = ANY($1) AND account_id = $2`, ids, accountID)
	if err != nil {
		return nil, fmt.Errorf("projections: look up an account's Pixies: %w", err)
	}
	var id string
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		own[id] = true
		return nil
	})
	return own, err
}

// ReportCopy is the definition of a report before an operation changed it. Its document is kept for 30
// days.
type ReportCopy struct {
	OperationID uuid.UUID
	ReportID    uuid.UUID
	WorkspaceID uuid.UUID
	ReportName  string
	At          time.Time
	Hash        string // of the document
}

const reportCopyColumns = `operation_id, report_id, workspace_id, report_name, at, hash`

// ReportCopies returns at most limit copies made by the account's operations since then, newest first.
func (v *Views) ReportCopies(ctx context.Context, accountID string, since time.Time, limit int) ([]ReportCopy, error) {
	return collect(ctx, v, "list the copies of reports", pgx.RowToStructByPos[ReportCopy],
		`SELECT `+reportCopyColumns+` FROM `+live.reportCopies+`
		WHERE account_id = $1 AND hash IS NOT NULL AND at >= $2
			ORDER BY at DESC, operation_id, report_id LIMIT $3`, accountID, since, limit)
}

// ReportCopy returns the copy that the account's operation made of the report.
func (v *Views) ReportCopy(ctx context.Context, accountID string, operationID, reportID uuid.UUID) (ReportCopy, bool, error) {
	return one(ctx, v, "read the copy of a report", pgx.RowToStructByPos[ReportCopy],
		`SELECT `+reportCopyColumns+` FROM `+live.reportCopies+`
		WHERE account_id = $1 AND operation_id = $2 AND report_id = $3 AND hash IS NOT NULL`, accountID, operationID, reportID)
}

// PixiesRun folds a run that adds or removes Pixies from its operation's stream, which has a few
// events per report.
func (v *Views) PixiesRun(ctx context.Context, operationID uuid.UUID) (pixies.Run, error) {
	past := eventstore.Fold(operation.Stream(operationID), pixies.EvolveRun)
	err := v.Store.Load(ctx, past)
	return past.State, err
}
