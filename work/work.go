// Package work carries out the steps that accepted calls enqueue, as River jobs.
// Steps are short, bounded by a timeout, and idempotent: repeating a step after a
// crash changes nothing. A step's outcome is recorded in the log; a job only says what
// to do.
package work

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"readiness/commands"
	"readiness/definition"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/optimization"
	"readiness/domain/pixies"
	"readiness/domain/readiness"
	"readiness/eventstore"
	"readiness/internal/database"
	"readiness/internal/lists"
	"readiness/storage/documents"
	"readiness/storage/people"
	"readiness/storage/vault"
)

// Platform is the analytics platform as steps need it, acting as the person who
// started the work. Only an item's ids and type are required.
type Platform interface {
	Definition(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error)
	// Announce names the semantic models that the same work is about to read, so that a platform that can read many at once
	// does so. Definition reads each in any case.
	Announce(ctx context.Context, as item.Caller, workspaceID uuid.UUID, models []uuid.UUID) error
	// Release lets the platform discard what it read of the item for a step, because the step has its outcome. Until then a
	// platform may keep it for another attempt.
	Release(ctx context.Context, as item.Caller, it item.Item) error
	Items(ctx context.Context, as item.Caller, workspaceID uuid.UUID, t item.Type) ([]item.Item, error)
	// Reports lists the reports of a workspace, each with its model.
	Reports(ctx context.Context, as item.Caller, workspaceID uuid.UUID) ([]item.WorkspaceReport, error)
	ModelOf(ctx context.Context, as item.Caller, report item.Item) (model item.Item, ok bool, err error)
	// WriteDefinition replaces the item's definition with d if the current one
	// still has the hash ifHash; else it refuses with ItemChanged and writes
	// nothing. It returns *item.Sent if the platform has accepted the write but not yet made it.
	WriteDefinition(ctx context.Context, as item.Caller, it item.Item, d definition.Definition, ifHash string) error
	// FinishWrite returns how a write that was sent has ended, or *item.Pending
	// while it has not.
	FinishWrite(ctx context.Context, as item.Caller, it item.Item, operation string) (item.Ending, error)
}

// Bounds of the jobs. The steps of a process that died are restarted by another
// process (see orphans.go) or, if that fails too, by River.
const (
	stepTimeout = 55 * time.Second
	endTimeout  = 10 * time.Second // to record an outcome once it is known
	// A proposal may ask an AI provider for many texts.
	proposeTimeout = 5 * time.Minute
	jobTimeout     = turnTimeout + stepTimeout + endTimeout
	rescueAfter    = 10 * time.Minute // longer than any step takes
	softStop       = 20 * time.Second
	// A free worker fetches its next step this soon. Steps are short, and River's
	// default would leave the worker idle for longer than a step takes.
	fetchCooldown = 10 * time.Millisecond
	// fetchPoll bounds the delay of a snoozed step.
	fetchPoll = 200 * time.Millisecond
	// schedulesPoll is short enough for the job that looks for due schedules, which
	// runs every minute.
	schedulesPoll = 5 * time.Second
	hardStop      = 5 * time.Second
	// maxAttempts is far above the number of crashes to expect: a step ends with an
	// outcome in the log, never by being discarded.
	maxAttempts = 10_000
)

// Options are what the steps depend on.
type Options struct {
	Pool      *pgxpool.Pool
	Store     *eventstore.Store
	Documents *documents.Store
	People    *people.People
	Platform  Platform
	// Permissions reports a person's access to the optional permissions.
	Permissions commands.Permissions
	// TrackedReports returns the account's reports on the model that have Pixies.
	TrackedReports func(ctx context.Context, accountID string, modelID uuid.UUID) ([]pixies.Report, error)
	// PageViews returns how often the pages of the reports were viewed between two
	// days, inclusive: report, page, views.
	PageViews func(ctx context.Context, accountID string, reports []uuid.UUID, from, to time.Time) (map[uuid.UUID]map[string]int64, error)
	// OwnPixies returns those of the ids that the account's Pixies have or had.
	OwnPixies func(ctx context.Context, accountID string, ids []string) (map[string]bool, error)
	// PixieKey is the key for the marks of accounts in reports; it must be the same
	// in every process.
	PixieKey []byte
	// Providers finds the AI providers of accounts.
	Providers *commands.Providers
	// Unfinished returns operations of all accounts that have not ended, do not
	// wait for their owner, and have had no event since before. It returns at most
	// limit, ordered by id, from the one after after.
	Unfinished func(ctx context.Context, before time.Time, after uuid.UUID, limit int) ([]uuid.UUID, error)
	// UnfinishedUpTo returns operations of all accounts that were accepted up to a position and have not ended. It returns at
	// most limit, ordered by id, from the one after after.
	UnfinishedUpTo func(ctx context.Context, position int64, after uuid.UUID, limit int) ([]uuid.UUID, error)
	// Seal adds the new events to the trees of the log and signs their heads; nil where nothing is signed.
	Seal     func(context.Context) error
	PastRows PastRows
	// StartDue starts the assessments of all accounts' schedules that are due.
	StartDue func(context.Context) error
	Proposer Proposer
	Phraser  Phraser
	Plans    account.Plans
	Vault    *vault.Vault
	Log      *slog.Logger
	Now      func() time.Time
	NewID    func() uuid.UUID
	Asker    Asker
	Queries  Queries // nil where the platform runs none
	// Wait waits for the platform to have room for a query; nil waits by the real clock. It returns early with the context's error.
	Wait func(ctx context.Context, d time.Duration) error
	// Regime is the regime of new assessments and of the scores in previews, for accounts without a rules file; nil means the
	// current one. Regimes makes those of accounts with one.
	Regime  *readiness.Regime
	Regimes *commands.Regimes
	// Life is the process that carries out steps; by default a new one. Start takes
	// it and Stop ends it.
	Life *database.Life
	// Workers is how many steps read and write definitions at once in this process,
	// Asks how many ask AI providers. One account or person gets only a share of
	// them.
	Workers, Asks int
}

// Queue enqueues steps; after Start it also carries them out.
type Queue struct {
	o      Options
	id     string
	client *river.Client[pgx.Tx]
	jobs   *river.Client[pgx.Tx] // inserts only
	shared *shared
	// lookedAt is when lost steps were last looked for; lookedUpTo is the operation
	// at which that look stopped.
	lookedAt   time.Time
	lookedUpTo uuid.UUID
	stop       context.CancelFunc
	done       chan struct{}
	durations  *prometheus.HistogramVec
	clock      *clock
}

// NewQueue returns a queue that only enqueues until Start is called.
func NewQueue(o Options) (*Queue, error) {
	// River notifies about new jobs at most once per cooldown; the other steps of
	// that time would wait for the next poll.
	jobs, err := river.NewClient(riverpgxv5.New(o.Pool),
		&river.Config{Logger: logOfRiver(o.Log), MaxAttempts: maxAttempts, FetchCooldown: fetchCooldown, Hooks: []rivertype.Hook{dueNow}})
	if err != nil {
		return nil, fmt.Errorf("work: %w", err)
	}
	if o.Life == nil {
		o.Life = database.NewLife(o.Pool, o.NewID())
	}
	return &Queue{o: o, id: o.Life.ID().String(), jobs: jobs, shared: newShared(o), durations: newDuration(), clock: &clock{}}, nil
}

// Assess enqueues the steps of an assessment run in the transaction that accepts
// it.
func (q *Queue) Assess(ctx context.Context, tx pgx.Tx, of commands.Origin, steps []assessment.Step) error {
	jobs := lists.Map(steps, func(s assessment.Step) river.InsertManyParams { return river.InsertManyParams{Args: assess{of, s}} })
	return q.enqueue(ctx, tx, jobs)
}

// enqueue inserts jobs in one round trip. River's bulk insert uses COPY, which
// takes three round trips and is slower for a call's few jobs.
func (q *Queue) enqueue(ctx context.Context, tx pgx.Tx, jobs []river.InsertManyParams) error {
	if _, err := q.jobs.InsertManyTx(ctx, tx, jobs); err != nil {
		return fmt.Errorf("work: enqueue: %w", err)
	}
	return nil
}

// Optimize enqueues a step of an optimization in the transaction that starts it.
func (q *Queue) Optimize(ctx context.Context, tx pgx.Tx, of commands.Origin, step optimization.Step) error {
	return q.enqueue(ctx, tx, []river.InsertManyParams{{Args: optimize{of, step}}})
}

// ChangePixies enqueues the steps of a run over reports in the transaction that
// accepts it.
func (q *Queue) ChangePixies(ctx context.Context, tx pgx.Tx, of commands.Origin, steps []pixies.Step) error {
	jobs := lists.Map(steps, func(s pixies.Step) river.InsertManyParams { return river.InsertManyParams{Args: changePixies{of, s}} })
	return q.enqueue(ctx, tx, jobs)
}

// Ask enqueues the step of a benchmark run in the transaction that starts it.
func (q *Queue) Ask(ctx context.Context, tx pgx.Tx, of commands.Origin, step benchmark.Step) error {
	return q.enqueue(ctx, tx, []river.InsertManyParams{{Args: ask{of, step}}})
}

// Start restarts abandoned steps and then carries out steps until Stop.
func (q *Queue) Start(ctx context.Context) error {
	workers, regularly := q.workers(), periodic()
	queues := map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: inMemory},
		schedules: {MaxWorkers: 1, FetchPollInterval: schedulesPoll}}
	if q.o.Seal != nil {
		river.AddWorker(workers, &sealer{Options: q.o, shared: q.shared})
		regularly = append(regularly, sealLog{}.periodic())
		queues[sealLog{}.queue()] = river.QueueConfig{MaxWorkers: 1, FetchPollInterval: schedulesPoll}
	}
	client, err := river.NewClient(riverpgxv5.New(q.o.Pool), &river.Config{
		ID:                          q.id,
		Queues:                      queues,
		Workers:                     workers,
		PeriodicJobs:                regularly,
		Logger:                      logOfRiver(q.o.Log),
		JobTimeout:                  jobTimeout,
		RescueStuckJobsAfter:        rescueAfter,
		FetchCooldown:               fetchCooldown,
		FetchPollInterval:           fetchPoll,
		SoftStopTimeout:             softStop,
		MaxAttempts:                 maxAttempts,
		RetryPolicy:                 retry{q.clock},
		Hooks:                       []rivertype.Hook{dueNow},
		Test:                        river.TestConfig{Time: q.clock}, // River has no other place for a clock
		Middleware:                  []rivertype.Middleware{measure(q.durations), snoozePending(), endErased()},
		CompletedJobRetentionPeriod: time.Hour,
		// The application's role owns no index, so it cannot rebuild one
		// (migrations).
		ReindexerIndexNames: []string{},
	})
	if err != nil {
		return fmt.Errorf("work: %w", err)
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	q.client, q.stop, q.done = client, stop, make(chan struct{})
	err = q.o.Life.Take(ctx)
	if err == nil {
		err = q.clock.compare(ctx, q.o.Pool)
	}
	if err == nil {
		_, err = takeUp(ctx, q.o.Pool, q.id, q.shared.ids(time.Now()))
	}
	if err == nil {
		if err = client.Start(background); err != nil {
			err = fmt.Errorf("work: %w", err)
		}
	}
	if err != nil {
		stop()
		q.o.Life.End()
		return err
	}
	go func() {
		defer close(q.done)
		q.mind(background)
	}()
	return nil
}

// workers returns the workers of the steps of operations.
func (q *Queue) workers() *river.Workers {
	workers := river.NewWorkers()
	river.AddWorker(workers, &assessor{Options: q.o, shared: q.shared})
	river.AddWorker(workers, &pixier{Options: q.o, shared: q.shared})
	river.AddWorker(workers, &asker{Options: q.o, runs: q.runs(), shared: q.shared})
	river.AddWorker(workers, &scheduler{Options: q.o, shared: q.shared})
	river.AddWorker(workers, &questioner{Options: q.o, shared: q.shared})
	river.AddWorker(workers, &lister{Options: q.o, shared: q.shared})
	river.AddWorker(workers, &optimizer{Options: q.o, recorder: q.recorder(), shared: q.shared})
	return workers
}

// InFlight is the state of this process's work: for each kind of step, how many are
// running and how many wait for their turn in memory.
type InFlight struct{ Reading, WaitingToRead, Asking, WaitingToAsk int }

// InFlight returns the current state of this process's work.
func (q *Queue) InFlight() (g InFlight) {
	g.Reading, g.WaitingToRead = q.shared.definitions.Now()
	g.Asking, g.WaitingToAsk = q.shared.asks.Now()
	return g
}

// Stop waits for running steps, at most until ctx ends, and begins no new ones.
// Steps that still run then are cancelled and get hardStop to end. Unfinished steps
// are restarted by another process or at the next start.
func (q *Queue) Stop(ctx context.Context) error {
	if q.client == nil {
		return nil
	}
	q.shared.close()
	err := q.client.Stop(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), hardStop)
		err = q.client.StopAndCancel(last)
		cancel()
	}
	q.stop()
	<-q.done
	return err
}

// retry spaces the attempts of a step after internal errors: 1, 2, 4, … up to 30
// seconds, by the clock that River uses.
type retry struct{ clock *clock }

// NextRetry implements river.ClientRetryPolicy.
func (r retry) NextRetry(job *rivertype.JobRow) time.Time {
	return r.clock.Now().Add(min(30*time.Second, time.Second<<min(len(job.Errors), 5)))
}
