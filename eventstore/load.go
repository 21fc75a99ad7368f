package eventstore

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
)

// head is where a stream's next event goes.
type head struct {
	stream  string
	account string
	loaded  int64 // the version when loaded, which an append expects to find
	version int64 // counting what has been recorded since
	chain   [sha256.Size]byte
	last    time.Time // when its last event was recorded
	pasts   []Loadable
}

// loadSQL reads each stream by its index, of a stream of which the last event is
// enough that event only: OFFSET 0 keeps the planner from joining first and
// looking at last_only later.
const loadSQL = `
SELECT w.i, s.account_id, s.version, s.chain, e.version, e.type, e.schema_version, e.data, e.recorded_at
FROM unnest($1::text[], $2::bool[]) WITH ORDINALITY AS w (stream, last_only, i)
JOIN streams s ON s.stream = w.stream
LEFT JOIN LATERAL (
	SELECT version, type, schema_version, data, recorded_at FROM events
	WHERE stream = s.stream AND version >= CASE WHEN w.last_only THEN s.version ELSE 1 END AND version <= s.version
	OFFSET 0
) e ON true
ORDER BY w.i, e.version`

const lockSQL = `SELECT version FROM streams WHERE stream = ANY($1::text[]) ORDER BY stream FOR UPDATE`

// Load folds the pasts afresh, all of them in one round trip and as of one
// instant.
func (s *Store) Load(ctx context.Context, pasts ...Loadable) error {
	heads, err := gather(pasts)
	if err != nil || len(heads) == 0 {
		return err
	}
	return s.load(ctx, heads)
}

// gather groups the pasts by stream, in the order given, and empties them.
func gather(pasts []Loadable) ([]*head, error) {
	heads := make([]*head, 0, len(pasts))
	byName := make(map[string]*head, len(pasts))
	for _, p := range pasts {
		p.reset()
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

// checkStream refuses a name that could not be stored, or not be told apart by
// a person reading it.
func checkStream(name string) error {
	kind, rest, ok := strings.Cut(name, "-")
	switch {
	case !ok || kind == "" || rest == "":
		return fmt.Errorf("eventstore: the stream name %q is not of the form type-id", name)
	case len(name) > maxStreamName:
		return fmt.Errorf("eventstore: the stream name %.40q… has %d bytes, more than %d", name, len(name), maxStreamName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("eventstore: the stream name %q holds control characters or is not UTF-8", name)
	}
	return nil
}

// streamType is what kind of thing a stream is about: its name up to the first '-'.
func streamType(stream string) string {
	kind, _, _ := strings.Cut(stream, "-")
	return kind
}

// loadArgs are the arguments of loadSQL. Of a stream that is folded in several
// ways, all events are loaded if one of them wants all.
func loadArgs(heads []*head) []any {
	names, last := make([]string, len(heads)), make([]bool, len(heads))
	for i, h := range heads {
		names[i], last[i] = h.stream, true
		for _, p := range h.pasts {
			last[i] = last[i] && p.onlyLast()
		}
	}
	return []any{names, last}
}

func (s *Store) load(ctx context.Context, heads []*head) error {
	rows, err := s.pool.Query(ctx, loadSQL, loadArgs(heads)...)
	if err != nil {
		return fmt.Errorf("eventstore: load %s: %w", heads[0].stream, err)
	}
	return s.foldRows(rows, heads)
}

// foldRows folds what loadSQL answered.
func (s *Store) foldRows(rows pgx.Rows, heads []*head) error {
	var (
		i, end        int64
		account, name *string
		chain, data   []byte
		version       *int64
		schema        *int
		at            *time.Time
	)
	_, err := pgx.ForEachRow(rows, []any{&i, &account, &end, &chain, &version, &name, &schema, &data, &at}, func() error {
		h := heads[i-1]
		if version == nil || (h.version != 0 && *version != h.version+1) {
			return fmt.Errorf("eventstore: load %s: an event is missing; verify the log", h.stream)
		}
		e, err := s.codec.Decode(*name, *schema, data)
		if err != nil {
			return fmt.Errorf("eventstore: load %s version %d: %w", h.stream, *version, err)
		}
		h.version, h.account, h.last = *version, *account, *at
		if *version == end {
			copy(h.chain[:], chain)
		}
		for _, p := range h.pasts {
			if p.onlyLast() && *version < end {
				p.skip(*version)
			} else {
				p.fold(e, *version)
			}
		}
		h.loaded = end
		return nil
	})
	if err != nil {
		return fmt.Errorf("eventstore: load: %w", err)
	}
	for _, h := range heads {
		if h.version != h.loaded {
			return fmt.Errorf("eventstore: load %s: its row says version %d, its last event is version %d; verify the log", h.stream, h.loaded, h.version)
		}
	}
	return nil
}
