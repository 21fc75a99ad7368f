package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"readiness/accounts"
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
		Short: "Apply a file of accounts, or show what it would change",
		Long: `Accounts, their people, plans, licenses and settings are kept as one reviewed YAML file. Applying it appends only the
differences to the event log, so applying it again changes nothing. What the file says of an account is all there is of
it; an account that the file does not name stays as it is.`,
		Args: cobra.NoArgs,
		RunE: needsSubcommand,
	}
	flags.add(c.PersistentFlags())
	plansFlag(c.PersistentFlags(), &plansFile)
	command := func(use, short, example string, do func(context.Context, *commands.Service, []account.Declaration) ([]commands.AccountChange, error)) *cobra.Command {
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
					core, err := openCore(c.Context(), url, flags.connections, false, r.log)
					if err != nil {
						return err
					}
					defer core.close()
					core.plans = plans
					changes, err := do(c.Context(), core.accountCommands(), declared)
					describeChanges(r.stdout, changes)
					return err
				})
			},
		}
	}
	c.AddCommand(
		command("apply FILE", "Make the accounts what the file says", "  readiness accounts apply samples/accounts.yaml",
			func(ctx context.Context, s *commands.Service, d []account.Declaration) ([]commands.AccountChange, error) {
				return s.ApplyAccounts(ctx, d)
			}),
		command("diff FILE", "Show what applying the file would change", "  readiness accounts diff samples/accounts.yaml",
			func(ctx context.Context, s *commands.Service, d []account.Declaration) ([]commands.AccountChange, error) {
				return s.DiffAccounts(ctx, d)
			}),
	)
	return c
}

// plansFlag names the file of plans.
func plansFlag(flags *pflag.FlagSet, file *string) {
	flags.StringVar(file, "plans", "", "file that says what the plans grant; by default as samples/plans.yaml says")
}

// readPlans reads a file of plans; without one it returns the defaults.
func readPlans(path string) (account.Plans, error) {
	if path == "" {
		return account.DefaultPlans(), nil
	}
	src, err := readDeclared(path)
	if err != nil {
		return nil, err
	}
	return accounts.ParsePlans(path, src)
}

// readAccounts reads an accounts file.
func readAccounts(path string, plans account.Plans) ([]account.Declaration, error) {
	src, err := readDeclared(path)
	if err != nil {
		return nil, err
	}
	return accounts.Parse(path, src, plans)
}

// readDeclared reads a file; more than it may hold is not read.
func readDeclared(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, accounts.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return src, nil
}

// describeChanges prints what changes, account by account.
func describeChanges(w io.Writer, changes []commands.AccountChange) {
	for _, c := range changes {
		if len(c.Events) == 0 {
			fmt.Fprintf(w, "account %s: no change\n", c.AccountID)
			continue
		}
		fmt.Fprintf(w, "account %s:\n", c.AccountID)
		for _, line := range accounts.Describe(c.Before, c.Events) {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
}
