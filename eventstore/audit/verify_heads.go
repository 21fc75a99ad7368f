package audit

import (
	"context"
	"crypto/ed25519"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore/audit/tree"
)

// openHeads opens the signed heads, in the order of positions.
func openHeads(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `DECLARE audit_heads NO SCROLL CURSOR FOR SELECT tree, epoch, size, position, root, note FROM audit_checkpoints
		ORDER BY position, tree, epoch`)
	return err
}

// head returns the next signed head, nil after the last.
func (v *verifier) head(ctx context.Context, tx pgx.Tx) (*signed, error) {
	if v.next == len(v.heads) && !v.noMore {
		rows, err := tx.Query(ctx, `FETCH 1000 FROM audit_heads`)
		if err != nil {
			return nil, err
		}
		v.heads, err = pgx.AppendRows(v.heads[:0], rows, func(row pgx.CollectableRow) (s signed, err error) {
			var root []byte
			if err = row.Scan(&s.key.of, &s.key.epoch, &s.head.Size, &s.position, &root, &s.note); err == nil {
				s.head.Root = tree.Hash(root)
			}
			return s, err
		})
		if err != nil {
			return nil, err
		}
		v.next, v.noMore = 0, len(v.heads) == 0
	}
	if v.next == len(v.heads) {
		return nil, nil
	}
	return &v.heads[v.next], nil
}

// compareHeads compares the signed heads up to a position with the trees.
func (v *verifier) compareHeads(ctx context.Context, tx pgx.Tx, upTo int64) error {
	for {
		s, err := v.head(ctx, tx)
		if err != nil || s == nil || s.position > upTo {
			return err
		}
		v.next++
		v.Heads++
		if c := v.trees[s.key]; c == nil || !c.is(s.head) {
			v.found("%s: the signed head of %d entries is not that of the events up to position %d", s.key.name(), s.head.Size, s.position)
		} else {
			c.signed = s.head.Size
		}
		v.signature(s.key, s.head, s.note)
	}
}

// signature checks the note of a head.
func (v *verifier) signature(k treeKey, head tree.Head, note string) {
	v.signed(k, Origin(v.base, k.of, k.epoch), head, note, v.o.Key)
}

// signed checks the note of a head of the tree with the origin. Without a key the signature is not checked.
func (v *verifier) signed(k treeKey, origin string, head tree.Head, note string, key ed25519.PublicKey) {
	named, said, err := ParseBody([]byte(note))
	if err == nil && key != nil {
		said, err = Opened([]byte(note), origin, key)
	}
	if err != nil || said != head || named != origin {
		v.found("%s: the note of %d entries does not say what is stored, or is not signed by the service's key", k.name(), head.Size)
	}
}
