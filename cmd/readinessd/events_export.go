package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/eventstore"
	"readiness/eventstore/columns"
)

// parquetFormat is the format of an export that does not consist of lines.
const parquetFormat = "parquet"

func (r *root) eventsExportCommand(flags *databaseFlags) *cobra.Command {
	var sel eventstore.Selection
	var format, output, read string
	formats := []string{string(eventstore.NDJSON), string(eventstore.CloudEvents), parquetFormat}
	c := &cobra.Command{
		Use:   "export",
		Short: "Export events as JSON lines or as Parquet",
		Long: `Writes the events of the log in order of position: one JSON text per line, as stored (ndjson) or as CloudEvents 1.0
(cloudevents), or a Parquet file with a column for each of the table (parquet), for analysis tools. An interrupted export
reports its last position; resume it with --after. An interrupted Parquet file is complete, and the rest goes into another file: a
data set may have several. If the process is killed, a Parquet file cannot be read; the lines of the other formats can.`,
		Example: `  readinessd events export --output events.ndjson
  readinessd events export --format cloudevents --account contoso > contoso.json
  readinessd events export --format parquet --output 1.parquet --up-to 1000000`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if !slices.Contains(formats, format) {
				return cli.Usage("--format must be %s, not %q", strings.Join(formats[:2], ", ")+" or "+formats[2], format)
			}
			return r.withReader(c.Context(), *flags, read, func(core *core, upTo int64) (err error) {
				if read != "" && sel.UpTo > upTo {
					return fmt.Errorf("the standby has the log up to position %d only, not to %d", upTo, sel.UpTo)
				}
				sel.UpTo = cmp.Or(sel.UpTo, upTo)
				out := r.Stdout
				if output != "" {
					f, err := os.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
					if err != nil {
						return err
					}
					defer func() { err = errors.Join(err, f.Close()) }()
					out = f
				}
				last, err := export(c.Context(), core.store, out, format, sel)
				if err != nil {
					return fmt.Errorf("%w; resume with --after %d", err, max(last, sel.After))
				}
				fmt.Fprintf(r.Stderr, "exported up to position %d\n", last)
				return nil
			})
		},
	}
	selectionFlags(c.Flags(), &sel)
	c.Flags().Int64Var(&sel.UpTo, "up-to", 0, "only events up to this position; 0 is the end of the log")
	standbyFlag(c.Flags(), &read, "to be read instead")
	c.Flags().StringVar(&format, "format", string(eventstore.NDJSON), "ndjson, cloudevents or parquet")
	cli.OwnEnvironment(c, "events-export", "format")
	c.Flags().StringVar(&output, "output", "", "file to create; it must not exist. stdout by default")
	return c
}

// export writes the selected events, and returns the position of the last that was written.
func export(ctx context.Context, log *eventstore.Store, to io.Writer, format string, sel eventstore.Selection) (last int64, err error) {
	if format == parquetFormat {
		return columns.Write(to, log.ReadStored(ctx, sel))
	}
	return log.Export(ctx, to, eventstore.Format(format), sel)
}
