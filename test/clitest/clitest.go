// Package clitest checks what a program says about its commands against the files that document them.
package clitest

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"readiness/cmd/cli"
)

// Help checks that every command has help, that each flag names its environment variable once and shares it only with flags that take
// the same values, and that the help of all commands is that of the golden file, which update rewrites.
func Help(t *testing.T, program *cobra.Command, golden string, update bool) {
	t.Helper()
	var all strings.Builder
	variables := map[string]*pflag.Flag{}
	each(program, func(c *cobra.Command) {
		all.WriteString("## " + c.CommandPath() + "\n\n" + regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(helpOf(c), "") + "\n")
		if c.Short == "" {
			t.Errorf("%s has no help", c.CommandPath())
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && f.Name != "version" && strings.Count(f.Usage, cli.EnvironmentOf(f)) != 1 {
				t.Errorf("%s --%s: usage %q must name its environment variable once", c.CommandPath(), f.Name, f.Usage)
			}
			before := variables[cli.EnvironmentOf(f)]
			if before != nil && (before.Name != f.Name || before.Value.Type() != f.Value.Type() || f.Name == "format" && before.Usage != f.Usage) {
				t.Errorf("%s --%s: a value of %s that is for another command breaks this one: cli.OwnEnvironment", c.CommandPath(), f.Name,
					cli.EnvironmentOf(f))
			}
			variables[cli.EnvironmentOf(f)] = f
		})
	})
	same(t, golden, all.String(), update)
}

// Reference checks that the page, which update rewrites, is what config reference printed, with every command and every flag.
func Reference(t *testing.T, program *cobra.Command, page, printed string, update bool) {
	t.Helper()
	same(t, page, printed, update)
	each(program, func(c *cobra.Command) {
		if c.HasParent() && !strings.Contains(printed, "\n## "+c.CommandPath()+"\n") {
			t.Errorf("%s is missing", c.CommandPath())
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && f.Name != "version" && !strings.Contains(printed, "| `--"+f.Name+"` "+f.Value.Type()+" | `"+cli.EnvironmentOf(f)+"` |") {
				t.Errorf("%s --%s is missing", c.CommandPath(), f.Name)
			}
		})
	})
}

// Leaves returns the commands of a program that have none below them, except those that Cobra makes.
func Leaves(program *cobra.Command) (all []*cobra.Command) {
	each(program, func(c *cobra.Command) {
		if !c.HasSubCommands() {
			all = append(all, c)
		}
	})
	return all
}

// each calls do with the command and all below it, except those that Cobra makes.
func each(c *cobra.Command, do func(*cobra.Command)) {
	if c.Name() == "completion" || c.Name() == "help" {
		return
	}
	do(c)
	for _, child := range c.Commands() {
		each(child, do)
	}
}

func helpOf(c *cobra.Command) string {
	var out bytes.Buffer
	c.SetOut(&out)
	_ = c.Help()
	return out.String()
}

func same(t *testing.T, file, got string, update bool) {
	t.Helper()
	if update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil { //nolint:gosec // a source file
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; rewrite with -update):\n%s", file, diff)
	}
}
