package eventstore

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"
)

// pageSize is how many events a reader holds at a time.
const pageSize = 1000

// columns are those of scan, in its order.
const columns = `position, event_id, account_id, stream, version, type, schema_version, data, metadata, recorded_at, hash`

// scan reads the columns of one event as they are stored.
func scan(row interface{ Scan(...any) error }) (r Recorded, err error) {
	err = row.Scan(&r.Position, &r.ID, &r.Account, &r.Stream, &r.Version, &r.Type, &r.SchemaVersion,
		(*[]byte)(&r.Data), (*[]byte)(&r.RawMetadata), &r.RecordedAt, &r.Hash)
	r.RecordedAt = r.RecordedAt.UTC()
	return r, err
}

// decode fills what follows from the stored columns.
func (s *Store) decode(r *Recorded) (err error) {
	if r.Event, err = s.codec.Decode(r.Type, r.SchemaVersion, r.Data); err == nil {
		err = json.Unmarshal(r.RawMetadata, &r.Metadata)
	}
	if err != nil {
		return fmt.Errorf("eventstore: read position %d, %s version %d: %w", r.Position, r.Stream, r.Version, err)
	}
	return nil
}

// ReadStream yields the events of a stream after the version. It holds no
// connection between pages, so events appended meanwhile may follow. An error
// ends it.
func (s *Store) ReadStream(ctx context.Context, stream string, after int64) iter.Seq2[Recorded, error] {
	return s.pages(ctx, after, func(r Recorded) int64 { return r.Version }, func(after int64) (string, []any) {
		return fmt.Sprintf(`SELECT %s FROM events WHERE stream = $1 AND version > $2 ORDER BY version LIMIT %d`, columns, pageSize),
			[]any{stream, after}
	})
}

// ReadAll yields the log's events after the position, up to and with upTo, in
// the order of their positions; upTo 0 means the watermark when it begins. An
// upTo above the watermark may miss events that commit later. An error ends it.
func (s *Store) ReadAll(ctx context.Context, after, upTo int64) iter.Seq2[Recorded, error] {
	return func(yield func(Recorded, error) bool) {
		if upTo == 0 {
			var err error
			if upTo, err = s.Watermark(ctx); err != nil {
				yield(Recorded{}, err)
				return
			}
		}
		s.pages(ctx, after, func(r Recorded) int64 { return r.Position }, func(after int64) (string, []any) {
			return fmt.Sprintf(`SELECT %s FROM events WHERE position > $1 AND position <= $2 ORDER BY position LIMIT %d`, columns, pageSize),
				[]any{after, upTo}
		})(yield)
	}
}

// pages yields page after page, each read after the key of the last event.
func (s *Store) pages(ctx context.Context, after int64, key func(Recorded) int64, page func(after int64) (string, []any)) iter.Seq2[Recorded, error] {
	return func(yield func(Recorded, error) bool) {
		for {
			sql, args := page(after)
			rows, err := s.pool.Query(ctx, sql, args...)
			if err != nil {
				yield(Recorded{}, fmt.Errorf("eventstore: read: %w", err))
				return
			}
			events, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Recorded, error) { return scan(row) })
			if err != nil {
				yield(Recorded{}, fmt.Errorf("eventstore: read: %w", err))
				return
			}
			for _, r := range events {
				if err := s.decode(&r); err != nil {
					yield(Recorded{}, err)
					return
				}
				if !yield(r, nil) {
					return
				}
			}
			if len(events) < pageSize {
				return
			}
			after = key(events[len(events)-1])
		}
	}
}
