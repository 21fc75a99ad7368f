package main

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"readiness/cmd/readiness/cli"
)

// docs/configuration.md equals the program's output, and has every command and every flag.
func TestConfigurationIsDocumented(t *testing.T) {
	t.Parallel()
	const page = "../../docs/configuration.md"
	got := must(t, "config", "reference").stdout
	if *update {
		if err := os.WriteFile(page, []byte(got), 0o644); err != nil { //nolint:gosec // a source file
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(page); err != nil || got != string(want) {
		t.Errorf("docs/configuration.md is not what readiness config reference prints (%v): go test ./cmd/readiness -run Configuration -update", err)
	}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Name() == "completion" || c.Name() == "help" {
			return
		}
		if c.HasParent() && !strings.Contains(got, "\n## "+c.CommandPath()+"\n") {
			t.Errorf("%s is missing", c.CommandPath())
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !strings.Contains(got, "| `--"+f.Name+"` "+f.Value.Type()+" | `"+cli.EnvironmentOf(f)+"` |") {
				t.Errorf("%s --%s is missing", c.CommandPath(), f.Name)
			}
		})
		for _, child := range c.Commands() {
			walk(child)
		}
	}
	walk(newRoot(newOutput(), newOutput()).Command)
}
