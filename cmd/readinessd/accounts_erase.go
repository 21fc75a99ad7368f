package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"readiness/cmd/readinessd/erase"
	"readiness/http/console/signin"
	"readiness/storage/vault"
)

func (r *root) accountsEraseCommand(flags *databaseFlags) *cobra.Command {
	var in documentFlags
	var leave bool
	c := &cobra.Command{
		Use:   "erase ACCOUNT",
		Short: "Close an account for good and delete what it has",
		Long: `Deletes the key of the account's texts and records that in the log; from then on no text of the account can be read, and
nothing is recorded for it again. Then it deletes what the account has outside of the log: its people, keys of AI
providers, tokens, sessions, jobs, stored documents (with --documents, those in the bucket too), and its rows in every
view. The log, its hashes, trees and proofs stay as they are, and so do other accounts. This cannot be undone.

Events that earlier programs wrote may hold texts and names in plain form. The log cannot be changed, so they would stay: the command lists
them and refuses, and erases nothing. First bring the log into a new database with readinessd events export and events import --seal
(docs/operating.md, A log with plain texts). With --leave-plain it erases what it can.

First close the account (status: Closed in the accounts file), so that its people know, and remove it from the file
afterwards. The service may run. If the command is interrupted, repeat it: it continues. A backup from before still has
everything: erase the account again after restoring one. To find documents that other accounts have too, the command
reads the log once.`,
		Example: "  readinessd accounts erase contoso --data /var/lib/readiness",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return r.withPeople(c.Context(), *flags, func(core *core) error {
				closed, err := in.open(c.Context(), core)
				if err != nil {
					return err
				}
				defer func() { _ = closed() }()
				if err := r.plain(c.Context(), core, args[0], leave); err != nil {
					return err
				}
				return r.eraseAccount(c.Context(), core, flags.data, args[0])
			})
		},
	}
	in.add(c.Flags())
	c.Flags().BoolVar(&leave, "leave-plain", false, "erase the account although texts or names stay in events of earlier programs")
	return c
}

// plain lists the texts and names that stay in the log when the account is erased. It returns an error if there are any, unless they may be
// left.
func (r *root) plain(ctx context.Context, core *core, id string, leave bool) error {
	all, err := core.accountCommands().PlainTexts(ctx, id)
	if err != nil || len(all) == 0 {
		return err
	}
	texts, names := 0, 0
	for _, p := range all {
		fmt.Fprintf(r.Stdout, "stays in the log: %s: %d texts, %d names\n", p.Type, p.Texts, p.Names)
		texts, names = texts+p.Texts, names+p.Names
	}
	if leave {
		return nil
	}
	return fmt.Errorf("events of account %s hold %d texts and %d names in plain form, which earlier programs wrote and which erasing leaves; "+
		"nothing was erased; readinessd events export and events import --seal make a log without them (docs/operating.md, A log with plain "+
		"texts); with --leave-plain it erases everything else, and keep the list above as a record", id, texts, names)
}

func (r *root) eraseAccount(ctx context.Context, core *core, data, id string) error {
	secrets, err := openSecrets(data)
	if err != nil {
		return err
	}
	sessions, err := vault.NewSessions(core.pool, secrets.key("console sessions", vault.KeySize))
	if err != nil {
		return err
	}
	if _, err := core.accountCommands().EraseAccount(ctx, id); err != nil {
		return err
	}
	gone, err := erase.Delete(ctx, erase.Deployment{Pool: core.pool, Store: core.store, Engine: core.engine, Documents: core.Documents,
		Now: time.Now, EndSessions: func(ctx context.Context, account string) (int64, error) {
			return sessions.EndThose(ctx, func(content []byte) bool { return signin.Account(content) == account })
		}}, id)
	if err != nil {
		return fmt.Errorf("%w; the account is erased, and repeating the command deletes what is left", err)
	}
	fmt.Fprintf(r.Stdout, "erased account %s: its key, %d rows, %d documents, %d jobs, %d sessions\n", id, gone.Rows, gone.Documents,
		gone.Jobs, gone.Sessions)
	return nil
}
