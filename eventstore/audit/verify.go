package audit

import (
	"context"
	"crypto/ed25519"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Verification counts the results of Verify.
type Verification struct {
	Trees, Entries, Heads, Mismatches int64
}

// VerifyOptions are the inputs of Verify.
type VerifyOptions struct {
	// Key verifies the signatures of heads; without it they are not checked.
	Key ed25519.PublicKey
	// Notes are signed heads that were kept outside of the database: each must be a head of the log.
	Notes [][]byte
	// Trees are trees that were exported from the log that this one was imported from. Notes of theirs are compared with them.
	Trees []EpochTree
	// Found is called with each mismatch as it is found; nil for none.
	Found func(string)
	// Progress is called from time to time with the number of events that were read; nil for none.
	Progress func(events int64)
}

// Verify computes all trees again from the events, as of one instant, and compares tiles, heads and notes with them. Of a log that was
// imported and not sealed yet it compares the notes. An error is about reading; mismatches are in the result.
//
// It cannot detect that a person with the key replaced the log and all trees, which Notes reveal, or that events were removed before they
// were sealed.
func (l *Log) Verify(ctx context.Context, o VerifyOptions) (Verification, error) {
	var found Verification
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := pgx.BeginTxFunc(ctx, l.o.Pool, snapshot, func(tx pgx.Tx) (err error) {
		found, err = VerifyIn(ctx, tx, o)
		return err
	})
	return found, err
}

// VerifyIn is Verify of what a transaction sees.
func VerifyIn(ctx context.Context, tx pgx.Tx, o VerifyOptions) (Verification, error) {
	v := verifier{o: o, trees: map[treeKey]*check{}}
	err := v.load(ctx, tx)
	if err == nil && !v.empty() {
		if err = v.run(ctx, tx); err == nil {
			err = v.end(ctx, tx)
		}
	}
	return v.Verification, wrapped("verify", err)
}

// empty reports whether there is no tree to verify.
func (v *verifier) empty() bool { return len(v.epochs) == 0 && len(v.exported) == 0 }

func (v *verifier) found(format string, args ...any) {
	v.Mismatches++
	if v.o.Found != nil {
		v.o.Found(fmt.Sprintf(format, args...))
	}
}

// name returns the name of a tree in messages.
func (k treeKey) name() string {
	name := "the tree of all events"
	if k.of != Service {
		name = "the tree of account " + k.of
	}
	if k.epoch > 1 {
		name += fmt.Sprintf(" in epoch %d", k.epoch)
	}
	return name
}
