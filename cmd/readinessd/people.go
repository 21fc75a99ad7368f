package main

import (
	"cmp"
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/domain/item"
	"readiness/storage/people"
)

func (r *root) peopleCommand() *cobra.Command {
	var flags databaseFlags
	c := &cobra.Command{
		Use:   "people",
		Short: "List, show or erase the people whom the accounts know",
		Long: `The log, its views and documents hold random ids of people. One table says who they are, encrypted under
service.key; these commands need that file in the data directory.`,
		RunE: cli.NeedsSubcommand,
	}
	flags.add(c.PersistentFlags())
	c.AddCommand(r.peopleListCommand(&flags), r.peopleShowCommand(&flags), r.peopleEraseCommand(&flags))
	return c
}

// withPeople calls do with the core of an operator's database, which can name people.
func (r *root) withPeople(ctx context.Context, f databaseFlags, do func(*core) error) error {
	if there, err := hasKey(f.data); err != nil {
		return err
	} else if !there {
		return fmt.Errorf("the data directory %s has no %s; name the service's data directory with --data", f.data, keyFile)
	}
	return r.withCore(ctx, f, false, func(c *core) error {
		secrets, err := openSecrets(f.data)
		if err != nil {
			return err
		}
		if err := c.know(secrets); err != nil {
			return err
		}
		return do(c)
	})
}

func (r *root) peopleListCommand(flags *databaseFlags) *cobra.Command {
	var accountID string
	c := &cobra.Command{
		Use:   "list",
		Short: "List the people and their ids in the log",
		Long: `Lists the people whom the accounts know: those of the accounts file, and those who left it and were not erased. People who
were stored under another service.key have no name here, and the service does not recognize them; erase them by id.`,
		Example: "  readinessd people list --account contoso",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return r.withPeople(c.Context(), *flags, func(core *core) error {
				w := tabwriter.NewWriter(r.Stdout, 0, 0, 2, ' ', 0)
				fmt.Fprintln(w, "ACCOUNT\tPERSON\tISSUER\tID")
				err := core.people.List(c.Context(), accountID, func(s people.Stored) error {
					name := cli.Printable(s.Person.ID)
					if s.Unnamed != nil {
						name = "(another service.key)"
					}
					_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", s.AccountID, name, cli.Printable(s.Person.Issuer), s.ID)
					return err
				})
				if err != nil {
					return err
				}
				return w.Flush()
			})
		},
	}
	c.Flags().StringVar(&accountID, "account", "", "only this account's people")
	return c
}

// chosen selects a person on the command line.
type chosen struct{ issuer, account string }

func (f *chosen) add(c *cobra.Command) {
	c.Flags().StringVar(&f.issuer, "issuer", "", "the person's issuer, as in the accounts file; by default the embedded one")
	cli.OwnEnvironment(c, "people-erase", "issuer")
	c.Flags().StringVar(&f.account, "account", "", "only in this account; by default in all")
}

// find returns the person, named as in the accounts file or by id, in each account that knows them.
func (f chosen) find(ctx context.Context, c *core, name string) (found []people.Stored, err error) {
	all, err := c.people.Everywhere(ctx, item.Person{Issuer: f.issuer, ID: name})
	for _, s := range all {
		if f.account == "" || s.AccountID == f.account {
			found = append(found, s)
		}
	}
	return found, err
}

func (r *root) peopleShowCommand(flags *databaseFlags) *cobra.Command {
	var f chosen
	c := &cobra.Command{
		Use:   "show PERSON",
		Short: "Show how many events the log has about a person",
		Long: `Shows, for each account that knows the person, their id, their role, and how many events were recorded for them. Events from
before people had ids hold names, which nothing can erase; they are counted separately.`,
		Example: "  readinessd people show ada\n  readinessd people show TENANT/OBJECT --issuer https://login.microsoftonline.com/TENANT/v2.0",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return r.withPeople(c.Context(), *flags, func(core *core) error {
				found, err := f.find(c.Context(), core, args[0])
				if err != nil {
					return err
				}
				if len(found) == 0 {
					return fmt.Errorf("no account knows %q; `readinessd people list` lists the people whom they know", args[0])
				}
				w := tabwriter.NewWriter(r.Stdout, 0, 0, 2, ' ', 0)
				fmt.Fprintln(w, "ACCOUNT\tID\tROLE\tEVENTS\tEVENTS WITH THE NAME")
				for _, s := range found {
					of, err := core.eventsOf(c.Context(), s)
					if err != nil {
						return err
					}
					role, err := core.views.RoleOf(c.Context(), s.AccountID, s.ID)
					if err != nil {
						return err
					}
					role = cmp.Or(role, "(left)")
					fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\n", s.AccountID, s.ID, role, of.id, of.name)
				}
				return w.Flush()
			})
		},
	}
	f.add(c)
	return c
}

func (r *root) peopleEraseCommand(flags *databaseFlags) *cobra.Command {
	var f chosen
	c := &cobra.Command{
		Use:   "erase PERSON",
		Short: "Erase a person, so that their ids can no longer be resolved",
		Long: `Deletes the person's identity, removes them from the accounts, and records both in the log, whose hashes do not change.
PERSON is named as in the accounts file, or is an id of people list. This cannot be undone. Repeating it is harmless.

Remove the person from the accounts file first: otherwise the next accounts apply stores them again, under a new id. A backup
from before still holds the person: keep the ids that this prints, and erase them again after restoring one.`,
		Example: "  readinessd people erase ada\n  readinessd people erase 5b1c0f2e-58c7-4f0a-9f0e-1f6f6e1f2a3b",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return r.withPeople(c.Context(), *flags, func(core *core) error {
				found, err := f.find(c.Context(), core, args[0])
				if err != nil {
					return err
				}
				if len(found) == 0 {
					fmt.Fprintf(r.Stdout, "no account knows %s: there is nothing to erase\n", cli.Printable(args[0]))
				}
				for _, s := range found {
					of, err := core.eventsOf(c.Context(), s)
					if err != nil {
						return err
					}
					if _, err := core.accountCommands().ErasePerson(c.Context(), s.AccountID, s.ID); err != nil {
						return err
					}
					fmt.Fprintf(r.Stdout, "erased from account %s: %s\n", s.AccountID, s.ID)
					if of.name > 0 {
						fmt.Fprintf(r.Stdout, "  %d events of this account are from before people had ids and still hold the name\n",
							of.name)
					}
				}
				return nil
			})
		},
	}
	f.add(c)
	return c
}

// recordedFor is how many events of an account were recorded for a person: by id, and by name.
type recordedFor struct{ id, name int64 }

// eventsOf reads all events of the account.
func (c *core) eventsOf(ctx context.Context, s people.Stored) (of recordedFor, err error) {
	err = c.pool.QueryRow(ctx, `SELECT count(*) FILTER (WHERE metadata ->> 'person' = $2),
			count(*) FILTER (WHERE $3 <> '' AND (metadata ->> 'person' = $3 OR schema_version = 1
				AND position(concat('"id":', to_json($3::text)) IN data::text) > 0))
		FROM events WHERE account_id = $1`, s.AccountID, string(s.ID), s.Person.ID).Scan(&of.id, &of.name)
	if err != nil {
		return of, fmt.Errorf("count the events of a person: %w", err)
	}
	return of, nil
}
