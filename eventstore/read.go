package eventstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/domain"
	"readiness/eventstore/sealed"
	"readiness/internal/database"
)

// pageSize is how many events a reader holds at a time.
const pageSize = 1000

// maxConflicts is how often a read that a standby cancelled is repeated.
const maxConflicts = 3

// columns are the columns that a scanner reads, in its order.
const columns = `position, event_id, account_id, stream, version, type, schema_version, data, metadata, recorded_at, hash`

// decodable are the columns that a scanner reads for decode: it needs the key of the event's account too.
var decodable = columns + `, ` + sealed.KeySQL(`events.account_id`)

// scanner returns a function that reads the columns of one event as they are stored, and the key if it is among them. It scans every row
// into the same places, which saves two allocations a row.
func scanner[Row interface{ Scan(...any) error }](columns string) func(Row) (Recorded, error) {
	var r Recorded
	// As 16 bytes: a uuid.UUID would be scanned from its text.
	into := []any{&r.Position, (*[16]byte)(&r.ID), &r.Account, &r.Stream, &r.Version, &r.Type, &r.SchemaVersion,
		(*[]byte)(&r.Data), (*[]byte)(&r.RawMetadata), &r.RecordedAt, &r.Hash}
	if columns == decodable {
		into = append(into, &r.key)
	}
	return func(row Row) (Recorded, error) {
		r = Recorded{}
		err := row.Scan(into...)
		r.RecordedAt = r.RecordedAt.UTC()
		return r, err
	}
}

// MissingKey is the error of an event with texts that are sealed under a key that is not stored.
type MissingKey = sealed.MissingKey

// open decodes an event of an account, whose key is as sealed.KeySQL selects it.
func (s *Store) open(account, eventType string, schemaVersion int, data, key []byte) (domain.Event, error) {
	if !sealed.Holds(data) {
		return s.codec.Decode(eventType, schemaVersion, data, nil)
	}
	opened, err := s.accountKey(account, key)
	if err != nil {
		return nil, err
	}
	return s.codec.Decode(eventType, schemaVersion, data, opened)
}

// accountKey opens the key of an account, as sealed.KeySQL selects it.
func (s *Store) accountKey(account string, stored []byte) (*sealed.Key, error) {
	if s.primary != nil {
		s = s.primary
	}
	switch {
	case s.TextsLeftOut:
		return sealed.LeftOut, nil
	case s.Keys == nil:
		return nil, errNoKeys
	}
	return s.Keys.Open(account, stored)
}

// OpenTexts returns the data of an account's event with the texts of persons opened, and null in place of them for an erased account. key
// is that of the account, as sealed.KeySQL selects it.
func (s *Store) OpenTexts(account, eventType string, data json.RawMessage, key []byte) (json.RawMessage, error) {
	if !sealed.Holds(data) {
		return data, nil
	}
	opened, err := s.accountKey(account, key)
	if err != nil {
		return nil, fmt.Errorf("eventstore: %w", err)
	}
	return sealed.Open(data, opened, eventType)
}

// PlainTexts returns how many texts of persons the event holds that are not sealed: the log has such events from before there were keys.
func (s *Store) PlainTexts(r *Recorded) (int, error) {
	return s.codec.byName[r.Type].plan.Plain(r.Data)
}

// errNoKeys is the error of a Store that cannot open or seal texts.
var errNoKeys = errors.New("texts in the log are sealed under keys that need service.key; name the service's data directory with --data")

// decode sets Event and Metadata from the stored columns.
func (s *Store) decode(r *Recorded) (err error) {
	if r.Event, err = s.open(r.Account, r.Type, r.SchemaVersion, r.Data, r.key); err == nil {
		err = json.Unmarshal(r.RawMetadata, &r.Metadata)
	}
	if err != nil {
		return fmt.Errorf("eventstore: read position %d, %s version %d: %w", r.Position, r.Stream, r.Version, err)
	}
	return nil
}

// Selection selects a part of the log. A zero field does not restrict it.
type Selection struct {
	After   int64 // events after this position
	UpTo    int64 // up to and including this one; 0 means the watermark when reading begins
	Account string
	Stream  string
}

// ReadStream yields the events of a stream after the version, in order. It holds no connection between
// pages, so it also sees events appended meanwhile. An error ends it.
func (s *Store) ReadStream(ctx context.Context, stream string, after int64) iter.Seq2[Recorded, error] {
	return s.decoded(pages(ctx, s.pool, decodable, after, byVersion, `stream = $1 AND version > $2 ORDER BY version`, stream))
}

// ReadAll yields the log's events after the position, up to and including upTo, in the order of their
// positions; upTo 0 means the watermark when it begins. With upTo above the watermark it may miss
// events that commit later. An error ends it.
func (s *Store) ReadAll(ctx context.Context, after, upTo int64) iter.Seq2[Recorded, error] {
	return s.decoded(s.readStored(ctx, decodable, Selection{After: after, UpTo: upTo}))
}

// ReadVisible yields the events after the position that tx sees, up to and including upTo, regardless
// of the watermark. The caller must block appends (HoldAppends). With undecoded, Event is not
// decoded. An error ends it.
func (s *Store) ReadVisible(ctx context.Context, tx pgx.Tx, after, upTo int64, undecoded bool) iter.Seq2[Recorded, error] {
	if !undecoded {
		return s.decoded(pages(ctx, tx, decodable, after, byPosition, wherePosition, upTo))
	}
	stored := pages(ctx, tx, columns, after, byPosition, wherePosition, upTo)
	return passed(stored, func(r *Recorded) error { return json.Unmarshal(r.RawMetadata, &r.Metadata) })
}

// rowQuerier is a pool or a transaction.
type rowQuerier interface {
	Query(context.Context, string, ...any) (pgx.Rows, error)
}

// ReadStoredIn yields the stored events after the position that a pool or transaction sees, up to and including upTo, which must not be
// above a watermark. It does not decode Event and Metadata.
func ReadStoredIn(ctx context.Context, q rowQuerier, after, upTo int64) iter.Seq2[Recorded, error] {
	return pages(ctx, q, columns, after, byPosition, wherePosition, upTo)
}

// ReadAccountIn yields the stored events of an account that a pool or transaction sees, from a position up to and including another.
func ReadAccountIn(ctx context.Context, q rowQuerier, account string, from, upTo int64) iter.Seq2[Recorded, error] {
	return pages(ctx, q, columns, from-1, byPosition, `account_id = $1 AND position > $2 AND position <= $3 ORDER BY position`, account,
		upTo)
}

// ReadStored yields the selected events in the order of their positions, as they are stored. It does
// not decode Event and Metadata, so it can also read types that this program does not know.
func (s *Store) ReadStored(ctx context.Context, sel Selection) iter.Seq2[Recorded, error] {
	return s.readStored(ctx, columns, sel)
}

func (s *Store) readStored(ctx context.Context, columns string, sel Selection) iter.Seq2[Recorded, error] {
	return func(yield func(Recorded, error) bool) {
		if sel.UpTo == 0 {
			var err error
			if sel.UpTo, err = s.Watermark(ctx); err != nil {
				yield(Recorded{}, err)
				return
			}
		}
		switch {
		case sel.Stream != "":
			// In a stream, the order of versions is the order of positions, and the stream's index has
			// versions in order.
			pages(ctx, s.pool, columns, 0, byVersion,
				`stream = $1 AND version > $2 AND position > $3 AND position <= $4 AND ($5 = '' OR account_id = $5) ORDER BY version`,
				sel.Stream, sel.After, sel.UpTo, sel.Account)(yield)
		case sel.Account != "":
			pages(ctx, s.pool, columns, sel.After, byPosition, `account_id = $1 AND position > $2 AND position <= $3 ORDER BY position`,
				sel.Account, sel.UpTo)(yield)
		default:
			pages(ctx, s.pool, columns, sel.After, byPosition, wherePosition, sel.UpTo)(yield)
		}
	}
}

const wherePosition = `position <= $1 AND position > $2 ORDER BY position`

func byVersion(r *Recorded) int64  { return r.Version }
func byPosition(r *Recorded) int64 { return r.Position }

// pages yields page after page, each read after the key of the last event. In where, $2 is the key; $1
// and those from $3 are args.
func pages(ctx context.Context, q rowQuerier, columns string, after int64, key func(*Recorded) int64, where string, args ...any,
) iter.Seq2[Recorded, error] {
	sql := fmt.Sprintf(`SELECT %s FROM events WHERE %s LIMIT %d`, columns, where, pageSize)
	return func(yield func(Recorded, error) bool) {
		var page []Recorded
		_, pooled := q.(*pgxpool.Pool) // a transaction has ended
		for conflicts := 0; ; {
			// Not a prepared statement: planned without the values, it may sort all remaining events
			// of a large account to read one page.
			rows, err := q.Query(ctx, sql, append([]any{pgx.QueryExecModeCacheDescribe, args[0], after}, args[1:]...)...)
			if err == nil {
				page, err = pgx.AppendRows(page[:0], rows, scanner[pgx.CollectableRow](columns))
			}
			if pooled && conflicts < maxConflicts && database.Conflicts(err) {
				conflicts++
				continue
			}
			if err != nil {
				yield(Recorded{}, fmt.Errorf("eventstore: read: %w", err))
				return
			}
			conflicts = 0
			for _, r := range page {
				if !yield(r, nil) {
					return
				}
			}
			if len(page) < pageSize {
				return
			}
			after = key(&page[len(page)-1])
		}
	}
}

// decoded decodes the events of stored one by one.
func (s *Store) decoded(stored iter.Seq2[Recorded, error]) iter.Seq2[Recorded, error] {
	return passed(stored, s.decode)
}

// passed applies do to the events of stored one by one, and ends at the first error.
func passed(stored iter.Seq2[Recorded, error], do func(*Recorded) error) iter.Seq2[Recorded, error] {
	return func(yield func(Recorded, error) bool) {
		for r, err := range stored {
			if err == nil {
				err = do(&r)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}
