package main

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"readiness/cmd/readiness/cli"
)

func (r *root) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show version, commit and date of this build",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := cli.BuildOf()
			_, err := fmt.Fprintf(r.Stdout, "readiness %s (commit %s, %s, %s, %s/%s)\n", cli.Version(), cmp.Or(b.Commit, "unknown"),
				cmp.Or(b.Date, "date unknown"), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
