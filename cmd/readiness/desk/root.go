// Package desk has the commands of the program readiness, which people run at a desk or in CI. It scores and improves models in
// files without a server, database or network, serves them to agents, and holds the client of a service.
package desk

import (
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/cmd/readiness/clientcmd"
	"readiness/offline/show"
)

// desk is the program, whose methods make the commands.
type desk struct{ *cli.Program }

// New returns the program readiness.
func New(stdout, stderr io.Writer) *cli.Program {
	r := &desk{cli.New(&cobra.Command{
		Use:   "readiness",
		Short: "Assess how ready semantic models are for AI",
		Long: `readiness scores how ready Power BI semantic models are for AI, and improves them. It works on models in files, without a
server, and as the client of a service on which people sign in. The program of that service is readinessd.

` + cli.ExitCodes(`assess, evaluate, or a benchmark or A/B run, failed --fail-under, --fail-on or --fail-on-regression`),
		Example: `  readiness assess .
  readiness apply . --write
  readiness rules show DSC-01
  readiness client login --base-url http://127.0.0.1:8080
  readiness client assess "Retail Analytics" Inventory
  source <(readiness completion bash)`,
		RunE: cli.NeedsCommand,
		Args: noPath(cli.NoArgs("readinessd", "serve", "worker", "collect", "forward", "emulator", "accounts", "people", "token", "fabric", "migrate", "events",
			"audit", "projections", "documents", "reports", "views", "doctor")),
	}, stdout, stderr)}
	r.AddGroup("Models in files:", completesModels(r.assessCommand(), math.MaxInt), completesModels(r.previewCommand(), math.MaxInt),
		completesModels(r.applyCommand(), math.MaxInt), completesModels(r.renameCommand(), 1), r.revertCommand(),
		completesModels(r.upgradeCommand(), math.MaxInt),
		completesModels(r.evaluateCommand(), 1), completesModels(r.liftCommand(), math.MaxInt), r.rulesCommand(), r.mcpCommand(), r.lspCommand())
	r.AddGroup("A service, as a person:", clientcmd.Command(r.Program))
	r.AddReference(cli.Page{Path: "docs/readiness.md", Head: referenceHead})
	r.AddAbout()
	cli.DocumentEnvironment(r.Command)
	return r.Program
}

// noPath refuses a path in place of a command with the command that most people mean, else what next refuses.
func noPath(next cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		err := next(c, args)
		if err == nil {
			return nil
		}
		if _, there := os.Stat(args[0]); there == nil {
			return cli.Usage("%s is a path; readiness assess %s scores what is there", args[0], show.ShellPath(filepath.ToSlash(args[0])))
		}
		return err
	}
}

const referenceHead = `# Commands of readiness

<!-- Written by: %s config reference > %s -->

Every flag can be set by its environment variable instead; the flag wins. In a variable, the values of a flag that can be
repeated are separated by commas. ` + "`NO_COLOR`" + ` turns color off.

`
