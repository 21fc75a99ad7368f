package eventstore

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	wsql "github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5"
)

// page is the transaction in which a follower reads and handles one page of events. It commits only
// when every event up to the new position was handled without error and no later one was begun. To
// ensure that, it guards against the following behaviour of watermill-sql 4.1.2:
//
//  1. A refused message is handled again in the same transaction, on top of its first attempt.
//     Here no message is ever refused: the page fails.
//  2. The same happens after an SQL error, in a transaction that is already aborted. Here the page fails.
//  3. At the deadline of a message, or when closing, the writes that its handler has made so far
//     are committed. Here Commit compares the handled position with the acknowledged one.
//  4. The connection is used while the handler uses it. Here a mutex guards it, and a handler holds the
//     mutex for as long as it runs.
//  5. An error at the end of reading is taken for the end of the log, and an error of the commit is only logged.
//     Here both fail the page.
type page struct {
	ctx    context.Context     // ends when the subscriber is closed, a moment before the follower's own
	bound  int64               // the last position to read
	wake   <-chan struct{}     // closed when an event was appended after bound was read
	events map[string]Recorded // read, by message id

	conn sync.Mutex // guards the use of tx
	tx   pgx.Tx     // nil when there is nothing to read

	mu       sync.Mutex // guards what follows
	over     bool
	err      error // why the page failed
	failedAt int64 // the position of the event that failed, when one did
	begun    int   // how many handlers were begun
	handled  int64 // the position of the last of them
	acked    int64
}

// endTimeout bounds the commit or rollback of a page, which must run even after the caller has left.
const endTimeout = 10 * time.Second

var (
	errPageOver   = errors.New("eventstore: the page's transaction is over")
	errPageFailed = errors.New("eventstore: the page failed; its transaction is rolled back")
)

// fail records the first error.
func (p *page) fail(err error, at int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err, p.failedAt = err, at
	}
}

// begin starts the handling of the event at the position and reports whether it may run: not when the
// page has failed, is over, or has already moved the follower.
func (p *page) begin(position int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil || p.over || p.acked > 0 {
		return false
	}
	p.begun++
	p.handled = position
	return true
}

// handle runs fn on the message's event. When the page has already failed it does nothing: all of the
// page will be read again.
func (p *page) handle(msg *message.Message, decode func(*Recorded) error, fn func(context.Context, pgx.Tx, Recorded) error) {
	p.conn.Lock()
	defer p.conn.Unlock()
	r := p.events[msg.UUID]
	if !p.begin(r.Position) {
		return
	}
	err := decode(&r)
	if err == nil {
		err = recovered(func() error { return fn(msg.Context(), guest{p.tx}, r) })
	}
	if err != nil {
		p.fail(fmt.Errorf("position %d, %s version %d, %s: %w", r.Position, r.Stream, r.Version, r.Type, err), r.Position)
	}
}

// recovered runs fn and turns a panic into an error.
func recovered(fn func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	return fn()
}

// guest is a transaction lent to a handler, which must not end it.
type guest struct{ pgx.Tx }

func (guest) Commit(context.Context) error   { return errTxLent }
func (guest) Rollback(context.Context) error { return errTxLent }

// ExecContext moves the follower past the handled events; the first argument is the position.
func (p *page) ExecContext(ctx context.Context, query string, args ...any) (wsql.Result, error) {
	p.conn.Lock()
	defer p.conn.Unlock()
	p.mu.Lock()
	switch {
	case p.over:
		p.mu.Unlock()
		return nil, errPageOver
	case p.err != nil:
		p.mu.Unlock()
		return nil, errPageFailed
	}
	if p.begun > 0 {
		p.acked = args[0].(int64)
	}
	p.mu.Unlock()
	tag, err := p.tx.Exec(ctx, query, args...)
	if err != nil {
		p.fail(err, 0)
	}
	return wsql.PgxResult{CommandTag: tag}, err
}

// QueryContext reads the page's events.
func (p *page) QueryContext(ctx context.Context, query string, args ...any) (wsql.Rows, error) {
	if p.tx == nil {
		return noRows{}, nil
	}
	p.conn.Lock()
	rows, err := p.tx.Query(ctx, query, args...)
	if err != nil {
		p.conn.Unlock()
		p.fail(err, 0)
		return nil, err
	}
	return &pageRows{Rows: rows, page: p, done: sync.OnceFunc(p.conn.Unlock)}, nil
}

// noRows are the rows of a page that has nothing to read.
type noRows struct{}

func (noRows) Next() bool        { return false }
func (noRows) Scan(...any) error { return pgx.ErrNoRows }
func (noRows) Close() error      { return nil }

type pageRows struct {
	pgx.Rows
	page *page
	done func()
}

func (r *pageRows) Next() bool {
	if r.Rows.Next() {
		return true
	}
	if err := r.Rows.Err(); err != nil {
		r.page.fail(err, 0)
	}
	r.done()
	return false
}

func (r *pageRows) Close() error {
	r.Rows.Close()
	r.done()
	return nil // Next has reported the error
}

// Rollback implements wsql.Tx. It waits for the handler that uses the connection.
func (p *page) Rollback() error {
	p.conn.Lock()
	defer p.conn.Unlock()
	_ = p.end()
	return p.rollback()
}

func (p *page) end() (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	if p.err == nil && p.handled != p.acked {
		p.err = fmt.Errorf("eventstore: position %d was begun, %d acknowledged: the handler did not end in time", p.handled, p.acked)
		p.failedAt = p.handled
	}
	return p.err
}

// Commit implements wsql.Tx. It waits for the handler that uses the connection,
// and rolls back when the page failed.
func (p *page) Commit() error {
	p.conn.Lock()
	defer p.conn.Unlock()
	if p.end() != nil {
		_ = p.rollback()
		return pgx.ErrTxCommitRollback
	}
	if p.tx == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	err := p.tx.Commit(ctx)
	if err != nil {
		p.fail(fmt.Errorf("commit up to position %d: %w", p.handled, err), p.handled)
	}
	return err
}

func (p *page) rollback() error {
	if p.tx == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	if err := p.tx.Rollback(ctx); err != nil && !errors.Is(err, pgx.ErrTxClosed) {
		return err
	}
	return nil
}
