package work_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/domain/verdict"
	"readiness/work"
)

// answersAfter answers every query after a time.
type answersAfter time.Duration

// Rows implements work.Queries.
func (s answersAfter) Rows(ctx context.Context, _ item.Caller, _, _ uuid.UUID, _ string) (verdict.ResultSet, error) {
	select {
	case <-time.After(time.Duration(s)):
		return verdict.ResultSet{}, nil
	case <-ctx.Done():
		return verdict.ResultSet{}, ctx.Err()
	}
}

// A query is cancelled after ten seconds, is not repeated, and leaves nothing to compare.
func TestASlowQueryIsCutOff(t *testing.T) {
	t.Parallel()
	for takes, compared := range map[time.Duration]bool{10*time.Second - 1: true, 10*time.Second + 1: false, time.Hour: false} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			got := work.Queried(t.Context(), work.Options{Queries: answersAfter(takes), Log: slog.New(slog.DiscardHandler)}, "EVALUATE Sales")
			if took := time.Since(began); (got != nil) != compared || took != min(takes, 10*time.Second) {
				t.Errorf("a query that takes %v: got %v after %v", takes, got, took)
			}
		})
	}
}
