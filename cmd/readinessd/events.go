package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"readiness/cmd/cli"
	"readiness/eventstore"
	"readiness/eventstore/audit"
)

func (r *root) eventsCommand() *cobra.Command {
	var flags databaseFlags
	c := &cobra.Command{
		Use:   "events",
		Short: "List, export, import or verify the event log",
		RunE:  cli.NeedsSubcommand,
	}
	flags.add(c.PersistentFlags())
	c.AddCommand(r.eventsListCommand(&flags), r.eventsExportCommand(&flags), r.eventsImportCommand(&flags),
		r.eventsVerifyCommand(&flags))
	return c
}

// withCore calls do with the log and its views of an operator's database, as its owner or as the application's role.
func (r *root) withCore(ctx context.Context, f databaseFlags, owner bool, do func(*core) error) error {
	return r.operate(ctx, f, func(url string) error {
		core, err := openCore(ctx, url, f.connections, owner, r.Log)
		if err != nil {
			return err
		}
		defer core.close()
		if err := core.unsealFrom(f.data); err != nil {
			return err
		}
		return do(core)
	})
}

func selectionFlags(flags *pflag.FlagSet, sel *eventstore.Selection) {
	flags.StringVar(&sel.Stream, "stream", "", "only this stream, for example operation-<id>")
	flags.StringVar(&sel.Account, "account", "", "only this account's events")
	flags.Int64Var(&sel.After, "after", 0, "only events after this position")
}

func (r *root) eventsListCommand(flags *databaseFlags) *cobra.Command {
	var sel eventstore.Selection
	var limit int
	c := &cobra.Command{
		Use:   "list",
		Short: "List events in a table",
		Example: `  readinessd events list --stream operation-019a8f3e-0000-7000-8000-000000000000
  readinessd events list --account contoso --after 1000 --limit 20`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if limit < 1 {
				return cli.Usage("--limit must be at least 1")
			}
			return r.withCore(c.Context(), *flags, false, func(core *core) error {
				w := tabwriter.NewWriter(r.Stdout, 0, 0, 2, ' ', 0)
				fmt.Fprintln(w, "POSITION\tRECORDED\tSTREAM\tVERSION\tTYPE\tDATA")
				n := 0
				var last int64
				for e, err := range core.store.ReadStored(c.Context(), sel) {
					if err != nil {
						return errors.Join(err, w.Flush())
					}
					if n == limit {
						fmt.Fprintf(r.Stderr, "more events follow: --after %d\n", last)
						break
					}
					fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%s\t%s\n", e.Position, e.RecordedAt.Format(time.RFC3339Nano), e.Stream, e.Version,
						e.Type, e.Data)
					n, last = n+1, e.Position
				}
				return w.Flush()
			})
		},
	}
	selectionFlags(c.Flags(), &sel)
	c.Flags().IntVar(&limit, "limit", 100, "maximum number of events")
	return c
}

func (r *root) eventsVerifyCommand(flags *databaseFlags) *cobra.Command {
	var read string
	c := &cobra.Command{
		Use:   "verify",
		Short: "Verify that the log is unchanged",
		Long: `Reads the entire log and checks its hash chains: every column of every event and stream is unchanged, no version of a
stream is missing and none was added. Then it computes the trees of the log again, and compares tiles, signed heads and notes.
Signatures are checked with service.key in --data, and not checked without it. Each key under which texts of persons are sealed must be
stored, except those of erased accounts, and open with that file. Each person whom events name must have a row, unless an event says that
the person was erased. Mismatches are listed on stdout; then the exit code is 3.

It compares the database with itself, and with the head that the data directory keeps. A person who can write both and has service.key can
make another consistent log: only a signed head that was kept elsewhere reveals that (readinessd audit verify --checkpoint). An event
removed within 10 seconds, before it was in a tree, leaves no trace if the stream's row was reset.`,
		Example: `  readinessd events verify
  readinessd events verify --database-url postgres://readiness@one/readiness --read-database-url postgres://readiness@two/readiness`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return r.withReader(c.Context(), *flags, read, func(core *core, upTo int64) error {
				var v eventstore.Verification
				var damaged, lost bool
				err := r.repeated(func() (err error) {
					if v, damaged, err = r.verifyLog(c.Context(), core, flags.data, read != ""); err == nil {
						lost, err = r.verifyOutside(c.Context(), core)
					}
					return err
				})
				if err != nil {
					return err
				}
				if damaged || lost {
					return cli.ErrDamaged
				}
				if read != "" {
					_, err := fmt.Fprintf(r.Stdout, "read from a standby, up to position %d; the primary's own files were not read\n", upTo)
					return err
				}
				if err := core.store.Verified(c.Context(), v); err != nil {
					r.Log.Warn("the metric of the last verification keeps its earlier time", "error", err)
				}
				return nil
			})
		},
	}
	standbyFlag(c.Flags(), &read, "to be verified instead; the last verification of the database is then not recorded")
	return c
}

// verifyLog verifies the chains and the trees of the log concurrently, each over its own connection. It reports whether there were
// mismatches, which it lists: those of the chains first.
func (r *root) verifyLog(ctx context.Context, core *core, data string, standby bool) (eventstore.Verification, bool, error) {
	var v eventstore.Verification
	group, ctx := errgroup.WithContext(ctx)
	defer debug.SetGCPercent(debug.SetGCPercent(400))        // garbage collection after each page of events took a fifth of the time
	group.SetLimit(min(2, int(core.pool.Config().MaxConns))) // with one connection, one after the other
	chained := make(chan struct{})
	group.Go(func() error {
		defer close(chained)
		progress := r.TimedProgress("verifying events")
		var err error
		v, err = core.store.Verify(ctx, eventstore.VerifyOptions{
			Found:    func(m eventstore.Mismatch) { fmt.Fprintln(r.Stdout, m) },
			Progress: func(v eventstore.Verification) { progress.At(v.Events, v.Total) },
		})
		progress.End()
		if err != nil {
			return err
		}
		fmt.Fprintf(r.Stdout, "%d events in %d streams: %d mismatches", v.Events, v.Streams, v.Mismatches)
		if v.Unchecked > 0 {
			fmt.Fprintf(r.Stdout, ", %d events behind them not checked", v.Unchecked)
		}
		fmt.Fprintln(r.Stdout)
		return nil
	})
	var trees bool
	group.Go(func() (err error) {
		trees, err = r.verifyTrees(ctx, core, data, standby, audit.VerifyOptions{}, chained)
		return err
	})
	if err := group.Wait(); err != nil {
		return v, false, err
	}
	return v, trees || v.Mismatches > 0, nil
}
