package eventstore_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"readiness/domain"
	"readiness/eventstore"
)

// logOf fills a log with n events over n/100 streams.
func logOf(b *testing.B, n int) *eventstore.Store {
	b.Helper()
	s, pool := open(b)
	events := make([]domain.Event, 100)
	for i := range events {
		events[i] = spent{Units: i, Total: i * i, By: "somebody with a name"}
	}
	for i := range n / len(events) {
		mustAdd(b, s, fmt.Sprintf("budget-%d", i), events...)
	}
	if _, err := pool.Exec(b.Context(), "ANALYZE events"); err != nil {
		b.Fatal(err)
	}
	return s
}

func perSecond(b *testing.B, n int) {
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkAppend decides and appends on 16 connections, each call on a stream
// of its own.
func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{1, 10} {
		b.Run(fmt.Sprintf("%d events", n), func(b *testing.B) {
			s, _ := open(b)
			var streams atomic.Int64
			b.SetParallelism(8) // times GOMAXPROCS
			b.RunParallel(func(pb *testing.PB) {
				stream := fmt.Sprintf("budget-%d", streams.Add(1))
				for pb.Next() {
					p := eventstore.FoldLast(stream, evolveBudget)
					err := s.Change(b.Context(), meta, []eventstore.Loadable{p}, func(c *eventstore.Change) error {
						for range n {
							if err := eventstore.Decide(c, p, spend{units: 1}); err != nil {
								return err
							}
						}
						return nil
					})
					if err != nil {
						b.Error(err)
						return
					}
				}
			})
			perSecond(b, n*b.N)
		})
	}
}

// BenchmarkLoad loads a stream of 100 events.
func BenchmarkLoad(b *testing.B) {
	s := logOf(b, 10_000)
	i := 0
	for b.Loop() {
		i++
		if err := s.Load(b.Context(), eventstore.Fold(fmt.Sprintf("budget-%d", i%100), evolveBudget)); err != nil {
			b.Fatal(err)
		}
	}
	perSecond(b, 100*b.N)
}

func BenchmarkReadAll(b *testing.B) {
	const n = 200_000
	s := logOf(b, n)
	for b.Loop() {
		got := 0
		for _, err := range s.ReadAll(b.Context(), 0, 0) {
			if err != nil {
				b.Fatal(err)
			}
			got++
		}
		if got != n {
			b.Fatalf("got %d events", got)
		}
	}
	perSecond(b, n*b.N)
}

func BenchmarkVerify(b *testing.B) {
	const n = 200_000
	s := logOf(b, n)
	for b.Loop() {
		v, err := s.Verify(b.Context(), eventstore.VerifyOptions{})
		if err != nil || v.Events != n || v.Mismatches != 0 {
			b.Fatalf("%+v, %v", v, err)
		}
	}
	perSecond(b, n*b.N)
}
