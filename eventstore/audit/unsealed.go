package audit

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
)

// loadUnsealed makes the first epoch of a log that was never sealed, if there are notes to compare it with: of all its events, named as the
// notes say.
func (v *verifier) loadUnsealed(ctx context.Context, tx pgx.Tx) error {
	if len(v.o.Notes) == 0 || len(v.epochs) > 1 {
		return nil
	}
	var sealed bool
	var last int64
	if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM audit_checkpoints) OR EXISTS (SELECT FROM audit_trees WHERE size > 0),
		coalesce((SELECT max(position) FROM events), 0)`).Scan(&sealed, &last); err != nil || sealed {
		return err
	}
	for _, text := range v.o.Notes {
		if origin, _, err := ParseBody(text); err == nil && v.base == "" {
			v.base = baseOf(origin)
		}
	}
	v.unsealed, v.epochs = true, []epoch{{number: 1, base: v.base, position: last}}
	return nil
}

// forgetTiles drops the computed tiles.
func (v *verifier) forgetTiles() error {
	for _, c := range v.trees {
		c.edge.Changed()
		c.spans = nil
	}
	return nil
}

// treeOf returns the tree and the epoch of an origin.
func treeOf(base, origin string) (of string, number int, ok bool) {
	rest, ok := strings.CutPrefix(origin, base)
	if !ok {
		return "", 0, false
	}
	if rest, ok := strings.CutPrefix(rest, "/accounts/"); ok {
		of, _, _ = strings.Cut(rest, "/")
		base = Origin(base, of, 1)
	}
	number, ok = EpochOf(base, origin)
	return of, number, ok
}

// baseOf returns the name of the tree of all events in the first epoch of the log that has a tree of that origin.
func baseOf(origin string) string {
	base, _, _ := strings.Cut(origin, "/accounts/")
	if last := strings.LastIndexByte(base, '/'); last >= 0 && laterEpoch.MatchString(base[last:]) {
		base = base[:last]
	}
	return base
}
