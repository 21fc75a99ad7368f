package work_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"readiness/commands"
	"readiness/domain/assessment"
	"readiness/work"
)

// River's routine messages are not shown to an operator; its warnings
// are.
func TestRiverRoutineIsLoggedAtDebug(t *testing.T) {
	t.Parallel()
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo} {
		var log bytes.Buffer
		river := work.LogOfRiver(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}})))
		river.Debug("fetched")
		river.Info("producer: Producer job counts", "num_jobs_running", 0)
		river.Error("notifier.Notifier: Error unlistening on topic", "err", "conn closed")
		river.Warn("slow")
		river.Error("broken")
		want := "level=WARN msg=slow\nlevel=ERROR msg=broken\n"
		if level == slog.LevelDebug {
			want = "level=DEBUG msg=fetched\nlevel=DEBUG msg=\"producer: Producer job counts\" num_jobs_running=0\nlevel=DEBUG msg=\"notifier.Notifier: Error unlistening on topic\" err=\"conn closed\"\n" + want
		}
		if diff := cmp.Diff(want, log.String()); diff != "" {
			t.Errorf("at level %s (-want +got):\n%s", level, diff)
		}
	}
}

// breaking is a transaction in which something happens when River is about to send
// its notification.
type breaking struct {
	pgx.Tx
	breaks func() error
}

func (b breaking) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if strings.Contains(sql, "pg_notify") {
		if err := b.breaks(); err != nil {
			return pgconn.CommandTag{}, err
		}
	}
	return b.Tx.Exec(ctx, sql, args...)
}

// A cancelled operation of River is not an error in the log; any other failure is.
func TestCancelledIsNotAnError(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		breaks func(cancel context.CancelFunc) error
		want   []string
	}{
		"cancelled":                  {func(cancel context.CancelFunc) error { cancel(); return nil }, []string{"DEBUG"}},
		"a fault while cancelled":    {func(cancel context.CancelFunc) error { cancel(); return errors.New("no answer") }, []string{"ERROR"}},
		"cancelled by somebody else": {func(context.CancelFunc) error { return context.Canceled }, []string{"ERROR"}},
		"a fault":                    {func(context.CancelFunc) error { return errors.New("no answer") }, []string{"ERROR"}},
		"took too long":              {func(context.CancelFunc) error { return context.DeadlineExceeded }, []string{"ERROR"}},
		"nothing":                    {func(context.CancelFunc) error { return nil }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo} {
				b := newBench(t)
				var log bytes.Buffer
				b.Work.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: level}))
				queue, err := work.NewQueue(b.Work)
				check(t, err)
				tx, err := b.Pool.Begin(t.Context())
				check(t, err)
				ctx, cancel := context.WithCancel(t.Context())
				of, steps := commands.Origin{AccountID: "contoso"}, []assessment.Step{{ModelID: good, AcceptedAt: time.Now()}}
				err = queue.Assess(ctx, breaking{tx, func() error { return tt.breaks(cancel) }}, of, steps)
				if (err != nil) != (tt.want != nil) {
					t.Errorf("enqueue: got %v", err)
				}
				cancel()
				_ = tx.Rollback(context.WithoutCancel(ctx))
				var got []string
				for line := range strings.Lines(log.String()) {
					if strings.Contains(line, "Failed to send job insert notification") {
						_, after, _ := strings.Cut(line, "level=")
						said, _, _ := strings.Cut(after, " ")
						got = append(got, said)
					}
				}
				want := tt.want
				if level > slog.LevelDebug && len(want) > 0 && want[0] == "DEBUG" {
					want = nil
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("at level %s (-want +got):\n%s%s", level, diff, &log)
				}
			}
		})
	}
}
