package projections

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/trackeditem"
	"readiness/internal/database"
)

// portfolio has the newest stored assessment of each semantic model. rank is the score, or 101 without one,
// so that the lowest score comes first.
var portfolio = &Table{
	Name: "portfolio",
	Columns: []Column{
		{"account_id", "text"}, {"model_id", "uuid"}, {"workspace_id", "uuid"}, {"name_folded", "text"}, {"names_folded", "text"},
		{"rank", "int"}, {"assessed_at", "timestamptz"}, {"basis", "uuid"}, {"regime", "text"}, {"assessment", "jsonb"},
	},
	Key: []string{"account_id", "model_id"},
	Indexes: []string{
		"(account_id, rank, model_id)",
		"(account_id, name_folded, model_id)",
		"(account_id, workspace_id)",
	},
}

// unscored is the rank of a model without a score, and unchanged that of a model without an earlier one.
const (
	unscored  = 101
	unchanged = 1000
)

// newest sets the columns of portfolio to the newest assessment of a model.
func (row Row) newest(a assessment.Assessment) {
	row["workspace_id"], row["name_folded"] = a.WorkspaceID, searched(a.ModelName).folded()
	row["names_folded"] = searched(a.ModelName).folded() + "\n" + searched(a.WorkspaceName).folded()
	row["assessed_at"], row["basis"], row["regime"], row["assessment"] = a.AssessedAt, basisOf(a), a.RegimeID, a
	row["rank"] = rankOf(a)
}

// basisOf returns a digest of what an assessment's score rests on, which is as long as it has rules that could not judge.
func basisOf(a assessment.Assessment) uuid.UUID {
	return uuid.NewSHA1(uuid.Nil, []byte(a.Basis().String()))
}

// rankOf returns an assessment's place in the order of scores.
func rankOf(a assessment.Assessment) int {
	if a.Score == nil {
		return unscored
	}
	return *a.Score
}

// PortfolioModel is a semantic model that the account has assessed.
type PortfolioModel struct {
	Newest assessment.Assessment
	// Before is the newest assessment that was made at least Since before the query's time and whose score is
	// comparable with that of Newest; nil without one.
	Before *assessment.Assessment
	// Views counts the views of the reports on the model that have Pixies now, which Reports counts.
	Views   int64
	Reports int
	Tracked trackeditem.Status // "" if the model is not a tracked item
	// Running is the oldest operation on the model that has not ended; nil without one.
	Running *RunningOperation
	// Scores are those of the newest assessments that are comparable with Newest, including it, oldest first; at most MaxScores.
	Scores []int
	// Owner looks after the model; nil for nobody.
	Owner *Person
	// Evidence is what a benchmark run measured of it; nil without one.
	Evidence *Evidence
	cursor   PortfolioCursor
}

// Cursor returns the model's place in the portfolio, in every order.
func (m PortfolioModel) Cursor() PortfolioCursor { return m.cursor }

// MaxScores is how many scores of a model the portfolio has at most.
const MaxScores = 12

// scoresSQL selects them of a model p.
var scoresSQL = fmt.Sprintf(`ARRAY(SELECT score FROM (SELECT b.score, b.assessed_at, b.id
	FROM %s b WHERE b.account_id = $1 AND b.model_id = p.model_id AND b.basis = p.basis AND b.score IS NOT NULL
	ORDER BY b.assessed_at DESC, b.id DESC LIMIT %d) s ORDER BY s.assessed_at, s.id)`, live.assessments, MaxScores)

// RunningOperation is an operation that has not ended.
type RunningOperation struct {
	ID   uuid.UUID      `json:"id"`
	Type operation.Type `json:"type"`
}

// PortfolioSort is an order of the portfolio.
type PortfolioSort string

// The orders: the lowest score first, the largest loss of score first, the most views first, and by name
// without regard to case. Models without a score, or without an earlier one, come last.
const (
	PortfolioByScore  PortfolioSort = "score"
	PortfolioByChange PortfolioSort = "change"
	PortfolioByViews  PortfolioSort = "views"
	PortfolioByName   PortfolioSort = "name"
)

// PortfolioCursor is the place after which a page of the portfolio starts, in every order.
type PortfolioCursor struct {
	Rank, Change int
	Views        int64
	Name         string // folded
	ID           uuid.UUID
}

// PortfolioQuery selects a page of the account's semantic models. A zero field does not restrict the
// selection, except Workspaces.
type PortfolioQuery struct {
	AccountID  string
	Workspaces []uuid.UUID
	// Text is part of the name of the model or its workspace, in any case.
	Text string
	// ScoreBelow is larger than the score, and NotAssessedSince later than the newest assessment.
	ScoreBelow       *int
	NotAssessedSince *time.Time
	// Regime is the id of the scoring rules that an assessment uses now. Outdated selects the models that were scored by others.
	Regime   string
	Outdated bool
	// Owner selects the models that the person looks after, Unowned those that nobody does.
	Owner   item.PersonID
	Unowned bool
	Sort    PortfolioSort // "" means PortfolioByScore
	// Earlier is until when Before was assessed. Views are counted from the day of From to that of To (UTC).
	Earlier, From, To time.Time
	After             *PortfolioCursor // nil for the first page
	Limit             int
}

// beforeSQL selects the assessment of a model before $3 that its newest one, p, is compared with, and changeSQL the change of the score
// since then.
var (
	beforeSQL = `LEFT JOIN LATERAL (SELECT b.assessment, ` + fmt.Sprintf("nullif(p.rank, %d)", unscored) + ` - b.score AS change
		FROM ` + live.assessments + ` b WHERE b.account_id = $1 AND b.model_id = p.model_id AND b.assessed_at <= $3 AND b.basis = p.basis
		ORDER BY b.assessed_at DESC, b.id DESC LIMIT 1) before ON true`
	changeSQL = `JOIN ` + live.portfolioChanges + ` c ON c.account_id = p.account_id AND c.model_id = p.model_id
		AND c.since <= $3 AND c.until > $3`
)

// reportsSQL selects the reports that have Pixies, by model, and seenSQL their views.
func reportsSQL(of string) string {
	return `reports AS MATERIALIZED (SELECT report_id, model_id FROM ` + live.pixieReports + `
		WHERE account_id = $1 AND status = 'HasPixies' AND model_id IS NOT NULL` + of + `)`
}

// Views are added by report first: how many models the page's reports are on is not known to the planner, which would add them for each.
var seenSQL = `viewed AS MATERIALIZED (SELECT report_id, sum(views) AS views
		FROM (` + reportViewsFrom(`IN (SELECT report_id FROM reports)`, `$4`, `$5`) + `) s GROUP BY report_id),
	seen AS MATERIALIZED (SELECT r.model_id, coalesce(sum(v.views), 0)::bigint AS views, count(*) AS reports
		FROM reports r LEFT JOIN viewed v USING (report_id) GROUP BY r.model_id)`

// filtered returns the condition of the query's filters on p, of which the workspace is taken from a relation, and the arguments of the
// entire query: account, workspaces, Earlier, those given, and the filters'.
func (q PortfolioQuery) filtered(workspace string, given ...any) (where string, args []any) {
	where = ` WHERE p.account_id = $1 AND ` + workspace + `.workspace_id = ANY($2)`
	args = append([]any{q.AccountID, q.Workspaces, q.Earlier}, given...)
	add := func(condition string, value any) {
		args = append(args, value)
		where += fmt.Sprintf(" AND "+condition, len(args))
	}
	if q.Text != "" {
		add(`names_folded LIKE $%d`, searched(q.Text).containing())
	}
	if q.ScoreBelow != nil {
		add(`p.rank < $%d`, *q.ScoreBelow)
	}
	if q.NotAssessedSince != nil {
		add(`p.assessed_at < $%d`, *q.NotAssessedSince)
	}
	if q.Outdated {
		add(`p.regime <> $%d`, q.Regime)
	}
	if q.Owner != "" {
		add(`p.model_id IN (SELECT model_id FROM `+live.modelOwners+` WHERE account_id = $1 AND owner = $%d)`, q.Owner)
	}
	if q.Unowned {
		where += ` AND p.model_id NOT IN (SELECT model_id FROM (` + ownersSQL + `) owned)`
	}
	return where, args
}

// order is how a sort orders portfolio, called p.
type order struct {
	from, key        string // a relation with a row of each model, and its column
	direction, after string
	join             string                    // "" for p
	of               func(PortfolioCursor) any // the value of key
}

var orders = map[PortfolioSort]order{
	PortfolioByScore:  {"p", "rank", "", ">", "", func(c PortfolioCursor) any { return c.Rank }},
	PortfolioByName:   {"p", "name_folded", "", ">", "", func(c PortfolioCursor) any { return c.Name }},
	PortfolioByChange: {"c", "change", "", ">", changeSQL, func(c PortfolioCursor) any { return c.Change }},
	PortfolioByViews: {
		"seen", "views", " DESC", "<", "JOIN (SELECT * FROM seen ORDER BY views DESC, model_id DESC) seen ON seen.model_id = p.model_id",
		func(c PortfolioCursor) any { return c.Views },
	},
}

func (q PortfolioQuery) statement() database.Statement {
	by, known := orders[q.Sort]
	if !known {
		by = orders[PortfolioByScore]
	}
	workspace := "p"
	if q.Sort == PortfolioByChange {
		workspace = "c" // so that its index has the order and the workspaces
	}
	where, args := q.filtered(workspace, q.From.UTC(), q.To.UTC())
	after := func(string, string) string { return "" }
	if c := q.After; c != nil {
		args = append(args, by.of(*c), c.ID)
		n := len(args)
		after = func(from, key string) string {
			return fmt.Sprintf(" AND (%s, %s.model_id) %s ($%d, $%d)", key, from, by.after, n-1, n)
		}
	}
	args = append(args, q.Limit)
	first := func(from, key, join, also string) string {
		return fmt.Sprintf(`SELECT p.*, %[2]s AS sorted FROM %[4]s p %[5]s%[6]s ORDER BY sorted%[3]s, %[1]s.model_id%[3]s LIMIT $%[7]d`,
			from, key, by.direction, live.portfolio, join, where+also+after(from, key), len(args))
	}
	page := first(by.from, by.from+"."+by.key, by.join, "")
	var with string
	if q.Sort == PortfolioByViews {
		// Few models have views: the others are in the order of their key.
		with = reportsSQL("") + ", " + seenSQL + `, page AS MATERIALIZED (SELECT * FROM (
			(` + page + `) UNION ALL
			(` + first("p", "0::bigint", "", " AND p.model_id NOT IN (SELECT model_id FROM seen)") + `)) p
			ORDER BY sorted DESC, model_id DESC LIMIT ` + fmt.Sprintf("$%d)", len(args))
	} else {
		with = `page AS MATERIALIZED (` + page + `), ` +
			reportsSQL(` AND model_id IN (SELECT model_id FROM page)`) + ", " + seenSQL
	}
	return database.Statement{Args: args, SQL: `WITH ` + with + `
		SELECT p.assessment, before.assessment, before.change, coalesce(seen.views, 0), coalesce(seen.reports, 0),
			(SELECT status FROM ` + live.trackedItems + ` WHERE account_id = $1 AND item_id = p.model_id),
			(SELECT jsonb_build_object('id', o.id, 'type', o.type) FROM ` + live.operations + ` o
				WHERE o.account_id = $1 AND o.status IN ('NotStarted', 'Running') AND o.item_id = p.model_id
				ORDER BY o.created_at, o.id LIMIT 1),
			` + scoresSQL + `, ` + evidenceSQL("p.account_id", "p.model_id", "p.assessment->>'definitionHash'") + `, p.rank, p.name_folded, p.model_id,
			owned.owner, owned.sealed
		FROM page p ` + beforeSQL + ` LEFT JOIN seen ON seen.model_id = p.model_id
		LEFT JOIN LATERAL (` + ownersSQL + ` AND o.model_id = p.model_id OFFSET 0) owned ON true
		ORDER BY p.sorted` + by.direction + `, p.model_id` + by.direction}
}

func (v *Views) scanPortfolioModel(accountID string, row pgx.CollectableRow) (m PortfolioModel, err error) {
	var newest, before, running, evidence, sealed []byte
	var owner *item.PersonID
	var change *int
	var tracked *string
	if err := row.Scan(&newest, &before, &change, &m.Views, &m.Reports, &tracked, &running, &m.Scores, &evidence, &m.cursor.Rank, &m.cursor.Name,
		&m.cursor.ID, &owner, &sealed); err != nil {
		return m, err
	}
	m.cursor.Views, m.cursor.Change = m.Views, unchanged
	if change != nil {
		m.cursor.Change = *change
	}
	if tracked != nil {
		m.Tracked = trackeditem.Status(*tracked)
	}
	if err := json.Unmarshal(newest, &m.Newest); err != nil {
		return m, err
	}
	if m.Owner, err = v.person(accountID, owner, sealed); err != nil {
		return m, err
	}
	if err := stored(before, &m.Before); err != nil {
		return m, err
	}
	if err := stored(evidence, &m.Evidence); err != nil {
		return m, err
	}
	return m, stored(running, &m.Running)
}

// Portfolio returns the account's assessed semantic models that the query selects.
func (v *Views) Portfolio(ctx context.Context, q PortfolioQuery) ([]PortfolioModel, error) {
	s := q.statement()
	// Planned with the values: how many models a filter selects varies.
	return collect(ctx, v, "read the portfolio", func(row pgx.CollectableRow) (PortfolioModel, error) {
		return v.scanPortfolioModel(q.AccountID, row)
	}, s.SQL, append([]any{pgx.QueryExecModeCacheDescribe}, s.Args...)...)
}
