// Package eventstore is the append-only event log in PostgreSQL: loading and
// changing streams, reading them back, following what is appended, verifying
// and exporting the whole (architecture 2).
//
// An event has a position, its place in the log, and a version, its place in
// its stream. Positions have gaps (a rolled-back append leaves one) and are
// committed out of order; every reader here goes up to the watermark only,
// below which nothing can appear any more.
package eventstore

import (
	"encoding/json"
	"log/slog"
	"time"

	"readiness/domain"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Metadata says on whose behalf and why an event was recorded. It never holds
// a token, an e-mail address or model text.
type Metadata struct {
	// Account owns the stream; it fills the account_id column too. A stream
	// belongs to the account of its first event for ever.
	Account     string `json:"account,omitempty"`
	Person      string `json:"person,omitempty"`
	RequestID   string `json:"requestId,omitempty"`
	OperationID string `json:"operationId,omitempty"`
	Causation   string `json:"causation,omitempty"`   // the event or request that led to this one
	Correlation string `json:"correlation,omitempty"` // what the whole chain of causes began with
	Trace       string `json:"trace,omitempty"`       // W3C traceparent
}

// Recorded is an event with its place in the log.
type Recorded struct {
	// Position is the place in the log; 0 while projected inline, when it is
	// not known yet.
	Position int64
	ID       uuid.UUID
	Account  string
	Stream   string
	Version  int64 // the place in the stream, from 1
	Type     string
	// SchemaVersion is the one it was written with; Event has been lifted to
	// the current one, Data has not.
	SchemaVersion int
	Event         domain.Event
	Data          json.RawMessage // as written
	RawMetadata   json.RawMessage // as written
	Metadata      Metadata
	RecordedAt    time.Time // UTC, microseconds; never decreases within a stream
	Hash          []byte    // nil while projected inline
}

// Options are what a Store takes from its surroundings.
type Options struct {
	Now    func() time.Time // time.Now when nil
	NewID  func() uuid.UUID // random UUID v7 when nil
	Logger *slog.Logger     // nothing is logged when nil
	// Inline queues the statements that project the events of one append in its
	// transaction. Its error fails the append.
	Inline func(*pgx.Batch, []Recorded) error
	// HandlerTimeout ends the context of a follower's handling of one event;
	// 30 seconds when 0.
	HandlerTimeout time.Duration
}

// Store is the log. It is safe for concurrent use.
type Store struct {
	pool   *pgxpool.Pool
	codec  *Codec
	now    func() time.Time
	newID  func() uuid.UUID
	inline func(*pgx.Batch, []Recorded) error
	logger *slog.Logger

	handlerTimeout time.Duration

	kept *kept

	appended bell // rung after each append of this Store
	news     bell // rung after each append that this Store knows of
	marks    *marks
}

// ring says that events have been appended here.
func (s *Store) ring() {
	s.appended.ring()
	s.news.ring()
}

// New returns the log in pool's database, whose migrations have run.
func New(pool *pgxpool.Pool, codec *Codec, o Options) *Store {
	s := &Store{pool: pool, codec: codec, now: o.Now, newID: o.NewID, inline: o.Inline, logger: o.Logger, handlerTimeout: o.HandlerTimeout, kept: newKept(maxKept, maxKeptSize), marks: newMarks()}
	if s.now == nil {
		s.now = time.Now
	}
	if s.newID == nil {
		s.newID = func() uuid.UUID { return uuid.Must(uuid.NewV7()) }
	}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	if s.handlerTimeout <= 0 {
		s.handlerTimeout = 30 * time.Second
	}
	return s
}
