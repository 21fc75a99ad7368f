package audit

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore/audit/tree"
)

// EpochTree is a tree of one epoch as it was when it was exported. Its first entry, which names why the epoch began, is not in the log;
// with it, a log that was imported from an export has everything that the tree was made of.
type EpochTree struct {
	Origin string `json:"origin"`
	Tree   string `json:"tree"`  // Service, or an account's id
	Epoch  int    `json:"epoch"` // from 1
	Size   int64  `json:"size"`
	// Position is that of the last event in it; 0 if it has only its first entry.
	Position int64  `json:"position"`
	Root     []byte `json:"root"`
	// FirstEntry is nil in the first epoch, and in trees that began after their epoch.
	FirstEntry []byte `json:"firstEntry,omitempty"`
	Note       string `json:"note"` // the signed head
	// Key verifies its heads; nil if the export did not know it.
	Key []byte `json:"key,omitempty"`
}

// ExportTrees writes the trees of all epochs that have a signed head, one on a line, or those of one account.
func (l *Log) ExportTrees(ctx context.Context, w io.Writer, account string) (n int, err error) {
	base, err := l.Base(ctx)
	if err != nil {
		return 0, err
	}
	rows, err := l.o.Pool.Query(ctx, `SELECT tree, epoch, size, position, root, first_entry, note FROM audit_trees
		WHERE note IS NOT NULL AND ($1 = '' OR tree = $1) ORDER BY epoch, tree`, account)
	if err != nil {
		return 0, wrapped("read the trees", err)
	}
	lines := json.NewEncoder(w)
	var t EpochTree
	if l.o.Key != nil {
		t.Key = l.o.Key.Public().(ed25519.PublicKey)
	}
	_, err = pgx.ForEachRow(rows, []any{&t.Tree, &t.Epoch, &t.Size, &t.Position, &t.Root, &t.FirstEntry, &t.Note}, func() error {
		t.Origin = Origin(base, t.Tree, t.Epoch)
		n++
		return lines.Encode(t)
	})
	return n, wrapped("export the trees", err)
}

// maxTreeLine bounds a line of ExportTrees: a first entry has a reason and a signed head.
const maxTreeLine = 256 << 10

// ParseTrees reads what ExportTrees wrote.
func ParseTrees(r io.Reader) (all []EpochTree, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxTreeLine)
	for n := 1; lines.Scan(); n++ {
		var t EpochTree
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.DisallowUnknownFields()
		err := d.Decode(&t)
		if err == nil {
			err = t.check()
		}
		if err != nil {
			return nil, fmt.Errorf("audit: line %d is not one of readinessd audit export: %w", n, err)
		}
		all = append(all, t)
	}
	if err := lines.Err(); err != nil {
		return nil, wrapped("read trees", err)
	}
	if len(all) == 0 {
		return nil, errors.New("audit: the file has no line of readinessd audit export")
	}
	return all, nil
}

// check returns an error unless the parts of the tree agree.
func (t *EpochTree) check() error {
	origin, head, err := ParseBody([]byte(t.Note))
	switch {
	case err != nil:
		return err
	case t.Epoch < 1 || t.Origin != Origin(baseOf(t.Origin), t.Tree, t.Epoch):
		return fmt.Errorf("its origin %q is not that of tree %q in epoch %d", t.Origin, t.Tree, t.Epoch)
	case len(t.Key) != 0 && len(t.Key) != ed25519.PublicKeySize:
		return errors.New("its key has another length")
	case origin != t.Origin || head.Size != t.Size || !bytes.Equal(head.Root[:], t.Root):
		return errors.New("its note belongs to another head")
	}
	return nil
}

// loadExported makes the checks of trees that were exported. Each has the events up to its position.
func (v *verifier) loadExported() {
	v.exported = map[string][]*check{}
	for _, t := range v.o.Trees {
		c := &check{key: treeKey{t.Tree, t.Epoch}, edge: &tree.Edge{}, origin: t.Origin, upTo: t.Position, note: t.Note, signer: t.Key,
			head: tree.Head{Size: t.Size, Root: tree.Hash(t.Root)}}
		if t.FirstEntry != nil {
			c.add(t.FirstEntry, 0)
		}
		v.exported[t.Tree] = append(v.exported[t.Tree], c)
	}
}

// exportedAs returns the exported tree of an origin that reaches a size, nil if there is none.
func (v *verifier) exportedAs(origin string, size int64) *check {
	for _, all := range v.exported {
		for _, c := range all {
			if c.origin == origin && c.head.Size >= size {
				return c
			}
		}
	}
	return nil
}

// lastExported returns the last position that an exported tree has.
func (v *verifier) lastExported() (position int64) {
	for _, all := range v.exported {
		for _, c := range all {
			position = max(position, c.upTo)
		}
	}
	return position
}

// addExported adds an entry to the exported trees of a name.
func (v *verifier) addExported(of string, entry []byte, position int64) {
	for _, c := range v.exported[of] {
		if position <= c.upTo {
			c.add(entry, position)
			c.edge.Changed() // tiles that nothing is compared with
			c.spans = nil
			v.reachedBy(c)
		}
	}
}

// endExported compares the heads of the exported trees.
func (v *verifier) endExported() {
	for _, all := range v.exported {
		for _, c := range all {
			v.Trees, v.Entries = v.Trees+1, v.Entries+c.edge.Size()
			if !c.is(c.head) {
				v.found("%s (%s) has %d entries, and the events make %d, or others", c.key.name(), c.origin, c.head.Size, c.edge.Size())
			}
			v.signed(c.key, c.origin, c.head, c.note, v.signerOf(c))
			v.unreached(c)
		}
	}
}
