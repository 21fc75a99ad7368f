package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/cmd/readinessd/wiring"
	"readiness/commands"
	"readiness/eventstore"
	"readiness/eventstore/forward"
	"readiness/http/health"
	connections "readiness/internal/database"
	"readiness/migrations"
	"readiness/projections"
)

// viewsFlags are the flags of readinessd views.
type viewsFlags struct {
	from                forward.Target
	url, metricsListens string
}

func (r *root) viewsCommand() *cobra.Command {
	var f viewsFlags
	c := &cobra.Command{
		Use:   "views",
		Short: "Keep views in a separate database, from the log in NATS JetStream",
		Long: `Reads the stream that readinessd forward fills and keeps views (activity, page_views, audit, assessments with the portfolio,
pixies) in a separate database, for analysts and dashboards: their queries do not reach the database of the log. It creates the tables in an
empty database, and continues where it ended. Every event is counted once, however often processes and servers are killed.

When the database of the log was restored to an earlier time and its stream was built again, the views begin again by themselves.`,
		Example: `  readinessd views --from nats://views:SECRET@n1.example.com --views-database-url postgres://views@db.example.com/views`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.from.URL == "" {
				return cli.Usage("--from is missing; it names the NATS servers")
			}
			return r.withSeparateViews(c.Context(), f.url, func(separate *projections.SeparateViews, pool *pgxpool.Pool) error {
				return r.keepViews(c.Context(), f, separate, pool)
			})
		},
	}
	flags := c.PersistentFlags()
	flags.StringVar(&f.url, "views-database-url", "", "PostgreSQL database for the views alone")
	c.Flags().StringVar(&f.from.URL, "from", "", "NATS servers that have the stream, separated by commas: "+
		"nats://USER:PASSWORD@HOST:4222,…")
	c.Flags().StringVar(&f.from.Credentials, "from-credentials", "", "credentials file (.creds) for --from")
	c.Flags().StringVar(&f.from.Stream, "from-stream", "readiness", "name of the stream")
	c.Flags().StringVar(&f.metricsListens, "metrics-listen", "", "address for /metrics, /healthz and /readyz")
	c.AddCommand(r.viewsRebuildCommand(&f), r.viewsPrintCommand(&f))
	return c
}

// withSeparateViews calls do with the views in the database at the address.
func (r *root) withSeparateViews(ctx context.Context, address string, do func(*projections.SeparateViews, *pgxpool.Pool) error) error {
	if address == "" {
		return cli.Usage("--views-database-url is missing")
	}
	if err := connections.Check(address); err != nil {
		return cli.Usage("--views-database-url: %w", err)
	}
	pool, err := connections.Open(ctx, address, nil)
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := migrations.Up(ctx, address); err != nil {
		return err
	}
	codec, err := eventstore.NewCodec(commands.Events()...)
	if err != nil {
		return err
	}
	separate, err := projections.OpenSeparateViews(ctx, pool, codec)
	if err != nil {
		return err
	}
	return do(separate, pool)
}

// keepViews runs until ctx ends, or until the stream must not be used.
func (r *root) keepViews(ctx context.Context, f viewsFlags, separate *projections.SeparateViews, pool *pgxpool.Pool) (err error) {
	life := &lifetime{log: r.Log}
	defer func() { err = errors.Join(err, life.end()) }()
	consumer := forward.NewConsumer(forward.ConsumerOptions{Target: f.from, Sink: wiring.SeparateViewsSink{SeparateViews: separate},
		Now: time.Now, Log: r.Log})
	watching, err := watchListener(ctx, life, f.metricsListens)
	if err != nil {
		return err
	}
	if watching != nil {
		registry := prometheus.NewRegistry()
		registry.MustRegister(buildInfo(), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
			viewsLag(consumer))
		watchers := health.Watching{Registry: registry, Checks: []health.Check{{Name: "database", Run: pool.Ping}}, Log: r.Log}
		serving, stop := context.WithCancel(context.WithoutCancel(ctx))
		ended := make(chan error, 1)
		go func() { ended <- watchers.Serve(serving, watching) }()
		life.then("metrics", func(context.Context) error { stop(); return <-ended })
	}
	return consumer.KeepOrFail(ctx)
}

// viewsLag measures how far separate views are behind.
func viewsLag(c *forward.Consumer) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "readiness_views_lag_seconds",
		Help: "How long ago views in a separate database last had everything that the forwarded log has.",
	}, func() float64 { return c.Lag().Seconds() })
}

func (r *root) viewsRebuildCommand(f *viewsFlags) *cobra.Command {
	return &cobra.Command{
		Use:     "rebuild",
		Short:   "Empty the views, so that they begin again with the stream's first event",
		Long:    "Empties the views. A running readinessd views, or the next one, fills them from the stream's first event.",
		Example: "  readinessd views rebuild --views-database-url postgres://views@db.example.com/views",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return r.withSeparateViews(c.Context(), f.url, func(separate *projections.SeparateViews, _ *pgxpool.Pool) error {
				return separate.Empty(c.Context())
			})
		},
	}
}

func (r *root) viewsPrintCommand(f *viewsFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "print VIEW",
		Short: "Print the rows of a view as JSON lines, to compare them with the log",
		Long: `Prints the rows in the order of their keys, as readinessd projections as-of does for the position that is printed on stderr:
the output of both is the same.`,
		Example: "  readinessd views print activity > separate.json && readinessd projections as-of activity --position P | diff - separate.json",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return r.withSeparateViews(c.Context(), f.url, func(separate *projections.SeparateViews, _ *pgxpool.Pool) error {
				at, err := separate.Write(c.Context(), r.Stdout, args[0])
				if err == nil {
					fmt.Fprintf(r.Stderr, "as of position %d in epoch %d\n", at.Position, at.Epoch)
				}
				return err
			})
		},
	}
}
