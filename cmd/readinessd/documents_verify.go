package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/projections"
	"readiness/storage/documents"
)

// documentsRate is how many documents a second are verified by default.
const documentsRate = 500

func (r *root) documentsVerifyCommand(flags *databaseFlags, in *documentFlags) *cobra.Command {
	o := documents.VerifyOptions{}
	c := &cobra.Command{
		Use:   "verify",
		Short: "Verify that all stored documents are as the log names them",
		Long: `Reads every stored document and compares it with its hash, which the log names. Then it looks for results of assessments,
benchmark runs and A/B runs whose document is not stored. Each is listed on stdout; then the exit code is 3. It changes nothing, and the
service may run meanwhile. Restore what is damaged from a backup, or make the result again: the same content repairs a document.

If it is stopped, it says from where --after continues.`,
		Example: `  readinessd documents verify
  readinessd documents verify --rate 50 --after sha256:7f…`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.Rate < 1 {
				return cli.Usage("--rate must be at least 1")
			}
			return r.withDocuments(c.Context(), *flags, *in, func(core *core) error {
				found, err := r.verifyDocuments(c.Context(), core, o)
				if err == nil && found > 0 {
					err = cli.ErrDamaged
				}
				return err
			})
		},
	}
	c.Flags().IntVar(&o.Rate, "rate", documentsRate, "how many documents are read a second")
	c.Flags().StringVar(&o.After, "after", "", "hash of the last document that was verified before")
	cli.OwnEnvironment(c, "documents-verify", "after")
	return c
}

// verifyDocuments lists what is damaged or missing, and returns how many that are.
func (r *root) verifyDocuments(ctx context.Context, core *core, o documents.VerifyOptions) (found int, err error) {
	read, last := 0, o.After
	progress := r.TimedProgress("verifying documents")
	o.Read = func(n int, hash string) {
		read, last = n, hash
		progress.At(int64(n), 0)
	}
	o.Damaged = func(_ string, why error) {
		found++
		fmt.Fprintln(r.Stdout, why)
	}
	err = core.Documents.Verify(ctx, o)
	progress.End()
	if err != nil {
		return found, fmt.Errorf("%d documents were read; --after %q continues: %w", read, last, err)
	}
	err = projections.MissingDocuments(ctx, core.pool, func(m projections.MissingDocument) {
		found++
		fmt.Fprintf(r.Stdout, "%s of account %s: its document %s is not stored; restore it from a backup\n", m.Of, m.Account, m.Hash)
	})
	fmt.Fprintf(r.Stdout, "%d documents: %d damaged or missing\n", read, found)
	return found, err
}
