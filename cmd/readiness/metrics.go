package main

import (
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"readiness/ai"
	"readiness/work"
)

// registerMetrics registers the metrics of the process; the HTTP server and the platform add their own.
func registerMetrics(r *prometheus.Registry, pool *pgxpool.Pool, queue *work.Queue, asked *ai.Proposer) {
	connections := func(state string, n func(*pgxpool.Stat) int32) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "readiness_database_connections", Help: "Connections of the main pool, by state.",
			ConstLabels: prometheus.Labels{"state": state},
		}, func() float64 { return float64(n(pool.Stat())) })
	}
	steps := func(kind, state string, n func(work.InFlight) int) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "readiness_work_steps", Help: "Steps of work in this process, by kind and by whether they work or wait for their turn.",
			ConstLabels: prometheus.Labels{"kind": kind, "state": state},
		}, func() float64 { return float64(n(queue.InFlight())) })
	}
	r.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		steps("definitions", "working", func(g work.InFlight) int { return g.Reading }),
		steps("definitions", "waiting", func(g work.InFlight) int { return g.WaitingToRead }),
		steps("asks", "working", func(g work.InFlight) int { return g.Asking }),
		steps("asks", "waiting", func(g work.InFlight) int { return g.WaitingToAsk }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "readiness_ai_silent_providers", Help: "AI providers that this process skips for now, because they did not " +
				"answer in time.",
		}, func() float64 { return float64(asked.Silent()) }),
		connections("used", (*pgxpool.Stat).AcquiredConns),
		connections("idle", (*pgxpool.Stat).IdleConns),
		connections("allowed", (*pgxpool.Stat).MaxConns),
	)
}
