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
	// pollInterval is how often a follower looks when nobody wakes it.
	pollInterval = time.Second
	// followPage is how many events are handled in one transaction at most.
	followPage = 200
	// A follower that fails waits firstRetry, then twice as long each time, up
	// to lastRetry.
	firstRetry = 100 * time.Millisecond
	lastRetry  = 30 * time.Second
	// maxErrorText bounds what is kept of a handler's error, in bytes.
	maxErrorText = 1000
)

// Follow calls fn once for every event of the log, in the order of positions,
// beginning after the last one that the follower called name has handled, when
// the router runs. fn's writes through tx commit together with the follower's
// move past the event, several events at a time; tx must not be kept. However
// many processes follow under one name, one of them handles at a time.
//
// When fn fails, or its context ends, everything since the last commit is
// rolled back and handled again: first the events before the one that failed,
// then that one, with growing pauses, for ever. It is never passed over; its
// error is logged and shown by Followers.
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
		return nil // refusing a message would handle it again in the same transaction
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

// follower is what watermill-sql's subscriber is given to make the log its
// topic: it opens the pages, says what to read, and how long to wait. All but
// the handling runs on the subscriber's one goroutine.
type follower struct {
	store *Store
	name  string
	ctx   context.Context // ends when the subscriber is closed
	stop  func()

	page     *page
	until    int64 // read at most up to here: the events before one that failed
	moved    int64 // the position its last page moved it to; 0 before the first
	polls    bool  // it begins, or nothing woke it: it looks whether or not the log seems to have grown
	failures int   // in a row
}

// BeginTx opens a page. The watermark is asked before the page's transaction begins,
// so what it promises is seen there. Without anything new the page is empty and has
// no transaction.
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

// SelectQuery reads the next page. A follower that another process, or a
// rebuild, is moving right now has none. The LIMIT is part of the text: as an
// argument it would make PostgreSQL sort all that is left.
func (f *follower) SelectQuery(wsql.SelectQueryParams) (wsql.Query, error) {
	return wsql.Query{
		Query: fmt.Sprintf(`WITH mine AS MATERIALIZED (SELECT position FROM followers WHERE name = $1 FOR UPDATE SKIP LOCKED)
SELECT %s FROM events WHERE position > (SELECT position FROM mine) AND position <= $2 ORDER BY position LIMIT %d`, columns, followPage),
		Args: []any{f.name, f.page.bound},
	}, nil
}

func (f *follower) UnmarshalMessage(params wsql.UnmarshalMessageParams) (wsql.Row, error) {
	r, err := scan(params.Row)
	if err != nil {
		return wsql.Row{}, err
	}
	id := r.ID.String()
	f.page.events[id] = r
	msg := message.NewMessage(id, message.Payload(r.Data))
	msg.Metadata = message.Metadata{"type": r.Type, "stream": r.Stream}
	return wsql.Row{Offset: r.Position, UUID: []byte(id), Payload: r.Data, Msg: msg}, nil
}

// HandleError says how long to wait before the next page, and waits itself for
// the next append when the log has been read to its end.
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

// report makes a failure visible: in the log and, when an event is the matter,
// in the follower's row, unless another process has passed that event since.
func (f *follower) report(failure error, at int64, wait time.Duration) {
	f.store.logger.Error("a follower of the event log failed", "follower", f.name, "error", failure, "retryIn", wait)
	if at == 0 {
		return
	}
	text := failure.Error()
	text = strings.ToValidUTF8(strings.ReplaceAll(text[:min(len(text), maxErrorText)], "\x00", ""), "")
	ctx, cancel := context.WithTimeout(f.ctx, endTimeout)
	defer cancel()
	_, err := f.store.pool.Exec(ctx, `UPDATE followers SET error = $2, failed_at = clock_timestamp() WHERE name = $1 AND position < $3`,
		f.name, text, at)
	if err != nil {
		f.store.logger.Error("the failure of a follower could not be recorded", "follower", f.name, "error", err)
	}
}

// ExecContext and QueryContext complete wsql.Beginner; the subscriber works in
// transactions only.
func (f *follower) ExecContext(context.Context, string, ...any) (wsql.Result, error) {
	return nil, errors.ErrUnsupported
}

func (f *follower) QueryContext(context.Context, string, ...any) (wsql.Rows, error) {
	return nil, errors.ErrUnsupported
}

// InsertQuery refuses publishers: events are appended by Change.
func (f *follower) InsertQuery(wsql.InsertQueryParams) (wsql.Query, error) {
	return wsql.Query{}, errors.ErrUnsupported
}

// SchemaInitializingQueries is empty: migrations own the tables.
func (f *follower) SchemaInitializingQueries(wsql.SchemaInitializingQueriesParams) ([]wsql.Query, error) {
	return nil, nil
}

// SubscribeIsolationLevel is what BeginTx uses whatever it is told.
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

// NextOffsetQuery is not asked: SelectQuery reads the position itself.
func (offsets) NextOffsetQuery(wsql.NextOffsetQueryParams) (wsql.Query, error) {
	return wsql.Query{}, nil
}

func (offsets) SchemaInitializingQueries(wsql.OffsetsSchemaInitializingQueriesParams) ([]wsql.Query, error) {
	return nil, nil
}

// Follower is how far a follower has come.
type Follower struct {
	Name      string
	Position  int64
	UpdatedAt time.Time
	Error     string    // what its handler said about the event after Position; empty when it works
	FailedAt  time.Time // when it said so last; zero when it works
}

// Followers returns every follower there has ever been, by name.
func (s *Store) Followers(ctx context.Context) ([]Follower, error) {
	rows, err := s.pool.Query(ctx, `SELECT name, position, updated_at, coalesce(error, ''), failed_at FROM followers ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("eventstore: followers: %w", err)
	}
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
