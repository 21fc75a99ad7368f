package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/eventstore/audit"
	"readiness/projections"
)

func (r *root) projectionsAsOfCommand(flags *databaseFlags) *cobra.Command {
	q := projections.AsOf{}
	var at, format, read string
	c := &cobra.Command{
		Use:   "as-of VIEW",
		Short: "Print the rows of a view as they were at a position or a time",
		Long: `Projects the events up to a position into temporary tables, prints their rows in the order of their keys, and drops the
tables. A time means the last head of the log that was signed at or before it, because only signed heads show what was recorded by
then; the head is printed on stderr. In ndjson each line has the table and the row; csv has one table.`,
		Example: `  readinessd projections as-of assessments --time 2026-06-30T22:00:00Z --account contoso
  readinessd projections as-of accounts --position 1200 --format csv --table members`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			q.View = args[0]
			if err := knownView(q.View); err != nil {
				return err
			}
			positioned := c.Flags().Changed("position")
			moment, err := time.Parse(time.RFC3339, at)
			switch {
			case positioned == (at != ""):
				return cli.Usage("name either --position or --time")
			case at != "" && err != nil:
				return cli.Usage("--time must be like 2026-06-30T22:00:00Z: %w", err)
			case format != "ndjson" && format != "csv":
				return cli.Usage("--format must be ndjson or csv, not %q", format)
			}
			q.CSV = format == "csv"
			return r.withCore(c.Context(), *flags, true, func(core *core) error {
				if read != "" {
					s, err := core.standby(c.Context(), read)
					if err != nil {
						return err
					}
					defer s.Close()
					if err := s.Check(c.Context()); err != nil {
						return err
					}
					core.ReadFrom(s)
				}
				if !positioned {
					if q.Position, err = r.positionAt(c.Context(), core, flags.data, moment); err != nil {
						return err
					}
				}
				err := core.engine.WriteAsOf(c.Context(), core.store, r.Stdout, q)
				if _, is := errors.AsType[projections.NoTable](err); is {
					return cli.Usage("--table: %w", err)
				}
				return err
			})
		},
	}
	r.withoutTextsFlag(c.Flags(), &q.WithoutTexts)
	c.Flags().Int64Var(&q.Position, "position", 0, "the last event to project, by its position in the log")
	c.Flags().StringVar(&at, "time", "", "time (RFC 3339) at which the log must have been sealed")
	standbyFlag(c.Flags(), &read, "where the events are read; the temporary tables are made in the database")
	c.Flags().StringVar(&q.Account, "account", "", "only this account's events")
	c.Flags().StringVar(&format, "format", "ndjson", "ndjson or csv")
	cli.OwnEnvironment(c, "as-of", "format")
	c.Flags().StringVar(&q.Table, "table", "", "only this table of the view")
	return c
}

// positionAt returns the position of the last event under the last head that was signed at or before a time, which it prints on stderr.
func (r *root) positionAt(ctx context.Context, core *core, data string, at time.Time) (int64, error) {
	log, _, err := r.trees(core, data)
	if err != nil {
		return 0, err
	}
	head, err := log.SignedAt(ctx, at)
	if errors.Is(err, audit.ErrNotSealed) {
		return 0, fmt.Errorf("no head was signed at or before %s", at.Format(time.RFC3339))
	}
	if err == nil {
		signed := head.SignedAt.UTC().Format(time.RFC3339Nano)
		fmt.Fprintf(r.Stderr, "as of position %d, signed at %s:\n%s", head.Position, signed, head.Note)
	}
	return head.Position, err
}
