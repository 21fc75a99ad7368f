// Package forward copies the event log to a stream of NATS JetStream, from which other systems, and views on other machines, read it.
//
// PostgreSQL remains the source of truth: the stream decides nothing and can be built again from the log. The stream holds every event
// once, in the order of positions, even if processes are killed: each event is published with the sequence number that the stream must
// have before it, so the broker itself refuses late and repeated messages. The last event in the stream determines where to continue.
package forward

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	wmnats "github.com/ThreeDotsLabs/watermill-nats/v2/pkg/nats"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"readiness/eventstore"
	"readiness/internal/database"
	"readiness/internal/pace"
)

const (
	// CallLimit bounds each call of the broker.
	CallLimit = 10 * time.Second
	// A forwarder that fails waits firstRetry, then twice as long each time, up to lastRetry.
	firstRetry = 100 * time.Millisecond
	lastRetry  = 30 * time.Second
	// page is how many events are published before the position is stored and the servers are checked again.
	page = 500
	// LookAgain is how often the servers are asked whether they still flush every write.
	LookAgain = time.Minute
	// alone is the key of the advisory lock of the one process that forwards.
	alone = int64(0x666f7277617264)
)

// Target is a stream of JetStream.
type Target struct {
	// URL has the addresses of servers, separated by commas. System has the same addresses with a user of the system account; only that
	// account reports how servers flush.
	URL, System string
	// Credentials is the path of a .creds file of NATS. It is empty if URL names a user, or if the servers need none.
	Credentials string
	// Stream is the stream's name.
	Stream string
	// Replicas is how many servers keep the stream.
	Replicas int
}

// Options configure a Forwarder.
type Options struct {
	Target
	Pool  *pgxpool.Pool
	Store *eventstore.Store
	// Epoch returns the number of the log's epoch, which rises when the database was restored to an earlier time and audit restart was run.
	Epoch func(context.Context) (int, error)
	Log   *slog.Logger
}

// Forwarder copies the log to the stream. Make one with New.
type Forwarder struct{ o Options }

// New returns a forwarder.
func New(o Options) *Forwarder { return &Forwarder{o} }

// Unfit is the error of a stream or server that must not be used as it is. Only an operator can correct it.
type Unfit struct{ What, Do string }

// Error implements error.
func (e *Unfit) Error() string { return e.What + ". " + e.Do }

// Keep forwards until ctx ends. Failures are logged and retried, with growing pauses.
func (f *Forwarder) Keep(ctx context.Context) {
	_ = Repeat(ctx, f.o.Log, "forwarding the log failed", f.Run, false)
}

// KeepOrFail is Keep, but returns an *Unfit instead of retrying, because only an operator can correct it.
func (f *Forwarder) KeepOrFail(ctx context.Context) error {
	return Repeat(ctx, f.o.Log, "forwarding the log failed", f.Run, true)
}

// Repeat runs do until ctx ends. It logs each failure with the message failed, and runs do again after a growing pause. If fit is true, it
// returns an *Unfit instead of repeating.
func Repeat(ctx context.Context, log *slog.Logger, failed string, do func(context.Context) error, fit bool) error {
	for failures := 0; ; failures++ {
		began := time.Now()
		err := do(ctx)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // ctx has ended
		}
		if _, unfit := errors.AsType[*Unfit](err); unfit && fit {
			return err
		}
		if time.Since(began) > lastRetry {
			failures = 0
		}
		wait := min(firstRetry<<min(failures, 20), lastRetry)
		log.ErrorContext(ctx, failed, "error", err, "retryIn", wait) //nolint:sloglint // each caller has a constant
		if stopped := pace.Wait(ctx, wait); stopped != nil {
			return nil //nolint:nilerr // ctx ended, which is no failure
		}
	}
}

// Run forwards until ctx ends or something fails. Only one of several processes forwards; the others wait.
func (f *Forwarder) Run(ctx context.Context) error {
	return f.alone(ctx, true, func(ctx context.Context) error {
		err := f.session(ctx)
		if err != nil && ctx.Err() == nil {
			err = errors.Join(err, f.o.Store.ForwardFailed(ctx, err))
		}
		return err
	})
}

// ErrBusy is the error of Rebuild and Forget while a process forwards, and of Alone without wait.
var ErrBusy = errors.New("forward: another process is forwarding the log; stop it first")

func (f *Forwarder) alone(ctx context.Context, wait bool, do func(context.Context) error) error {
	return Alone(ctx, f.o.Pool, alone, wait, do)
}

// Alone runs do while this process holds the advisory lock with the key. If another process holds the lock, Alone waits for it, or returns
// ErrBusy without wait.
func Alone(ctx context.Context, pool *pgxpool.Pool, key int64, wait bool, do func(context.Context) error) error {
	conn, err := database.OutsidePool(ctx, pool)
	if err != nil {
		return fmt.Errorf("forward: %w", err)
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_, _ = conn.Exec(end, `SELECT pg_advisory_unlock($1)`, key) // the end of the connection would end it a moment later
		_ = conn.Close(end)
	}()
	for {
		var locked bool
		if err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, key).Scan(&locked); err != nil {
			return fmt.Errorf("forward: %w", err)
		}
		if locked {
			return do(ctx)
		}
		if !wait {
			return ErrBusy
		}
		if err := pace.Wait(ctx, time.Second); err != nil {
			return err
		}
	}
}

// session connects, finds where to continue, and forwards.
func (f *Forwarder) session(ctx context.Context) error {
	b, err := Connect(f.o.Target, f.o.Log)
	if err != nil {
		return err
	}
	defer b.Close()
	epoch, err := f.o.Epoch(ctx)
	if err != nil {
		return err
	}
	stream, err := b.stream(ctx, f.o.Target)
	if err != nil {
		return err
	}
	at, err := f.resume(ctx, stream, epoch)
	if err != nil {
		return err
	}
	publisher, err := wmnats.NewPublisherWithNatsConn(b.nats, wmnats.PublisherPublishConfig{
		Marshaler: &wmnats.NATSMarshaler{}, SubjectCalculator: wmnats.DefaultSubjectCalculator,
		JetStream: wmnats.JetStreamConfig{TrackMsgId: true, ConnectOptions: []nats.JSOpt{nats.MaxWait(CallLimit)}},
	}, watermill.NewSlogLogger(f.o.Log))
	if err != nil {
		return fmt.Errorf("forward: %w", err)
	}
	var looked time.Time
	for {
		if time.Since(looked) > LookAgain {
			if err := b.Flushes(ctx, stream); err != nil {
				return err
			}
			looked = time.Now()
		}
		if now, err := f.o.Epoch(ctx); err != nil || now != epoch {
			return errors.Join(err, fmt.Errorf("forward: epoch %d of the log began; this process forwarded epoch %d", now, epoch))
		}
		upTo, err := f.o.Store.Grown(ctx, at.position, LookAgain)
		if err != nil {
			return err
		}
		if at, err = f.publish(ctx, publisher, b, at, upTo, epoch); err != nil {
			return err
		}
		if err := f.o.Store.Forwarded(ctx, at.position); err != nil {
			return err
		}
	}
}

// place is where the stream ends.
type place struct {
	sequence uint64 // of the last message
	position int64  // of its event
}

// resume finds the place after which to continue. The last event of the stream must be the log's.
func (f *Forwarder) resume(ctx context.Context, stream jetstream.Stream, epoch int) (place, error) {
	last, sequence, err := lastOf(ctx, stream)
	if err != nil || sequence == 0 {
		return place{}, err
	}
	const again = "Stop all forwarders and run: readinessd forward rebuild"
	if last.Epoch != epoch {
		return place{}, &Unfit{fmt.Sprintf("the stream has epoch %d of the log, but the log is in epoch %d", last.Epoch, epoch), again}
	}
	same, err := f.o.Store.Holds(ctx, last.Position, last.Hash)
	if err == nil && !same {
		err = &Unfit{fmt.Sprintf("the last event of the stream, at position %d, is not in the log: the database was restored to "+
			"an earlier time, or the stream has another log", last.Position),
			"If it was restored, run readinessd audit restart first. " + again}
	}
	return place{sequence, last.Position}, err
}

// publish publishes a page of events, each after the broker has confirmed the one before.
func (f *Forwarder) publish(ctx context.Context, to message.Publisher, b *Broker, at place, upTo int64, epoch int) (place, error) {
	n := 0
	for r, err := range f.o.Store.ReadStored(ctx, eventstore.Selection{After: at.position, UpTo: upTo}) {
		if err != nil {
			return at, err
		}
		if n == page {
			return at, nil
		}
		if ctx.Err() != nil {
			return at, ctx.Err()
		}
		msg, err := b.message(&r, epoch, at.sequence)
		if err != nil {
			return at, err
		}
		if err := to.Publish(Subject(r.Account, r.Type), msg); err != nil {
			return at, fmt.Errorf("forward: publish position %d: %w", r.Position, err)
		}
		at, n = place{at.sequence + 1, r.Position}, n+1
	}
	if n < page { // positions of appends that were rolled back have no event
		at.position = max(at.position, upTo)
	}
	return at, nil
}

// Rebuild deletes the stream and creates an empty one, which the next forwarder fills from the log's first event.
func (f *Forwarder) Rebuild(ctx context.Context) error {
	return f.alone(ctx, false, func(ctx context.Context) error {
		b, err := Connect(f.o.Target, f.o.Log)
		if err != nil {
			return err
		}
		defer b.Close()
		bounded, cancel := context.WithTimeout(ctx, CallLimit)
		defer cancel()
		if err := b.JS.DeleteStream(bounded, f.o.Stream); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return fmt.Errorf("forward: delete the stream %s: %w", f.o.Stream, err)
		}
		if _, err := b.stream(ctx, f.o.Target); err != nil {
			return err
		}
		return f.o.Store.Forwarded(ctx, 0)
	})
}

// Forget removes the stored position of forwarding, so that nothing waits for it. The stream stays.
func (f *Forwarder) Forget(ctx context.Context) error {
	return f.alone(ctx, false, func(ctx context.Context) error { return f.o.Store.ForgetForwarding(ctx) })
}
