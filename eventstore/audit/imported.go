package audit

import (
	"context"
	"crypto/ed25519"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore/audit/tree"
)

// adopt records, as this database's own, published heads that it never signed but whose events its log has: those of an imported log. Its
// trees are empty and become those that the heads name, because positions, hashes and lines are the same. It returns the position of the
// last event in an adopted head, 0 if there is none; until that event is sealed, the transaction must not end.
//
// continues refuses heads of other keys, of later epochs, and of events that the log does not have.
func (e epoch) adopt(ctx context.Context, tx pgx.Tx, upTo int64, published [][]byte, o Options) (position int64, err error) {
	wanted := map[tree.Head]string{}
	for _, text := range published {
		if head, err := Opened(text, e.base, o.Key.Public().(ed25519.PublicKey)); err == nil && head.Size > 0 {
			wanted[head] = string(text)
		}
	}
	if e.number > 1 || e.position > 0 || len(wanted) == 0 {
		return 0, nil
	}
	edge, adopting := &tree.Edge{}, error(nil)
	err = entries(ctx, tx, Service, 1, upTo, func(at int64, entry []byte) bool {
		edge.Append(tree.Leaf(entry))
		if edge.Size()%pageEvents == 0 {
			edge.Changed() // tiles that are not stored
		}
		for head, note := range wanted {
			if edge.Size() != head.Size || edge.Root() != head.Root {
				continue
			}
			position = at
			_, adopting = tx.Exec(ctx, `INSERT INTO audit_checkpoints (tree, epoch, size, position, root, note, signed_at)
				VALUES ('', 1, $1, $2, $3, $4, $5)`, head.Size, at, head.Root[:], note, o.Now())
			delete(wanted, head)
		}
		return len(wanted) > 0 && adopting == nil
	})
	if err == nil {
		err = adopting
	}
	return position, err
}
