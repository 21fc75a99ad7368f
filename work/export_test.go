package work

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"readiness/commands"
	"readiness/domain/verdict"
)

// The arguments of the jobs.
type (
	AssessJob    = assess
	OptimizeJob  = optimize
	PixiesJob    = changePixies
	AskJob       = ask
	QuestionsJob = makeQuestions
)

// Carry carries out a step once, as the attempt after failed earlier ones.
func Carry(ctx context.Context, o Options, step AssessJob, failed int) error {
	return CarryAfterCrashes(ctx, o, step, failed, 0)
}

// CarryAfterCrashes carries out a step once, as the attempt after failed failures
// and crashes that ended the process.
func CarryAfterCrashes(ctx context.Context, o Options, step AssessJob, failed, crashes int) error {
	job := &river.Job[assess]{JobRow: &rivertype.JobRow{Attempt: failed + crashes + 1, Errors: make([]rivertype.AttemptError, failed)}, Args: step}
	return (&assessor{Options: o, shared: newShared(o)}).Work(ctx, job)
}

// CarryOptimize carries out a step of an optimization once, as the attempt after
// failed earlier ones.
func CarryOptimize(ctx context.Context, o Options, step OptimizeJob, failed int) error {
	return CarryOptimizeSince(ctx, o, step, failed, 0, o.Now())
}

// CarryOptimizeSince carries out a step of an optimization once, as the attempt
// after failed failures and crashes that ended the process. The first attempt was
// at since.
func CarryOptimizeSince(ctx context.Context, o Options, step OptimizeJob, failed, crashes int, since time.Time) error {
	job := &river.Job[optimize]{
		JobRow: &rivertype.JobRow{Attempt: failed + crashes + 1, Errors: make([]rivertype.AttemptError, failed), CreatedAt: since, AttemptedAt: new(o.Now())},
		Args:   step,
	}
	w := &optimizer{Options: o, recorder: commands.Recorder{Store: o.Store, Vault: o.Vault, Now: o.Now}, shared: newShared(o)}
	return w.Work(ctx, job)
}

// CarryPixies carries out a step of a run over reports once, as the attempt after
// failed earlier ones.
func CarryPixies(ctx context.Context, o Options, step PixiesJob, failed int) error {
	return CarryPixiesSince(ctx, o, step, failed, o.Now())
}

// CarryPixiesSince is CarryPixies for a step whose first attempt was at since.
func CarryPixiesSince(ctx context.Context, o Options, step PixiesJob, failed int, since time.Time) error {
	job := &river.Job[changePixies]{
		JobRow: &rivertype.JobRow{Attempt: failed + 1, Errors: make([]rivertype.AttemptError, failed), CreatedAt: since, AttemptedAt: new(o.Now())},
		Args:   step,
	}
	return (&pixier{Options: o, shared: newShared(o)}).Work(ctx, job)
}

// CarryAsk carries out a step of a benchmark run once, as the attempt after failed
// earlier ones.
func CarryAsk(ctx context.Context, o Options, step AskJob, failed int) error {
	job := &river.Job[ask]{JobRow: &rivertype.JobRow{Attempt: failed + 1, Errors: make([]rivertype.AttemptError, failed)}, Args: step}
	return (&asker{Options: o, runs: commands.Runs{Store: o.Store, Vault: o.Vault, Now: o.Now}, shared: newShared(o)}).Work(ctx, job)
}

// CarryQuestions carries out a step that generates or saves questions once, as the
// attempt after failed failures and crashes that ended the process. The first
// attempt was at since.
func CarryQuestions(ctx context.Context, o Options, step QuestionsJob, failed, crashes int, since time.Time) error {
	job := &river.Job[makeQuestions]{
		JobRow: &rivertype.JobRow{Attempt: failed + crashes + 1, Errors: make([]rivertype.AttemptError, failed), CreatedAt: since, AttemptedAt: new(o.Now())},
		Args:   step,
	}
	return (&questioner{Options: o, shared: newShared(o)}).Work(ctx, job)
}

// CarryListView carries out a step that lists a view once, as CarryQuestions does.
func CarryListView(ctx context.Context, o Options, of commands.Origin, failed, crashes int, since time.Time) error {
	job := &river.Job[listView]{
		JobRow: &rivertype.JobRow{Attempt: failed + crashes + 1, Errors: make([]rivertype.AttemptError, failed), CreatedAt: since, AttemptedAt: new(o.Now())},
		Args:   listView{of},
	}
	return (&lister{Options: o, shared: newShared(o)}).Work(ctx, job)
}

// LookForDue runs the job that looks for due schedules, once.
func LookForDue(ctx context.Context, o Options) error {
	return (&scheduler{Options: o, shared: newShared(o)}).Work(ctx, &river.Job[startDue]{JobRow: &rivertype.JobRow{Attempt: 1}})
}

// LogOfRiver is logOfRiver.
func LogOfRiver(log *slog.Logger) *slog.Logger { return logOfRiver(log) }

// FindLost is findLost.
func FindLost(ctx context.Context, q *Queue) (int, error) { return q.findLost(ctx) }

// TakeUp is takeUp.
func TakeUp(ctx context.Context, pool *pgxpool.Pool, id string, busy []int64) (int64, error) {
	return takeUp(ctx, pool, id, busy)
}

// Patience, MaxCrashes and FaultLife are the constants of these names.
const (
	Patience   = patience
	MaxCrashes = maxCrashes
	FaultLife  = faultLife
)

// OutcomeOf is the outcome of a step that returned err, in its metric.
func OutcomeOf(err error) string { return outcomeOf(err) }

// Busy is busy.
type Busy = busy

// Begin is begin.
func (b *busy) Begin(id int64) func() { return b.begin(id) }

// IDs is ids.
func (b *busy) IDs(now time.Time) []int64 { return b.ids(now) }

// Queried returns the result of a query of a run; nil if there is none to compare.
func Queried(ctx context.Context, o Options, dax string) *verdict.ResultSet {
	return (&side{asker: &asker{Options: o}}).query(ctx, dax).rows
}
