// Package eventstore is the append-only event log in PostgreSQL. It loads and changes streams, reads
// them back, follows appends, verifies the log and exports it.
//
// An event has a position, its place in the log, and a version, its place in its stream. Positions
// have gaps, because a rolled-back append leaves one, and are committed out of order. Every reader in
// this package stops at the watermark; at or below it no further event can appear.
package eventstore

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"time"

	"readiness/domain"
	"readiness/eventstore/sealed"
	"readiness/internal/coalesce"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Metadata records who caused an event and why. It never holds a token, an e-mail address or model
// text.
type Metadata struct {
	// Account owns the stream; it is also stored in the column account_id. A stream always belongs to
	// the account of its first event.
	Account     string `json:"account,omitempty"`
	Person      string `json:"person,omitempty"`
	RequestID   string `json:"requestId,omitempty"`
	OperationID string `json:"operationId,omitempty"`
	Causation   string `json:"causation,omitempty"`   // the event or request that led to this one
	Correlation string `json:"correlation,omitempty"` // the first cause in the chain of causes
	Trace       string `json:"trace,omitempty"`       // W3C traceparent
}

// Recorded is an event with its place in the log.
type Recorded struct {
	// Position is the place in the log; 0 while projected inline, when the position is not known yet.
	Position int64
	ID       uuid.UUID
	Account  string
	Stream   string
	Version  int64 // the place in the stream, from 1
	Type     string
	// SchemaVersion is the version in which the event was written. Event has been converted to the
	// current version, Data has not.
	SchemaVersion int
	Event         domain.Event
	Data          json.RawMessage // as written
	RawMetadata   json.RawMessage // as written
	Metadata      Metadata
	RecordedAt    time.Time // UTC, microseconds; never decreases within a stream
	Hash          []byte    // nil while projected inline

	key []byte // of the account, as stored; only where Event is decoded later
}

// Options configure a Store.
type Options struct {
	Now    func() time.Time // time.Now when nil
	NewID  func() uuid.UUID // random UUID v7 when nil
	Logger *slog.Logger     // nothing is logged when nil
	// Inline queues the statements that update the inline views for the events of one append, in its
	// transaction. An error fails the append.
	Inline func(*pgx.Batch, []Recorded) error
	// HandlerTimeout bounds a follower's handling of one event; 0 means 30 seconds. The handler's
	// context ends after it.
	HandlerTimeout time.Duration
}

// Store is the log. It is safe for concurrent use.
type Store struct {
	// Keys seal and open what persons wrote. It is set before the Store is used. Without Keys, events that hold such texts can be neither
	// appended nor decoded.
	Keys *sealed.Keys

	// TextsLeftOut lets sealed texts read as absent, for an operator who has a log without its keys and says so.
	TextsLeftOut bool

	primary *Store // whose Keys a standby's Store uses; else nil

	pool   *pgxpool.Pool
	config *pgxpool.Config // of pool
	codec  *Codec
	now    func() time.Time
	newID  func() uuid.UUID
	inline func(*pgx.Batch, []Recorded) error
	logger *slog.Logger

	handlerTimeout time.Duration

	cache    *stateCache
	together together
	loads    coalesce.Batcher[[]*head, error]

	contention contention

	appended bell // rung after each append of this Store
	news     bell // rung after each append that this Store makes or is notified of
	marks    *marks

	metrics metrics
}

// ring announces an append of this Store.
func (s *Store) ring() {
	s.appended.ring()
	s.news.ring()
}

// New returns a Store for the log in pool's database. The migrations must have run.
func New(pool *pgxpool.Pool, codec *Codec, o Options) *Store {
	s := &Store{pool: pool, codec: codec, now: o.Now, newID: o.NewID, inline: o.Inline, logger: o.Logger, handlerTimeout: o.HandlerTimeout,
		config: pool.Config(), cache: newStateCache(maxCached, maxCachedSize),
		contention: contention{accounts: map[string]*contended{}}, marks: newMarks(), metrics: newMetrics()}
	s.together.appends.SecondAt, s.loads.SecondAt = secondAppend, secondLoad
	s.together.appends.Late, s.loads.Late = lateTime, lateTime
	if s.now == nil {
		s.now = time.Now
	}
	if s.newID == nil {
		s.newID = func() uuid.UUID { return uuid.Must(uuid.NewV7()) }
	}
	s.logger = cmp.Or(s.logger, slog.New(slog.DiscardHandler))
	if s.handlerTimeout <= 0 {
		s.handlerTimeout = 30 * time.Second
	}
	return s
}
