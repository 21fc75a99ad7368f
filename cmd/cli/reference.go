package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Page is the document that shows all commands of a program with their flags, environment variables and defaults.
type Page struct {
	// Path is where the page is in the repository.
	Path string
	// Head is its beginning, before the tables of flags.
	Head string
}

// AddReference adds the command that prints the page.
func (p *Program) AddReference(page Page) {
	c := &cobra.Command{
		Use:   "config",
		Short: "Print every flag, environment variable and default",
		RunE:  NeedsSubcommand,
	}
	c.AddCommand(&cobra.Command{
		Use:     "reference",
		Short:   "Print all commands with their flags, environment variables and defaults as Markdown",
		Example: "  " + p.Command.Name() + " config reference > " + page.Path,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			reference(p.Stdout, p.Command, page)
			return nil
		},
	})
	p.Command.AddCommand(c)
}

// reference writes the page: the commands, the flags that all have first.
func reference(to io.Writer, program *cobra.Command, page Page) {
	fmt.Fprintf(to, page.Head, program.Name(), page.Path)
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
		variable := EnvironmentOf(f)
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
