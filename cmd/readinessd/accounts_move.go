package main

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/cmd/readinessd/move"
	"readiness/domain/account"
	"readiness/eventstore"
	"readiness/eventstore/audit"
	"readiness/projections"
	"readiness/storage/vault"
)

// deployment returns the deployment of a database and a data directory.
func (c *core) deployment(with secrets) (move.Deployment, error) {
	if err := c.know(with); err != nil {
		return move.Deployment{}, err
	}
	keys, err := vault.NewCredentials(c.pool, with.key("vault", vault.KeySize))
	signs := ed25519.NewKeyFromSeed(with.key("checkpoints", ed25519.SeedSize))
	return move.Deployment{Pool: c.pool, Store: c.store, Documents: c.Documents, People: c.people, Keys: keys,
		Trees: audit.New(audit.Options{Pool: c.pool, Key: signs}), Key: signs.Public().(ed25519.PublicKey)}, err
}

func (s secrets) recipient() (move.Recipient, error) {
	return move.NewRecipient(s.key("moved accounts", move.KeySize))
}

// withDeployment runs do on the database of a command, its documents, and the keys of its data directory.
func (r *root) withDeployment(ctx context.Context, f databaseFlags, in documentFlags, owner bool,
	do func(*core, secrets, move.Deployment) error) error {
	return r.withCore(ctx, f, owner, func(core *core) error {
		secrets, err := openSecrets(f.data)
		if err != nil {
			return err
		}
		d, err := core.deployment(secrets)
		if err != nil {
			return err
		}
		closed, err := in.open(ctx, core)
		if err != nil {
			return err
		}
		return errors.Join(do(core, secrets, d), closed())
	})
}

func (r *root) accountsKeyCommand(data *string) *cobra.Command {
	return &cobra.Command{
		Use:   "key",
		Short: "Print the key for which an account that moves here is sealed",
		Long: `Prints the public key of this deployment, which readinessd accounts export needs at the deployment that an account leaves. It
follows from service.key, which it does not reveal; only this service.key opens what is sealed for it.`,
		Example: "  readinessd accounts key --data /var/lib/readiness",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			secrets, err := openSecrets(*data)
			if err != nil {
				return err
			}
			to, err := secrets.recipient()
			if err == nil {
				fmt.Fprintln(r.Stdout, to.Public())
			}
			return err
		},
	}
}

func (r *root) accountsExportCommand(flags *databaseFlags) *cobra.Command {
	var to, output string
	var in documentFlags
	c := &cobra.Command{
		Use:   "export ACCOUNT",
		Short: "Export an account for another deployment",
		Long: `Writes one file with everything of an account: its events, the documents that they name, its trees, page views that are not
recorded yet, and, sealed for the target, its people and the keys of its AI providers and of its texts. Nothing of other accounts is in it.

First close the account (status: Closed in the accounts file) and let its work end; otherwise the command refuses. Stored tokens and
sessions of people are not in the file: they sign in again. docs/operating.md describes a move.`,
		Example: `  readinessd accounts export contoso --to readiness-move-… --output contoso.tar`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if to == "" {
				return cli.Usage("--to is missing: the key that readinessd accounts key prints at the target")
			}
			return r.withDeployment(c.Context(), *flags, in, false, func(core *core, _ secrets, d move.Deployment) (err error) {
				if err := core.mayLeave(c.Context(), args[0]); err != nil {
					return err
				}
				out := r.Stdout
				if output != "" {
					f, err := os.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
					if err != nil {
						return err
					}
					defer func() { err = errors.Join(err, f.Sync(), f.Close()) }()
					out = f
				}
				moved, err := move.Export(c.Context(), d, args[0], to, out)
				if err != nil {
					return err
				}
				fmt.Fprintf(r.Stderr, "exported %s\n", carried(moved))
				lost := 0
				err = projections.MissingDocuments(c.Context(), core.pool, func(m projections.MissingDocument) {
					if m.Account == args[0] {
						lost++
						fmt.Fprintf(r.Stderr, "%s is without its document %s, which is not stored; restore it from a backup and export again\n", m.Of, m.Hash)
					}
				})
				if err == nil && lost > 0 {
					err = cli.ErrDamaged
				}
				return err
			})
		},
	}
	in.add(c.Flags())
	c.Flags().StringVar(&to, "to", "", "key of the target, from readinessd accounts key")
	c.Flags().StringVar(&output, "output", "", "file to create; it must not exist. stdout by default")
	return c
}

func carried(m move.Moved) string {
	return fmt.Sprintf("account %s: %d events up to position %d, %d documents, %d sealed rows, %d other rows", m.Account, m.Events, m.Last,
		m.Documents, m.Sealed, m.Rows)
}

// mayLeave returns an error unless the account is closed and no work of it is left.
func (c *core) mayLeave(ctx context.Context, id string) error {
	past := eventstore.FoldCached(account.Stream(id), account.Evolve)
	if err := c.store.Load(ctx, past); err != nil {
		return err
	}
	switch left, err := c.views.UnfinishedOf(ctx, id); {
	case err != nil:
		return err
	case past.State.Status == "":
		return fmt.Errorf("there is no account %q", id)
	case past.State.Erased:
		return fmt.Errorf("account %s was erased", id)
	case past.State.Status != account.Closed:
		return fmt.Errorf("account %s is %s; declare it with status: Closed in the accounts file and apply the file, so that nothing is "+
			"added to it here", id, past.State.Status)
	case left > 0:
		return fmt.Errorf("%d operations of account %s have not ended; wait until they have, or cancel them", left, id)
	}
	return nil
}

func (r *root) accountsImportCommand(flags *databaseFlags) *cobra.Command {
	in := documentFlags{puts: true}
	c := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Import an account into an empty deployment",
		Long: `Reads the file of readinessd accounts export, or stdin (-), into a database whose log is empty, in one transaction: all of it,
or nothing if an entry is damaged, missing or out of order, or the command is interrupted. It recomputes every hash, and compares the events
with the heads that the source has signed. Sealed rows are sealed again under this service.key. Documents are put into the bucket of
--documents, if it is given, wherever the source has them. Stop every process of the service first.

Then run readinessd projections rebuild, and apply an accounts file in which the account is Active. Events keep their positions, so earlier
heads and proofs stay valid; readinessd audit verify --trees compares heads with the trees in the file.`,
		Example: `  readinessd migrate up --database-url postgres://…/contoso
  readinessd accounts import contoso.tar --database-url postgres://…/contoso`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			from := c.InOrStdin()
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return err
				}
				defer func() { _ = f.Close() }() // it was only read
				from = f
			}
			return r.withDeployment(c.Context(), *flags, in, true, func(core *core, secrets secrets, d move.Deployment) error {
				by, err := secrets.recipient()
				if err != nil {
					return err
				}
				moved, err := move.Import(c.Context(), d, by, from, func(ctx context.Context, tx pgx.Tx) error {
					return core.engine.WithdrawAll(ctx, tx)
				})
				if err != nil {
					return fmt.Errorf("%w; nothing was imported", err)
				}
				fmt.Fprintf(r.Stdout, "imported %s; next: readinessd projections rebuild\n", carried(moved))
				return nil
			})
		},
	}
	in.add(c.Flags())
	return c
}
