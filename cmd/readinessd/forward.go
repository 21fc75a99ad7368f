package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"readiness/cmd/cli"
	"readiness/eventstore/audit"
	"readiness/eventstore/forward"
)

// streamFlags name a stream of NATS JetStream. Each flag begins with the name.
type streamFlags struct {
	forward.Target
	name string
}

// add adds the flags. what says what the stream is for.
func (f *streamFlags) add(flags *pflag.FlagSet, name, what, stream string) {
	f.addClient(flags, name, what, stream)
	flags.StringVar(&f.System, name+"-system", "", "the same servers with a user of their system account, which alone reports whether "+
		"every write is flushed (sync_interval: always)")
	flags.IntVar(&f.Replicas, name+"-replicas", 3, "how many servers keep the stream, when it is created: 1, 3 or 5")
}

// addClient adds the flags of a process that only publishes.
func (f *streamFlags) addClient(flags *pflag.FlagSet, name, what, stream string) {
	f.name = name
	flags.StringVar(&f.URL, name, "", "NATS servers "+what+", separated by commas: nats://USER:PASSWORD@HOST:4222,…")
	flags.StringVar(&f.Credentials, name+"-credentials", "", "credentials file (.creds) for --"+name)
	flags.StringVar(&f.Stream, name+"-stream", stream, "name of the stream")
}

// check refuses flags that cannot be combined. needed says that there must be a stream.
func (f *streamFlags) check(needed bool) error {
	switch {
	case needed && f.URL == "":
		return cli.Usage("--%s is missing; it names the NATS servers", f.name)
	case f.URL == "" && (f.System != "" || f.Credentials != ""):
		return cli.Usage("--%[1]s-system and --%[1]s-credentials need --%[1]s", f.name)
	case f.URL != "" && f.System == "":
		return cli.Usage("--%[1]s needs --%[1]s-system; only the system account reports whether the servers flush every write", f.name)
	case f.Replicas != 1 && f.Replicas != 3 && f.Replicas != 5:
		return cli.Usage("--%s-replicas must be 1, 3 or 5, not %d", f.name, f.Replicas)
	case f.Stream == "":
		return cli.Usage("--%s-stream must not be empty", f.name)
	}
	return nil
}

// addForward adds the flags of the stream to which the log is forwarded.
func (f *streamFlags) addForward(flags *pflag.FlagSet) {
	f.add(flags, "forward", "to whose JetStream the log is forwarded", "readiness")
}

// forwarder forwards a log. It is nil without --forward.
func (r *root) forwarder(core *core, to streamFlags) *forward.Forwarder {
	if to.URL == "" {
		return nil
	}
	trees := audit.New(audit.Options{Pool: core.pool, Watermark: core.store.Watermark, Now: time.Now, Log: r.Log})
	return forward.New(forward.Options{Target: to.Target, Pool: core.pool, Store: core.store, Epoch: trees.Epoch, Log: r.Log})
}

func (r *root) forwardCommand() *cobra.Command {
	var flags databaseFlags
	var to streamFlags
	c := &cobra.Command{
		Use:   "forward",
		Short: "Forward the log to NATS JetStream",
		Long: `Copies every event of the log, and then every new one, to a stream of NATS JetStream: as CloudEvents, with the subjects
events.ACCOUNT.TYPE. Every event is in the stream once, in the order of the log, even if processes are killed. One process forwards;
others wait to take over. serve and worker do the same with --forward.

It ends with an error if the stream or a server must not be used: a server that confirms writes before they are on disk, a
stream that removes events, or one whose last event is not in the log. Until then it is safe to start it again.`,
		Example: `  readinessd forward --forward nats://readiness:SECRET@nats.example.com --forward-system nats://system:SECRET@nats.example.com
  readinessd forward rebuild`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := to.check(true); err != nil {
				return err
			}
			return r.withCore(c.Context(), flags, false, func(core *core) error {
				return r.forwarder(core, to).KeepOrFail(c.Context())
			})
		},
	}
	flags.add(c.PersistentFlags())
	to.addForward(c.PersistentFlags())
	c.AddCommand(r.forwardRebuildCommand(&flags, &to), r.forwardForgetCommand(&flags))
	return c
}

func (r *root) forwardRebuildCommand(flags *databaseFlags, to *streamFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "rebuild",
		Short: "Delete the stream, so that it begins again with the log's first event",
		Long: `Deletes the stream and makes an empty one, which the next forwarder fills from the log's first event: after a disk of NATS
was damaged, or after the database was restored to an earlier time. Stop every forwarder first. Consumers that store their
position continue after it, or begin again if the epoch has risen.`,
		Example: "  readinessd forward rebuild --forward nats://localhost --forward-system nats://system:SECRET@localhost",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := to.check(true); err != nil {
				return err
			}
			return r.withCore(c.Context(), *flags, false, func(core *core) error {
				if err := r.forwarder(core, *to).Rebuild(c.Context()); err != nil {
					return err
				}
				_, err := fmt.Fprintf(r.Stdout, "The stream %s is empty; readinessd forward fills it.\n", to.Stream)
				return err
			})
		},
	}
}

func (r *root) forwardForgetCommand(flags *databaseFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "forget",
		Short: "Remove the state of forwarding, so that no alert waits for it",
		Long: `Removes the state of forwarding from the database: its position and its last error. Use it when the log is no longer
forwarded; the stream stays. Stop every forwarder first.`,
		Example: "  readinessd forward forget",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return r.withCore(c.Context(), *flags, false, func(core *core) error {
				return forward.New(forward.Options{Pool: core.pool, Store: core.store}).Forget(c.Context())
			})
		},
	}
}
