// Package audit keeps Merkle trees over the event log and signs their heads, in the formats of C2SP: tlog-tiles, signed-note,
// tlog-checkpoint and tlog-proof. Anyone who keeps a signed head can later check, with third-party tools, that the log still has
// everything that it had. The service's tree has an entry for each event of the log; each account's tree has one for each event of the
// account.
//
// It appends nothing to the log and decides nothing about it.
package audit

import (
	"context"
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/eventstore"
	"readiness/eventstore/audit/tree"
)

// Service is the name of the tree of all events. No account has an empty id.
const Service = ""

// Options are what a Log depends on.
type Options struct {
	Pool *pgxpool.Pool
	// Standby answers the tiles that it has; nil for none.
	Standby *eventstore.Standby
	// Watermark returns a position up to which the log is complete (eventstore.Store.Watermark).
	Watermark func(context.Context) (int64, error)
	// Key signs heads; a Log without one reads and verifies only.
	Key ed25519.PrivateKey
	// Published returns heads of the service's tree that are known to have been published, as signed notes. The log signs nothing that
	// does not continue them. nil means that none are known.
	Published func(context.Context) ([][]byte, error)
	Now       func() time.Time
	Log       *slog.Logger
}

// Log is the event log with its trees. It is safe for concurrent use.
type Log struct{ o Options }

// New returns a Log.
func New(o Options) *Log {
	if o.Published == nil {
		o.Published = func(context.Context) ([][]byte, error) { return nil, nil }
	}
	return &Log{o}
}

// ErrBehind is the error of sealing a database that is behind what it has published: it was restored to an earlier time.
var ErrBehind = errors.New("audit: the database is behind a head that it has published; nothing is signed until readinessd audit restart")

// ErrNotSealed is the error of reading what no tree has (yet).
var ErrNotSealed = errors.New("audit: no tree has it")

// ErrDamaged is the error of what a tree has and the database does not have as it was: a tile, an entry, or an event that was to be proved.
var ErrDamaged = tree.ErrDamaged

// ErrUnnamed is the error of what needs the trees' names before Begin.
var ErrUnnamed = errors.New("audit: the trees of the log have no name yet; readinessd serve gives them one when it starts")

// Head is a signed head of a tree.
type Head struct {
	Tree  string // Service, or an account's id
	Epoch int
	tree.Head
	Position int64 // of the last event in it
	Note     []byte
	SignedAt time.Time
}

// ServiceEntry returns the entry of an event in the service's tree: its position as 8 bytes, big-endian, and its hash.
func ServiceEntry(position int64, hash []byte) []byte {
	b := make([]byte, 0, 8+len(hash))
	return append(binary.BigEndian.AppendUint64(b, uint64(position)), hash...) //nolint:gosec // positions are not negative
}

func wrapped(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("audit: %s: %w", what, err)
}
