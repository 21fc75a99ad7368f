package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"readiness/migrations"
)

func (r *root) migrateCommand() *cobra.Command {
	var flags databaseFlags
	c := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the database's schema up to date, or show how it stands",
		Args:  cobra.NoArgs,
		RunE:  needsSubcommand,
	}
	flags.add(c.PersistentFlags())
	c.AddCommand(
		&cobra.Command{
			Use:     "up",
			Short:   "Apply what the database lacks",
			Long:    "Applies, in order, every step that the database lacks, each whole or not at all. serve and worker do so when they start.",
			Example: "  readiness migrate up --database-url postgres://owner@db.example.com/readiness",
			Args:    cobra.NoArgs,
			RunE: func(c *cobra.Command, _ []string) error {
				d, err := r.run(c.Context(), flags, true)
				if err != nil {
					return err
				}
				defer d.stop(c.Context()) //nolint:errcheck // the schema is up, which is what was asked for
				if err := migrate(c.Context(), d.url); err != nil {
					return err
				}
				_, err = fmt.Fprintln(r.stdout, "the schema is up to date")
				return err
			},
		},
		&cobra.Command{
			Use:   "status",
			Short: "List the steps and whether the database has them",
			Args:  cobra.NoArgs,
			RunE: func(c *cobra.Command, _ []string) error {
				return r.operate(c.Context(), flags, func(url string) error {
					steps, err := migrations.Status(c.Context(), url)
					if err != nil {
						return err
					}
					w := tabwriter.NewWriter(r.stdout, 0, 0, 2, ' ', 0)
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

// needsSubcommand is what a command does that only groups others.
func needsSubcommand(c *cobra.Command, _ []string) error {
	names := ""
	for _, child := range c.Commands() {
		if child.IsAvailableCommand() {
			names += " " + child.Name()
		}
	}
	return usage("%s needs one of:%s", c.CommandPath(), names)
}
