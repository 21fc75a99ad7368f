package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"readiness/commands"
	"readiness/eventstore"
	"readiness/eventstore/audit"
)

func (r *root) eventsImportCommand(flags *databaseFlags) *cobra.Command {
	var seal bool
	c := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Import an export into an empty log",
		Long: `Reads the lines of readinessd events export --format ndjson, from a file or stdin (-), into a database whose log is empty, in
one transaction: all of them, or none if a line is refused or the command is interrupted. Every line must be as it was exported,
every stream complete from its first event, and every hash that of its event. A refused line is reported by its number. Then the log is the
exported one: positions, hashes and trees are the same, and an export gives the same file. Stop every process of the service first.

The views are not built: run readinessd projections rebuild before serving. An export contains only the events. Persons (to whom the ids in
events belong), keys of accounts (without which texts of people cannot be read), documents (results), keys of AI providers and signed heads
are not in it; docs/operating.md says how to copy them.
Work that had not ended fails when the first process serves or works.

Events of earlier programs may hold texts and names of people in plain form, which accounts erase would leave. With --seal these texts are
encrypted under the keys of their accounts and the names replaced by ids, with service.key in --data. Then the log has other hashes than the
exported one: copy the table account_keys before, and run readinessd audit restart after it, which records why.

It cannot detect lines that were forged with matching hashes, or a missing end of the log: compare with heads that were kept
outside, by readinessd audit verify --checkpoint.`,
		Example: `  readinessd migrate up --database-url postgres://…/replica
  readinessd events import events.ndjson --database-url postgres://…/replica
  readinessd projections rebuild --database-url postgres://…/replica`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) (err error) {
			from := c.InOrStdin()
			total := int64(0)
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return err
				}
				defer func() { _ = f.Close() }() // it was only read
				if info, err := f.Stat(); err == nil {
					total = info.Size()
				}
				from = f
			}
			return r.withCore(c.Context(), *flags, true, func(core *core) error {
				o := eventstore.ImportOptions{Before: audit.Unused, After: core.engine.WithdrawAll}
				if seal {
					s, err := openSecrets(flags.data)
					if err == nil {
						err = core.unseal(s)
					}
					if err != nil {
						return err
					}
					return r.sealEvents(c, core, o, from, total)
				}
				return r.importEvents(c, core, o, from, total)
			})
		},
	}
	c.Flags().BoolVar(&seal, "seal", false,
		"encrypt texts of people, and replace their names, where events of earlier programs hold them in plain form")
	return c
}

// sealEvents imports lines with the plain texts in them sealed.
func (r *root) sealEvents(c *cobra.Command, core *core, o eventstore.ImportOptions, from io.Reader, total int64) error {
	sealer, withdraw := commands.NewSealer(core.store), o.After
	o.Change = sealer.Change
	o.After = func(ctx context.Context, tx pgx.Tx) error {
		if err := sealer.AfterImport(ctx, tx); err != nil {
			return err
		}
		return withdraw(ctx, tx)
	}
	if err := r.importEvents(c, core, o, from, total); err != nil {
		return err
	}
	fmt.Fprintf(r.Stdout, "sealed %d texts and replaced %d names; hashes are other ones: run readinessd audit restart --because "+
		"\"plain texts were sealed\", and delete the exported log with its backups and exports\n", sealer.Texts, sealer.Names)
	return nil
}

// importEvents imports lines. total is how many bytes they are, 0 if that is not known.
func (r *root) importEvents(c *cobra.Command, core *core, o eventstore.ImportOptions, from io.Reader, total int64) error {
	progress := r.LateProgress("importing bytes")
	counted := &counter{Reader: from}
	o.Progress = func(int64) { progress.At(counted.n, total) }
	done, err := core.store.Import(c.Context(), counted, o)
	progress.End()
	if err != nil {
		return fmt.Errorf("%w; nothing was imported", err)
	}
	fmt.Fprintf(r.Stdout, "imported %d events in %d streams, up to position %d; next: readinessd projections rebuild\n", done.Events,
		done.Streams, done.Last)
	return nil
}

// counter counts the bytes that are read.
type counter struct {
	io.Reader
	n int64
}

// Read implements io.Reader.
func (c *counter) Read(to []byte) (int, error) {
	n, err := c.Reader.Read(to)
	c.n += int64(n)
	return n, err
}
