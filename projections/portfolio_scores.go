package projections

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain/assessment"
)

// Dimensions are the ids of the dimensions of a semantic model, in the order of the regimes.
var Dimensions = [9]string{"descriptions", "naming", "measures", "types", "relationships", "visibility", "instructions", "synonyms", "time"}

// portfolioScores has the numbers of portfolio, in rows so short that all of an account are read at once. A severity is NULL
// in assessments from before it was recorded, and a dimension also where no rule applied.
var portfolioScores = &Table{
	Name: "portfolio_scores",
	Columns: append([]Column{
		{"account_id", "text"}, {"model_id", "uuid"}, {"workspace_id", "uuid"}, {"rank", "int"}, {"assessed_at", "timestamptz"},
		{"basis", "uuid"}, {"regime", "text"}, {"high", "int"}, {"medium", "int"}, {"low", "int"},
	}, dimensionColumns()...),
	Key: []string{"account_id", "model_id"},
}

func dimensionColumns() (all []Column) {
	for _, id := range Dimensions {
		all = append(all, Column{"dimension_" + id, "int"})
	}
	return all
}

// scores sets the columns of portfolio_scores.
func (row Row) scores(a assessment.Assessment) {
	row["workspace_id"], row["rank"], row["assessed_at"], row["basis"] = a.WorkspaceID, rankOf(a), a.AssessedAt, basisOf(a)
	row["regime"] = a.RegimeID
	row["high"], row["medium"], row["low"] = nil, nil, nil
	if s := a.Severities; s != nil {
		row["high"], row["medium"], row["low"] = s.High, s.Medium, s.Low
	}
	for _, id := range Dimensions {
		row.number("dimension_"+id, a.Dimensions[id])
	}
}

// number sets a column to a number, or to NULL.
func (row Row) number(column string, n *int) {
	if row[column] = nil; n != nil {
		row[column] = *n
	}
}

// WorkspaceScores are the scores of the models of a workspace in the portfolio.
type WorkspaceScores struct {
	WorkspaceID uuid.UUID
	// Models counts the models, Late those whose newest assessment is not later than the query's Earlier, and Outdated those that were
	// scored by other rules than the query's Regime.
	Models, Late, Outdated int
	// Bands counts the models with a score by tens, the last with 90 to 100, and Sum is the sum of their scores.
	Bands      [10]int
	Sum        int
	Severities assessment.Severities
	// Dimensions are those of the variable Dimensions, in its order.
	Dimensions [9]DimensionScores
}

// DimensionScores are the scores of a dimension: their sum, and of how many models.
type DimensionScores struct{ Sum, Models int }

// scoreColumns are what WorkspaceScores has, in the order of its fields.
var scoreColumns = func() string {
	columns := `workspace_id, count(*), count(*) FILTER (WHERE assessed_at <= $3), count(*) FILTER (WHERE regime <> $4)`
	for band := range 9 {
		columns += fmt.Sprintf(", count(*) FILTER (WHERE rank BETWEEN %d AND %d)", band*10, band*10+9)
	}
	columns += fmt.Sprintf(", count(*) FILTER (WHERE rank BETWEEN 90 AND 100), coalesce(sum(rank) FILTER (WHERE rank < %d), 0)", unscored)
	for _, sum := range []string{"high", "medium", "low"} {
		columns += ", coalesce(sum(" + sum + "), 0)"
	}
	for _, c := range dimensionColumns() {
		columns += fmt.Sprintf(", coalesce(sum(%[1]s), 0), count(%[1]s)", c.Name)
	}
	return columns
}()

// scoresFrom returns what a query of the scores selects from.
func (q PortfolioQuery) scoresFrom() string {
	from := ` FROM ` + live.portfolioScores + ` p`
	if q.Text != "" {
		from += ` JOIN (SELECT account_id, model_id, names_folded FROM ` + live.portfolio + `) names USING (account_id, model_id)`
	}
	return from
}

// PortfolioScores returns the scores of all models that the query selects, by workspace, in no particular order. Sort, After and Limit
// of the query have no effect.
func (v *Views) PortfolioScores(ctx context.Context, q PortfolioQuery) ([]WorkspaceScores, error) {
	where, args := q.filtered("p", q.Regime)
	// Planned with the values: how many models a filter selects varies.
	rows, err := v.Pool.Query(ctx, `SELECT `+scoreColumns+q.scoresFrom()+where+` GROUP BY workspace_id`,
		append([]any{pgx.QueryExecModeCacheDescribe}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("projections: read the scores of the portfolio: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (w WorkspaceScores, err error) {
		to := []any{&w.WorkspaceID, &w.Models, &w.Late, &w.Outdated}
		for i := range w.Bands {
			to = append(to, &w.Bands[i])
		}
		to = append(to, &w.Sum, &w.Severities.High, &w.Severities.Medium, &w.Severities.Low)
		for i := range w.Dimensions {
			to = append(to, &w.Dimensions[i].Sum, &w.Dimensions[i].Models)
		}
		return w, row.Scan(to...)
	})
}

// PortfolioChanges counts the models that the query selects whose score rose, fell or is the same since the assessment that the
// portfolio compares with.
func (v *Views) PortfolioChanges(ctx context.Context, q PortfolioQuery) (rose, fell, same int, err error) {
	where, args := q.filtered("c")
	err = v.Pool.QueryRow(ctx, `SELECT count(*) FILTER (WHERE c.change BETWEEN 1 AND 100), count(*) FILTER (WHERE c.change < 0),
			count(*) FILTER (WHERE c.change = 0)`+q.scoresFrom()+` `+changeSQL+where,
		append([]any{pgx.QueryExecModeCacheDescribe}, args...)...).Scan(&rose, &fell, &same)
	if err != nil {
		return 0, 0, 0, fmt.Errorf("projections: count the changes of the portfolio: %w", err)
	}
	return rose, fell, same, nil
}
