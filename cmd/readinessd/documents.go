package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"readiness/cmd/cli"
	"readiness/internal/bucket"
)

// documentFlags say where the bodies of stored documents are.
type documentFlags struct {
	bucket string
	puts   bool
}

func (f *documentFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.bucket, "documents", "", "bucket for stored documents, of this database alone: "+bucket.Usage+
		"; by default they are in the database")
}

// addPuts adds the flag of processes that store documents.
func (f *documentFlags) addPuts(flags *pflag.FlagSet) {
	flags.BoolVar(&f.puts, "documents-put", true, "put new documents into the bucket of --documents; false reads those that are there and "+
		"stores new ones in the database, while processes begin or stop to use the bucket one after the other")
}

// open lets the documents of a core be read from the bucket. It refuses to do without one, or with another one, if documents are in a
// bucket. The returned function closes the bucket.
func (f *documentFlags) open(ctx context.Context, c *core) (closed func() error, err error) {
	closed = func() error { return nil }
	if f.bucket != "" {
		b, err := bucket.Open(ctx, f.bucket)
		if err != nil {
			return nil, cli.Usage("--documents: %w", err)
		}
		c.Documents.Use(b, f.puts)
		closed = b.Close
	}
	if err := c.Documents.Belongs(ctx); err != nil {
		return nil, errors.Join(err, closed())
	}
	return closed, nil
}

// withDocuments is withCore for commands that read documents.
func (r *root) withDocuments(ctx context.Context, f databaseFlags, in documentFlags, do func(*core) error) error {
	return r.withCore(ctx, f, false, func(c *core) error {
		closed, err := in.open(ctx, c)
		if err != nil {
			return err
		}
		return errors.Join(do(c), closed())
	})
}

func (r *root) documentsCommand() *cobra.Command {
	var flags databaseFlags
	var in documentFlags
	c := &cobra.Command{
		Use:   "documents",
		Short: "Verify stored documents, and show and move where they are",
		RunE:  cli.NeedsSubcommand,
	}
	flags.add(c.PersistentFlags())
	in.add(c.PersistentFlags())
	c.AddCommand(r.documentsShowCommand(&flags, &in), r.documentsMoveCommand(&flags, &in), r.documentsStraysCommand(&flags, &in),
		r.documentsVerifyCommand(&flags, &in))
	return c
}

func (r *root) documentsShowCommand(flags *databaseFlags, in *documentFlags) *cobra.Command {
	return &cobra.Command{
		Use:     "show",
		Short:   "Count the documents in the database and in the bucket",
		Example: "  readinessd documents show",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return r.withCore(c.Context(), *flags, false, func(core *core) error {
				inDatabase, inBucket, unnamed, err := core.Documents.Places(c.Context())
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(r.Stdout, "in the database: %d\nin the bucket: %d\nobjects without a document: %d\n",
					inDatabase, inBucket, unnamed)
				return err
			})
		},
	}
}

func (r *root) documentsMoveCommand(flags *databaseFlags, in *documentFlags) *cobra.Command {
	var to string
	c := &cobra.Command{
		Use:   "move --to bucket|database --documents URL",
		Short: "Move stored documents to the bucket or back, while the service runs",
		Long: `Moves every document that is not there yet. The service may run meanwhile, if all its processes have --documents. Every
document can be read at every moment. A move that was stopped continues when it is started again.

To begin to use a bucket, restart every process with --documents and --documents-put=false, then every process without the latter, then
move to the bucket. To stop, restart every process with --documents-put=false, move to the database, then restart without --documents.`,
		Example: "  readinessd documents move --to bucket --documents s3://readiness-documents?region=eu-central-1",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if in.bucket == "" || to != "bucket" && to != "database" {
				return cli.Usage("move needs --documents, and --to bucket or --to database")
			}
			return r.withDocuments(c.Context(), *flags, *in, func(core *core) error {
				all := 0
				move := core.Documents.ToBucket
				if to == "database" {
					move = core.Documents.ToDatabase
				}
				err := move(c.Context(), func(n int) {
					all += n
					fmt.Fprintf(r.Stderr, "%d documents moved\n", all)
				})
				if err == nil {
					err = core.Documents.Sweep(c.Context(), time.Now())
				}
				if err != nil {
					return fmt.Errorf("%d documents moved; start the command again to move the rest: %w", all, err)
				}
				_, err = fmt.Fprintf(r.Stdout, "%d documents moved\n", all)
				return err
			})
		},
	}
	c.Flags().StringVar(&to, "to", "", "bucket or database")
	return c
}

func (r *root) documentsStraysCommand(flags *databaseFlags, in *documentFlags) *cobra.Command {
	var older time.Duration
	var remove bool
	c := &cobra.Command{
		Use:   "strays --documents URL",
		Short: "List the objects in the bucket that this database does not know, or remove them",
		Long: `Prints the keys of the objects in the bucket that no document has and none is about to get. They cost storage and nothing
else. A process that was frozen for hours while it stored a document may leave one. So does a database that was restored to an earlier
time: it does not know what was stored after that time. Removing them then takes that away from another restore, to a later time.

Objects of another database that uses the same bucket are strays here. With --remove they are lost there. The service may run meanwhile.`,
		Example: "  readinessd documents strays --documents s3://readiness-documents?region=eu-central-1",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if in.bucket == "" || older < 0 {
				return cli.Usage("strays needs --documents, and no negative --older")
			}
			return r.withDocuments(c.Context(), *flags, *in, func(core *core) error {
				n := 0
				err := core.Documents.Strays(c.Context(), time.Now().Add(-older), remove, func(key string) {
					n++
					fmt.Fprintln(r.Stdout, key)
				})
				what := "found"
				if remove {
					what = "removed"
				}
				fmt.Fprintf(r.Stderr, "%d objects %s\n", n, what)
				return err
			})
		},
	}
	c.Flags().DurationVar(&older, "older", 24*time.Hour, "leave out objects that were stored in this time, by the clock of the bucket")
	c.Flags().BoolVar(&remove, "remove", false, "delete them")
	return c
}

// documents checks that the documents can be read where they are.
func (d *doctor) documents(ctx context.Context, c *core) []symptom {
	closed, err := d.flags.documents.open(ctx, c)
	if err != nil {
		return []symptom{{Verdict: failing, Says: err.Error(), Do: "Give --documents as serve does."}}
	}
	defer func() { _ = closed() }() // it was only read
	if err := c.Documents.Reach(ctx); err != nil {
		return []symptom{{Verdict: failing, Says: err.Error(), Do: "See that this machine reaches the bucket and may read it. " +
			"Until then results in it cannot be read, and work that stores one waits."}}
	}
	inDatabase, inBucket, _, err := c.Documents.Places(ctx)
	if err != nil {
		return failure(err)
	}
	if d.flags.documents.bucket != "" && d.flags.documents.puts && inDatabase > 0 {
		return []symptom{{Verdict: warning,
			Says: fmt.Sprintf("%d documents are in the database, and %d in the bucket", inDatabase, inBucket),
			Do:   "Run readinessd documents move --to bucket."}}
	}
	return ok("%d documents are in the database, and %d in a bucket", inDatabase, inBucket)
}
