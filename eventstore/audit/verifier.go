package audit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"slices"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore"
	"readiness/eventstore/audit/tree"
)

type treeKey struct {
	of    string
	epoch int
}

// check is a tree as it is computed from the events, and as it is stored.
type check struct {
	key    treeKey
	edge   *tree.Edge
	stored bool
	head   tree.Head // as stored
	note   string
	signed int64       // the size of the last of the signed heads
	tiles  []tree.Tile // computed and not compared yet
	count  int64       // how many tiles the tree has
	outer  []tree.Head // that are known from outside and not reached yet
	// origin and upTo are the name and the last position of a tree that was exported.
	origin string
	upTo   int64
	signer ed25519.PublicKey // of its heads; nil for the key of VerifyOptions
	// first and last are the positions of the events in the level-0 tile at the edge; spans are those of the tiles to compare.
	first, last int64
	spans       []span
}

type span struct{ index, first, last int64 }

// signed is a stored head.
type signed struct {
	key      treeKey
	position int64
	head     tree.Head
	note     string
}

type verifier struct {
	Verification
	o      VerifyOptions
	base   string
	epochs []epoch // with the positions of their trees of all events
	trees  map[treeKey]*check
	heads  []signed // a page of them
	next   int      // of heads
	noMore bool
	// exported are the trees of VerifyOptions.Trees, by name.
	exported map[string][]*check
	// unsealed is a log that has no tree yet, such as one that was imported: its trees are computed, and only notes are compared.
	unsealed bool
}

// load reads the epochs and the trees' rows.
func (v *verifier) load(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `SELECT e.epoch, e.origin, t.position FROM audit_epochs e
		LEFT JOIN audit_trees t ON t.tree = '' AND t.epoch = e.epoch ORDER BY e.epoch`)
	if err != nil {
		return err
	}
	var number int
	var origin string
	var position *int64
	if _, err = pgx.ForEachRow(rows, []any{&number, &origin, &position}, func() error {
		if number == 1 {
			v.base = origin
		}
		if position == nil {
			v.found("%s is missing", treeKey{Service, number}.name())
			position = new(int64)
		}
		if want := Origin(v.base, Service, number); origin != want {
			v.found("epoch %d has the origin %q, want %q", number, origin, want)
		}
		v.epochs = append(v.epochs, epoch{number: number, base: v.base, position: *position})
		return nil
	}); err != nil {
		return err
	}
	v.loadExported()
	if err := v.loadUnsealed(ctx, tx); err != nil || v.empty() {
		return err
	}
	if err := v.loadTrees(ctx, tx); err != nil {
		return err
	}
	v.loadNotes()
	return openHeads(ctx, tx)
}

// loadTrees reads the trees' rows.
func (v *verifier) loadTrees(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `SELECT tree, epoch, size, root, coalesce(note, ''), first_entry FROM audit_trees`)
	if err != nil {
		return err
	}
	var k treeKey
	var size int64
	var root, first []byte
	var note string
	_, err = pgx.ForEachRow(rows, []any{&k.of, &k.epoch, &size, &root, &note, &first}, func() error {
		c := v.tree(k)
		c.stored, c.head, c.note = true, tree.Head{Size: size, Root: tree.Hash(root)}, note
		if first != nil {
			c.add(first, 0)
		}
		return nil
	})
	return err
}

// tree returns the check of a tree, a new one if there is none.
func (v *verifier) tree(k treeKey) *check {
	c := v.trees[k]
	if c == nil {
		c = &check{key: k, edge: &tree.Edge{}}
		v.trees[k] = c
	}
	return c
}

// loadNotes assigns the notes from outside to their trees.
func (v *verifier) loadNotes() {
	for _, text := range v.o.Notes {
		origin, head, err := ParseBody(text)
		if err != nil {
			v.found("%v", err)
			continue
		}
		c := v.exportedAs(origin, head.Size)
		if c == nil {
			c = v.named(origin)
		}
		if c == nil {
			v.found("a note is from %q, and this log has no such tree", origin)
			continue
		}
		if key := v.signerOf(c); key != nil {
			if _, err := Opened(text, origin, key); err != nil {
				v.found("the note of %s at %d: %v", c.key.name(), head.Size, err)
			}
		}
		if head.Size > 0 && !c.is(head) {
			c.outer = append(c.outer, head)
		}
	}
}

// signerOf returns the key that the heads of a tree are verified with; nil if they are not.
func (v *verifier) signerOf(c *check) ed25519.PublicKey {
	if c.signer != nil {
		return c.signer
	}
	return v.o.Key
}

// is reports whether the tree has the head now.
func (c *check) is(head tree.Head) bool {
	return c.edge.Size() == head.Size && c.edge.Root() == head.Root
}

func (v *verifier) named(origin string) *check {
	if of, number, ok := treeOf(v.base, origin); v.unsealed && ok && number == 1 {
		return v.tree(treeKey{of, number})
	}
	for k, c := range v.trees {
		if Origin(v.base, k.of, k.epoch) == origin {
			return c
		}
	}
	return nil
}

// run adds all events to the trees.
func (v *verifier) run(ctx context.Context, tx pgx.Tx) error {
	upTo := v.lastExported()
	for _, e := range v.epochs {
		upTo = max(upTo, e.position)
	}
	if err := v.compareHeads(ctx, tx, 0); err != nil {
		return err
	}
	n := int64(0)
	for r, err := range eventstore.ReadStoredIn(ctx, tx, 0, upTo) {
		if err != nil {
			return err
		}
		if err := v.compareHeads(ctx, tx, r.Position-1); err != nil {
			return err
		}
		entry, err := r.Entry()
		if err != nil {
			return err
		}
		if !r.Canonical() {
			v.found("the stored data or metadata of position %d is not in the form in which it was written: white space was changed, which no "+
				"head covers", r.Position)
		}
		v.addExported(Service, ServiceEntry(r.Position, r.Hash), r.Position)
		v.addExported(r.Account, entry, r.Position)
		for _, e := range v.epochs {
			if r.Position <= e.position {
				v.tree(treeKey{Service, e.number}).add(ServiceEntry(r.Position, r.Hash), r.Position)
				v.tree(treeKey{r.Account, e.number}).add(entry, r.Position)
				v.reached(treeKey{Service, e.number}, treeKey{r.Account, e.number})
			}
		}
		if n++; n%pageEvents == 0 {
			if err := v.compareTiles(ctx, tx); err != nil {
				return err
			}
			if v.o.Progress != nil {
				v.o.Progress(n)
			}
		}
	}
	return nil
}

// add adds an entry. An event's position is above 0.
func (c *check) add(entry []byte, position int64) {
	if c.edge.Size()%tree.Width == 0 {
		c.first = position
	}
	c.last = position
	c.edge.Append(tree.Leaf(entry))
	if c.edge.Size()%tree.Width == 0 {
		c.spans = append(c.spans, span{c.edge.Size()/tree.Width - 1, c.first, c.last})
	}
}

// reached compares heads from outside that the trees have reached.
func (v *verifier) reached(keys ...treeKey) {
	for _, k := range keys {
		v.reachedBy(v.trees[k])
	}
}

func (v *verifier) reachedBy(c *check) {
	c.outer = slices.DeleteFunc(c.outer, func(h tree.Head) bool {
		if c.edge.Size() == h.Size && c.edge.Root() != h.Root {
			v.found("%s had another hash when it had %d entries: the log was changed since that head was kept", c.key.name(), h.Size)
		}
		return c.edge.Size() == h.Size
	})
}

// unreached finds the heads from outside that a tree has not reached.
func (v *verifier) unreached(c *check) {
	for _, h := range c.outer {
		v.found("%s has %d entries, and a head of %d was kept: events were removed, or the database was restored to an earlier time",
			c.key.name(), c.edge.Size(), h.Size)
	}
}

// compareTiles compares the tiles that were computed with the stored ones.
func (v *verifier) compareTiles(ctx context.Context, tx pgx.Tx) error {
	if v.unsealed {
		return v.forgetTiles()
	}
	for _, e := range v.epochs {
		var of []string
		var places []tree.At
		for k, c := range v.trees {
			if k.epoch != e.number {
				continue
			}
			c.tiles = append(c.tiles, c.edge.Changed()...)
			for _, t := range c.tiles {
				if len(t.Hashes) == tree.Width*sha256.Size || c.edge.Size() == c.head.Size {
					of, places = append(of, k.of), append(places, t.At)
				}
			}
		}
		stored, err := readTiles(ctx, tx, e.number, of, places)
		if err != nil {
			return err
		}
		for k, c := range v.trees {
			if k.epoch == e.number {
				v.compare(c, stored[k.of])
			}
		}
	}
	return nil
}

// compare compares the computed tiles of a tree that are full, or that the stored tree ends with.
func (v *verifier) compare(c *check, stored map[tree.At][]byte) {
	ends := c.edge.Size() == c.head.Size
	for _, t := range c.tiles {
		full := len(t.Hashes) == tree.Width*sha256.Size
		if full {
			c.count++
		}
		if (full || ends) && !bytes.Equal(stored[t.At], t.Hashes) {
			v.found("%s: tile %d at level %d is not that of the events", c.key.name(), t.Index, t.Level)
		}
	}
	c.tiles = nil
}

// end compares the trees' rows, and finds rows that should not exist.
func (v *verifier) end(ctx context.Context, tx pgx.Tx) error {
	for _, c := range v.trees {
		if n := c.edge.Size() % tree.Width; n > 0 {
			c.spans = append(c.spans, span{c.edge.Size() / tree.Width, c.first, c.last})
		}
	}
	if err := v.compareTiles(ctx, tx); err != nil {
		return err
	}
	if err := v.compareHeads(ctx, tx, 1<<63-1); err != nil {
		return err
	}
	for k, c := range v.trees {
		if c.note != "" && c.signed < c.head.Size {
			v.found("%s: the newest signed head, of %d entries, is missing", k.name(), c.head.Size)
		}
		v.Trees, v.Entries = v.Trees+1, v.Entries+c.edge.Size()
		switch {
		case v.unsealed:
		case !c.stored:
			v.found("%s is missing: %d events of it are in the log", k.name(), c.edge.Size())
		case !c.is(c.head):
			v.found("%s has %d entries, and the events make %d, or others", k.name(), c.head.Size, c.edge.Size())
		case c.head.Size > 0:
			v.signature(k, c.head, c.note)
		}
		v.unreached(c)
		c.count += int64(len(tree.EdgeOf(c.edge.Size())))
	}
	v.endExported()
	if v.unsealed {
		return nil
	}
	return v.places(ctx, tx)
}

// places compares the number of tiles, and the positions by which events are found in them.
func (v *verifier) places(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `SELECT tree, epoch, level, index, coalesce(first_position, -1), coalesce(last_position, -1) FROM audit_tiles
		ORDER BY tree, epoch, level, index`)
	if err != nil {
		return err
	}
	var k treeKey
	var level int
	var s span
	counted := map[treeKey]int64{}
	if _, err = pgx.ForEachRow(rows, []any{&k.of, &k.epoch, &level, &s.index, &s.first, &s.last}, func() error {
		counted[k]++
		if c := v.trees[k]; level == 0 && c != nil && s.index < int64(len(c.spans)) && c.spans[s.index] != s {
			v.found("%s: the events of tile %d are not those at the positions %d to %d", k.name(), s.index, s.first, s.last)
		}
		return nil
	}); err != nil {
		return err
	}
	for k, c := range v.trees {
		if c.stored && counted[k] != c.count {
			v.found("%s has %d tiles, want %d", k.name(), counted[k], c.count)
		}
	}
	return nil
}
