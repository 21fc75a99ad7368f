package desk

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"readiness/ai"
	"readiness/cmd/cli"
	"readiness/cmd/readiness/teamrules"
	"readiness/domain/aiprovider"
	"readiness/domain/proposal"
	"readiness/offline/lsp"
)

func (r *desk) lspCommand() *cobra.Command {
	var o lsp.Options
	var rules []string
	c := &cobra.Command{
		Use:   "lsp",
		Short: "Show findings in an editor over the Language Server Protocol",
		Long: `Serves an editor over stdin and stdout, without server, database or network: findings in the files of semantic models while
you type, also before you save, and what AI sees of an object. It writes no file but the record of a rename, by which readiness revert
undoes it. Editors start it; see docs/editor.md.
Without --rules it reads readiness-rules.yaml in the editor's folder, if there is one, and again when it changed.`,
		Example: `  readiness lsp`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if _, err := teamrules.Regime(rules); err != nil {
				return err
			}
			o.Regime = teamrules.Watched(rules)
			proposer := ai.New(ai.Options{Getenv: os.Getenv, Log: r.Log})
			o.Propose = func(ctx context.Context, ask proposal.Ask) (proposal.Answer, error) {
				return proposer.Ask(ctx, aiprovider.Embedded(), ask)
			}
			o.Version = cli.Version()
			return lsp.Serve(c.Context(), o, c.InOrStdin(), r.Stdout)
		},
	}
	c.Flags().StringVar(&o.IgnoreFile, "ignore", "", "YAML file of accepted findings, relative to the editor's folder; readiness-ignore.yaml "+
		"there by default")
	c.Flags().Bool("stdio", true, "speak over stdin and stdout, which is the only way; editors pass it")
	teamrules.Flag(c.Flags(), &rules)
	return c
}
