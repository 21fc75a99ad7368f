package main

import (
	"io"

	"github.com/spf13/cobra"

	"readiness/cmd/readiness/cli"
	"readiness/cmd/readiness/clientcmd"
)

// root is the program, whose methods make the commands.
type root struct{ *cli.Program }

func newRoot(stdout, stderr io.Writer) *root {
	r := &root{cli.New(&cobra.Command{
		Use:   "readiness",
		Short: "Assess how ready semantic models are for AI",
		Long: `readiness scores how ready Power BI semantic models are for AI, and improves them. It works on models in files, without a
server, or as a service on which people sign in. The service records everything as events in PostgreSQL.

` + cli.ExitCodes,
		Example: `  readiness assess .
  readiness apply . --write
  readiness rules show DSC-01
  readiness serve --data .readiness --platform folder:samples/workspaces --accounts samples/accounts.yaml
  readiness token --account contoso --person ada | readiness client login --base-url http://127.0.0.1:8080
  readiness client assess "Retail Analytics" Inventory
  source <(readiness completion bash)`,
		RunE: func(c *cobra.Command, _ []string) error {
			return cli.Usage("a command is missing; %s", "readiness --help lists the commands")
		},
		Args: cobra.NoArgs,
	}, stdout, stderr)}
	for _, group := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Models in files:", []*cobra.Command{
			r.assessCommand(), r.previewCommand(), r.applyCommand(), r.revertCommand(), r.rulesCommand(), r.mcpCommand(),
		}},
		{"A service, as a person:", []*cobra.Command{clientcmd.Command(r.Program)}},
		{"A service, as its operator:", []*cobra.Command{
			r.serveCommand(), r.workerCommand(), r.tokenCommand(), r.accountsCommand(), r.peopleCommand(), r.migrateCommand(),
			r.reportsCommand(), r.documentsCommand(),
			r.projectionsCommand(), r.eventsCommand(), r.auditCommand(), r.fabricCommand(), r.doctorCommand(),
			r.forwardCommand(), r.viewsCommand(), r.collectCommand(), r.configCommand(), r.emulatorCommand(),
		}},
	} {
		r.Command.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
		for _, c := range group.commands {
			c.GroupID = group.title
			r.Command.AddCommand(c)
		}
	}
	r.Command.AddCommand(r.versionCommand(), r.licensesCommand())
	r.Command.InitDefaultCompletionCmd()
	cli.DocumentEnvironment(r.Command)
	return r
}
