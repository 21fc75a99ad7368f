package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/migrations"
)

func (r *root) migrateCommand() *cobra.Command {
	var flags databaseFlags
	c := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the database's schema up to date, or show its state",
		RunE:  cli.NeedsSubcommand,
	}
	flags.add(c.PersistentFlags())
	c.AddCommand(
		&cobra.Command{
			Use:     "up",
			Short:   "Apply missing migrations",
			Long:    "Applies all missing migrations in order, each in one transaction. serve and worker do the same when they start.",
			Example: "  readinessd migrate up --database-url postgres://owner@db.example.com/readiness",
			Args:    cobra.NoArgs,
			RunE: func(c *cobra.Command, _ []string) error {
				d, err := r.run(c.Context(), flags, true)
				if err != nil {
					return err
				}
				defer d.stop(c.Context()) //nolint:errcheck // the schema is up to date, whatever stopping the server returns
				if err := migrate(c.Context(), d.url); err != nil {
					return err
				}
				_, err = fmt.Fprintln(r.Stdout, "the schema is up to date")
				return err
			},
		},
		&cobra.Command{
			Use:   "status",
			Short: "List the migrations and whether they are applied",
			Args:  cobra.NoArgs,
			RunE: func(c *cobra.Command, _ []string) error {
				return r.operate(c.Context(), flags, func(url string) error {
					steps, err := migrations.Status(c.Context(), url)
					if err != nil {
						return err
					}
					w := tabwriter.NewWriter(r.Stdout, 0, 0, 2, ' ', 0)
					fmt.Fprintln(w, "COMPONENT\tVERSION\tNAME\tAPPLIED")
					for _, s := range steps {
						fmt.Fprintf(w, "%s\t%d\t%s\t%t\n", s.Component, s.Version, s.Name, s.Applied)
					}
					return w.Flush()
				})
			},
		},
	)
	return c
}
