package eventstore

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"readiness/domain"
	"readiness/eventstore/sealed"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// head is the end of a stream, where its next event goes.
type head struct {
	stream  string
	account string
	first   int64 // the first version to read; if the stream is shorter, its last event is read
	loaded  int64 // the version when loaded, which the append expects
	version int64 // includes the events recorded since
	chain   [sha256.Size]byte
	last    time.Time // when its last event was recorded
	id      uuid.UUID // of the last event loaded
	size    int       // of the data loaded, in bytes
	follows bool      // loaded is the version after an earlier change of the same append
	pasts   []Loadable
}

// loadSQL reads each stream by its index, from a version on, and always reads its last event. OFFSET 0
// keeps the planner from joining first and filtering by version later. SELECT $1 keeps it from
// counting the values, which would make it plan the statement again each time.
var loadSQL = `
SELECT w.i, s.account_id, s.version, s.chain, e.version, e.event_id, e.type, e.schema_version, e.data, e.recorded_at,
	` + sealed.EventKeySQL(`s.account_id`, `e.data`) + `
FROM unnest((SELECT $1::text[]), (SELECT $2::bigint[])) WITH ORDINALITY AS w (stream, first, i)
JOIN streams s ON s.stream = w.stream
LEFT JOIN LATERAL (
	SELECT version, event_id, type, schema_version, data, recorded_at FROM events
	WHERE stream = s.stream AND version >= least(w.first, s.version) AND version <= s.version
	OFFSET 0
) e ON true
ORDER BY w.i, e.version`

const lockSQL = `SELECT version FROM streams WHERE stream = ANY($1::text[]) ORDER BY stream FOR UPDATE`

// Load folds the pasts from their streams, all in one round trip and as of one instant.
func (s *Store) Load(ctx context.Context, pasts ...Loadable) error {
	release, err := s.cache.awaitFolds(ctx, pasts)
	if err != nil {
		return err
	}
	defer release()
	heads, err := s.gather(pasts)
	if err != nil || len(heads) == 0 {
		return err
	}
	return s.loadTogether(ctx, heads)
}

// gather groups the pasts by stream, in the order given, and resets each to its cached state or to the
// zero state.
func (s *Store) gather(pasts []Loadable) ([]*head, error) {
	heads := make([]*head, 0, len(pasts))
	byName := make(map[string]*head, len(pasts))
	for _, p := range pasts {
		p.begin(s.cache)
		h := byName[p.name()]
		if h == nil {
			if err := checkStream(p.name()); err != nil {
				return nil, err
			}
			h = &head{stream: p.name()}
			byName[h.stream] = h
			heads = append(heads, h)
		}
		h.pasts = append(h.pasts, p)
	}
	return heads, nil
}

// maxStreamName bounds a stream's name, in bytes.
const maxStreamName = 255

// checkStream returns an error for a name that cannot be stored, or that people could confuse with
// another.
func checkStream(name string) error {
	kind, rest, ok := strings.Cut(name, "-")
	switch {
	case !ok || kind == "" || rest == "":
		return fmt.Errorf("eventstore: the stream name %q does not have the form type-id", name)
	case len(name) > maxStreamName:
		return fmt.Errorf("eventstore: the stream name %.40q… has %d bytes, more than %d", name, len(name), maxStreamName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("eventstore: the stream name %q has control characters or is not UTF-8", name)
	}
	return nil
}

// streamType returns the type of the streams that the name belongs to: its part before the first '-'.
func streamType(stream string) string {
	kind, _, _ := strings.Cut(stream, "-")
	return kind
}

// loadArgs returns the arguments of loadSQL and sets first in each head. A stream that is folded in
// several ways is read from the first version that one of them needs.
func loadArgs(heads []*head) []any {
	names, first := make([]string, len(heads)), make([]int64, len(heads))
	for i, h := range heads {
		names[i], first[i] = h.stream, math.MaxInt64
		for _, p := range h.pasts {
			first[i] = min(first[i], p.from())
		}
		h.first = first[i]
	}
	return []any{names, first}
}

// reader is a pool or a connection.
type reader interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// load folds the streams, starting from their cached states.
func (s *Store) load(ctx context.Context, q reader, heads []*head) error {
	rows, err := q.Query(ctx, loadSQL, loadArgs(heads)...)
	if err != nil {
		return fmt.Errorf("eventstore: load %s: %w", heads[0].stream, err)
	}
	return s.loaded(ctx, q, heads, s.foldRows(rows, heads))
}

// loaded handles the error of foldRows. When a cached state does not belong to its stream, loaded drops
// it and folds the streams from their first event, in another round trip.
func (s *Store) loaded(ctx context.Context, q reader, heads []*head, err error) error {
	if !errors.Is(err, errForeignState) {
		return err
	}
	for _, h := range heads {
		*h = head{stream: h.stream, pasts: h.pasts}
		for _, p := range h.pasts {
			p.forget(s.cache)
		}
	}
	return s.load(ctx, q, heads)
}

// foldRows folds the rows that loadSQL returned.
func (s *Store) foldRows(rows pgx.Rows, heads []*head) error {
	var unfoldable error
	if err := eachRow(rows, func(r *loadedRow) error {
		unfoldable = s.foldRow(r, heads[r.head-1])
		return unfoldable
	}); err != nil {
		if unfoldable == nil {
			s.cutOff(heads)
		}
		return fmt.Errorf("eventstore: load: %w", err)
	}
	return s.folded(heads)
}

// eachRow calls fn for each row that loadSQL returned, until it returns an error.
func eachRow(rows pgx.Rows, fn func(*loadedRow) error) error {
	var r loadedRow
	_, err := pgx.ForEachRow(rows, []any{&r.head, &r.account, &r.end, &r.chain, &r.version, &r.id, &r.name, &r.schema, &r.data, &r.at, &r.key},
		func() error { return fn(&r) })
	return err
}

// folded ends the load of streams whose rows were all folded.
func (s *Store) folded(heads []*head) error {
	for _, h := range heads {
		if h.version != h.loaded {
			return fmt.Errorf("eventstore: load %s: its row says version %d, its last event is version %d; verify the log", h.stream,
				h.loaded, h.version)
		}
		for _, p := range h.pasts {
			if err := p.end(s.cache, h.id, h.size); err != nil {
				return fmt.Errorf("eventstore: load %s: %w", h.stream, err)
			}
		}
	}
	return nil
}

// cutOff caches the states that a load had folded when it was cut off.
func (s *Store) cutOff(heads []*head) {
	for _, h := range heads {
		for _, p := range h.pasts {
			p.cutOff(s.cache, h.id, h.size)
		}
	}
}

// loadedRow is a row of loadSQL: an event, and the head of its stream.
type loadedRow struct {
	head, end     int64 // head counts from 1
	account, name *string
	chain, data   []byte
	key           []byte // of the account, as sealed.EventKeySQL selects it
	version       *int64 // nil if the stream's row has no event
	id            pgtype.UUID
	schema        *int
	at            *time.Time
}

// foldRow folds the row's event into the pasts of its stream that want it.
func (s *Store) foldRow(r *loadedRow, h *head) error {
	next := h.version + 1
	if h.version == 0 {
		next = min(h.first, r.end)
	}
	if r.version == nil || *r.version != next {
		return fmt.Errorf("eventstore: load %s: an event is missing; verify the log", h.stream)
	}
	h.version, h.account, h.last, h.id = *r.version, *r.account, *r.at, r.id.Bytes
	h.size += len(r.data)
	if *r.version == r.end {
		copy(h.chain[:], r.chain)
	}
	h.loaded = r.end
	var e domain.Event
	for _, p := range h.pasts {
		if !p.wants(*r.version, r.end) {
			if err := p.pass(*r.version, r.id.Bytes); err != nil {
				return err
			}
			continue
		}
		if e == nil {
			var err error
			if e, err = s.open(*r.account, *r.name, *r.schema, r.data, r.key); err == nil {
				err = s.codec.checkStream(*r.name, h.stream)
			}
			if err != nil {
				return fmt.Errorf("eventstore: load %s version %d: %w", h.stream, *r.version, err)
			}
		}
		if err := p.fold(e, *r.version, *r.at); err != nil {
			return fmt.Errorf("eventstore: load %s version %d: %w", h.stream, *r.version, err)
		}
	}
	return nil
}
