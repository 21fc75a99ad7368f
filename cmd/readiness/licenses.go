package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"readiness"
)

func (r *root) licensesCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "licenses",
		Short:   "Show the licenses of what the program contains of others",
		Long:    "Prints the names, versions and licenses of all modules of others that the program contains.",
		Example: `  readiness licenses | less`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(r.Stdout, readiness.Notice)
			return err
		},
	}
}
