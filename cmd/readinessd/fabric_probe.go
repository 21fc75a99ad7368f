package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"readiness/cmd/cli"
	"readiness/platform/fabric/probe"
	"readiness/platform/fabric/setup"
)

// probeFlags are the flags of fabric probe.
type probeFlags struct {
	application                 setup.Application
	tokenFile, answers          string
	workspace, paused, labelled string
	probe                       probe.Probe
}

func (f *probeFlags) add(flags *pflag.FlagSet) {
	f.application.AddTo(flags)
	flags.StringVar(&f.tokenFile, "token-file", "", "file with the token that a person sends to the service")
	flags.StringVar(&f.answers, "fabric-answers", "", "JSON file that stores the answers about each tenant")
	flags.StringVar(&f.workspace, "workspace", "", "id of a scratch workspace, in which items are created and deleted")
	flags.StringVar(&f.paused, "paused-workspace", "", "id of a workspace whose capacity is paused; its models are only read")
	flags.StringVar(&f.labelled, "labelled-model", "", "id of a semantic model in --workspace whose sensitivity label protects it; it is "+
		"only read")
	flags.BoolVar(&f.probe.GenerateQuery, "experimental-generate-query", false, "ask whether Generate Query of Power BI's MCP server is "+
		"there and its answer is understood, which uses Copilot's capacity")
	flags.IntVar(&f.probe.Largest, "largest", 16, "size in MiB up to which larger definitions are tried")
}

// validate fills the probe, or returns what is wrong with the flags.
func (f *probeFlags) validate() error {
	if err := f.application.Validate(); err != nil {
		return cli.Usage("%w", err)
	}
	for _, given := range []struct {
		flag, text string
		into       *uuid.UUID
	}{{"workspace", f.workspace, &f.probe.Workspace}, {"paused-workspace", f.paused, &f.probe.Paused},
		{"labelled-model", f.labelled, &f.probe.Labelled}} {
		id, err := uuid.Parse(given.text)
		if err != nil && (given.text != "" || given.flag == "workspace") {
			return cli.Usage("--%s must be an id (a UUID), not %q", given.flag, given.text)
		}
		*given.into = id
	}
	switch {
	case f.tokenFile == "" || f.answers == "":
		return cli.Usage("--token-file and --fabric-answers are needed")
	case f.probe.Largest < 0 || f.probe.Largest > probe.MaxLargest:
		return cli.Usage("--largest must be 0 to %d", probe.MaxLargest)
	}
	return nil
}

func (r *root) fabricProbeCommand() *cobra.Command {
	var f probeFlags
	c := &cobra.Command{
		Use:   "probe",
		Short: "Test how a tenant behaves, and whether it may be written to",
		Long: `Tests the undocumented behavior of a person's tenant: whether parts of a definition are shown
and kept, how they are laid out, which calls are refused and how. It signs in as "readinessd fabric check" does. It creates a
semantic model and a report in --workspace, reads and writes them as the service does, and deletes them, also after a
failure and when it is interrupted; it says what is left if it cannot. It changes nothing else.

Use a scratch workspace. The person must be a contributor there, or more. The report has neither names nor data. The
answers are kept by tenant in --fabric-answers, the file of serve --fabric-answers; a probe that could not ask everything
changes nothing there. Exit code 3 means that the probe has not passed, so that the tenant is not written to.`,
		Example: `  readinessd fabric probe --fabric-client-id 3c0f… --fabric-tenant 72f9… --fabric-secret-file secret.txt --token-file token.txt \
      --workspace 5b218778-e7a5-4d73-8187-f10824047715 --fabric-answers answers.json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.validate(); err != nil {
				return err
			}
			if err := f.application.Trust(); err != nil {
				return err
			}
			token, err := os.ReadFile(f.tokenFile)
			if err != nil {
				return err
			}
			f.probe.Report = func(question, answer string) { fmt.Fprintf(r.Stdout, "%-46s %s\n", question, cli.Printable(answer)) }
			passed, err := f.application.Probe(c.Context(), strings.TrimSpace(string(token)), f.answers, f.probe, r.Log)
			if err == nil && !passed {
				err = cli.ErrFound
			}
			return err
		},
	}
	f.add(c.Flags())
	return c
}
