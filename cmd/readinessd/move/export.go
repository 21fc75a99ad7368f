package move

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/hpke"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore"
	"readiness/eventstore/audit"
	"readiness/storage/documents"
)

// rowsAtOnce is how many rows an entry has.
const rowsAtOnce = 1000

// maxSeen bounds the memory for documents that were written; after that many, one may be written again.
const maxSeen = 1 << 20

// exporter is the state of an export.
type exporter struct {
	writer
	Moved
	of   Deployment
	tx   pgx.Tx
	seal *hpke.Sender
	seen map[string]bool
	part int
}

// Export writes an account as of one instant to w. to is the public key of the target (Recipient.Public), for which people and keys are
// sealed. The caller must have made sure that the account is closed and that none of its work is left. Export refuses an account whose
// newest events are not in its tree yet.
func Export(ctx context.Context, d Deployment, account, to string, w io.Writer) (Moved, error) {
	key, err := parsePublic(to)
	if err != nil {
		return Moved{}, err
	}
	x := &exporter{of: d, writer: writer{tar: tar.NewWriter(w)}, Moved: Moved{Account: account}, seen: map[string]bool{}}
	var sealed []byte
	if sealed, x.seal, err = sealFor(key, account); err != nil {
		return Moved{}, err
	}
	if err := x.addJSON(headerEntry, header{format, account, sealed, d.Key}); err != nil {
		return Moved{}, err
	}
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, d.Pool, options, func(tx pgx.Tx) error {
		x.tx = tx
		if _, err := tx.Exec(ctx, `SET LOCAL idle_in_transaction_session_timeout = '10min'`); err != nil {
			return err
		}
		for _, part := range []func(context.Context) error{x.events, x.trees, x.plain, x.sealedRows} {
			if err := part(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = x.close()
	}
	if err != nil {
		return Moved{}, fmt.Errorf("move: export account %s: %w", account, err)
	}
	return x.Moved, nil
}

// events writes the lines, and after each entry of them the documents that they name.
func (x *exporter) events(ctx context.Context) error {
	var lines bytes.Buffer
	var hashes []string
	flush := func() error {
		if lines.Len() == 0 {
			return nil
		}
		x.part++
		if err := x.add(fmt.Sprintf("%s%06d.ndjson", eventsFolder, x.part), lines.Bytes()); err != nil {
			return err
		}
		err := x.documents(ctx, hashes)
		lines.Reset()
		hashes = hashes[:0]
		return err
	}
	for r, err := range eventstore.ReadAccountIn(ctx, x.tx, x.Account, 1, 1<<62) {
		if err != nil {
			return err
		}
		line, err := r.Line()
		if err != nil {
			return err
		}
		lines.Write(append(line, '\n'))
		hashes = append(hashes, documents.Named(r.Data)...)
		x.Events, x.Last = x.Events+1, r.Position
		if lines.Len() >= chunk {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	if x.Events == 0 {
		return errors.New("the log has no event of this account; check its id")
	}
	return nil
}

// documents writes documents that were not written yet. One that was deleted, or has expired, is left out.
func (x *exporter) documents(ctx context.Context, hashes []string) error {
	for _, hash := range hashes {
		if x.seen[hash] {
			continue
		}
		if len(x.seen) >= maxSeen {
			clear(x.seen)
		}
		x.seen[hash] = true
		body, err := x.of.Documents.Get(ctx, hash)
		if errors.Is(err, documents.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		until, err := x.of.Documents.Expiry(ctx, hash)
		if err != nil {
			return err
		}
		if err := x.addUntil(documentFolder+strings.TrimPrefix(hash, "sha256:"), body, until); err != nil {
			return err
		}
		x.Documents++
	}
	return nil
}

// trees writes the account's trees of every epoch. Their newest must have every event.
func (x *exporter) trees(ctx context.Context) error {
	var lines bytes.Buffer
	_, err := x.of.Trees.ExportTrees(ctx, &lines, x.Account)
	if errors.Is(err, audit.ErrUnnamed) {
		return nil // nothing was ever signed
	}
	if err != nil {
		return err
	}
	var last int64
	if lines.Len() > 0 {
		trees, err := audit.ParseTrees(bytes.NewReader(lines.Bytes()))
		if err != nil {
			return err
		}
		last = trees[len(trees)-1].Position
	}
	switch {
	case last < x.Last:
		return fmt.Errorf("its events after position %d are not in its signed tree yet; a worker adds them within seconds: "+
			"export again then", last)
	case last > x.Last:
		return fmt.Errorf("an event was added to it at position %d during the export; export again", last)
	}
	return x.add(treesEntry, lines.Bytes())
}

// plain writes the rows of the plain tables.
func (x *exporter) plain(ctx context.Context) error {
	for _, table := range plainTables {
		err := x.rows(rowsFolder+table, func(rows []byte) ([]byte, error) { return rows, nil }, func(each func(any) error) error {
			return plainRows(ctx, x.tx, table, x.Account, func(row json.RawMessage) error { x.Rows++; return each(row) })
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// sealedRows writes the rows of the sealed tables, sealed for the target.
func (x *exporter) sealedRows(ctx context.Context) error {
	for _, table := range sealedTables {
		name := sealedFolder + table.name
		err := x.rows(name, func(rows []byte) ([]byte, error) { return x.seal.Seal([]byte(name), rows) }, func(each func(any) error) error {
			return table.rows(ctx, x.of, x.Account, func(row any) error { x.Sealed++; return each(row) })
		})
		if err != nil {
			return fmt.Errorf("%s: %w", table.name, err)
		}
	}
	return nil
}

// rows writes rows as entries of the name; encode makes the body of one of its JSON.
func (x *exporter) rows(name string, encode func([]byte) ([]byte, error), each func(func(any) error) error) error {
	var page []any
	flush := func() error {
		if len(page) == 0 {
			return nil
		}
		text, err := json.Marshal(page)
		if err == nil {
			text, err = encode(text)
		}
		page = page[:0]
		if err != nil {
			return err
		}
		return x.add(name, text)
	}
	if err := each(func(row any) error {
		if page = append(page, row); len(page) < rowsAtOnce {
			return nil
		}
		return flush()
	}); err != nil {
		return err
	}
	return flush()
}
