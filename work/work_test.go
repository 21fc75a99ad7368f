package work_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/commands"
	"readiness/definition"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/pixies"
	"readiness/domain/readiness"
	"readiness/eventstore"
	"readiness/internal/database"
	"readiness/projections"
	"readiness/test/testlog"
	"readiness/test/testworld"
	"readiness/work"
)

var (
	noon      = testworld.Noon
	workspace = uuid.MustParse("aaaaaaaa-0000-0000-0000-000000000001")
	good      = uuid.MustParse("bbbbbbbb-0000-0000-0000-000000000001")
	broken    = uuid.MustParse("bbbbbbbb-0000-0000-0000-000000000002")
	gone      = uuid.MustParse("bbbbbbbb-0000-0000-0000-000000000003")
)

// bench is the service up to the queue: enqueued steps are kept in memory, and
// tests carry them out.
type bench struct {
	*testworld.World
	access map[item.Permission]item.Access
	steps  []work.AssessJob
	// optimize are the enqueued steps of optimizations.
	optimize []work.OptimizeJob
	// pixies are the enqueued steps of runs over reports.
	pixies []work.PixiesJob
	// questions are the enqueued steps that generate or save questions.
	questions []work.QuestionsJob
	// ask are the enqueued steps of benchmark runs.
	ask []work.AskJob
	// listings are the enqueued steps that list rows of views.
	listings []commands.Origin
}

// Assess implements commands.Jobs.
func (b *bench) Assess(_ context.Context, _ pgx.Tx, of commands.Origin, steps []assessment.Step) error {
	for _, step := range steps {
		b.steps = append(b.steps, work.AssessJob{Origin: of, Step: step})
	}
	return nil
}

// Optimize implements commands.Jobs.
func (b *bench) Optimize(_ context.Context, _ pgx.Tx, of commands.Origin, step optimization.Step) error {
	b.optimize = append(b.optimize, work.OptimizeJob{Origin: of, Step: step})
	return nil
}

// ChangePixies implements commands.Jobs.
func (b *bench) ChangePixies(_ context.Context, _ pgx.Tx, of commands.Origin, steps []pixies.Step) error {
	for _, step := range steps {
		b.pixies = append(b.pixies, work.PixiesJob{Origin: of, Step: step})
	}
	return nil
}

// MakeQuestions implements commands.Jobs.
func (b *bench) MakeQuestions(_ context.Context, _ pgx.Tx, of commands.Origin, step benchmark.QuestionStep) error {
	b.questions = append(b.questions, work.QuestionsJob{Origin: of, QuestionStep: step})
	return nil
}

// ListView implements commands.Jobs.
func (b *bench) ListView(_ context.Context, _ pgx.Tx, of commands.Origin) error {
	b.listings = append(b.listings, of)
	return nil
}

// Ask implements commands.Jobs.
func (b *bench) Ask(_ context.Context, _ pgx.Tx, of commands.Origin, step benchmark.Step) error {
	b.ask = append(b.ask, work.AskJob{Origin: of, Step: step})
	return nil
}

// Rest implements commands.Jobs: the real queue enqueues what is left.
func (b *bench) Rest(ctx context.Context, of commands.Origin, plan account.Plan) (func(context.Context, pgx.Tx) error, error) {
	q, err := work.NewQueue(b.Work)
	if err != nil {
		return nil, err
	}
	return q.Rest(ctx, of, plan)
}

// resume reads an operation as the person.
func (b *bench) resume(ctx context.Context, who commands.Caller, id uuid.UUID) error {
	_, err := b.Operations.ResumeOnRead(ctx, who, id)
	return err
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{access: map[item.Permission]item.Access{
		item.PermissionPlatform: item.Granted, item.PermissionUsage: item.ConsentRequired,
	}}
	viewed := *projections.PageViews
	viewed.Inline = true // the test has no follower of the log
	all := slices.DeleteFunc(projections.All(), func(v *projections.View) bool { return v == projections.PageViews })
	b.World = testworld.New(t, testworld.Options{
		Views:  append(all, &viewed),
		Access: func(context.Context, item.Caller) (map[item.Permission]item.Access, error) { return b.access, nil },
	})
	b.Jobs = b
	b.Workspace(t, testworld.Workspace{ID: workspace, Name: "Retail"})
	for id, table := range map[uuid.UUID]string{good: "table Sales\n\n\tcolumn Amount\n\t\tdataType: double\n", broken: "table Sales\n\t\t\tcolumn = = \n", gone: "table T\n"} {
		dir := id.String() + ".SemanticModel"
		b.Item(t, "Retail", dir, "Model "+id.String()[35:], id)
		b.Write(t, table, "Retail", dir, "definition", "tables", "Sales.tmdl")
		b.Write(t, "database\n", "Retail", dir, "definition", "database.tmdl")
	}
	return b
}

var (
	check = testworld.Check
	write = testworld.Write
)

func (b *bench) ana() commands.Caller {
	c := b.Ana(account.Team)
	c.MayWrite, c.Settings = true, account.Settings{AIFeatures: true}
	return c
}

func (b *bench) start(t *testing.T, models ...uuid.UUID) uuid.UUID {
	t.Helper()
	var got commands.Accepted
	var err error
	if len(models) == 1 {
		got, err = b.Assessments.Start(t.Context(), b.ana(), workspace, models[0])
	} else {
		got, err = b.Assessments.StartBulk(t.Context(), b.ana(), workspace, models)
	}
	check(t, err)
	return got.OperationID
}

func (b *bench) operation(t *testing.T, id uuid.UUID) projections.Operation {
	t.Helper()
	op, found, err := b.Views.Operation(t.Context(), "contoso", id)
	if err != nil || !found {
		t.Fatal(found, err)
	}
	return op
}

func (b *bench) used(t *testing.T, kind account.Kind, period account.Period) int {
	t.Helper()
	return b.UsedAt(t, "contoso", kind, period, noon)
}

func TestAssessOne(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.start(t, good)
	check(t, work.Carry(t.Context(), b.Work, b.steps[0], 0))
	if op := b.operation(t, id); op.Status != operation.StatusSucceeded || *op.Percent != 100 || op.Failure != nil {
		t.Errorf("the operation reads %+v", op)
	}
	a, found, err := b.Views.AssessmentOf(t.Context(), "contoso", id)
	if err != nil || !found {
		t.Fatal(found, err)
	}
	if a.Score == nil || a.FindingsCount == 0 || a.ModelName != "Model 1" || a.ComparableWithPrevious || a.Usage.Access != item.ConsentRequired || a.Usage.Applied {
		t.Errorf("the assessment reads %+v", a)
	}
	text, err := b.Views.Document(t.Context(), a.DocumentHash)
	check(t, err)
	var document struct {
		Report struct {
			OverallScore int                        `json:"overall_score"`
			Dimensions   []struct{ ID string }      `json:"dimensions"`
			Findings     []struct{ Impact float64 } `json:"findings"`
			RawUncapped  float64                    `json:"raw_uncapped"`
		} `json:"report"`
		DefinitionHash string `json:"definitionHash"`
	}
	check(t, json.Unmarshal(text, &document))
	lost := 0.0
	for _, f := range document.Report.Findings {
		lost += f.Impact
	}
	if r := document.Report; r.OverallScore != *a.Score || len(r.Findings) != a.FindingsCount || len(r.Dimensions) != 9 || lost+r.RawUncapped < 99.999 || lost+r.RawUncapped > 100.001 {
		t.Errorf("the document says %d with %d findings that cost %f of %f; the assessment %d with %d", r.OverallScore, len(r.Findings), lost, r.RawUncapped, *a.Score, a.FindingsCount)
	}
	if n := b.Count(t, `SELECT count(*) FROM step_tokens`); n != 0 {
		t.Errorf("%d tokens are stored after the end", n)
	}

	// Repeating a step changes nothing.
	before := b.Count(t, `SELECT count(*) FROM events`)
	check(t, work.Carry(t.Context(), b.Work, b.steps[0], 1))
	if after := b.Count(t, `SELECT count(*) FROM events`); after != before {
		t.Errorf("%d events were added", after-before)
	}

	// The next assessment is comparable.
	second := b.start(t, good)
	check(t, work.Carry(t.Context(), b.Work, b.steps[1], 0))
	if a, _, err := b.Views.AssessmentOf(t.Context(), "contoso", second); err != nil || !a.ComparableWithPrevious {
		t.Errorf("the second: %+v, %v", a, err)
	}
}

// accepts records an acceptance of the run again.
type accepts assessment.RunAccepted

func (a accepts) Decide(assessment.Run) ([]domain.Event, error) {
	return []domain.Event{assessment.RunAccepted(a)}, nil
}

// Every step of a run scores by the regime with which it was accepted, or by the current one if that was an earlier one. The step of a run
// that a later version accepted is left to that version.
//
// proves: decisions/14/regime
func TestRegimeOfAStep(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for recorded, want := range map[string]string{"2026-12": readiness.RegimeID, readiness.RegimeID: readiness.RegimeID, "": readiness.RegimeID, "2199-01": ""} {
		b.steps = nil
		id := b.start(t, good, broken)
		run := eventstore.Fold(operation.Stream(id), assessment.EvolveRun)
		_, err := b.Pool.Exec(t.Context(), `DELETE FROM unassessed_v1`) // the view takes one acceptance of a run
		check(t, err)
		err = b.Store.Change(t.Context(), b.steps[0].Metadata(), []eventstore.Loadable{run}, func(c *eventstore.Change) error {
			return eventstore.Decide(c, run, accepts{WorkspaceID: workspace, WorkspaceName: "Retail", Models: run.State.Models, RegimeID: recorded})
		})
		check(t, err)
		i := slices.IndexFunc(b.steps, func(s work.AssessJob) bool { return s.ModelID == good })
		err = work.Carry(t.Context(), b.Work, b.steps[i], 0)
		if _, refused := domain.Refused(err); (err == nil) != (want != "") || refused {
			t.Fatalf("recorded %q: got %v", recorded, err)
		}
		a, found, err := b.Views.AssessmentOf(t.Context(), "contoso", id)
		if err != nil || found != (want != "") || a.RegimeID != want {
			t.Errorf("recorded %q: scored by %q, %v, %v", recorded, a.RegimeID, found, err)
		}
		if !found {
			if op := b.operation(t, id); op.Status != operation.StatusRunning {
				t.Errorf("recorded %q: the operation reads %+v", recorded, op)
			}
			continue
		}
		text, err := b.Views.Document(t.Context(), a.DocumentHash)
		var document struct {
			Report struct {
				Regime   string `json:"regime"`
				Complete *bool  `json:"score_complete"`
			} `json:"report"`
			Regime struct{ ID string } `json:"regime"`
		}
		check(t, errors.Join(err, json.Unmarshal(text, &document)))
		complete := new(true)
		if document.Regime.ID != want || document.Report.Regime != want || !cmp.Equal(document.Report.Complete, complete) || !cmp.Equal(a.ScoreComplete, complete) {
			t.Errorf("recorded %q: the document reads %+v, complete %v", recorded, document, a.ScoreComplete)
		}
	}
}

// Every model gets its own outcome. An unreadable or deleted model is an error of
// its row, never of the run, and the row is not refunded.
func TestAssessMany(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.start(t, good, broken, gone)
	b.Remove(t, "Retail", gone.String()+".SemanticModel")
	var percents []any
	for _, s := range b.steps {
		check(t, work.Carry(t.Context(), b.Work, s, 0))
		op := b.operation(t, id)
		percents = append(percents, *op.Percent, op.Status)
	}
	if want := []any{33, operation.StatusRunning, 66, operation.StatusRunning, 100, operation.StatusSucceeded}; !cmp.Equal(percents, want) {
		t.Errorf("progress %v, want %v", percents, want)
	}
	run, err := b.Views.Run(t.Context(), id)
	check(t, err)
	for model, want := range map[uuid.UUID]struct {
		outcome assessment.Outcome
		code    domain.Code
	}{good: {assessment.Assessed, ""}, broken: {assessment.Failed, domain.ItemNotReadable}, gone: {assessment.NotAssessed, domain.ItemNotFound}} {
		r, ok := run.Result(model)
		if !ok || r.Outcome != want.outcome || (r.Error == nil) != (want.code == "") || r.Error != nil && r.Error.Code != want.code {
			t.Errorf("%s ended as %+v, want %v", model, r, want)
		}
	}
	if a, f := b.used(t, account.Assessments, account.Day), b.used(t, account.FirstLooks, account.Lifetime); a != 3 || f != 3 {
		t.Errorf("%d assessments and %d first looks are spent, want 3 and 3", a, f)
	}
	if n := b.Count(t, `SELECT count(*) FROM assessments_v6`); n != 1 {
		t.Errorf("%d assessments are stored, want 1", n)
	}
}

// away is a platform that answers with an error until it was asked often enough.
type away struct {
	work.Platform
	err  error
	left atomic.Int32 // steps that run at once count it down
}

// isAway returns a platform that refuses the first definitions.
func isAway(p work.Platform, err error, times int32) *away {
	a := &away{Platform: p, err: err}
	a.left.Store(times)
	return a
}

func (a *away) Definition(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error) {
	if a.left.Add(-1) >= 0 {
		return definition.Definition{}, a.err
	}
	return a.Platform.Definition(ctx, as, it)
}

// TestFailures checks what a failed single assessment refunds (docs/decisions.md
// 5), and its operation's code.
//
// proves: 2.7/error 2.7/error/CapacityPaused 2.7/error/CapacityBusy 2.7/error/PlatformAccessDenied 2.7/error/PlatformUnavailable 2.7/error/ItemNotFound 2.7/error/ItemNotReadable 2.7/error/AssessmentNotStarted 3.1/failed decisions/5/given-back decisions/8/5
func TestFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		model   uuid.UUID
		refusal *domain.Refusal
		expired bool
		code    domain.Code
		spent   int
	}{
		"not readable stays spent":       {model: broken, code: domain.ItemNotReadable, spent: 1},
		"denied stays spent":             {model: good, refusal: domain.Refuse(domain.PlatformAccessDenied, "no"), code: domain.PlatformAccessDenied, spent: 1},
		"a vanished workspace":           {model: good, refusal: domain.Refuse(domain.WorkspaceNotFound, "no"), code: domain.ItemNotFound, spent: 1},
		"paused is refunded":             {model: good, refusal: domain.Refuse(domain.CapacityPaused, "no"), code: domain.CapacityPaused},
		"busy is refunded":               {model: good, refusal: domain.Refuse(domain.CapacityBusy, "no"), code: domain.CapacityBusy},
		"unavailable is refunded":        {model: good, refusal: domain.Refuse(domain.PlatformUnavailable, "no"), code: domain.PlatformUnavailable},
		"an expired token is given back": {model: good, expired: true, code: domain.AssessmentNotStarted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			id := b.start(t, c.model)
			if c.refusal != nil {
				b.Work.Platform = isAway(b.Work.Platform, c.refusal, 1<<20)
			}
			if c.expired {
				b.Clock.Set(noon.Add(time.Hour))
			}
			check(t, work.Carry(t.Context(), b.Work, b.steps[0], work.Patience))
			op := b.operation(t, id)
			if op.Status != operation.StatusFailed || op.Failure == nil || op.Failure.Code != c.code || op.Failure.Message == "" || *op.Impact.Assessments != c.spent || *op.Impact.FirstLook != (c.spent == 1) {
				t.Errorf("the operation reads %+v, failure %+v", op, op.Failure)
			}
			if a, f := b.used(t, account.Assessments, account.Day), b.used(t, account.FirstLooks, account.Lifetime); a != c.spent || f != c.spent {
				t.Errorf("%d assessments and %d first looks are spent, want %d", a, f, c.spent)
			}
			// The refund happens once, and a first look is a first look again.
			check(t, work.Carry(t.Context(), b.Work, b.steps[0], work.Patience))
			b.Clock.Set(noon)
			b.start(t, c.model)
			if a, f := b.used(t, account.Assessments, account.Day), b.used(t, account.FirstLooks, account.Lifetime); a != c.spent+1 || f != 1 {
				t.Errorf("after another start %d assessments and %d first looks are spent, want %d and 1", a, f, c.spent+1)
			}
		})
	}
}

// A platform that does not answer is asked again a few times before the step gives
// up. An internal error is not an outcome.
func TestPatience(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.start(t, good)
	b.Work.Platform = isAway(b.Work.Platform, domain.Refuse(domain.PlatformUnavailable, "no"), 2)
	for failed := range 2 {
		if err := work.Carry(t.Context(), b.Work, b.steps[0], failed); !domain.IsRefused(err, domain.PlatformUnavailable) {
			t.Fatalf("attempt %d: %v", failed+1, err)
		}
		if op := b.operation(t, id); op.Status != operation.StatusRunning {
			t.Fatalf("attempt %d: %s", failed+1, op.Status)
		}
	}
	check(t, work.Carry(t.Context(), b.Work, b.steps[0], 2))
	if op := b.operation(t, id); op.Status != operation.StatusSucceeded {
		t.Errorf("the operation ended %s", op.Status)
	}

	id = b.start(t, good)
	fault := errors.New("disk on fire")
	b.Work.Platform = isAway(b.Work.Platform, fault, 100)
	if err := work.Carry(t.Context(), b.Work, b.steps[1], work.Patience); !errors.Is(err, fault) {
		t.Errorf("got %v", err)
	}
	if op := b.operation(t, id); op.Status != operation.StatusRunning {
		t.Errorf("an internal error made the operation %s", op.Status)
	}
}

// A job that returned a moment ago is no stray: River may not have recorded yet that it ended or was snoozed.
func TestJobsThatReturned(t *testing.T) {
	t.Parallel()
	var b work.Busy
	returned, now := b.Begin(1), time.Now()
	b.Begin(2)
	returned()
	if got := b.IDs(now); len(got) != 2 {
		t.Errorf("at once: %v", got)
	}
	if got := b.IDs(now.Add(time.Minute)); !slices.Equal(got, []int64{2}) {
		t.Errorf("a minute later: %v", got)
	}
}

// Jobs of a dead worker are available at once; those of a living worker stay with
// it. A living worker loses a job that is marked as running for a while but that it
// does not run.
func TestTakeUp(t *testing.T) {
	t.Parallel()
	pool := testlog.Pool(t)
	ctx := t.Context()
	var releases []func()
	me, other := uuid.New(), uuid.New()
	for _, id := range []uuid.UUID{me, other} {
		life := database.NewLife(pool, id)
		check(t, life.Take(ctx))
		releases = append(releases, life.End)
	}
	run := func(by, age string) (id int64) {
		t.Helper()
		if err := pool.QueryRow(ctx, `INSERT INTO river_job (kind, max_attempts, args, state, attempt, attempted_at, attempted_by)
			VALUES ('assess-semantic-model', 9, '{}', 'running', 1, now() - $2::interval, $1) RETURNING id`, []string{"earlier", by}, age).Scan(&id); err != nil {
			t.Fatal(err)
		}
		return id
	}
	take := func(busy []int64, want ...int64) {
		t.Helper()
		if n, err := work.TakeUp(ctx, pool, me.String(), busy); err != nil || n != int64(len(want)) {
			t.Errorf("took up %d, %v; want %d", n, err, len(want))
		}
		rows, err := pool.Query(ctx, `UPDATE river_job SET state = 'cancelled', finalized_at = now() WHERE state = 'available' RETURNING id`)
		check(t, err)
		got, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		check(t, err)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("took up %v, want %v", got, want)
		}
	}
	// The fresh one was begun in the future, so that it is no older however slow the machine is.
	fresh, theirs, dead1, dead2 := run(me.String(), "-1 hour"), run(other.String(), "1 hour"), run("dead", "0 seconds"), run("dead", "1 hour")
	mine, strayed := run(me.String(), "1 hour"), run(me.String(), "11 seconds")
	take([]int64{mine}, dead1, dead2, strayed)
	take([]int64{mine})
	releases[1]()
	take([]int64{mine}, theirs)
	releases[0]()
	take([]int64{mine}, fresh, mine)
}

// The queue carries out enqueued steps and those that a dead worker left.
func TestQueue(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.Work.Now = time.Now
	queue, err := work.NewQueue(b.Work)
	check(t, err)
	b.Jobs = queue
	b.Clock.Set(time.Now())
	first := b.start(t, good)
	if _, err := b.Pool.Exec(t.Context(), `UPDATE river_job SET state = 'running', attempt = 1, attempted_at = now(), attempted_by = '{dead}'`); err != nil {
		t.Fatal(err)
	}
	second := b.start(t, good, broken)
	check(t, queue.Start(t.Context()))
	for _, id := range []uuid.UUID{first, second} {
		eventually(t, fmt.Sprintf("operation %s ends", id), func() bool { return b.operation(t, id).Status.Ended() })
		if op := b.operation(t, id); op.Status != operation.StatusSucceeded {
			t.Errorf("operation %s ended %s: %+v", id, op.Status, op.Failure)
		}
	}
	stop(t, queue)
}

// patience bounds each wait. A test that reaches it reports that something never
// happened, not that it was slow.
const patience = 5 * time.Minute

// eventually waits until the condition holds.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for !is() {
		select {
		case <-look.C:
		case <-limit.C:
			t.Fatalf("within %s it did not happen that %s", patience, what)
		}
	}
}

// stop stops the workers gracefully.
func stop(t *testing.T, queue *work.Queue) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := queue.Stop(ctx); err != nil {
		t.Errorf("stop: %v", err)
	}
}
