package work

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"readiness/commands"
	"readiness/domain/auditview"
	"readiness/domain/operation"
	"readiness/eventstore"
)

// ListView enqueues the step that lists the rows of a view, in the transaction that accepts it.
func (q *Queue) ListView(ctx context.Context, tx pgx.Tx, of commands.Origin) error {
	return q.enqueue(ctx, tx, []river.InsertManyParams{{Args: listView{of}}})
}

// listView is the job that lists the rows of a view.
type listView struct{ commands.Origin }

// Kind implements river.JobArgs. The name is stored.
func (listView) Kind() string { return "list-view-as-of" }

// lister carries out listView jobs.
type lister struct {
	river.WorkerDefaults[listView]
	Options
	shared *shared
}

// Work implements river.Worker. It acts for no one on the platform, so it needs no token.
func (w *lister) Work(ctx context.Context, job *river.Job[listView]) error {
	defer w.shared.begin(job.ID)()
	step := job.Args
	release, err := w.shared.turn(ctx, w.shared.definitions, keyOf(step.AccountID, step.PersonID))
	if err != nil {
		return err
	}
	defer release()
	listing := eventstore.Fold(operation.Stream(step.OperationID), auditview.Evolve)
	err = w.Store.Change(ctx, step.Metadata(), []eventstore.Loadable{listing}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, listing, auditview.Begin{})
	})
	if err != nil || listing.State.Operation.Status.Ended() {
		return err
	}
	rows, err := w.rows(ctx, step, listing.State.Asked)
	switch before := attemptsSinceEnqueued(job.JobRow); {
	case err == nil:
		return w.end(ctx, step, listing.State.Asked, rows)
	case errors.Is(err, errTooLong):
		return w.fail(ctx, step, fmt.Sprintf("the rows take more than %d MiB; the operator can write them with readinessd projections as-of",
			auditview.MaxSize>>20))
	case before.tookTooLong(err):
		return w.fail(ctx, step, fmt.Sprintf("the events were not read within %s; the operator can write the rows with readinessd "+
			"projections as-of", stepTimeout))
	case before.gaveUp(), before.crashedTooOften():
		w.Log.Error("a step failed too often; its operation ends with an internal error", "operationId", step.OperationID, "error", err)
		return w.fail(ctx, step, "the service could not list the rows: internal error; the operator's log has the details; "+
			"call again later")
	}
	return err
}

var errTooLong = errors.New("work: the rows of the view are too long for a result")

// limited is a buffer that refuses to grow beyond what a result may have.
type limited struct{ text []byte }

// Write implements io.Writer.
func (l *limited) Write(p []byte) (int, error) {
	if len(l.text)+len(p) > auditview.MaxSize {
		return 0, errTooLong
	}
	l.text = append(l.text, p...)
	return len(p), nil
}

// rows returns the rows, each with the name of its table.
func (w *lister) rows(ctx context.Context, step listView, asked auditview.Asked) (rows []json.RawMessage, err error) {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	var lines limited
	if err := w.PastRows(ctx, &lines, step.AccountID, asked.View, asked.Position); err != nil {
		return nil, err
	}
	rows = []json.RawMessage{}
	for line := range bytes.Lines(lines.text) {
		rows = append(rows, bytes.TrimSuffix(line, []byte("\n")))
	}
	return rows, nil
}

// end stores the result with the events that record it.
func (w *lister) end(ctx context.Context, step listView, asked auditview.Asked, rows []json.RawMessage) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	body, err := json.Marshal(auditview.Result{View: asked.View, Position: asked.Position, CheckpointNote: asked.Note,
		SignedAtUtc: asked.SignedAt, Value: rows})
	if err != nil {
		return fmt.Errorf("work: encode rows: %w", err)
	}
	hash, stored, err := w.Documents.PutUntil(ctx, body, w.Now().Add(auditview.ResultLife+endTimeout)) // the operation ends a moment later
	if err != nil {
		return err
	}
	listing := eventstore.Fold(operation.Stream(step.OperationID), auditview.Evolve)
	return w.Store.Change(ctx, step.Metadata(), []eventstore.Loadable{listing}, func(c *eventstore.Change) error {
		err := eventstore.Decide(c, listing, auditview.End{Listed: auditview.Listed{DocumentHash: hash, Rows: len(rows)}})
		if err == nil && len(c.Recorded()) > 0 {
			c.Queue(stored)
		}
		return err
	})
}

func (w *lister) fail(ctx context.Context, step listView, message string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	listing := eventstore.Fold(operation.Stream(step.OperationID), auditview.Evolve)
	return w.Store.Change(ctx, step.Metadata(), []eventstore.Loadable{listing}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, listing, auditview.Fail{Message: message})
	})
}

// PastRows writes the rows of a view as they follow from an account's events up to a position, each on a line with its table.
type PastRows func(ctx context.Context, w io.Writer, account, view string, position int64) error
