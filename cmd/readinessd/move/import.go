package move

import (
	"bytes"
	"context"
	"crypto/hpke"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore"
	"readiness/eventstore/audit"
	"readiness/internal/database"
	"readiness/storage/documents"
)

// importer is the state of an import. It is the reader of the event lines: it stores the documents between them as it meets them.
type importer struct {
	reader
	Moved
	ctx   context.Context
	to    Deployment
	tx    pgx.Tx
	open  *hpke.Recipient
	lines []byte
	rest  *entry    // the first entry after the events
	named pgx.Batch // the rows of documents that wait to be stored, with at most chunk bytes and one body
	held  int       // their bytes
	trees []audit.EpochTree
}

// namedAtOnce is how many rows of documents are stored at once. The slowest puts of as many bodies end within the time in which a row may
// name one.
const namedAtOnce = 100

// Import reads an account from a file of Export and stores it in a deployment whose log is empty, in one transaction. by opens what is
// sealed. after runs at the end of the transaction; if it fails, nothing is stored.
func Import(ctx context.Context, d Deployment, by Recipient, from io.Reader, after func(context.Context, pgx.Tx) error) (Moved, error) {
	i := &importer{reader: newReader(from), ctx: ctx, to: d}
	if err := i.begin(by); err != nil {
		return Moved{}, err
	}
	done, err := d.Store.Import(ctx, i, eventstore.ImportOptions{
		Before: func(ctx context.Context, tx pgx.Tx) error { i.tx = tx; return audit.Unused(ctx, tx) },
		After: func(ctx context.Context, tx pgx.Tx) error {
			if err := i.remaining(ctx); err != nil {
				return err
			}
			if err := i.check(ctx); err != nil {
				return err
			}
			return after(ctx, tx)
		},
	})
	if err != nil {
		return Moved{}, fmt.Errorf("move: import: %w", err)
	}
	i.Events, i.Last = done.Events, done.Last
	return i.Moved, nil
}

// begin reads the first entry.
func (i *importer) begin(by Recipient) error {
	e, err := i.next()
	var h header
	if err == nil && (e.name != headerEntry || decode(e.body, &h) != nil || h.Format != format || h.Account == "") {
		err = errors.New("readinessd accounts export did not write the file, or a newer version of it did: import with the " +
			"version that exported")
	}
	if err != nil {
		return fmt.Errorf("move: import: %w", err)
	}
	if bytes.Equal(h.Signer, i.to.Key) {
		return errors.New("move: this deployment has the service.key of the source, so both would sign heads that contradict each other; " +
			"give it a separate data directory")
	}
	i.Account = h.Account
	if i.open, err = by.opener(h); err != nil {
		return fmt.Errorf("move: import: %w", err)
	}
	return nil
}

// Read implements io.Reader for the event lines.
func (i *importer) Read(to []byte) (int, error) {
	for len(i.lines) == 0 {
		if i.rest != nil {
			return 0, io.EOF
		}
		e, err := i.next()
		switch {
		case err == nil && strings.HasPrefix(e.name, eventsFolder):
			i.lines = e.body
		case err == nil && strings.HasPrefix(e.name, documentFolder):
			err = i.document(e)
		case err == nil || errors.Is(err, io.EOF):
			i.rest = &e
			if err = i.name(); err == nil {
				return 0, io.EOF
			}
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(to, i.lines)
	i.lines = i.lines[n:]
	return n, nil
}

// document stores a document under its hash. With a bucket its body is put while the transaction is open, which documents.Put forbids the
// service: nothing else uses the database, every put has a limit of time, and its row is stored soon after it. What an import that is
// rolled back has put is removed by documents.Sweep.
func (i *importer) document(e entry) error {
	if got := documents.Hash(e.body); got != "sha256:"+strings.TrimPrefix(e.name, documentFolder) {
		return fmt.Errorf("%w; the document %q has another hash", errDamaged, e.name)
	}
	var stored database.Statement
	var until time.Time
	var err error
	if e.until == "" {
		_, stored, err = i.to.Documents.Put(i.ctx, e.body)
	} else if until, err = time.Parse(time.RFC3339Nano, e.until); err == nil {
		_, stored, err = i.to.Documents.PutUntil(i.ctx, e.body, until)
	}
	if err != nil {
		return err
	}
	i.Documents++
	i.named.Queue(stored.SQL, stored.Args...)
	if i.held += len(e.body); i.named.Len() < namedAtOnce && i.held < chunk {
		return nil
	}
	return i.name()
}

// name stores the rows of documents that wait for it, in one round trip.
func (i *importer) name() error {
	err := i.tx.SendBatch(i.ctx, &i.named).Close()
	i.named, i.held = pgx.Batch{}, 0
	return err
}

// remaining stores the entries after the events, up to the last.
func (i *importer) remaining(ctx context.Context) error {
	if i.rest == nil {
		return errDamaged
	}
	for e := *i.rest; e.name != endEntry; {
		if err := i.store(ctx, e); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		var err error
		if e, err = i.next(); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	return nil
}

// store stores an entry of rows, or keeps the trees until everything is stored.
func (i *importer) store(ctx context.Context, e entry) (err error) {
	folder, name, _ := strings.Cut(e.name, "/")
	switch {
	case e.name == treesEntry:
		if len(e.body) > 0 {
			i.trees, err = audit.ParseTrees(bytes.NewReader(e.body))
		}
		return err
	case folder+"/" == rowsFolder && slices.Contains(plainTables, name):
		var rows []json.RawMessage
		if err := decode(e.body, &rows); err != nil {
			return err
		}
		n, err := storePlain(ctx, i.tx, name, i.Account, rows)
		if err == nil && n != int64(len(rows)) {
			err = errDamaged
		}
		i.Rows += n
		return err
	case folder+"/" == sealedFolder:
		for _, table := range sealedTables {
			if table.name == name {
				return i.storeSealed(ctx, table, e)
			}
		}
	}
	return errors.New("this version does not know the entry: import with the version that exported")
}

func (i *importer) storeSealed(ctx context.Context, table sealedTable, e entry) error {
	text, err := i.open.Open([]byte(e.name), e.body)
	if err != nil {
		return errors.New("it was sealed for another deployment: export with the key that readinessd accounts key prints here")
	}
	var rows []json.RawMessage
	if err := decode(text, &rows); err != nil {
		return err
	}
	for _, row := range rows {
		stored, err := table.store(i.to, i.Account, row)
		if err == nil {
			_, err = i.tx.Exec(ctx, stored.SQL, stored.Args...)
		}
		if err != nil {
			return err
		}
		i.Sealed++
	}
	return nil
}

// check refuses events of another account, and events that are not those of the source's signed trees.
func (i *importer) check(ctx context.Context) error {
	var other string
	err := i.tx.QueryRow(ctx, `SELECT coalesce(min(account_id), '') FROM streams WHERE account_id <> $1`, i.Account).Scan(&other)
	if err == nil && other != "" {
		err = fmt.Errorf("the file of account %s has events of account %s", i.Account, other)
	}
	if err != nil || len(i.trees) == 0 {
		return err
	}
	var found []string
	_, err = audit.VerifyIn(ctx, i.tx, audit.VerifyOptions{Trees: i.trees, Found: func(what string) { found = append(found, what) }})
	if err == nil && len(found) > 0 {
		err = fmt.Errorf("the events are not those that the source signed: %s", found[0])
	}
	return err
}
