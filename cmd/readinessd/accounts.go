package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"readiness/cmd/cli"
	"readiness/cmd/declared"
	"readiness/commands"
	"readiness/domain/account"
)

func (r *root) accountsCommand() *cobra.Command {
	var (
		flags     databaseFlags
		plansFile string
	)
	c := &cobra.Command{
		Use:   "accounts",
		Short: "Apply an accounts file, show what it would change, print its schema, move or erase an account",
		Long: `Accounts, their people, plans, licenses and settings are declared in one YAML file. apply appends only the differences to
the event log, so applying the file again changes nothing. The declaration of an account is complete: what it omits is
removed or set to its default. Accounts that the file does not name stay unchanged.`,
		RunE: cli.NeedsSubcommand,
	}
	flags.add(c.PersistentFlags())
	plansFlag(c.PersistentFlags(), &plansFile)
	command := func(use, short, example string, do func(context.Context, *commands.Accounts, []account.Declaration) error) *cobra.Command {
		return &cobra.Command{
			Use: use, Short: short, Example: example,
			Args: cobra.ExactArgs(1),
			RunE: func(c *cobra.Command, args []string) error {
				plans, err := readPlans(plansFile)
				if err != nil {
					return err
				}
				declared, err := readAccounts(args[0], plans)
				if err != nil {
					return err
				}
				return r.operate(c.Context(), flags, func(url string) error {
					if err := migrate(c.Context(), url); err != nil {
						return err
					}
					core, err := openCore(c.Context(), url, flags.connections, false, r.Log)
					if err != nil {
						return err
					}
					defer core.close()
					core.plans = plans
					secrets, err := openSecrets(flags.data)
					if err != nil {
						return err
					}
					if err := core.know(secrets); err != nil {
						return err
					}
					return do(c.Context(), core.accountCommands(), declared)
				})
			},
		}
	}
	c.AddCommand(
		command("apply FILE", "Show what the file changes, and apply it", "  readinessd accounts apply samples/accounts.yaml",
			r.applyAccounts),
		command("diff FILE", "Show what applying the file would change", "  readinessd accounts diff samples/accounts.yaml", r.diffAccounts),
		r.accountsSchemaCommand(), r.accountsKeyCommand(&flags.data), r.accountsExportCommand(&flags), r.accountsImportCommand(&flags),
		r.accountsEraseCommand(&flags),
	)
	return c
}

func (r *root) accountsSchemaCommand() *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of the file, for editors and checks",
		Example: "  readinessd accounts schema > accounts.schema.json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := r.Stdout.Write(declared.Schema())
			return err
		},
	}
}

// diffAccounts prints what applying the declarations would change.
func (r *root) diffAccounts(ctx context.Context, s *commands.Accounts, declared []account.Declaration) error {
	changes, err := s.Diff(ctx, declared)
	fmt.Fprint(r.Stdout, describeChanges(changes))
	return err
}

// applyAccounts prints what applying the declarations changes, then applies them. If one account is refused, none
// changes.
func (r *root) applyAccounts(ctx context.Context, s *commands.Accounts, declared []account.Declaration) error {
	planned, err := s.Diff(ctx, declared)
	if err != nil {
		return err
	}
	plan := describeChanges(planned)
	fmt.Fprint(r.Stdout, plan)
	applied, err := s.Apply(ctx, declared)
	if did := describeChanges(applied); err == nil && did != plan {
		fmt.Fprint(r.Stdout, "\nThe accounts were changed by another process meanwhile. Applied:\n", did)
	}
	return err
}

// plansFlag adds the flag for the plans file.
func plansFlag(flags *pflag.FlagSet, file *string) {
	flags.StringVar(file, "plans", "", "file that defines what the plans grant; the defaults are those in samples/plans.yaml")
}

// readPlans reads a plans file; without a path it returns the defaults.
func readPlans(path string) (account.Plans, error) {
	if path == "" {
		return account.DefaultPlans(), nil
	}
	src, err := declared.Read(path)
	if err != nil {
		return nil, err
	}
	return declared.ParsePlans(path, src)
}

// readAccounts reads an accounts file, with the rules files that it names.
func readAccounts(path string, plans account.Plans) ([]account.Declaration, error) {
	src, err := declared.Read(path)
	if err != nil {
		return nil, err
	}
	return declared.Parse(path, src, plans, os.DirFS(filepath.Dir(path)))
}

// describeChanges returns the changes of each account as lines.
func describeChanges(changes []commands.AccountChange) string {
	w := &strings.Builder{}
	for _, c := range changes {
		if len(c.Events) == 0 {
			fmt.Fprintf(w, "account %s: no change\n", c.AccountID)
			continue
		}
		fmt.Fprintf(w, "account %s:\n", c.AccountID)
		for _, line := range declared.Describe(c.Before, c.Events, c.Names) {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	return w.String()
}
