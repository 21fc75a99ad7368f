package eventstore

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	wsql "github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5"
)

const (
	// pollInterval is how often a follower polls when no append wakes it.
	pollInterval = time.Second
	// followPage is how many events a follower handles in one transaction at most.
	followPage = 200
	// A follower that fails waits firstRetry, then twice as long each time, up
	// to lastRetry.
	firstRetry = 100 * time.Millisecond
	lastRetry  = 30 * time.Second
	// maxErrorText bounds the stored text of a handler's error, in bytes.
	maxErrorText = 1000
)

// Follow adds to the router a follower that calls fn once for every event of the log, in the order of
// positions. It begins after the last event that the follower called name has handled. fn's writes
// through tx commit together with the follower's move past the event, several events at a time; fn
// must not keep tx. However many processes follow under one name, only one of them handles events at a
// time.
//
// When fn fails, or its context ends, everything since the last commit is rolled back and handled
// again: first the events before the one that failed, then that one, with growing pauses,
// indefinitely. A failing event is never skipped. Its error is logged and returned by Followers.
func (s *Store) Follow(router *message.Router, name string, fn func(ctx context.Context, tx pgx.Tx, r Recorded) error) error {
	if _, taken := router.Handlers()[name]; taken || name == "" {
		return fmt.Errorf("eventstore: the router cannot have another follower called %q", name)
	}
	f := &follower{store: s, name: name, polls: true}
	f.ctx, f.stop = context.WithCancel(context.Background())
	sub, err := wsql.NewSubscriber(f, wsql.SubscriberConfig{
		ConsumerGroup:  name,
		SchemaAdapter:  f,
		OffsetsAdapter: offsets{},
		BackoffManager: f,
		AckDeadline:    &s.handlerTimeout,
	}, watermill.NewSlogLogger(s.logger))
	if err != nil {
		return fmt.Errorf("eventstore: follow as %s: %w", name, err)
	}
	router.AddConsumerHandler(name, "events", &subscriber{sub, f.stop}, func(msg *message.Message) error {
		if tx, ok := wsql.TxFromContext(msg.Context()); ok {
			tx.(*page).handle(msg, s.decode, fn)
		}
		return nil // a nack would handle the message again in the same transaction
	})
	return nil
}

// subscriber ends its follower's waits when it is closed.
type subscriber struct {
	*wsql.Subscriber
	stop func()
}

func (s *subscriber) Subscribe(ctx context.Context, topic string) (<-chan *message.Message, error) {
	context.AfterFunc(ctx, s.stop)
	return s.Subscriber.Subscribe(ctx, topic)
}

func (s *subscriber) Close() error {
	s.stop()
	return s.Subscriber.Close()
}

// follower adapts the log to watermill-sql's subscriber: it opens the pages, says what to read, and
// how long to wait. Everything except the handling runs on the subscriber's one goroutine.
type follower struct {
	store *Store
	name  string
	ctx   context.Context // ends when the subscriber is closed
	stop  func()

	page     *page
	until    int64 // read at most up to here, to handle the events before one that failed; 0 for no limit
	moved    int64 // the position its last page moved it to; 0 before the first
	polls    bool  // it is starting, or no append woke it: read even if the log seems not to have grown
	failures int   // in a row
}

// BeginTx opens a page. It reads the watermark before the page's transaction begins, so that the
// transaction sees every event up to it. A page without new events is empty and has no transaction.
func (f *follower) BeginTx(ctx context.Context, _ *stdsql.TxOptions) (wsql.Tx, error) {
	p := &page{ctx: ctx, wake: f.store.news.next(), events: make(map[string]Recorded)}
	f.page = p
	var err error
	if p.bound, err = f.store.marks.settled(ctx, f.store.pool, p.wake); err != nil {
		return nil, err
	}
	if f.until > 0 {
		p.bound = min(p.bound, f.until)
	}
	polls := f.polls
	if f.polls = false; p.bound <= f.moved && !polls {
		return p, nil
	}
	p.tx, err = f.store.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	return p, err
}

// SelectQuery returns the query for the next page. The page is empty while another process, or a
// rebuild, moves the follower. The LIMIT is part of the text: with an argument PostgreSQL would sort
// all remaining events.
func (f *follower) SelectQuery(wsql.SelectQueryParams) (wsql.Query, error) {
	return wsql.Query{
		Query: fmt.Sprintf(`WITH mine AS MATERIALIZED (SELECT position FROM followers WHERE name = $1 FOR UPDATE SKIP LOCKED)
SELECT %s FROM events WHERE position > (SELECT position FROM mine) AND position <= $2 ORDER BY position LIMIT %d`, decodable, followPage),
		Args: []any{f.name, f.page.bound},
	}, nil
}

func (f *follower) UnmarshalMessage(params wsql.UnmarshalMessageParams) (wsql.Row, error) {
	r, err := scanner[wsql.Scanner](decodable)(params.Row)
	if err != nil {
		return wsql.Row{}, err
	}
	id := r.ID.String()
	f.page.events[id] = r
	msg := message.NewMessage(id, message.Payload(r.Data))
	msg.Metadata = message.Metadata{"type": r.Type, "stream": r.Stream}
	return wsql.Row{Offset: r.Position, UUID: []byte(id), Payload: r.Data, Msg: msg}, nil
}

// HandleError returns how long to wait before the next page. At the end of the log it waits for the
// next append itself.
func (f *follower) HandleError(_ watermill.LoggerAdapter, noMsg bool, err error) time.Duration {
	p := f.page
	p.mu.Lock()
	if p.err != nil {
		err = p.err
	}
	failedAt, begun := p.failedAt, p.begun
	if err == nil && p.acked > 0 {
		f.moved = p.acked
	}
	p.mu.Unlock()
	f.until = 0
	switch {
	case f.ctx.Err() != nil || p.ctx.Err() != nil:
		return 0
	case err != nil && failedAt > 0 && begun > 1:
		f.until = failedAt - 1
		return 0
	case err != nil:
		f.failures++
		wait := min(firstRetry<<min(f.failures-1, 20), lastRetry)
		f.report(err, failedAt, wait)
		return wait
	}
	f.failures = 0
	if noMsg {
		select {
		case <-p.wake:
		case <-time.After(pollInterval):
			f.polls = true
		case <-f.ctx.Done():
		}
	}
	return 0
}

// report logs a failure. When an event caused it, report also stores it in the follower's row, unless
// another process has passed that event since.
func (f *follower) report(failure error, at int64, wait time.Duration) {
	f.store.logger.Error("a follower of the event log failed", "follower", f.name, "error", failure, "retryIn", wait)
	if at == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(f.ctx, endTimeout)
	defer cancel()
	_, err := f.store.pool.Exec(ctx, `UPDATE followers SET error = $2, failed_at = clock_timestamp() WHERE name = $1 AND position < $3`,
		f.name, errorText(failure), at)
	if err != nil {
		f.store.logger.Error("the failure of a follower could not be recorded", "follower", f.name, "error", err)
	}
}

// errorText returns the text of a failure as its column can hold it.
func errorText(failure error) string {
	text := failure.Error()
	return strings.ToValidUTF8(strings.ReplaceAll(text[:min(len(text), maxErrorText)], "\x00", ""), "")
}

// ExecContext and QueryContext implement wsql.Beginner. The subscriber calls neither: it works in
// transactions only.
func (f *follower) ExecContext(context.Context, string, ...any) (wsql.Result, error) {
	return nil, errors.ErrUnsupported
}

func (f *follower) QueryContext(context.Context, string, ...any) (wsql.Rows, error) {
	return nil, errors.ErrUnsupported
}

// InsertQuery returns an error: events are appended by Change.
func (f *follower) InsertQuery(wsql.InsertQueryParams) (wsql.Query, error) {
	return wsql.Query{}, errors.ErrUnsupported
}

// SchemaInitializingQueries returns none: migrations create the tables.
func (f *follower) SchemaInitializingQueries(wsql.SchemaInitializingQueriesParams) ([]wsql.Query, error) {
	return nil, nil
}

// SubscribeIsolationLevel returns the level that BeginTx always uses.
func (f *follower) SubscribeIsolationLevel() stdsql.IsolationLevel { return stdsql.LevelReadCommitted }

// offsets keeps a follower's position in the table followers.
type offsets struct{}

func (offsets) AckMessageQuery(p wsql.AckMessageQueryParams) (wsql.Query, error) {
	return wsql.Query{
		Query: `UPDATE followers SET position = $1, updated_at = clock_timestamp(), error = NULL, failed_at = NULL WHERE name = $2`,
		Args:  []any{p.LastRow.Offset, p.ConsumerGroup},
	}, nil
}

func (offsets) BeforeSubscribingQueries(p wsql.BeforeSubscribingQueriesParams) ([]wsql.Query, error) {
	return []wsql.Query{{Query: `INSERT INTO followers (name) VALUES ($1) ON CONFLICT DO NOTHING`, Args: []any{p.ConsumerGroup}}}, nil
}

func (offsets) ConsumedMessageQuery(wsql.ConsumedMessageQueryParams) (wsql.Query, error) {
	return wsql.Query{}, nil
}

// NextOffsetQuery is not used: SelectQuery reads the position itself.
func (offsets) NextOffsetQuery(wsql.NextOffsetQueryParams) (wsql.Query, error) {
	return wsql.Query{}, nil
}

func (offsets) SchemaInitializingQueries(wsql.OffsetsSchemaInitializingQueriesParams) ([]wsql.Query, error) {
	return nil, nil
}

// Follower is the progress of a follower.
type Follower struct {
	Name      string
	Position  int64
	UpdatedAt time.Time
	Error     string    // the error of its handler for the event after Position; empty when it works
	FailedAt  time.Time // when its handler failed last; zero when it works
}

// Followers returns every follower that ever existed, by name.
func (s *Store) Followers(ctx context.Context) ([]Follower, error) {
	rows, _ := s.pool.Query(ctx, `SELECT name, position, updated_at, coalesce(error, ''), failed_at FROM followers ORDER BY name`)
	followers, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (f Follower, err error) {
		var failedAt *time.Time
		if err = row.Scan(&f.Name, &f.Position, &f.UpdatedAt, &f.Error, &failedAt); failedAt != nil {
			f.FailedAt = *failedAt
		}
		return f, err
	})
	if err != nil {
		return nil, fmt.Errorf("eventstore: followers: %w", err)
	}
	return followers, nil
}
