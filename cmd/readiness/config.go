package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"readiness/cmd/readiness/cli"
)

func (r *root) configCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Print every flag, environment variable and default",
		Args:  cobra.NoArgs,
		RunE:  cli.NeedsSubcommand,
	}
	c.AddCommand(&cobra.Command{
		Use:     "reference",
		Short:   "Print all commands with their flags, environment variables and defaults as Markdown",
		Example: "  readiness config reference > docs/configuration.md",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			reference(r.Stdout, r.Command)
			return nil
		},
	})
	return c
}

const referenceHead = `# Configuration

<!-- Written by: readiness config reference > docs/configuration.md -->

Every flag can be set by its environment variable instead; the flag wins. In a variable, the values of a flag that can be
repeated are separated by commas. [operating.md](operating.md) explains how they work together.

## Variables without a flag

| Variable | |
|---|---|
| ` + "`READINESS_POSTGRES_BIN`" + ` | folder of PostgreSQL's server programs; no other place is searched |
| ` + "`OTEL_EXPORTER_OTLP_ENDPOINT`" + ` and related ones | where traces and metrics go |
| ` + "`NO_COLOR`" + ` | turns color off |
| the ` + "`apiKeyEnv`" + ` of an account's provider | its key; processes with the worker role read it |

## Every command

`

// reference writes the commands, the flags that all have first.
func reference(to io.Writer, program *cobra.Command) {
	fmt.Fprint(to, referenceHead)
	table(to, program.PersistentFlags())
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if !c.IsAvailableCommand() && c != program || c.Name() == "completion" || c.Name() == "help" {
			return
		}
		if c != program {
			fmt.Fprintf(to, "\n## %s\n\n%s.\n", c.CommandPath(), c.Short)
			if c.Runnable() && !c.HasSubCommands() {
				fmt.Fprintf(to, "\n    %s\n", strings.TrimSuffix(c.UseLine(), " [flags]"))
			}
			flags := pflag.NewFlagSet("", pflag.ContinueOnError)
			c.LocalNonPersistentFlags().VisitAll(flags.AddFlag)
			c.PersistentFlags().VisitAll(flags.AddFlag)
			if flags.HasAvailableFlags() {
				fmt.Fprintln(to)
				table(to, flags)
			}
		}
		for _, child := range c.Commands() {
			walk(child)
		}
	}
	walk(program)
}

// table writes the flags as rows, in the order of their names.
func table(to io.Writer, flags *pflag.FlagSet) {
	fmt.Fprintln(to, "| Flag | Variable | Default | |\n|---|---|---|---|")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		variable := cli.EnvironmentOf(f)
		usage := strings.TrimSuffix(f.Usage, " ("+variable+")")
		byDefault := f.DefValue
		if byDefault == "[]" {
			byDefault = ""
		}
		if byDefault != "" {
			byDefault = "`" + byDefault + "`"
		}
		fmt.Fprintf(to, "| `--%s` %s | `%s` | %s | %s |\n", f.Name, f.Value.Type(), variable, byDefault,
			strings.NewReplacer("|", `\|`, "\n", " ", "`", "'").Replace(usage))
	})
}
