package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// NeedsSubcommand is the RunE of a command that only groups others.
func NeedsSubcommand(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(c, args[0])
	}
	names := ""
	for _, child := range c.Commands() {
		if child.IsAvailableCommand() {
			names += " " + child.Name()
		}
	}
	return Usage("%s needs one of:%s", c.CommandPath(), names)
}

// unknownCommand says that a program or group has no command of the name, and which ones are like it.
func unknownCommand(c *cobra.Command, name string) error {
	c.SuggestionsMinimumDistance = 2
	return Usage("unknown command %q for %q%s", name, c.CommandPath(), didYouMean(c.SuggestionsFor(name)))
}

// wrongNumber says whether a command has too few or too many arguments.
func wrongNumber(c *cobra.Command) string {
	args := c.Flags().Args()
	for more := args; len(more) < len(args)+5; {
		if more = append(more[:len(more):len(more)], "x"); c.ValidateArgs(more) == nil {
			return "an argument is missing"
		}
	}
	return "there are too many arguments: " + strings.Trim(fmt.Sprintf("%q", args), "[]")
}

func didYouMean(like []string) string {
	if len(like) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(like, " or ") + "?"
}

// wrongFlag says what is wrong with a flag, and for one that does not exist which ones are like it.
func wrongFlag(c *cobra.Command, err error) error {
	if value, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return wrongValue("--"+value.GetFlag().Name, value.GetFlag(), value.GetValue(), err)
	}
	if c.HasSubCommands() && c.Flags().NArg() > 0 {
		return cmp.Or(c.ValidateArgs(c.Flags().Args()), unknownCommand(c, c.Flags().Arg(0)))
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return Usage("%w", err)
	}
	var like []string
	name := unknown.GetSpecifiedName()
	c.Flags().VisitAll(func(f *pflag.Flag) {
		first := len(name) == 1 && strings.HasPrefix(f.Name, name) // of a flag that has no short form
		if first || levenshtein.ComputeDistance(f.Name, name) <= 2 && len(name) > 2 || len(name) > 2 && strings.HasPrefix(f.Name, name) {
			like = append(like, "--"+f.Name)
		}
	})
	return Usage("%w%s", err, didYouMean(like))
}

// wrongValue refuses the value of a flag, which name says where it stands.
func wrongValue(name string, f *pflag.Flag, value string, err error) error {
	want := map[string]string{"int": "a whole number", "bool": "true or false", "duration": "a duration such as 30s or 5m"}[f.Value.Type()]
	if v, ok := f.Value.(*choice); ok {
		want = "one of " + strings.Join(v.values, ", ")
		if len(v.values) == 2 {
			want = v.values[0] + " or " + v.values[1]
		}
	}
	if want == "" {
		return Usage("%s: %w", name, err)
	}
	return Usage("%s must be %s, not %q", name, want, value)
}

// NeedsCommand is the RunE of a program: alone, it shows what it can do.
func NeedsCommand(c *cobra.Command, _ []string) error { return c.Help() }

// NoArgs refuses arguments of a program without subcommand. It names the other program if that has a command of the name.
func NoArgs(other string, commands ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 0 && slices.Contains(commands, args[0]) {
			return Usage("%s is a command of %s: %[2]s %[1]s", args[0], other)
		}
		if len(args) > 0 {
			return unknownCommand(c, args[0])
		}
		return nil
	}
}

// jsonFlag is the name of the flag that FormatFlag adds for the format json.
const jsonFlag = "json"

// FormatFlag adds --format with its values, the first of which is the default, and --json, which is the same as --format json. Commands
// with other values than those of another command need OwnEnvironment.
func FormatFlag(c *cobra.Command, to *string, values ...string) {
	*to = values[0]
	c.Flags().Var(&choice{to, values}, "format", "output format: "+strings.Join(values, ", "))
	Completes(c, "format", values...)
	c.Flags().Var(jsonSwitch{to}, jsonFlag, "print JSON: the same as --format json")
	c.Flags().Lookup(jsonFlag).NoOptDefVal = "true"
}

// KeepUnrunnableFlag adds --keep-unrunnable, for files of questions.
func KeepUnrunnableFlag(flags *pflag.FlagSet, to *bool) {
	flags.BoolVar(to, "keep-unrunnable", false, "go on with the other questions if some cannot run or have no row, instead of refusing the file")
}

// choice is a flag that takes one of several values.
type choice struct {
	to     *string
	values []string
}

func (v *choice) Type() string   { return "string" }
func (v *choice) String() string { return *v.to }

func (v *choice) Set(value string) error {
	if !slices.Contains(v.values, value) {
		return errors.New("not one of its values") // wrongValue says which there are
	}
	*v.to = value
	return nil
}

// jsonSwitch is a flag without value that sets a format.
type jsonSwitch struct{ format *string }

func (s jsonSwitch) Type() string   { return "bool" }
func (s jsonSwitch) String() string { return "false" }

func (s jsonSwitch) Set(value string) error {
	on, err := strconv.ParseBool(value)
	if on {
		*s.format = "json"
	}
	return err
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
