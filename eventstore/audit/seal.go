package audit

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore"
	"readiness/eventstore/audit/tree"
	"readiness/internal/database"
)

const (
	// pageEvents and pageBytes bound what one transaction adds to the trees.
	pageEvents = 5000
	pageBytes  = 32 << 20
)

// Begin names the trees: origin is the service's address without a scheme, and /audit. It does nothing if they have a name already, which
// never changes.
func (l *Log) Begin(ctx context.Context, origin string) error {
	return wrapped("begin", database.Transaction(ctx, l.o.Pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `INSERT INTO audit_epochs (epoch, origin, because, began_at) VALUES (1, $1, '', $2)
			ON CONFLICT DO NOTHING`, origin, l.o.Now())
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO audit_trees (tree, epoch, size, position, root, sealed_at, announced_on)
			VALUES ('', 1, 0, 0, $1, $2::timestamptz, ($2::timestamptz AT TIME ZONE 'UTC')::date)`, tree.Empty[:], l.o.Now())
		return err
	}))
}

// Seal adds all events up to the watermark to the trees and signs their heads. Before Begin it does nothing. Several processes may seal
// at once: one waits for the other.
func (l *Log) Seal(ctx context.Context) error {
	upTo, err := l.o.Watermark(ctx)
	if err != nil {
		return err
	}
	published, err := l.o.Published(ctx)
	if err != nil {
		return wrapped("the heads that were published", err)
	}
	for more := true; more && err == nil; {
		err = database.Transaction(ctx, l.o.Pool, func(tx pgx.Tx) (err error) {
			more, err = l.sealPages(ctx, tx, upTo, published)
			return err
		})
	}
	return wrapped("seal", err)
}

// sealPages adds the next events of the log, and reports whether there may be more. It adds one page, but after an import all pages up to
// the heads that were adopted.
func (l *Log) sealPages(ctx context.Context, tx pgx.Tx, upTo int64, published [][]byte) (more bool, err error) {
	e, ok, err := lock(ctx, tx)
	if err != nil || !ok {
		return false, err
	}
	adopted, err := e.adopt(ctx, tx, upTo, published, l.o)
	if err != nil {
		return false, err
	}
	if err := e.continues(ctx, tx, published); err != nil {
		return false, err
	}
	for more = true; more; {
		if more, err = l.sealPage(ctx, tx, &e, upTo); err != nil || e.position >= adopted {
			return more, err
		}
	}
	return false, nil
}

// sealPage adds a page of events, and reports whether there may be more.
func (l *Log) sealPage(ctx context.Context, tx pgx.Tx, e *epoch, upTo int64) (more bool, err error) {
	p := page{epoch: *e, trees: map[string]*growing{}}
	more, err = p.read(ctx, tx, upTo)
	if err != nil {
		return false, err
	}
	if len(p.trees) == 0 {
		_, err := tx.Exec(ctx, `UPDATE audit_trees SET sealed_at = $2 WHERE tree = '' AND epoch = $1`, e.number, l.o.Now())
		return false, err
	}
	if err := p.open(ctx, tx); err != nil {
		return false, err
	}
	at := p.trees[Service].at
	e.position = at[len(at)-1]
	return more, p.write(ctx, tx, l.o)
}

// epoch is the current epoch.
type epoch struct {
	number   int
	base     string // the origin of the service's tree in the first epoch
	position int64  // of the last event in the service's tree
}

// lock locks the row of the service's tree in the current epoch, until tx ends. ok is false before Begin.
func lock(ctx context.Context, tx pgx.Tx) (e epoch, ok bool, err error) {
	for {
		// A process that waits for the lock here may get it after an epoch began; the second statement sees it.
		err = tx.QueryRow(ctx, `SELECT epoch, position FROM audit_trees
			WHERE tree = '' AND epoch = (SELECT max(epoch) FROM audit_epochs) FOR UPDATE`).Scan(&e.number, &e.position)
		if errors.Is(err, pgx.ErrNoRows) {
			return e, false, nil
		}
		if err != nil {
			return e, false, err
		}
		var last int
		if err := tx.QueryRow(ctx, `SELECT origin, (SELECT max(epoch) FROM audit_epochs) FROM audit_epochs WHERE epoch = 1`).
			Scan(&e.base, &last); err != nil {
			return e, false, err
		}
		if last == e.number {
			return e, true, nil
		}
	}
}

// continues returns ErrBehind unless every published head is one that this database has signed in its current epoch or an earlier one.
func (e epoch) continues(ctx context.Context, q querier, published [][]byte) error {
	for _, text := range published {
		origin, head, err := ParseBody(text)
		if err != nil {
			return err
		}
		of, ours := EpochOf(e.base, origin)
		if !ours || of < e.number || head.Size == 0 {
			continue
		}
		var root []byte
		err = q.QueryRow(ctx, `SELECT root FROM audit_checkpoints WHERE tree = '' AND epoch = $1 AND size = $2`, of, head.Size).Scan(&root)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if !slices.Equal(root, head.Root[:]) {
			return fmt.Errorf("%w (the head of %d entries of %s)", ErrBehind, head.Size, origin)
		}
	}
	return nil
}

// page holds the changes of one transaction.
type page struct {
	epoch epoch
	trees map[string]*growing
}

// growing is a tree that a page adds to.
type growing struct {
	edge   *tree.Edge
	leaves []tree.Hash
	at     []int64 // the positions of the leaves' events
}

func (p *page) add(of string, entry []byte, position int64) {
	g := p.trees[of]
	if g == nil {
		g = &growing{}
		p.trees[of] = g
	}
	g.leaves, g.at = append(g.leaves, tree.Leaf(entry)), append(g.at, position)
}

// read reads the events of the page.
func (p *page) read(ctx context.Context, tx pgx.Tx, upTo int64) (more bool, err error) {
	n, size := 0, 0
	for r, err := range eventstore.ReadStoredIn(ctx, tx, p.epoch.position, upTo) {
		if err != nil {
			return false, err
		}
		if n == pageEvents || size >= pageBytes {
			return true, nil
		}
		entry, err := r.Entry()
		if err != nil {
			return false, fmt.Errorf("position %d: %w", r.Position, err)
		}
		p.add(Service, ServiceEntry(r.Position, r.Hash), r.Position)
		p.add(r.Account, entry, r.Position)
		n, size = n+1, size+len(r.Data)
	}
	return false, nil
}

// names returns the trees in order.
func (p *page) names() []string { return slices.Sorted(maps.Keys(p.trees)) }

// open reads the right edges of the trees and adds the leaves.
func (p *page) open(ctx context.Context, tx pgx.Tx) error {
	sizes := map[string]int64{}
	rows, _ := tx.Query(ctx, `SELECT tree, size FROM audit_trees WHERE epoch = $1 AND tree = ANY ($2)`, p.epoch.number, p.names())
	var name string
	var size int64
	if _, err := pgx.ForEachRow(rows, []any{&name, &size}, func() error { sizes[name] = size; return nil }); err != nil {
		return err
	}
	var of []string
	var places []tree.At
	for _, name := range p.names() {
		for _, at := range tree.EdgeOf(sizes[name]) {
			of, places = append(of, name), append(places, at)
		}
	}
	tiles, err := readTiles(ctx, tx, p.epoch.number, of, places)
	if err != nil {
		return err
	}
	for name, g := range p.trees {
		if g.edge, err = tree.Open(sizes[name], tiles[name]); err != nil {
			return fmt.Errorf("tree %q: %w", name, err)
		}
		for _, leaf := range g.leaves {
			g.edge.Append(leaf)
		}
	}
	return nil
}

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// readTiles reads the hashes of tiles: of[i] is the tree of places[i].
func readTiles(ctx context.Context, q querier, epoch int, of []string, places []tree.At) (map[string]map[tree.At][]byte, error) {
	found := map[string]map[tree.At][]byte{}
	if len(places) == 0 {
		return found, nil
	}
	levels, indexes := make([]int, len(places)), make([]int64, len(places))
	for i, at := range places {
		levels[i], indexes[i] = at.Level, at.Index
	}
	rows, _ := q.Query(ctx, `SELECT t.tree, t.level, t.index, t.hashes
		FROM unnest($2::text[], $3::int[], $4::bigint[]) AS w (tree, level, index)
		JOIN audit_tiles t ON t.tree = w.tree AND t.epoch = $1 AND t.level = w.level AND t.index = w.index`, epoch, of, levels, indexes)
	var name string
	var at tree.At
	var hashes []byte
	_, err := pgx.ForEachRow(rows, []any{&name, &at.Level, &at.Index, &hashes}, func() error {
		if found[name] == nil {
			found[name] = map[tree.At][]byte{}
		}
		found[name][at] = slices.Clone(hashes)
		return nil
	})
	return found, err
}

const upsertTrees = `
INSERT INTO audit_trees AS t (tree, epoch, size, position, root, note, sealed_at, announced_on)
SELECT n.tree, $1, n.size, n.position, n.root, n.note, $2::timestamptz, ($2::timestamptz AT TIME ZONE 'UTC')::date
FROM unnest($3::text[], $4::bigint[], $5::bigint[], $6::bytea[], $7::text[]) AS n (tree, size, position, root, note)
ON CONFLICT (tree, epoch) DO UPDATE SET size = excluded.size, position = excluded.position, root = excluded.root, note = excluded.note,
	sealed_at = excluded.sealed_at`

const insertCheckpoints = `
INSERT INTO audit_checkpoints (tree, epoch, size, position, root, note, signed_at)
SELECT n.tree, $1, n.size, n.position, n.root, n.note, $2
FROM unnest($3::text[], $4::bigint[], $5::bigint[], $6::bytea[], $7::text[]) AS n (tree, size, position, root, note)
WHERE NOT EXISTS (SELECT FROM audit_checkpoints c WHERE c.tree = n.tree AND c.epoch = $1 AND c.size = n.size AND c.root = n.root)`

const upsertTiles = `
INSERT INTO audit_tiles AS t (tree, epoch, level, index, hashes, first_position, last_position)
SELECT n.tree, $1, n.level, n.index, n.hashes, n.first, n.last
FROM unnest($2::text[], $3::int[], $4::bigint[], $5::bytea[], $6::bigint[], $7::bigint[]) AS n (tree, level, index, hashes, first, last)
ON CONFLICT (tree, epoch, level, index) DO UPDATE SET hashes = excluded.hashes, last_position = excluded.last_position`

// write stores tiles, heads and notes.
func (p *page) write(ctx context.Context, tx pgx.Tx, o Options) error {
	var h heads
	var t tileRows
	for _, name := range p.names() {
		g := p.trees[name]
		head := tree.Head{Size: g.edge.Size(), Root: g.edge.Root()}
		note, err := sign(o.Key, Origin(p.epoch.base, name, p.epoch.number), head)
		if err != nil {
			return err
		}
		h.add(name, head, g.at[len(g.at)-1], note)
		t.add(name, g)
	}
	at := o.Now()
	b := &pgx.Batch{}
	b.Queue(upsertTrees, p.epoch.number, at, h.tree, h.size, h.position, h.root, h.note)
	b.Queue(upsertTiles, p.epoch.number, t.tree, t.level, t.index, t.hashes, t.first, t.last)
	b.Queue(insertCheckpoints, p.epoch.number, at, h.tree, h.size, h.position, h.root, h.note)
	return tx.SendBatch(ctx, b).Close()
}

// heads are columns of rows, one a tree.
type heads struct {
	tree           []string
	size, position []int64
	root           [][]byte
	note           []string
}

func (h *heads) add(name string, head tree.Head, position int64, note []byte) {
	h.tree, h.size, h.position = append(h.tree, name), append(h.size, head.Size), append(h.position, position)
	h.root, h.note = append(h.root, head.Root[:]), append(h.note, string(note))
}

// tileRows are columns of rows, one a tile.
type tileRows struct {
	tree        []string
	level       []int
	index       []int64
	hashes      [][]byte
	first, last []*int64
}

// add adds the tiles that a tree's leaves changed.
func (t *tileRows) add(name string, g *growing) {
	before := g.edge.Size() - int64(len(g.leaves)) // the index of the first leaf
	for _, tile := range g.edge.Changed() {
		var first, last *int64
		if tile.Level == 0 {
			from := max(0, tile.Index*tree.Width-before)
			to := min(int64(len(g.at)), tile.Index*tree.Width+int64(len(tile.Hashes)/sha256.Size)-before)
			first, last = &g.at[from], &g.at[to-1]
		}
		t.tree, t.level, t.index = append(t.tree, name), append(t.level, tile.Level), append(t.index, tile.Index)
		t.hashes, t.first, t.last = append(t.hashes, tile.Hashes), append(t.first, first), append(t.last, last)
	}
}
