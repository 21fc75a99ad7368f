package main

import (
	"github.com/spf13/cobra"

	"readiness/offline"
)

func (r *root) previewCommand() *cobra.Command {
	var f proposeFlags
	var format string
	c := &cobra.Command{
		Use:   "preview PATH…",
		Short: "Show what would make semantic models in files more ready, without server or database",
		Long: `Proposes descriptions, display folders, field defaults, an AI data schema and AI instructions for the semantic models at
the paths, as the service does, and shows as a unified diff what apply would write. Nothing is written.

With --format json it prints every change with its key, its reason and its scores; of the AI data schema apply writes
the recommended changes unless --key names others. Nothing is proposed for findings that --ignore names, or that a model
itself names in its annotations, as assess --help tells. A .bim file and a folder of TMDL files alone have no place for an
AI data schema and AI instructions, unless they keep some already: these kinds are left out with a warning, and an error
when --kind names them. A model that cannot be read makes the exit code 4.`,
		Example: `  readiness preview .
  readiness preview models/Sales.SemanticModel --kind descriptions
  readiness preview models --ai openai --ai-model gpt-5-mini --ai-key-env OPENAI_API_KEY`,
		RunE: func(c *cobra.Command, paths []string) error {
			if format != "diff" && format != "json" {
				return usage("--format must be diff or json, not %q", format)
			}
			all, err := r.propose(c.Context(), f, false, paths)
			if err != nil {
				return err
			}
			if format == "json" {
				err = offline.WritePreviews(r.stdout, all)
			} else {
				err = r.showProposals(all)
			}
			if err != nil {
				return err
			}
			return failedProposals(all)
		},
	}
	f.add(c)
	c.Flags().StringVar(&format, "format", "diff", "how to show it: diff or json")
	completes(c, "format", "diff", "json")
	return c
}
