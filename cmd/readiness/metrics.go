package main

import (
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// newRegistry returns the metrics of the process itself; the interface adds its
// own.
func newRegistry(pool *pgxpool.Pool) *prometheus.Registry {
	connections := func(state string, n func(*pgxpool.Stat) int32) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "readiness_database_connections", Help: "Connections of the main pool, by state.", ConstLabels: prometheus.Labels{"state": state},
		}, func() float64 { return float64(n(pool.Stat())) })
	}
	r := prometheus.NewRegistry()
	r.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		connections("used", (*pgxpool.Stat).AcquiredConns),
		connections("idle", (*pgxpool.Stat).IdleConns),
		connections("allowed", (*pgxpool.Stat).MaxConns),
	)
	return r
}
