package desk

import (
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/cmd/readiness/teamrules"
	"readiness/mcp"
	"readiness/mcp/files"
	"readiness/offline"
)

func (r *desk) mcpCommand() *cobra.Command {
	var write bool
	var ask askFlags
	var ignore string
	var rules []string
	c := &cobra.Command{
		Use:   "mcp [FOLDER]",
		Short: "Serve models in files to AI agents over the Model Context Protocol",
		Long: `Serves the semantic models in a folder, by default the current one, to an AI agent over stdin and stdout, without server,
database or network. Agents can assess models, explain findings, preview changes, compare assessments, ask questions, judge
an AI's answers in files, and measure which proposals help (lift). They read and write nothing outside of the folder.

--ask says whom lift asks, as for readiness lift: the rules engine of this program, unless you name an AI. A call asks for
45 seconds; the next one goes on.

Without --write they cannot change a file. With --write they can write the changes of a preview that they name, and a
record in the folder that reverts them.`,
		Example: `  readiness mcp models
  readiness mcp models --write`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o := files.Options{Root: ".", Now: now}
			if len(args) > 0 {
				o.Root = args[0]
			}
			var err error
			if o.Regime, err = teamrules.Regime(rules); err != nil {
				return err
			}
			if ignore != "" {
				if o.Ignores, err = offline.ReadIgnores(ignore, offline.OwnRules(o.Regime)...); err != nil {
					return err
				}
			}
			if ask.ask != askRules {
				var end func()
				if o.Ask, end, err = r.opener(c.Context(), ask); err != nil {
					return err
				}
				defer end()
			}
			models, err := files.Open(o)
			if err != nil {
				return err
			}
			server := mcp.NewServer(mcp.Options{Version: cli.Version(), Write: write, Open: models.For})
			return server.Run(c.Context(), &sdk.StdioTransport{MaxLineLength: maxMessage})
		},
	}
	c.Flags().BoolVar(&write, "write", false, "offer the tools that write to models: apply and revert")
	c.Flags().StringVar(&ignore, "ignore", "", "YAML file of accepted findings, as for assess; nothing is proposed for them")
	teamrules.Flag(c.Flags(), &rules)
	ask.add(c.Flags())
	cli.OwnEnvironment(c, c.Name(), "write")
	return c
}

// maxMessage bounds a message of an agent, in bytes.
const maxMessage = 1 << 20
