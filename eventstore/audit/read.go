package audit

import (
	"bytes"
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

	"readiness/eventstore"
	"readiness/eventstore/audit/tree"
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

// Tile returns the hashes of a tile, or its bundle of entries; ErrNotSealed if the tree has fewer, ErrDamaged if what is stored does not give
// the hash of its head. It never changes, so a standby may answer it.
func (l *Log) Tile(ctx context.Context, of string, epoch int, r tree.Request) (body []byte, err error) {
	if l.o.Standby.Try(ctx, func(ctx context.Context, pool *pgxpool.Pool, _ int64) (bool, error) {
		found, err := tile(ctx, pool, of, epoch, r)
		if errors.Is(err, ErrNotSealed) || errors.Is(err, ErrDamaged) { // the primary may have it
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
	var h Head
	var root []byte
	var b bundle
	err := pool.QueryRow(ctx, `SELECT r.epoch, r.size, r.root, r.first_entry, t.first_position, t.last_position
		FROM audit_trees r LEFT JOIN audit_tiles t ON t.tree = r.tree AND t.epoch = r.epoch AND t.level = 0 AND t.index = $3
		WHERE r.tree = $1 AND r.epoch = `+whereEpoch, of, epoch, r.Index).Scan(&h.Epoch, &h.Size, &root, &b.first, &b.from, &b.to)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && !r.Has(h.Size) {
		return nil, ErrNotSealed
	}
	if err != nil {
		return nil, wrapped("read a tile", err)
	}
	h.Root = tree.Hash(root)
	hashes, err := tree.Hashes(h.Head, r, reader(ctx, pool, of, h.Epoch))
	if err != nil || !r.Entries {
		return hashes, wrapped("read a tile", err)
	}
	if r.Index > 0 {
		b.first = nil
	}
	b.hashes = hashes
	entries, err := b.read(ctx, pool, of)
	return entries, wrapped("read entries", err)
}

// bundle is what the entries of a tile are read by: the entry that is not an event, the positions of the events, and the hashes.
type bundle struct {
	first    []byte
	from, to *int64
	hashes   []byte
}

// read returns the entries as C2SP tlog-tiles bundles them, each after its length as 2 bytes.
func (b bundle) read(ctx context.Context, pool *pgxpool.Pool, of string) (body []byte, err error) {
	rest, intact := b.hashes, true
	add := func(entry []byte) (more bool) {
		leaf := tree.Leaf(entry)
		if intact = bytes.Equal(leaf[:], rest[:len(leaf)]); !intact {
			return false
		}
		body = binary.BigEndian.AppendUint16(body, uint16(len(entry))) //nolint:gosec // entries are shorter
		body = append(body, entry...)
		rest = rest[len(leaf):]
		return len(rest) > 0
	}
	more := b.first == nil || add(b.first)
	if more && b.from != nil && b.to != nil {
		err = entries(ctx, pool, of, *b.from, *b.to, func(_ int64, entry []byte) bool { return add(entry) })
	}
	if err == nil && (!intact || len(rest) > 0) {
		err = fmt.Errorf("%w: the event of its entry %d is missing or was changed", ErrDamaged, (len(b.hashes)-len(rest))/sha256.Size)
	}
	return body, err
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
				return fmt.Errorf("%w: position %d: %w", ErrDamaged, r.Position, err)
			}
		}
		if !do(r.Position, entry) {
			return nil
		}
	}
	return nil
}

// Proof returns the proof that an event is in its account's tree, as a C2SP tlog-proof file with the newest head. It is ErrNotSealed if the
// account has no such event, or none that is in the tree yet, and ErrDamaged if what is stored proves nothing.
func (l *Log) Proof(ctx context.Context, account string, event uuid.UUID) ([]byte, error) {
	head, err := l.Head(ctx, account, Current)
	if err != nil {
		return nil, err
	}
	index, position, err := l.index(ctx, head, event)
	if err != nil {
		return nil, err
	}
	proof, err := tree.Include(head.Head, index, reader(ctx, l.o.Pool, account, head.Epoch))
	if err != nil {
		return nil, err
	}
	proved := false
	err = entries(ctx, l.o.Pool, account, position, position, func(_ int64, entry []byte) bool {
		proved = tree.Included(proof, head.Head, index, tree.Leaf(entry)) == nil
		return false
	})
	if err == nil && !proved {
		err = fmt.Errorf("%w: the event of its entry %d was changed", ErrDamaged, index)
	}
	if err != nil {
		return nil, wrapped("prove an event", err)
	}
	return ProofFile(index, proof, head.Note), nil
}

// index returns the index of an event's entry in the account's tree, and the event's position.
func (l *Log) index(ctx context.Context, head Head, event uuid.UUID) (index, position int64, err error) {
	var found *int64
	err = l.o.Pool.QueryRow(ctx, `
		SELECT e.position, t.index * 256 + CASE WHEN t.index = 0 AND r.first_entry IS NOT NULL THEN 1 ELSE 0 END + (
			SELECT count(*) FROM events b WHERE b.account_id = $1 AND b.position >= t.first_position AND b.position < e.position)
		FROM events e JOIN audit_trees r ON r.tree = $1 AND r.epoch = $2 LEFT JOIN LATERAL (
			SELECT index, first_position, last_position FROM audit_tiles
			WHERE tree = $1 AND epoch = $2 AND level = 0 AND first_position <= e.position ORDER BY first_position DESC LIMIT 1) t
			ON e.position <= t.last_position
		WHERE e.event_id = $3 AND e.account_id = $1`, head.Tree, head.Epoch, event).Scan(&position, &found)
	switch {
	case errors.Is(err, pgx.ErrNoRows), err == nil && position > head.Position:
		return 0, 0, ErrNotSealed
	case err == nil && (found == nil || *found >= head.Size):
		return 0, 0, fmt.Errorf("%w: no tile has the event", ErrDamaged)
	case err != nil:
		return 0, 0, wrapped("find an event", err)
	}
	return *found, position, nil
}

// reader reads tiles of a tree.
func reader(ctx context.Context, q querier, of string, epoch int) tree.Read {
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
	return tree.Continue(head.Head, size, reader(ctx, l.o.Pool, head.Tree, head.Epoch))
}
