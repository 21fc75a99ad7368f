package cli

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"readiness"
)

// AddAbout adds the commands that every program has: version, licenses and completion.
func (p *Program) AddAbout() {
	p.Command.AddCommand(p.versionCommand(), p.licensesCommand())
	p.Command.InitDefaultCompletionCmd()
}

func (p *Program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show version, commit and date of this build",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := BuildOf()
			_, err := fmt.Fprintf(p.Stdout, "%s %s (commit %s, %s, %s, %s/%s)\n", p.Command.Name(), Version(), cmp.Or(b.Commit, "unknown"),
				cmp.Or(b.Date, "date unknown"), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

func (p *Program) licensesCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "licenses",
		Short:   "Show the licenses of what the program contains of others",
		Long:    "Prints the names, versions and licenses of all modules of others that the two programs contain.",
		Example: "  " + p.Command.Name() + " licenses | less",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(p.Stdout, readiness.Notice)
			return err
		},
	}
}
