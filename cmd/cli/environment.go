package cli

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// environmentAnnotation overrides the name of a flag's environment variable.
const environmentAnnotation = "environment"

// EnvironmentOf returns the name of a flag's environment variable.
func EnvironmentOf(f *pflag.Flag) string {
	if own := f.Annotations[environmentAnnotation]; own != nil {
		return own[0]
	}
	return environmentName(f.Name)
}

// environmentName returns the default name of a flag's environment variable.
func environmentName(flag string) string {
	return "READINESS_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// noVariable reports whether a flag has no environment variable: it shows something instead of running the command.
func noVariable(f *pflag.Flag) bool { return f.Name == "help" || f.Name == "version" }

// OwnEnvironment gives the flags of c and its subcommands separate environment variables, READINESS_ and the prefix
// before the flag's name, because another command has a flag of that name that means something else. With names, only
// those flags. A flag that has its own keeps it.
func OwnEnvironment(c *cobra.Command, prefix string, names ...string) {
	for _, flags := range []*pflag.FlagSet{c.LocalNonPersistentFlags(), c.PersistentFlags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			if f.Annotations[environmentAnnotation] == nil && (len(names) == 0 || slices.Contains(names, f.Name)) {
				_ = flags.SetAnnotation(f.Name, environmentAnnotation, []string{environmentName(prefix + "-" + f.Name)}) // the flag exists
			}
		})
	}
	for _, child := range c.Commands() {
		OwnEnvironment(child, prefix, names...)
	}
}

func fromEnvironment(flags *pflag.FlagSet) error {
	var failed error
	flags.VisitAll(func(f *pflag.Flag) {
		name := EnvironmentOf(f)
		value, ok := os.LookupEnv(name)
		if f.Changed || !ok || noVariable(f) || failed != nil || f.Name == jsonFlag && flags.Changed("format") {
			return
		}
		if err := flags.Set(f.Name, value); err != nil {
			failed = wrongValue("environment variable "+name, f, value, err)
		}
	})
	return failed
}

// DocumentEnvironment adds the name of each flag's environment variable to the help of c and its subcommands.
func DocumentEnvironment(c *cobra.Command) {
	name := func(f *pflag.Flag) {
		if !noVariable(f) {
			f.Usage += " (" + EnvironmentOf(f) + ")"
		}
	}
	c.LocalNonPersistentFlags().VisitAll(name)
	c.PersistentFlags().VisitAll(name)
	for _, child := range c.Commands() {
		if child.Name() != "completion" {
			DocumentEnvironment(child)
		}
	}
}
