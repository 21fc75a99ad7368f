package cli

import (
	"os"
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

// OwnEnvironment gives the flags of c and its subcommands separate environment variables, READINESS_ and the prefix
// before the flag's name, because another command has a flag of that name.
func OwnEnvironment(c *cobra.Command, prefix string) {
	own := func(f *pflag.Flag) {
		f.Annotations = map[string][]string{environmentAnnotation: {environmentName(prefix + "-" + f.Name)}}
	}
	c.LocalNonPersistentFlags().VisitAll(own)
	c.PersistentFlags().VisitAll(own)
	for _, child := range c.Commands() {
		OwnEnvironment(child, prefix)
	}
}

func fromEnvironment(flags *pflag.FlagSet) error {
	var failed error
	flags.VisitAll(func(f *pflag.Flag) {
		name := EnvironmentOf(f)
		value, ok := os.LookupEnv(name)
		if f.Changed || !ok || f.Name == "help" || failed != nil {
			return
		}
		if err := flags.Set(f.Name, value); err != nil {
			failed = Usage("environment variable %s: %w", name, err)
		}
	})
	return failed
}

// DocumentEnvironment adds the name of each flag's environment variable to the help of c and its subcommands.
func DocumentEnvironment(c *cobra.Command) {
	name := func(f *pflag.Flag) {
		if f.Name != "help" {
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
