package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"readiness/internal/indentedjson"
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
	var format string
	printed := &cobra.Command{
		Use:     "reference",
		Short:   "Print all commands with their flags, environment variables and defaults as Markdown",
		Example: "  " + p.Command.Name() + " config reference > " + page.Path,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if format == "json" {
				return indentedjson.Write(p.Stdout, referenceOf(p.Command))
			}
			reference(p.Stdout, p.Command, page)
			return nil
		},
	}
	FormatFlag(printed, &format, "markdown", "json")
	OwnEnvironment(printed, "config-reference", "format")
	c.AddCommand(printed)
	p.Command.AddCommand(c)
}

// documented is a command with the flags that it adds to those of the commands above it.
type documented struct {
	Command string           `json:"command"`
	Short   string           `json:"short"`
	Usage   string           `json:"usage,omitempty"` // "" for a command that only has others below it
	Flags   []documentedFlag `json:"flags"`
}

type documentedFlag struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Variable string `json:"variable"`
	Default  string `json:"default"`
	Usage    string `json:"usage"`
}

// referenceOf returns the program, whose flags all commands have, and then every command.
func referenceOf(program *cobra.Command) (all []documented) {
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if !c.IsAvailableCommand() && c != program || c.Name() == "completion" || c.Name() == "help" {
			return
		}
		one := documented{Command: c.CommandPath(), Short: c.Short, Flags: flagsOf(c)}
		if c.Runnable() && !c.HasSubCommands() {
			one.Usage = strings.TrimSuffix(c.UseLine(), " [flags]")
		}
		all = append(all, one)
		for _, child := range c.Commands() {
			walk(child)
		}
	}
	walk(program)
	return all
}

// flagsOf returns the flags that a command adds, in the order of their names.
func flagsOf(c *cobra.Command) []documentedFlag {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	if c.HasParent() {
		c.LocalNonPersistentFlags().VisitAll(flags.AddFlag)
	}
	c.PersistentFlags().VisitAll(flags.AddFlag)
	all := []documentedFlag{}
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		variable, byDefault := EnvironmentOf(f), f.DefValue
		if byDefault == "[]" {
			byDefault = ""
		}
		all = append(all, documentedFlag{f.Name, f.Value.Type(), variable, byDefault, strings.TrimSuffix(f.Usage, " ("+variable+")")})
	})
	return all
}

// reference writes the page: the commands, the flags that all have first.
func reference(to io.Writer, program *cobra.Command, page Page) {
	fmt.Fprintf(to, page.Head, program.Name(), page.Path)
	for i, c := range referenceOf(program) {
		if i > 0 {
			fmt.Fprintf(to, "\n## %s\n\n%s.\n", c.Command, c.Short)
			if c.Usage != "" {
				fmt.Fprintf(to, "\n    %s\n", c.Usage)
			}
			if len(c.Flags) > 0 {
				fmt.Fprintln(to)
			}
		}
		if len(c.Flags) > 0 {
			table(to, c.Flags)
		}
	}
}

// table writes the flags as rows.
func table(to io.Writer, flags []documentedFlag) {
	fmt.Fprintln(to, "| Flag | Variable | Default | |\n|---|---|---|---|")
	for _, f := range flags {
		byDefault := f.Default
		if byDefault != "" {
			byDefault = "`" + byDefault + "`"
		}
		fmt.Fprintf(to, "| `--%s` %s | `%s` | %s | %s |\n", f.Name, f.Type, f.Variable, byDefault,
			strings.NewReplacer("|", `\|`, "\n", " ", "`", "'").Replace(f.Usage))
	}
}
