package projections_test

import (
	"errors"
	"io"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/eventstore"
	"readiness/projections"
	"readiness/test/pgtest"
)

// BenchmarkRebuildOperations rebuilds the view of operations from a log as the service writes it:
// assessments with all their events. READINESS_BENCH_EVENTS sets the number of events, for example a
// million.
func BenchmarkRebuildOperations(b *testing.B) { rebuildOfLog(b, projections.Operations) }

// BenchmarkRebuildAssessments rebuilds the view of assessments from the same log.
func BenchmarkRebuildAssessments(b *testing.B) { rebuildOfLog(b, projections.Assessments) }

func rebuildOfLog(b *testing.B, view *projections.View) {
	b.Helper()
	const together, perAssessment = 50, 9
	n := 27_000
	if text := os.Getenv("READINESS_BENCH_EVENTS"); text != "" {
		events, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		n = max(1, events/perAssessment/together) * together
	}
	pool := pgtest.Pool(b)
	codec, err := eventstore.NewCodec(commands.Events()...)
	if err != nil {
		b.Fatal(err)
	}
	engine := projections.NewEngine(pool, view)
	if err := engine.Create(b.Context()); err != nil {
		b.Fatal(err)
	}
	log := eventstore.New(pool, codec, eventstore.Options{}) // without the view: faster
	id := func(of byte, i int) uuid.UUID {
		return uuid.UUID{0: of, 12: byte(i >> 24), 13: byte(i >> 16), 14: byte(i >> 8), 15: byte(i)}
	}
	last := func(stream string) *eventstore.Stream[struct{}] {
		return eventstore.Tail(stream)
	}
	for from := 0; from < n; from += together {
		var pasts []eventstore.Loadable
		decide := make([]func(*eventstore.Change) error, 0, together)
		for i := from; i < from+together; i++ {
			op, model := id(1, i), id(2, i%500)
			run, standing, spent := last(operation.Stream(op)), last("assessment-acme-"+id(3, i).String()), last("allowance-acme-assessments-"+id(4, i).String())
			pasts = append(pasts, run, standing, spent)
			decide = append(decide, func(c *eventstore.Change) error {
				made := assessment.Assessment{AssessmentID: id(5, i), OperationID: op, ModelID: model, ModelName: "Sales", AssessedAt: time.Unix(int64(i), 0), RegimeID: "2026-11", Score: new(63 + i%7), FindingsCount: 67}
				return errors.Join(
					eventstore.Decide(c, run, domain.Command[struct{}](command{
						operation.Accepted{OperationID: op, AccountID: "acme", Type: operation.AssessSemanticModel, Owner: item.PersonID("ada"), Resource: operation.Resource{WorkspaceID: id(6, 1), ItemID: &model, ItemType: item.SemanticModel}, Impact: operation.Impact{Assessments: new(1)}},
						assessment.RunAccepted{WorkspaceID: id(6, 1), WorkspaceName: "Retail", Models: []assessment.Model{{ModelID: model, ModelName: "Sales"}}},
						operation.Started{}, assessment.ModelEnded{Result: assessment.Result{ModelID: model, Outcome: assessment.Assessed, AssessmentID: &made.AssessmentID, Score: made.Score}}, operation.Succeeded{},
					})),
					eventstore.Decide(c, standing, domain.Command[struct{}](command{assessment.Accepted{OperationID: op}, assessment.Recorded{Assessment: made}, assessment.Ended{OperationID: op}})),
					eventstore.Decide(c, spent, domain.Command[struct{}](command{account.Spent{Kind: account.Assessments, OperationID: op, Amount: 1, Used: 1}})),
				)
			})
		}
		if err := log.Change(b.Context(), eventstore.Metadata{Account: "acme", Person: "ada", RequestID: id(7, from).String()}, pasts, func(c *eventstore.Change) error {
			for _, d := range decide {
				if err := d(c); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
	againstCopy(b, pool, n*perAssessment, func() {
		if _, err := engine.Rebuild(b.Context(), log, view.Name, projections.RebuildOptions{}); err != nil {
			b.Fatal(err)
		}
	})
}

// againstCopy alternates rebuilds of a log of that many events with copies of the log, so that other
// load on the machine slows both. It reports their times.
func againstCopy(b *testing.B, pool *pgxpool.Pool, events int, rebuild func()) {
	b.Helper()
	var copied time.Duration
	for b.Loop() {
		b.StopTimer()
		copied += copyOut(b, pool)
		b.StartTimer()
		rebuild()
	}
	b.ReportMetric(float64(events*b.N)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(copied.Seconds()/b.Elapsed().Seconds(), "of-COPY-out")
}

// copyOut returns how long the server takes to send every event with COPY.
func copyOut(b *testing.B, pool *pgxpool.Pool) time.Duration {
	b.Helper()
	conn, err := pool.Acquire(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Release()
	before := time.Now()
	if _, err := conn.Conn().PgConn().CopyTo(b.Context(), io.Discard, "COPY (SELECT * FROM events ORDER BY position) TO STDOUT"); err != nil {
		b.Fatal(err)
	}
	return time.Since(before)
}
