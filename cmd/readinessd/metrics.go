package main

import (
	"runtime"
	"runtime/debug"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"readiness/cmd/cli"
	"readiness/cmd/readinessd/monitor"
	"readiness/cmd/readinessd/wiring"
	"readiness/internal/disk"
	"readiness/work"
)

// registerMetrics registers the metrics of the process; the HTTP server and the platform add their own.
func registerMetrics(r *prometheus.Registry, core *core, queue *work.Queue, wired *wiring.Service, measured *monitor.Monitor, data string) {
	connections := func(state string, n func(*pgxpool.Stat) int32) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "readiness_database_connections", Help: "Connections of the main pool, by state.",
			ConstLabels: prometheus.Labels{"state": state},
		}, func() float64 { return float64(n(core.pool.Stat())) })
	}
	steps := func(kind, state string, n func(work.InFlight) int) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "readiness_work_steps", Help: "Steps of work in this process, by kind and by whether they work or wait for their turn.",
			ConstLabels: prometheus.Labels{"kind": kind, "state": state},
		}, func() float64 { return float64(n(queue.InFlight())) })
	}
	for _, more := range [][]prometheus.Collector{core.store.Metrics(), core.Documents.Metrics(), queue.Metrics(), wired.Webhooks.Metrics()} {
		r.MustRegister(more...)
	}
	r.MustRegister(
		measured, buildInfo(), space{data},
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		steps("definitions", "working", func(g work.InFlight) int { return g.Reading }),
		steps("definitions", "waiting", func(g work.InFlight) int { return g.WaitingToRead }),
		steps("asks", "working", func(g work.InFlight) int { return g.Asking }),
		steps("asks", "waiting", func(g work.InFlight) int { return g.WaitingToAsk }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "readiness_ai_silent_providers", Help: "AI providers that this process skips for now, because they did not " +
				"answer in time.",
		}, func() float64 { return float64(wired.AI.Silent()) }),
		connections("used", (*pgxpool.Stat).AcquiredConns),
		connections("idle", (*pgxpool.Stat).IdleConns),
		connections("allowed", (*pgxpool.Stat).MaxConns),
	)
}

// buildInfo says which program runs.
func buildInfo() prometheus.Collector {
	commit := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = s.Value
			}
		}
	}
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "readiness_build_info", Help: "1, with the version, commit and Go version of this program.",
		ConstLabels: prometheus.Labels{"version": cli.Version(), "commit": commit, "go": runtime.Version()},
	}, func() float64 { return 1 })
}

// space is a collector of the space on the disk that holds a data directory.
type space struct{ dir string }

var (
	spaceFree = prometheus.NewDesc("readiness_data_directory_free_bytes",
		"Space that this process may still use on the disk of its data directory.", nil, nil)
	spaceTotal = prometheus.NewDesc("readiness_data_directory_size_bytes", "Size of the disk of this process's data directory.", nil, nil)
)

// Describe implements prometheus.Collector.
func (space) Describe(to chan<- *prometheus.Desc) { to <- spaceFree; to <- spaceTotal }

// Collect implements prometheus.Collector. It has no series on a system that does not report the space.
func (s space) Collect(to chan<- prometheus.Metric) {
	free, total, err := disk.Space(s.dir)
	if err != nil {
		return
	}
	to <- prometheus.MustNewConstMetric(spaceFree, prometheus.GaugeValue, float64(free))
	to <- prometheus.MustNewConstMetric(spaceTotal, prometheus.GaugeValue, float64(total))
}
