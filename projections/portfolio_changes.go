package projections

import "fmt"

// portfolioChanges has by how much the score of a model in the portfolio changed since an earlier assessment, for each day that the earlier
// one may be from: exactly one row of a model has since <= day < until. unchanged is the change where no score compares. Rows that differ in
// the earlier assessment alone are one.
var portfolioChanges = &Table{
	Name: "portfolio_changes",
	Columns: []Column{
		{"account_id", "text"}, {"model_id", "uuid"}, {"since", "timestamptz"}, {"until", "timestamptz"}, {"change", "int"}, {"workspace_id", "uuid"},
	},
	Key:     []string{"account_id", "model_id", "since"},
	Indexes: []string{"(account_id, change, model_id) INCLUDE (since, until, workspace_id)", "(account_id, workspace_id)"},
	Derived: &Derived{By: []string{"account_id", "model_id"}, Rows: portfolioChangesSQL},
}

// portfolioChangesSQL selects them. A query asks for a day 30 days ago or later: until a model's newest assessment is 31 days old, what was
// before that has no row of its own.
func portfolioChangesSQL(name func(*Table) string, condition string) string {
	return fmt.Sprintf(`
		WITH newest AS (SELECT account_id, model_id, workspace_id, rank, basis, assessed_at - interval '744 hours' AS oldest FROM %[1]s p WHERE %[3]s)
		SELECT account_id, model_id, CASE WHEN since <= oldest THEN '-infinity' ELSE since END, until, change, workspace_id
		FROM (SELECT *, coalesce(lead(since) OVER model, 'infinity') AS until
			FROM (SELECT *, lag(change) OVER model AS before
				FROM (SELECT n.account_id, n.model_id, n.workspace_id, '-infinity'::timestamptz AS since, NULL::uuid AS id, n.oldest, %[5]d AS change
					FROM newest n
					UNION ALL SELECT n.account_id, n.model_id, n.workspace_id, a.assessed_at, a.id, n.oldest, coalesce(nullif(n.rank, %[4]d) - a.score, %[5]d)
					FROM newest n JOIN %[2]s a ON a.account_id = n.account_id AND a.model_id = n.model_id AND a.basis = n.basis) each
				WINDOW model AS (PARTITION BY account_id, model_id ORDER BY since, id NULLS FIRST)) changes
			WHERE change IS DISTINCT FROM before
			WINDOW model AS (PARTITION BY account_id, model_id ORDER BY since, id NULLS FIRST)) periods
		WHERE until > since AND until > oldest`, name(portfolio), name(assessments), condition, unscored, unchanged)
}
