package eventstore

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"readiness/internal/database"

	"github.com/jackc/pgx/v5"
)

// ImportOptions are the callbacks of Import; nil ones are not called.
type ImportOptions struct {
	// Before runs in the transaction of the import before anything is stored, After when everything is. An error of either rolls it back.
	Before, After func(context.Context, pgx.Tx) error
	// Change changes data, metadata and schema version of an event after its line and hash were checked. The imported log then has other
	// hashes than the exported one.
	Change   func(context.Context, pgx.Tx, *Recorded) error
	Progress func(events int64) // after every page
}

// Imported counts what Import stored.
type Imported struct {
	Events, Streams int64
	Last            int64 // the last position
}

const (
	// importPage and importBytes bound what Import holds at a time.
	importPage  = 5000
	importBytes = 8 << 20
	// maxPosition is above every position that an append can take (appenders).
	maxPosition = 1 << 44
)

// Import reads the lines of an export (NDJSON) into an empty log, in one transaction: all of them or none. Every line must be exactly as
// Export writes it, every stream complete from its first event, and every hash that of its event, its position and the events before.
// Then the events, the streams and the sequence of positions equal those of the exported log. Memory is bounded.
//
// Import changes no view: Before or After must withdraw them, because they were built from the empty log. It acts as the owner of the
// database. Forged lines with matching hashes are imported: only a signed head that was kept elsewhere reveals them.
func (s *Store) Import(ctx context.Context, from io.Reader, o ImportOptions) (done Imported, err error) {
	i := importer{lines: &lineReader{from: bufio.NewReaderSize(from, 256<<10)}, codec: s.codec, chain: &chainer{}, change: o.Change}
	err = database.Transaction(ctx, s.pool, func(tx pgx.Tx) error {
		if err := i.begin(ctx, tx); err != nil {
			return err
		}
		if o.Before != nil {
			if err := o.Before(ctx, tx); err != nil {
				return err
			}
		}
		for {
			page, err := i.page(ctx, tx)
			if err != nil {
				return err
			}
			if len(page) == 0 {
				break
			}
			if err := i.store(ctx, tx, page); err != nil {
				return err
			}
			if o.Progress != nil {
				o.Progress(i.Events)
			}
		}
		if err := i.end(ctx, tx); err != nil || o.After == nil {
			return err
		}
		return o.After(ctx, tx)
	})
	if err != nil {
		return Imported{}, fmt.Errorf("eventstore: import: %w", err)
	}
	return i.Imported, nil
}

// importer is the state of an import.
type importer struct {
	Imported
	lines *lineReader
	codec *Codec
	chain *chainer
	heads map[string]*importedStream // of the page
	// change is Options.Change.
	change func(context.Context, pgx.Tx, *Recorded) error
}

// importedStream is a stream up to its last imported event.
type importedStream struct {
	account string
	version int64
	// exported is the chain value of the lines, chain that of what is stored, which differs once an event was changed.
	exported, chain [sha256.Size]byte
	at              time.Time
}

// begin blocks appends and refuses a log that is not empty. While the server waits for lines, the transaction may be idle for
// longer than those of the service. The heads of streams are found by index, even if the tables were empty when the query was planned.
func (i *importer) begin(ctx context.Context, tx pgx.Tx) error {
	for _, sql := range []string{
		`SET LOCAL idle_in_transaction_session_timeout = '10min'`,
		`CREATE TEMPORARY TABLE exported_chains (stream text PRIMARY KEY, chain bytea NOT NULL) ON COMMIT DROP`,
		`SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off`,
	} {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return err
		}
	}
	if err := HoldAppends(ctx, tx); err != nil {
		return fmt.Errorf("%w; stop every process of the service first", err)
	}
	var used bool
	if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM events) OR EXISTS (SELECT FROM streams)`).Scan(&used); err != nil {
		return err
	}
	if used {
		return fmt.Errorf("the log of the database is not empty; import into a new database, after readinessd migrate up")
	}
	return nil
}

// page reads the next events and checks them.
func (i *importer) page(ctx context.Context, tx pgx.Tx) (page []Recorded, err error) {
	first, size := i.lines.number+1, 0
	for len(page) < importPage && size < importBytes {
		line, err := i.lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		var r Recorded
		if err = r.parse(line); err == nil {
			err = i.place(&r)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i.lines.number, err)
		}
		page, size = append(page, r), size+len(line)
	}
	if err := i.load(ctx, tx, page); err != nil {
		return nil, err
	}
	for n := range page {
		if err := i.follow(ctx, tx, &page[n]); err != nil {
			return nil, fmt.Errorf("line %d: %w", first+int64(n), err)
		}
	}
	return page, nil
}

// place checks that the event is behind the one before, and that this program knows its type.
func (i *importer) place(r *Recorded) error {
	switch known, ok := i.codec.byName[r.Type]; {
	case r.Position <= i.Last:
		return fmt.Errorf("position %d is not above that of the line before, %d; the lines must be in the order of an export", r.Position,
			i.Last)
	case r.Position >= maxPosition:
		return fmt.Errorf("position %d is above every position that an event can have", r.Position)
	case r.Version < 1 || r.SchemaVersion < 1:
		return fmt.Errorf("version and schemaVersion must be at least 1")
	case !ok || r.SchemaVersion > known.version:
		return fmt.Errorf("this program does not know %s in schema version %d; import with a newer one", r.Type, r.SchemaVersion)
	case !r.RecordedAt.Equal(r.RecordedAt.Truncate(time.Microsecond)):
		return fmt.Errorf("recordedAt is more precise than microseconds, which no export has")
	}
	i.Last = r.Position
	return i.codec.checkStream(r.Type, r.Stream)
}

const headsSQL = `
SELECT s.stream, s.account_id, s.version, coalesce(x.chain, s.chain), s.chain, e.recorded_at
FROM streams s JOIN events e ON e.stream = s.stream AND e.version = s.version LEFT JOIN exported_chains x ON x.stream = s.stream
WHERE s.stream = ANY ($1)`

// load reads the heads of the page's streams.
func (i *importer) load(ctx context.Context, tx pgx.Tx, page []Recorded) error {
	i.heads = map[string]*importedStream{}
	for n := range page {
		if r := &page[n]; i.heads[r.Stream] == nil {
			i.heads[r.Stream] = &importedStream{account: r.Account, exported: noChain, chain: noChain}
		}
	}
	if len(page) == 0 {
		return nil
	}
	rows, _ := tx.Query(ctx, headsSQL, slices.Collect(maps.Keys(i.heads)))
	var name, account string
	var version int64
	var exported, chain []byte
	var at time.Time
	_, err := pgx.ForEachRow(rows, []any{&name, &account, &version, &exported, &chain, &at}, func() error {
		i.heads[name] = &importedStream{account, version, [sha256.Size]byte(exported), [sha256.Size]byte(chain), at.UTC()}
		return nil
	})
	return err
}

// follow checks that the event is the next of its stream, and changes it.
func (i *importer) follow(ctx context.Context, tx pgx.Tx, r *Recorded) error {
	h := i.heads[r.Stream]
	switch {
	case r.Version != h.version+1:
		return fmt.Errorf("version %d of stream %s follows version %d; export every event of the stream, without --after", r.Version,
			r.Stream, h.version)
	case r.Account != h.account:
		return fmt.Errorf("stream %s belongs to account %s, the event to %s", r.Stream, h.account, r.Account)
	case r.RecordedAt.Before(h.at):
		return fmt.Errorf("recordedAt is before that of the version before it")
	}
	if h.version == 0 {
		i.Streams++
	}
	h.exported = i.chain.next(h.exported, r)
	if seal := positioned(h.exported, r.Position); !bytes.Equal(seal[:], r.Hash) {
		return fmt.Errorf("the hash is not that of the event, its position and the events of stream %s before it: the line was changed; "+
			"export it again", r.Stream)
	}
	if i.change == nil {
		h.chain = h.exported
	} else {
		if err := i.change(ctx, tx, r); err != nil {
			return err
		}
		h.chain = i.chain.next(h.chain, r)
		hash := positioned(h.chain, r.Position)
		r.Hash = hash[:]
	}
	h.version, h.at = r.Version, r.RecordedAt
	i.Events++
	return nil
}

const importStreamsSQL = `
INSERT INTO streams AS s (stream, account_id, type, version, chain)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bytea[])
ON CONFLICT (stream) DO UPDATE SET version = excluded.version, chain = excluded.chain`

// store stores the events of a page and the heads of their streams.
func (i *importer) store(ctx context.Context, tx pgx.Tx, page []Recorded) error {
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"events"}, []string{"position", "event_id", "account_id", "stream", "version", "type",
		"schema_version", "data", "metadata", "recorded_at", "hash"},
		pgx.CopyFromSlice(len(page), func(n int) ([]any, error) {
			r := &page[n]
			schema := int32(r.SchemaVersion) //nolint:gosec // place bounds it
			return []any{r.Position, [16]byte(r.ID), r.Account, r.Stream, r.Version, r.Type, schema, []byte(r.Data), []byte(r.RawMetadata),
				r.RecordedAt, r.Hash}, nil
		}))
	if err != nil {
		return err
	}
	var names, accounts, types []string
	var versions []int64
	var exported, chains [][]byte
	for _, name := range slices.Sorted(maps.Keys(i.heads)) {
		h := i.heads[name]
		names, accounts, types = append(names, name), append(accounts, h.account), append(types, streamType(name))
		versions, chains = append(versions, h.version), append(chains, h.chain[:])
		exported = append(exported, h.exported[:])
	}
	if i.change != nil {
		if _, err = tx.Exec(ctx, `INSERT INTO exported_chains SELECT * FROM unnest($1::text[], $2::bytea[])
			ON CONFLICT (stream) DO UPDATE SET chain = excluded.chain`, names, exported); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, importStreamsSQL, names, accounts, types, versions, chains)
	return err
}

// end sets the sequence, so that the next append takes the position after the last. ALTER SEQUENCE is undone with the transaction, and
// nextval takes the last position, because "the last position handed out" must be it.
func (i *importer) end(ctx context.Context, tx pgx.Tx) error {
	if i.Events == 0 {
		return fmt.Errorf("the file has no line; was the export written to another one?")
	}
	for _, sql := range []string{
		fmt.Sprintf(`ALTER SEQUENCE events_position_seq RESTART WITH %d`, i.Last),
		`SELECT nextval('events_position_seq')`, `ANALYZE events, streams`,
		fmt.Sprintf(`INSERT INTO imports (position) VALUES (%d)`, i.Last),
	} {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// Unsettled returns the last position of an import after which Settle was not called; 0 if there is none.
func (s *Store) Unsettled(ctx context.Context) (position int64, err error) {
	err = s.pool.QueryRow(ctx, `SELECT coalesce(max(position), 0) FROM imports WHERE NOT settled`).Scan(&position)
	if err != nil {
		return 0, fmt.Errorf("eventstore: look for an import: %w", err)
	}
	return position, nil
}

// Settle records that nothing that the imported log had begun is unfinished.
func (s *Store) Settle(ctx context.Context, position int64) error {
	if _, err := s.pool.Exec(ctx, `UPDATE imports SET settled = true WHERE position = $1`, position); err != nil {
		return fmt.Errorf("eventstore: settle an import: %w", err)
	}
	return nil
}
