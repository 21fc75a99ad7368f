package main

import (
	"io"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
)

// root is the program, whose methods make the commands.
type root struct{ *cli.Program }

func newRoot(stdout, stderr io.Writer) *root {
	r := &root{cli.New(&cobra.Command{
		Use:   "readinessd",
		Short: "Run the Readiness and Pixies Service",
		Long: `readinessd serves the Readiness and Pixies Service, runs its work, and has the operator's tools. The service records everything
as events in PostgreSQL. People use it in the browser, and by readiness client.

` + cli.ExitCodes(`events verify found damage, doctor a failing check, or projections rebuild --diff a difference`),
		Example: `  readinessd serve --data .readiness --platform folder:samples/workspaces --accounts samples/accounts.yaml
  readinessd token --account contoso --person ada | readiness client login --base-url http://127.0.0.1:8080
  source <(readinessd completion bash)`,
		RunE: cli.NeedsCommand,
		Args: cli.NoArgs("readiness", "assess", "preview", "apply", "revert", "rules", "mcp", "client"),
	}, stdout, stderr)}
	r.AddGroup("Processes:", r.serveCommand(), r.workerCommand(), r.collectCommand(), r.forwardCommand(), r.emulatorCommand())
	r.AddGroup("Who may do what:", r.accountsCommand(), r.peopleCommand(), r.tokenCommand(), r.fabricCommand())
	r.AddGroup("Data:", r.migrateCommand(), r.eventsCommand(), r.auditCommand(), r.projectionsCommand(), r.documentsCommand(),
		r.reportsCommand(), r.viewsCommand(), r.doctorCommand())
	r.AddReference(cli.Page{Path: "docs/configuration.md", Head: referenceHead})
	r.AddAbout()
	cli.DocumentEnvironment(r.Command)
	return r
}

const referenceHead = `# Configuration

<!-- Written by: %s config reference > %s -->

Every flag can be set by its environment variable instead; the flag wins. In a variable, the values of a flag that can be
repeated are separated by commas. [operating.md](operating.md) explains how they work together.

## Variables without a flag

| Variable | |
|---|---|
| ` + "`READINESS_POSTGRES_BIN`" + ` | folder of PostgreSQL's server programs; no other place is searched |
| ` + "`OTEL_EXPORTER_OTLP_ENDPOINT`" + ` and related ones | where traces and metrics go |
| the ` + "`apiKeyEnv`" + ` of an account's provider | its key; processes with the worker role read it |

## Every command

`
