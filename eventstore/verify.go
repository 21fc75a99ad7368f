package eventstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5"

	"readiness/domain"
)

// Mismatch is a difference between the log and the events as they were written.
type Mismatch struct {
	Position int64 // 0 for a mismatch in a stream's row
	Stream   string
	Version  int64
	What     string // what does not match
}

// String returns the place and the difference.
func (m Mismatch) String() string {
	if m.Position == 0 {
		return fmt.Sprintf("stream %s: %s", m.Stream, m.What)
	}
	return fmt.Sprintf("position %d, stream %s, version %d: %s", m.Position, m.Stream, m.Version, m.What)
}

// Verification counts the results of Verify.
type Verification struct {
	Events     int64 // read
	Streams    int64
	Total      int64 // number of events according to the streams' rows
	Mismatches int64
	// Unchecked events follow, in their stream, an event whose mismatch broke the chain: they cannot
	// be verified.
	Unchecked int64
}

// VerifyOptions are the callbacks of Verify; nil ones are not called.
type VerifyOptions struct {
	Found    func(Mismatch)     // each mismatch as it is found
	Progress func(Verification) // after every 5,000 events and at the end
}

// verifyPage is how many rows Verify holds at a time.
const verifyPage = 5000

// maxSuspects bounds how many suspects of one stream are kept until the cause of the mismatch is
// known.
const maxSuspects = 1000

// Verify reads the entire log and every stream's row, as of one instant, and checks that they are as
// written: every column of every row, no version missing, nothing added; and that running totals add up
// (domain.Totals), which a log that was written again with matching hashes may not. Memory is bounded. An error
// is about reading; mismatches are in the result.
//
// Verify cannot detect that the end of a stream was removed and its row reset, or that an entire stream was
// removed: only a signed head kept elsewhere can.
func (s *Store) Verify(ctx context.Context, o VerifyOptions) (Verification, error) {
	v := verifier{o: o, chain: &chainer{}, codec: s.codec}
	err := pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		// The sequence is read after this first statement has taken the transaction's snapshot.
		err := tx.QueryRow(ctx,
			`SELECT coalesce(sum(version), 0), (SELECT last_value FROM events_position_seq) FROM streams`).Scan(&v.Total, &v.last)
		if err != nil {
			return err
		}
		events, err := declare(ctx, tx, "verify_events", `SELECT `+columns+` FROM events ORDER BY stream, version`,
			scanner[pgx.CollectableRow](columns))
		if err != nil {
			return err
		}
		streams, err := declare(ctx, tx, "verify_streams", `SELECT stream, account_id, type, version, chain FROM streams ORDER BY stream`,
			pgx.RowToStructByPos[streamRow])
		if err != nil {
			return err
		}
		return v.run(ctx, events, streams)
	})
	if err != nil {
		return v.Verification, fmt.Errorf("eventstore: verify: %w", err)
	}
	return v.Verification, nil
}

// Verified records that Verify found the log unchanged just now.
func (s *Store) Verified(ctx context.Context, v Verification) error {
	_, err := s.pool.Exec(ctx, `INSERT INTO verifications (what, verified_at, events) VALUES ('log', $1, $2)
		ON CONFLICT (what) DO UPDATE SET verified_at = excluded.verified_at, events = excluded.events`, s.now(), v.Events)
	if err != nil {
		return fmt.Errorf("eventstore: record the verification: %w", err)
	}
	return nil
}

type streamRow struct {
	Stream, Account, Type string
	Version               int64
	Chain                 []byte
}

// cursor reads a query's rows page by page.
type cursor[T any] struct {
	tx    pgx.Tx
	fetch string
	scan  func(pgx.CollectableRow) (T, error)
	page  []T
	i     int
	end   bool
}

func declare[T any](ctx context.Context, tx pgx.Tx, name, sql string, scan func(pgx.CollectableRow) (T, error)) (*cursor[T], error) {
	_, err := tx.Exec(ctx, "DECLARE "+name+" NO SCROLL CURSOR FOR "+sql)
	return &cursor[T]{tx: tx, fetch: fmt.Sprintf("FETCH %d FROM %s", verifyPage, name), scan: scan}, err
}

// peek returns the next row, or nil after the last.
func (c *cursor[T]) peek(ctx context.Context) (*T, error) {
	if c.i == len(c.page) && !c.end {
		rows, err := c.tx.Query(ctx, c.fetch)
		if err != nil {
			return nil, err
		}
		if c.page, err = pgx.AppendRows(c.page[:0], rows, c.scan); err != nil {
			return nil, err
		}
		c.i, c.end = 0, len(c.page) < verifyPage
	}
	if c.i == len(c.page) {
		return nil, nil
	}
	return &c.page[c.i], nil
}

func (c *cursor[T]) next() { c.i++ }

type verifier struct {
	Verification
	o     VerifyOptions
	chain *chainer
	codec *Codec
	last  int64 // the last position handed out
}

// run merges the two cursors, both in the order of the streams' names.
func (v *verifier) run(ctx context.Context, events *cursor[Recorded], streams *cursor[streamRow]) error {
	for {
		r, err := events.peek(ctx)
		if err != nil {
			return err
		}
		row, err := streams.peek(ctx)
		if err != nil {
			return err
		}
		switch {
		case r == nil && row == nil:
			v.progress()
			return nil
		case row == nil || r != nil && r.Stream < row.Stream:
			v.found(Mismatch{r.Position, r.Stream, r.Version, "the event's stream has no row in streams"})
			if err := v.stream(ctx, events, &streamRow{Stream: r.Stream, Account: r.Account, Type: streamType(r.Stream)},
				false); err != nil {
				return err
			}
		default:
			if row.Type != streamType(row.Stream) {
				v.found(Mismatch{0, row.Stream, row.Version,
					fmt.Sprintf("streams.type is %q, the name says %q", row.Type, streamType(row.Stream))})
			}
			if err := v.stream(ctx, events, row, true); err != nil {
				return err
			}
			streams.next()
		}
	}
}

// stream verifies the events of one stream, which are next in the cursor.
func (v *verifier) stream(ctx context.Context, events *cursor[Recorded], row *streamRow, hasRow bool) error {
	v.Streams++
	s := streamCheck{verifier: v, row: row, head: noChain}
	for {
		r, err := events.peek(ctx)
		if err != nil {
			return err
		}
		if r == nil || r.Stream != row.Stream {
			break
		}
		v.Events++
		if v.Events%verifyPage == 0 {
			v.progress()
		}
		s.event(r)
		events.next()
	}
	s.end(hasRow)
	return nil
}

// streamCheck is the verification of one stream, up to the event that was read last.
type streamCheck struct {
	*verifier
	row     *streamRow
	head    [sha256.Size]byte
	version int64
	at      time.Time
	broken  bool // a version is missing: the chain cannot be computed after it
	// suspects are events whose hash does not match. When the chain continues through them, their
	// content is as written and only the hash or the position was changed; otherwise the first of
	// them broke the chain.
	suspects []Mismatch
	// before is the event before, if it has totals.
	before domain.Totals
}

// event verifies the stream's next event.
func (s *streamCheck) event(r *Recorded) {
	found := func(format string, args ...any) {
		s.found(Mismatch{r.Position, r.Stream, r.Version, fmt.Sprintf(format, args...)})
	}
	if r.Version != s.version+1 && !s.broken {
		found("versions %d to %d before it are missing", s.version+1, r.Version-1)
		s.broken = true
	}
	if r.Account != s.row.Account {
		found("account_id is %q, the stream's row says %q", r.Account, s.row.Account)
	}
	if r.RecordedAt.Before(s.at) {
		found("recorded_at is before that of the version before it")
	}
	if r.Position <= 0 || r.Position > s.last {
		found("position was never handed out; the last is %d", s.last)
	}
	next := s.chain.next(s.head, r)
	seal := positioned(next, r.Position)
	matches := bytes.Equal(seal[:], r.Hash)
	switch {
	case s.broken || !matches && len(s.suspects) == maxSuspects:
		s.Unchecked++
	case matches:
		s.clearSuspects()
	default:
		s.suspects = append(s.suspects, Mismatch{r.Position, r.Stream, r.Version,
			"its hash does not match what it holds, its position and the events before it"})
	}
	if what := s.mistaken(r); what != "" {
		found("%s", what)
	}
	s.head, s.version, s.at = next, r.Version, r.RecordedAt
}

var totals = reflect.TypeFor[domain.Totals]()

// mistaken says which total of the event does not follow from the event before it.
func (s *streamCheck) mistaken(r *Recorded) (what string) {
	before := s.before
	s.before = nil
	if t, known := s.codec.byName[r.Type]; !known || !t.goType.Implements(totals) {
		return ""
	}
	e, err := s.codec.Decode(r.Type, r.SchemaVersion, r.Data, nil)
	if err != nil {
		return err.Error()
	}
	s.before = e.(domain.Totals)
	switch {
	case s.broken || r.Version > 1 && before == nil: // what it follows is not known
		return ""
	case before == nil:
		return s.before.Mistaken(nil)
	}
	return s.before.Mistaken(before)
}

// clearSuspects reports the suspects as events whose content is as written.
func (s *streamCheck) clearSuspects() {
	for _, m := range s.suspects {
		m.What = "its position or its hash was changed"
		s.found(m)
	}
	s.suspects = s.suspects[:0]
}

// end compares the stream's row, if it has one, with the events.
func (s *streamCheck) end(hasRow bool) {
	chained := bytes.Equal(s.row.Chain, s.head[:])
	if chained {
		s.clearSuspects()
	}
	if len(s.suspects) > 0 {
		s.found(s.suspects[0])
		s.Unchecked += int64(len(s.suspects) - 1)
	}
	switch {
	case !hasRow:
	case s.row.Version != s.version:
		s.found(Mismatch{0, s.row.Stream, s.row.Version, fmt.Sprintf("streams.version is %d, the last event has version %d",
			s.row.Version, s.version)})
	case !chained && !s.broken && len(s.suspects) == 0:
		s.found(Mismatch{0, s.row.Stream, s.row.Version, "streams.chain is not what its events chain to"})
	}
}

func (v *verifier) found(m Mismatch) {
	v.Mismatches++
	if v.o.Found != nil {
		v.o.Found(m)
	}
}

func (v *verifier) progress() {
	if v.o.Progress != nil {
		v.o.Progress(v.Verification)
	}
}
