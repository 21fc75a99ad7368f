package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"readiness"
	"readiness/internal/indentedjson"
)

// AddAbout adds the commands that every program has: version, licenses and completion.
func (p *Program) AddAbout() {
	p.Command.AddCommand(p.versionCommand(), p.licensesCommand())
	p.Command.InitDefaultCompletionCmd()
}

// versionLine says which build of a program this is.
func versionLine(program string) string {
	b := BuildOf()
	return fmt.Sprintf("%s %s (commit %s, %s, %s, %s/%s)", program, Version(), cmp.Or(b.Commit, "unknown"), cmp.Or(b.Date, "date unknown"),
		runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func (p *Program) versionCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "version",
		Short: "Show version, commit and date of this build",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if format != "json" {
				_, err := fmt.Fprintln(p.Stdout, versionLine(p.Command.Name()))
				return err
			}
			b := BuildOf()
			return json.NewEncoder(p.Stdout).Encode(map[string]string{"program": p.Command.Name(), "version": Version(), "commit": b.Commit,
				"date": b.Date, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH})
		},
	}
	FormatFlag(c, &format, "text", "json")
	OwnEnvironment(c, c.Name(), "format")
	return c
}

// helpCommand is the command that shows the help of others. Cobra's own succeeds for a command that does not exist.
func (p *Program) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a command",
		RunE: func(_ *cobra.Command, args []string) error {
			c, left, err := p.Command.Find(args)
			switch {
			case len(left) > 0:
				return unknownCommand(c, left[0])
			case err != nil:
				return err
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			c, left, err := p.Command.Find(args)
			if err != nil || len(left) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			for _, child := range c.Commands() {
				if child.IsAvailableCommand() {
					names = append(names, child.Name()+"\t"+child.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func (p *Program) licensesCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:     "licenses",
		Short:   "Show the licenses of what the program contains of others",
		Long:    "Prints the names, versions and licenses of all modules of others that the two programs contain.",
		Example: "  " + p.Command.Name() + " licenses | less",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if format == "json" {
				return indentedjson.Write(p.Stdout, map[string][]license{"licenses": licensesOf(readiness.Notice)})
			}
			_, err := fmt.Fprint(p.Stdout, readiness.Notice)
			return err
		},
	}
	FormatFlag(c, &format, "text", "json")
	OwnEnvironment(c, c.Name(), "format")
	return c
}

// license is a text of NOTICE and the modules that are under it, each "path version".
type license struct {
	Modules []string `json:"modules"`
	Text    string   `json:"text"`
}

// licensesOf takes NOTICE apart: a line of 80 equal signs is above each license, and a blank line between its modules and its text.
func licensesOf(notice string) (all []license) {
	for _, part := range strings.Split(notice, "\n"+strings.Repeat("=", 80)+"\n")[1:] {
		modules, text, _ := strings.Cut(part, "\n\n")
		all = append(all, license{strings.Split(modules, "\n"), strings.TrimRight(text, "\n")})
	}
	return all
}
