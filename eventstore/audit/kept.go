package audit

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// keepEvery is how often Keep looks for a newer head.
const keepEvery = 10 * time.Second

// Kept returns a function for Options.Published that reads the head that Keep keeps in a file.
func Kept(path string) func(context.Context) ([][]byte, error) {
	return func(context.Context) ([][]byte, error) {
		note, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return [][]byte{note}, err
	}
}

// Published returns the heads that are known to have been published.
func (l *Log) Published(ctx context.Context) ([][]byte, error) { return l.o.Published(ctx) }

// Keep keeps the newest head of the service's tree in a file outside of the database until ctx ends, so that a database that was restored
// to an earlier time is noticed. A head that does not continue the one in the file does not replace it.
func (l *Log) Keep(ctx context.Context, path string) {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	for {
		if err := l.keep(ctx, path); err != nil && ctx.Err() == nil {
			l.o.Log.Warn("the newest head of the log was not kept outside of the database", "file", path, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (l *Log) keep(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, keepEvery)
	defer cancel()
	head, err := l.Head(ctx, Service, Current)
	if errors.Is(err, ErrNotSealed) {
		return nil
	}
	if err != nil {
		return err
	}
	kept, err := Kept(path)(ctx)
	if err != nil || len(kept) > 0 && string(kept[0]) == string(head.Note) {
		return err
	}
	if err := l.Continues(ctx, kept); err != nil {
		return err
	}
	return replace(path, head.Note)
}

// Continues returns ErrBehind unless the database continues every published head.
func (l *Log) Continues(ctx context.Context, published [][]byte) error {
	e := epoch{}
	err := l.o.Pool.QueryRow(ctx, `SELECT max(epoch), min(origin) FILTER (WHERE epoch = 1) FROM audit_epochs HAVING count(*) > 0`).
		Scan(&e.number, &e.base)
	if err == nil {
		err = e.continues(ctx, l.o.Pool, published)
	}
	return wrapped("compare with what was published", err)
}

// replace writes a file atomically: after a crash it is the earlier or the new one.
func replace(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // after the rename there is none
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
