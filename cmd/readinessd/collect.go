package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"readiness/cmd/cli"
	"readiness/eventstore/forward"
	"readiness/http"
	"readiness/http/collector"
	"readiness/http/collector/pageviews"
	"readiness/http/health"
)

// addCollected adds the flags of a process that counts collected views.
func (f *streamFlags) addCollected(flags *pflag.FlagSet) {
	f.add(flags, "collect", "through which readinessd collect publishes page views; one process with the worker role counts them",
		"readiness-views")
}

// collectFlags are the flags of collect.
type collectFlags struct {
	streamFlags
	listen, metricsListen string
}

func (r *root) collectCommand() *cobra.Command {
	var f collectFlags
	c := &cobra.Command{
		Use:   "collect",
		Short: "Serve the images of Pixies alone, and publish the page views to NATS JetStream",
		Long: `Serves GET /p/{id}.gif as serve does, and no other route but /healthz, /readyz and /metrics. It needs no database: the page
views are published to a stream of NATS JetStream, from which one process with the worker role and the same --collect adds
them up. So images are served while the database is away, and their views are counted later.

An image is answered at once. Its view is published within a tenth of a second; a process that is killed loses the views that it has not
published. While NATS does not answer, views are kept in memory, up to 40,000 different ones (a Pixie and an hour), and then dropped and
counted as dropped.`,
		Example: `  readinessd collect --listen 0.0.0.0:8081 --collect nats://collector:SECRET@nats.example.com
  readinessd worker --collect nats://readiness:SECRET@nats.example.com --collect-system nats://system:SECRET@nats.example.com`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.URL == "" {
				return cli.Usage("--collect is missing; it names the NATS servers")
			}
			if f.Stream == "" {
				return cli.Usage("--collect-stream must not be empty")
			}
			return r.collect(c.Context(), f)
		},
	}
	f.addClient(c.Flags(), "collect", "to whose JetStream page views are published", "readiness-views")
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:8081", "address to listen on; port 0 selects a free one")
	c.Flags().StringVar(&f.metricsListen, "metrics-listen", metricsListen, metricsUsage)
	return c
}

// collect serves images until ctx ends or the listener fails.
func (r *root) collect(ctx context.Context, f collectFlags) (err error) {
	life := &lifetime{log: r.Log}
	defer func() { err = errors.Join(err, life.end()) }()
	listener, err := listen(ctx, life, f.listen)
	if err != nil {
		return err
	}
	watching, err := watchListener(ctx, life, f.metricsListen)
	if err != nil {
		return err
	}
	publisher, err := pageviews.Dial(f.Target, r.Log)
	if err != nil {
		return err
	}
	life.then("NATS", func(context.Context) error { publisher.Close(); return nil })
	registry := prometheus.NewRegistry()
	registry.MustRegister(buildInfo(), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	views, err := collector.NewPublishing(collector.PublishingOptions{
		Publish: publisher.Publish, Registry: registry, Log: r.Log, Now: time.Now,
	})
	if err != nil {
		return err
	}
	life.background("collector", views.Run)
	if err := startMetrics(ctx, life, registry); err != nil {
		return err
	}
	images, err := http.NewImages(http.ImagesOptions{Collector: views, Registry: registry, MetricsElsewhere: watching != nil, Log: r.Log})
	if err != nil {
		return err
	}
	r.watch(ctx, life, watching, health.Watching{Registry: registry, Log: r.Log})
	ended := life.serve(ctx, "HTTP", func(ctx context.Context) error { return images.Serve(ctx, listener) })
	if _, err := fmt.Fprintf(r.Stdout, "Listening on %s\n", listener.Addr()); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		r.Log.Info("stopping", "reason", context.Cause(ctx).Error())
	case <-ended:
	}
	return nil
}

// countCollected counts the views that other processes collect, if there are such.
func (s *service) countCollected(life *lifetime) error {
	if s.collect.URL == "" {
		return nil
	}
	counter, err := pageviews.NewCounter(pageviews.CounterOptions{Target: s.collect, Pool: s.pool, Resolve: s.views.PixieIDs,
		Count: s.commands.Pixies.CountCollected, Registry: s.registry, Log: s.log, Now: time.Now})
	if err != nil {
		return err
	}
	life.background("counting collected views", counter.Keep)
	return nil
}

// collected checks the servers and the stream of collected views.
func (d *doctor) collected(ctx context.Context) []symptom {
	messages, oldest, err := pageviews.Waiting(ctx, d.flags.collect.Target, d.Log)
	if unfit, is := errors.AsType[*forward.Unfit](err); is {
		return []symptom{{Verdict: failing, Says: unfit.What, Do: unfit.Do + "."}}
	}
	if err != nil {
		return []symptom{{Verdict: failing, Says: err.Error(), Do: "See that NATS runs, that --collect and --collect-system are right, " +
			"and that a process with the worker role has made the stream."}}
	}
	if late := time.Since(oldest); messages > 0 && late > 5*time.Minute {
		return []symptom{{Verdict: warning,
			Says: fmt.Sprintf("%d messages with page views wait, the oldest for %s", messages, late.Round(time.Second)),
			Do:   "See docs/operating.md, Collected views are late."}}
	}
	return ok("the servers flush every write; %d messages with page views wait", messages)
}
