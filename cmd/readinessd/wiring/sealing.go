package wiring

import (
	"context"
	"crypto/ed25519"
	"errors"

	"github.com/jackc/pgx/v5"

	"readiness/commands"
	"readiness/domain/account"
	"readiness/domain/auditview"
	"readiness/eventstore/audit"
)

// headOf returns the signed head of a time, or the first that covers a position; nil if there is none.
func headOf(log *audit.Log) func(context.Context, auditview.Moment) (*auditview.Head, error) {
	return func(ctx context.Context, at auditview.Moment) (*auditview.Head, error) {
		var h audit.Head
		var err error
		switch {
		case at.Time != nil:
			h, err = log.SignedAt(ctx, *at.Time)
		case at.Position != nil:
			h, err = log.SignedOver(ctx, *at.Position)
		default:
			return nil, nil
		}
		if errors.Is(err, audit.ErrNotSealed) {
			return nil, nil
		}
		return &auditview.Head{Position: h.Position, Note: string(h.Note), SignedAt: h.SignedAt}, err
	}
}

// sealing returns the trees of the log and the function that seals it, which is nil without a key.
func sealing(p Parts, accounts *commands.Accounts) (*audit.Log, func(context.Context) error) {
	o := audit.Options{Pool: p.Log.Pool, Standby: p.Log.Standby, Watermark: p.Log.Store.Watermark, Published: p.Published, Now: p.Now,
		Log: p.Logger}
	if p.CheckpointKey == nil {
		return audit.New(o), nil
	}
	o.Key = ed25519.NewKeyFromSeed(p.CheckpointKey)
	log := audit.New(o)
	return log, func(ctx context.Context) error {
		if err := log.Seal(ctx); err != nil {
			return err
		}
		due, err := log.Due(ctx)
		if err != nil {
			return err
		}
		for _, head := range due {
			err := accounts.RecordSealed(ctx, head.Tree, account.Seal{Size: head.Size, Root: head.Root[:]},
				func(ctx context.Context, tx pgx.Tx) error { return log.Record(ctx, tx, head) })
			if err != nil && !errors.Is(err, audit.ErrRecorded) {
				return err
			}
		}
		return nil
	}
}
