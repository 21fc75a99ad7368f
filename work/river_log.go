package work

import (
	"context"
	"errors"
	"log/slog"
	"strings"
)

// riverLog is the log for River. It lowers to debug level what River reports about
// its routine, such as job counts, and two kinds of errors. One is a cancelled
// operation, by a stop or by a caller who left, which is expected. The other is a
// failed unlisten on a connection that was lost, which has its own log line.
type riverLog struct{ slog.Handler }

func logOfRiver(log *slog.Logger) *slog.Logger { return slog.New(riverLog{log.Handler()}) }

// Handle implements slog.Handler.
func (l riverLog) Handle(ctx context.Context, r slog.Record) error {
	harmless := errors.Is(ctx.Err(), context.Canceled) && saysCancelled(r) || strings.HasSuffix(r.Message, "Error unlistening on topic")
	if r.Level == slog.LevelInfo || r.Level >= slog.LevelError && harmless {
		if !l.Enabled(ctx, slog.LevelDebug) {
			return nil
		}
		r = r.Clone()
		r.Level = slog.LevelDebug
	}
	return l.Handler.Handle(ctx, r)
}

// saysCancelled reports whether the record's error, which may be text, is that of a
// cancelled context.
func saysCancelled(r slog.Record) (says bool) {
	r.Attrs(func(a slog.Attr) bool {
		says = (a.Key == "err" || a.Key == "error") && strings.Contains(a.Value.String(), context.Canceled.Error())
		return !says
	})
	return says
}

// WithAttrs implements slog.Handler.
func (l riverLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return riverLog{l.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (l riverLog) WithGroup(name string) slog.Handler { return riverLog{l.Handler.WithGroup(name)} }
