package collector_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"readiness/http/collector"
	"readiness/test/testworld"
)

// published is what a broker got: each batch with its number.
type published struct {
	*bench
	fails   bool // but what was sent may have arrived
	numbers []int64
	batches [][]collector.Views
}

func (p *published) publish(_ context.Context, number int64, views []collector.Views) error {
	p.numbers, p.batches = append(p.numbers, number), append(p.batches, slices.Clone(views))
	if p.fails {
		return io.ErrUnexpectedEOF
	}
	return nil
}

func newPublishing(t *testing.T) *published {
	t.Helper()
	p := &published{bench: &bench{registry: prometheus.NewRegistry(), World: &testworld.World{Clock: testworld.StoppedAt(noon)}}}
	var err error
	p.Collector, err = collector.NewPublishing(collector.PublishingOptions{Publish: p.publish, Registry: p.registry,
		Log: slog.New(slog.DiscardHandler), Now: p.Clock.Now})
	check(t, err)
	return p
}

// sum returns how many views the batches from one on have.
func (p *published) sum(from int) (n int) {
	for _, batch := range p.batches[from:] {
		for _, v := range batch {
			n += v.N
		}
	}
	return n
}

// Views of one Pixie in one hour are published together, and nothing is published twice. Ids that are not ids are not published.
func TestPublished(t *testing.T) {
	t.Parallel()
	p := newPublishing(t)
	for _, text := range []string{id(1), id(2), id(1), "x", id(1) + "0"} {
		p.See(text)
	}
	p.Collect(t.Context())
	p.Collect(t.Context())
	slices.SortFunc(p.batches[0], func(a, b collector.Views) int { return b.N - a.N })
	var one, two collector.ID
	check(t, errors.Join(one.UnmarshalText([]byte(id(1))), two.UnmarshalText([]byte(id(2)))))
	if diff := cmp.Diff([][]collector.Views{{{ID: one, Hour: noon, N: 2}, {ID: two, Hour: noon, N: 1}}}, p.batches); diff != "" {
		t.Errorf("published views (-want +got):\n%s", diff)
	}
	p.became(t, map[string]int{"published": 3, "unknown": 2})
	for n := range collector.BatchSize + 1 {
		p.See(id(n))
	}
	p.Collect(t.Context())
	if diff := cmp.Diff([]int64{1, 2, 3}, p.numbers); diff != "" || p.sum(1) != collector.BatchSize+1 {
		t.Errorf("%d views were published after the first batch; numbers (-want +got):\n%s", p.sum(1), diff)
	}
}

// A batch that may have arrived is repeated unchanged, under its number; views that arrive meanwhile follow in the next one. How many
// different views wait is bounded.
//
// proves: decisions/21/bounded
func TestPublicationFails(t *testing.T) {
	t.Parallel()
	p := newPublishing(t)
	p.fails = true
	p.See(id(1))
	p.Collect(t.Context())
	for n := range collector.MaxPending + 7 {
		p.See(id(n))
	}
	p.Collect(t.Context()) // pauses
	if len(p.batches) != 1 {
		t.Errorf("%d attempts, want one and then a pause", len(p.batches))
	}
	p.became(t, map[string]int{"overloaded": 7})
	p.fails = false
	ended, end := context.WithCancel(t.Context())
	end()
	p.Run(ended)
	if p.numbers[0] != 1 || p.numbers[1] != 1 || p.numbers[2] != 2 || !cmp.Equal(p.batches[0], p.batches[1]) || p.sum(2) != collector.MaxPending {
		t.Errorf("the numbers are %v, and the batches after the first have %d views", p.numbers, p.sum(2))
	}
	p.became(t, map[string]int{"overloaded": 7, "published": collector.MaxPending + 1})
}

// After a day without a broker, and at the end, views are dropped: those of the batch may have arrived.
func TestPublicationIsGivenUp(t *testing.T) {
	t.Parallel()
	p := newPublishing(t)
	p.fails = true
	p.See(id(1))
	p.See(id(1))
	p.Collect(t.Context())
	p.See(id(2))
	later := noon.Add(24*time.Hour + time.Second)
	p.Clock.Set(later)
	p.CollectAgain(t.Context())
	p.became(t, map[string]int{"uncertain": 2})
	if n := p.numbers[1]; n != 2 {
		t.Errorf("the next batch has the number %d", n)
	}
}
