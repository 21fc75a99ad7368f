package projections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/benchmark"
	"readiness/domain/verdict"
	"readiness/eventstore"
	"readiness/internal/database"
)

var abTests = &Table{
	Name: "ab_tests",
	Columns: []Column{
		{"ab_test_id", "uuid"}, {"account_id", "text"}, {"version", "bigint"}, {"created_at", "timestamptz"}, {"sorted_at", "timestamptz"},
		{"name_folded", "text"}, {"names_folded", "text"},
		{"workspace_a", "uuid"}, {"workspace_b", "uuid"}, {"model_a", "uuid"}, {"model_b", "uuid"}, {"agent_a", "uuid"},
		{"agent_b", "uuid"},
		{"created", "jsonb"}, {"words", "jsonb"}, {"side_a", "jsonb"}, {"side_b", "jsonb"}, {"frozen", "jsonb"},
		{"source_run", "uuid"}, {"latest_run", "uuid"}, {"standing", "jsonb"},
	},
	Key: []string{"ab_test_id"},
	Indexes: []string{
		"(account_id, sorted_at DESC, ab_test_id DESC)",
		"(account_id, name_folded, ab_test_id)",
		"(account_id, model_a)",
		"(account_id, model_b)",
		"(account_id, agent_a) WHERE agent_a IS NOT NULL",
		"(account_id, agent_b) WHERE agent_b IS NOT NULL",
	},
}

// AbTests is the view of the A/B tests: one row per test, fed by the test's stream alone. AbRuns has
// the progress of a test's newest run.
var AbTests = &View{
	Name: "ab_tests", Version: 1, Inline: true,
	Tables: []*Table{abTests},
	Of: []domain.Event{
		abtest.Created{}, abtest.Reworded{}, abtest.RunAdded{}, abtest.QuestionsFrozen{}, abtest.RunEnded{}, abtest.RunRevised{},
		abtest.RunRemoved{},
		abtest.Deleted{},
	},
	Project: func(rows *Rows, r eventstore.Recorded) error {
		id, ours := abtest.StreamID(r.Stream)
		if !ours {
			return nil
		}
		columns := Row{"version": r.Version}
		switch e := r.Event.(type) {
		case abtest.Created:
			columns.sides(e.SideA, e.SideB)
			columns.words(e.Words)
			columns.standing(abtest.Standing{SortedAt: e.At, Gaps: []int{}})
			columns["ab_test_id"], columns["account_id"], columns["created_at"], columns["created"], columns["source_run"] = id, r.Account,
				e.At, e, e.Source.RunID
			if e.Source.Kind == abtest.FromRun {
				columns["frozen"] = e.Questions
			}
			rows.Insert(abTests, columns)
			return nil
		case abtest.Reworded:
			columns.words(e.Words)
		case abtest.RunAdded:
			columns.sides(e.SideA, e.SideB)
			columns.standing(e.Standing)
		case abtest.QuestionsFrozen:
			columns["frozen"] = e.Questions
		case abtest.RunEnded:
			columns.standing(e.Standing)
		case abtest.RunRevised:
			columns.standing(e.Standing)
		case abtest.RunRemoved:
			columns.standing(e.Standing)
		case abtest.Deleted:
			rows.Delete(abTests, Key{id})
			return nil
		default:
			return nil
		}
		rows.Set(abTests, Key{id}, columns)
		return nil
	},
}

func (row Row) words(w abtest.Words) { row["words"], row["name_folded"] = w, searched(w.Name).folded() }

func (row Row) sides(a, b benchmark.Side) {
	row["side_a"], row["workspace_a"], row["model_a"], row["agent_a"] = a, a.WorkspaceID, a.SemanticModelID, a.AnsweredBy.DataAgentID
	row["side_b"], row["workspace_b"], row["model_b"], row["agent_b"] = b, b.WorkspaceID, b.SemanticModelID, b.AnsweredBy.DataAgentID
	row["names_folded"] = strings.Join([]string{
		searched(a.SemanticModelName).folded(), searched(a.AnsweredBy.DataAgentName).folded(),
		searched(b.SemanticModelName).folded(), searched(b.AnsweredBy.DataAgentName).folded(),
	}, "\n")
}

func (row Row) standing(s abtest.Standing) {
	row["standing"], row["sorted_at"], row["latest_run"] = s, s.SortedAt, nil
	if s.Latest != nil {
		row["latest_run"] = s.Latest.RunID
	}
}

// AbTest is an A/B test as last recorded.
type AbTest struct {
	abtest.Created // as created, except Words and the sides, which are current
	Version        int64
	Frozen         *abtest.Questions // nil while the test has none
	// SourceHeld reports whether the stored run that the questions come from still exists.
	SourceHeld bool
	Standing   abtest.Standing
	// Latest is the newest run, without its sides, their benchmark runs, its questions and the agreement;
	// nil without a run.
	Latest *AbRun
	cursor AbTestCursor
}

// Cursor returns the test's place in the lists, in every order.
func (t AbTest) Cursor() AbTestCursor { return t.cursor }

// AbTestSort is an order of A/B tests.
type AbTestSort string

// The orders: by the newest run's finish (or its start while it runs, or the test's creation without a
// run), and by name without regard to case.
const (
	AbTestsLatest   AbTestSort = "latest"
	AbTestsEarliest AbTestSort = "earliest"
	AbTestsName     AbTestSort = "name"
	AbTestsNameDesc AbTestSort = "nameDesc"
)

// AbTestCursor is the place after which a page of A/B tests starts, in every order.
type AbTestCursor struct {
	SortedAt time.Time
	Name     string // folded
	ID       uuid.UUID
}

// AbTestsQuery selects A/B tests of an account. A zero field does not restrict the selection.
type AbTestsQuery struct {
	AccountID string
	// Text is part of the name of the test, of a semantic model or of a data agent, in any case.
	Text string
	// WorkspaceID is the workspace of either side's semantic model.
	WorkspaceID *uuid.UUID
	// Model and Agent are items of either side, in their workspaces.
	Model, Agent *InWorkspace
	Sort         AbTestSort    // "" means AbTestsLatest
	After        *AbTestCursor // nil for the first page
	Limit        int           // 0 means no limit
}

// InWorkspace is an item in a workspace.
type InWorkspace struct{ WorkspaceID, ID uuid.UUID }

const abTestColumns = `created, words, side_a, side_b, frozen, version, standing, aggregate, sorted_at, name_folded, ab_test_id`

// abTestSQL returns SQL for the tests that from finds, each with its newest run and whether the stored
// run that its questions come from exists, all as of one instant. It leaves out what another column
// repeats, as decoding is most of a page's time: the words and sides as created, the sides of the run, and the
// comparison of a newest run that succeeded, which the standing has. The standing's comparison is apart, as a member with its own
// decoder is read four times.
func abTestSQL(from, order string) string {
	run := strings.NewReplacer("r.accepted", `r.accepted - '{sideA,sideB,questions}'::text[]`, "r.compared",
		`CASE WHEN t.standing ->> 'latestSucceeded' = r.run_id::text AND t.aggregate IS NOT NULL
			THEN r.compared - '{agreement,aggregate}'::text[] ELSE r.compared - 'agreement' END`,
	).Replace(prefixed("r", abRunColumns))
	return `WITH page AS MATERIALIZED (SELECT created - '{sideA,sideB,name,description}'::text[] AS created, words, side_a, side_b, frozen, version,
			(standing #- '{latest,aggregate}') - 'latestSucceededAggregate' AS standing,
			NULLIF(standing -> 'latestSucceededAggregate', 'null') AS aggregate, sorted_at, name_folded, ab_test_id, account_id, source_run, latest_run
		FROM ` + live.abTests + " " + from + `)
		SELECT ` + prefixed("t", abTestColumns) + `, s.run_id IS NOT NULL, ` + run + ` FROM page t
		LEFT JOIN ` + live.benchmarkRuns + ` s ON s.run_id = t.source_run AND s.account_id = t.account_id
		LEFT JOIN ` + live.abRuns + ` r ON r.run_id = t.latest_run` + order
}

// prefixed qualifies each column with the relation.
func prefixed(relation, columns string) string {
	return relation + "." + strings.ReplaceAll(columns, ", ", ", "+relation+".")
}

func (q AbTestsQuery) statement() database.Statement {
	args := []any{q.AccountID}
	from := "WHERE account_id = $1"
	add := func(condition string, values ...any) {
		places := make([]any, len(values))
		for i, v := range values {
			args = append(args, v)
			places[i] = len(args)
		}
		from += " AND " + fmt.Sprintf(condition, places...)
	}
	if q.Text != "" {
		add(`(name_folded LIKE $%[1]d OR names_folded LIKE $%[1]d)`, searched(q.Text).containing())
	}
	if q.WorkspaceID != nil {
		add(`(workspace_a = $%[1]d OR workspace_b = $%[1]d)`, *q.WorkspaceID)
	}
	if m := q.Model; m != nil {
		add(`(model_a = $%[1]d AND workspace_a = $%[2]d OR model_b = $%[1]d AND workspace_b = $%[2]d)`, m.ID, m.WorkspaceID)
	}
	if a := q.Agent; a != nil {
		add(`(agent_a = $%[1]d AND (side_a #>> '{answeredBy,dataAgentWorkspaceId}') = $%[2]d OR agent_b = $%[1]d
			AND (side_b #>> '{answeredBy,dataAgentWorkspaceId}') = $%[2]d)`, a.ID, a.WorkspaceID.String())
	}
	column, direction, after := "sorted_at", "DESC", "<"
	if q.Sort == AbTestsName || q.Sort == AbTestsNameDesc {
		column = "name_folded"
	}
	if q.Sort == AbTestsEarliest || q.Sort == AbTestsName {
		direction, after = "ASC", ">"
	}
	if c := q.After; c != nil {
		var at any = c.SortedAt
		if column == "name_folded" {
			at = c.Name
		}
		add(`(`+column+`, ab_test_id) `+after+` ($%d, $%d)`, at, c.ID)
	}
	from += fmt.Sprintf(" ORDER BY %[1]s %[2]s, ab_test_id %[2]s", column, direction)
	if q.Limit > 0 {
		args = append(args, q.Limit)
		from += fmt.Sprintf(" LIMIT $%d", len(args))
	}
	sql := abTestSQL(from, fmt.Sprintf(" ORDER BY t.%[1]s %[2]s, t.ab_test_id %[2]s", column, direction))
	return database.Statement{SQL: sql, Args: args}
}

// sideOf decodes the sides of A/B tests: an account tests the same few models again and again.
var sideOf = newDecoder[benchmark.Side](1024)

func scanAbTest(row pgx.CollectableRow) (t AbTest, err error) {
	var created, words, sideA, sideB, frozen, standing, aggregate []byte
	var latest abRunRow
	if err := row.Scan(append([]any{&created, &words, &sideA, &sideB, &frozen, &t.Version, &standing, &aggregate, &t.cursor.SortedAt, &t.cursor.Name,
		&t.cursor.ID, &t.SourceHeld}, latest.into()...)...); err != nil {
		return t, err
	}
	if err := json.Unmarshal(created, &t.Created); err != nil {
		return t, err
	}
	t.Words = abtest.Words{} // as created
	var errA, errB error
	t.SideA, errA = sideOf.decode(sideA)
	t.SideB, errB = sideOf.decode(sideB)
	err = errors.Join(errA, errB, json.Unmarshal(words, &t.Words), stored(frozen, &t.Frozen), json.Unmarshal(standing, &t.Standing))
	if err == nil && aggregate != nil {
		t.Standing.Aggregate = &verdict.Aggregate{}
		err = t.Standing.Aggregate.UnmarshalJSON(aggregate)
	}
	if err == nil {
		t.Latest, err = latest.run()
	}
	if r, s := t.Latest, t.Standing; err == nil && r != nil && r.Compared != nil && s.Aggregate != nil && s.Succeeded != nil && *s.Succeeded == r.RunID {
		r.Compared.Aggregate = *s.Aggregate
	}
	return t, err
}

// AbTests returns the A/B tests of the account that the query selects.
func (v *Views) AbTests(ctx context.Context, q AbTestsQuery) ([]AbTest, error) {
	s := q.statement()
	// Planned with the values: how many of the account's tests a text or an item selects varies.
	return collect(ctx, v, "list A/B tests", scanAbTest, s.SQL, append([]any{pgx.QueryExecModeCacheDescribe}, s.Args...)...)
}

// AbTest returns an A/B test of the account.
func (v *Views) AbTest(ctx context.Context, accountID string, id uuid.UUID) (AbTest, bool, error) {
	return one(ctx, v, fmt.Sprintf("read A/B test %s", id), scanAbTest,
		abTestSQL(`WHERE ab_test_id = $1 AND account_id = $2`, ""), id, accountID)
}
