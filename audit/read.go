package audit

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/audit/tree"
	"readiness/eventstore"
)

// Current is the number of the current epoch for the methods of Log.
const Current = 0

const whereEpoch = `(CASE WHEN $2 = 0 THEN (SELECT max(epoch) FROM audit_epochs) ELSE $2 END)`

// Head returns the newest head of a tree, ErrNotSealed if there is none.
func (l *Log) Head(ctx context.Context, of string, epoch int) (Head, error) {
	h := Head{Tree: of}
	var root []byte
	var note *string
	err := l.o.Pool.QueryRow(ctx, `SELECT epoch, size, position, root, note, sealed_at FROM audit_trees
		WHERE tree = $1 AND epoch = `+whereEpoch, of, epoch).Scan(&h.Epoch, &h.Size, &h.Position, &root, &note, &h.SignedAt)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && note == nil {
		return h, ErrNotSealed
	}
	if err != nil {
		return h, wrapped("read a head", err)
	}
	h.Root, h.Note = tree.Hash(root), []byte(*note)
	return h, nil
}

// Origin returns the name of a tree in the current epoch, ErrUnnamed before Begin.
func (l *Log) Origin(ctx context.Context, of string) (string, error) {
	var base string
	var epoch int
	err := l.o.Pool.QueryRow(ctx, `SELECT origin, (SELECT max(epoch) FROM audit_epochs) FROM audit_epochs WHERE epoch = 1`).
		Scan(&base, &epoch)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", ErrUnnamed
	}
	return Origin(base, of, epoch), wrapped("read the name of a tree", err)
}

// Tile returns the hashes of a tile, or its bundle of entries; ErrNotSealed if the tree has fewer. It never changes, so a
// standby may answer it.
func (l *Log) Tile(ctx context.Context, of string, epoch int, r tree.Request) (body []byte, err error) {
	if l.o.Standby.Try(ctx, func(ctx context.Context, pool *pgxpool.Pool, _ int64) (bool, error) {
		found, err := tile(ctx, pool, of, epoch, r)
		if errors.Is(err, ErrNotSealed) { // it may have been sealed a moment ago
			return false, nil
		}
		body = found
		return err == nil, err
	}) {
		return body, nil
	}
	return tile(ctx, l.o.Pool, of, epoch, r)
}

func tile(ctx context.Context, pool *pgxpool.Pool, of string, epoch int, r tree.Request) ([]byte, error) {
	var number int
	var hashes, first []byte
	var from, to *int64
	err := pool.QueryRow(ctx, `SELECT t.epoch, t.hashes, r.first_entry, t.first_position, t.last_position
		FROM audit_tiles t JOIN audit_trees r USING (tree, epoch)
		WHERE t.tree = $1 AND t.epoch = `+whereEpoch+` AND t.level = $3 AND t.index = $4`, of, epoch, r.Level, r.Index).
		Scan(&number, &hashes, &first, &from, &to)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && len(hashes) < r.Count*sha256.Size {
		return nil, ErrNotSealed
	}
	if err != nil || !r.Entries {
		return hashes[:min(len(hashes), r.Count*sha256.Size)], wrapped("read a tile", err)
	}
	if r.Index > 0 {
		first = nil
	}
	entries, err := bundle(ctx, pool, of, first, from, to, r.Count)
	return entries, wrapped("read entries", err)
}

// bundle returns entries as C2SP tlog-tiles bundles them, each after its length as 2 bytes.
func bundle(ctx context.Context, pool *pgxpool.Pool, of string, first []byte, from, to *int64, count int) (bundle []byte, err error) {
	add := func(entry []byte) {
		bundle = binary.BigEndian.AppendUint16(bundle, uint16(len(entry))) //nolint:gosec // entries are shorter
		bundle = append(bundle, entry...)
		count--
	}
	if first != nil {
		add(first)
	}
	if from != nil {
		err = entries(ctx, pool, of, *from, *to, func(_ int64, entry []byte) bool {
			if count > 0 {
				add(entry)
			}
			return count > 0
		})
	}
	if err == nil && count > 0 {
		err = fmt.Errorf("%d of its events are not in the log", count)
	}
	return bundle, err
}

// entries passes the entries of a tree's events to do, until it returns false.
func entries(ctx context.Context, q querier, of string, from, to int64, do func(position int64, entry []byte) bool) error {
	stored := eventstore.ReadStoredIn(ctx, q, from-1, to)
	if of != Service {
		stored = eventstore.ReadAccountIn(ctx, q, of, from, to)
	}
	for r, err := range stored {
		if err != nil {
			return err
		}
		entry := ServiceEntry(r.Position, r.Hash)
		if of != Service {
			if entry, err = r.Entry(); err != nil {
				return err
			}
		}
		if !do(r.Position, entry) {
			return nil
		}
	}
	return nil
}

// Proof returns the proof that an event is in its account's tree, as a C2SP tlog-proof file with the newest head. It is ErrNotSealed if the
// account has no such event, or none that is in the tree yet.
func (l *Log) Proof(ctx context.Context, account string, event uuid.UUID) ([]byte, error) {
	head, err := l.Head(ctx, account, Current)
	if err != nil {
		return nil, err
	}
	index, err := l.index(ctx, head, event)
	if err != nil {
		return nil, err
	}
	proof, err := tree.Include(head.Head, index, l.reader(ctx, l.o.Pool, account, head.Epoch))
	if err != nil {
		return nil, err
	}
	return ProofFile(index, proof, head.Note), nil
}

// index returns the index of an event's entry in the account's tree.
func (l *Log) index(ctx context.Context, head Head, event uuid.UUID) (index int64, err error) {
	err = l.o.Pool.QueryRow(ctx, `
		SELECT t.index * 256 + CASE WHEN t.index = 0 AND r.first_entry IS NOT NULL THEN 1 ELSE 0 END + (
			SELECT count(*) FROM events b WHERE b.account_id = $1 AND b.position >= t.first_position AND b.position < e.position)
		FROM events e, audit_trees r, LATERAL (
			SELECT index, first_position, last_position FROM audit_tiles
			WHERE tree = $1 AND epoch = $2 AND level = 0 AND first_position <= e.position ORDER BY first_position DESC LIMIT 1) t
		WHERE e.event_id = $3 AND e.account_id = $1 AND r.tree = $1 AND r.epoch = $2 AND e.position <= t.last_position`,
		head.Tree, head.Epoch, event).Scan(&index)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && index >= head.Size {
		return 0, ErrNotSealed
	}
	return index, wrapped("find an event", err)
}

// reader reads tiles of a tree.
func (l *Log) reader(ctx context.Context, q querier, of string, epoch int) tree.Read {
	return func(places []tree.At) (map[tree.At][]byte, error) {
		found, err := readTiles(ctx, q, epoch, slices.Repeat([]string{of}, len(places)), places)
		return found[of], err
	}
}

// ProofFile returns a C2SP tlog-proof file.
func ProofFile(index int64, proof []tree.Hash, note []byte) []byte {
	b := fmt.Appendf(nil, "c2sp.org/tlog-proof@v1\nindex %d\n", index)
	for _, h := range proof {
		b = append(base64.StdEncoding.AppendEncode(b, h[:]), '\n')
	}
	return append(append(b, '\n'), note...)
}

// Continuation returns the proof that the newest head of the service's tree continues the one of an earlier size.
func (l *Log) Continuation(ctx context.Context, head Head, size int64) ([]tree.Hash, error) {
	return tree.Continue(head.Head, size, l.reader(ctx, l.o.Pool, head.Tree, head.Epoch))
}
