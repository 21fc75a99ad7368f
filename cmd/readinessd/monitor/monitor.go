// Package monitor measures the entire database for metrics: the log, the views, the queue, and what must happen regularly. Of all
// processes on a database only the one that leads measures, so that sums over processes stay right; the others have no series. It writes
// nothing.
package monitor

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"readiness/eventstore"
	"readiness/internal/pace"
	"readiness/projections"
)

const (
	// Every is how often the numbers are read.
	Every = 15 * time.Second
	// leadsEvery is how often a process that does not lead checks whether it leads now, so that the series return soon after a leader
	// stopped.
	leadsEvery = time.Second
	// sizesEvery is how often the sizes of tables are read.
	sizesEvery = 5 * time.Minute
	// valid is how long numbers are shown after they were read. Old numbers would look like a healthy database.
	valid = time.Minute
)

// Options are what a Monitor depends on.
type Options struct {
	Pool   *pgxpool.Pool
	Store  *eventstore.Store
	Engine *projections.Engine
	Views  *projections.Views
	// Leads reports whether this process measures.
	Leads func(context.Context) (bool, error)
	Now   func() time.Time
	Log   *slog.Logger
}

// Monitor measures the database and is a prometheus.Collector of what it found. Make one with New and let Run run.
type Monitor struct {
	o Options

	mu    sync.Mutex
	last  numbers // zero while this process does not lead
	sizes sizes
}

// New returns a Monitor that has no numbers yet.
func New(o Options) *Monitor { return &Monitor{o: o} }

// Run measures until ctx ends.
func (m *Monitor) Run(ctx context.Context) {
	for ctx.Err() == nil {
		next, err := m.Measure(ctx)
		if err != nil && ctx.Err() == nil {
			m.o.Log.Warn("the database could not be measured for the metrics", "error", err)
		}
		_ = pace.Wait(ctx, next)
	}
}

// Measure reads the numbers once, if this process leads. It returns how long to wait before the next call.
func (m *Monitor) Measure(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, Every)
	defer cancel()
	leads, err := m.o.Leads(ctx)
	if err != nil {
		return Every, err
	}
	if !leads {
		m.keep(numbers{}, sizes{})
		return leadsEvery, nil
	}
	found, err := m.read(ctx)
	if err != nil {
		return Every, err
	}
	m.mu.Lock()
	known := m.sizes
	m.mu.Unlock()
	if found.at.Sub(known.at) >= sizesEvery {
		if known, err = m.readSizes(ctx); err != nil {
			return Every, err
		}
	}
	m.keep(found, known)
	return Every, nil
}

func (m *Monitor) keep(n numbers, s sizes) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last, m.sizes = n, s
}

// Describe implements prometheus.Collector.
func (m *Monitor) Describe(to chan<- *prometheus.Desc) {
	for _, d := range descriptions {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (m *Monitor) Collect(to chan<- prometheus.Metric) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last.at.IsZero() || m.o.Now().Sub(m.last.at) > valid {
		return
	}
	m.last.collect(to)
	m.sizes.collect(to)
}
