package cli

import (
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
)

// NeedsSubcommand is the RunE of a command that only groups others.
func NeedsSubcommand(c *cobra.Command, _ []string) error {
	names := ""
	for _, child := range c.Commands() {
		if child.IsAvailableCommand() {
			names += " " + child.Name()
		}
	}
	return Usage("%s needs one of:%s", c.CommandPath(), names)
}

// NeedsCommand is the RunE of a program.
func NeedsCommand(c *cobra.Command, _ []string) error {
	return Usage("a command is missing; %s --help lists the commands", c.Name())
}

// NoArgs refuses arguments of a program without subcommand. It names the other program if that has a command of the name.
func NoArgs(other string, commands ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 0 && slices.Contains(commands, args[0]) {
			return Usage("%s is a command of %s: %[2]s %[1]s", args[0], other)
		}
		return cobra.NoArgs(c, args)
	}
}

// Completes makes shells complete the flag with the values.
func Completes(c *cobra.Command, flag string, values ...string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
}

// Printable returns a text on one line, with control and bidirectional characters replaced.
func Printable(what string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return unicode.ReplacementChar
		}
		return r
	}, what)
}

// plainWord reports whether no shell gives the word a special meaning.
func plainWord(word string) bool {
	return word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_./:=@%+,", r)
	})
}

// ShellWord quotes a word for a shell if necessary.
func ShellWord(word string) string {
	if plainWord(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
