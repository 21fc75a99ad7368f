package desk

import (
	"fmt"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/offline"
)

func (r *desk) previewCommand() *cobra.Command {
	var f proposeFlags
	var format, questions string
	c := &cobra.Command{
		Use:   "preview PATH…",
		Short: "Show proposed improvements of semantic models in files, without server or database",
		Long: `Proposes descriptions, display folders, field defaults, an AI data schema and AI instructions for the semantic models at
the paths, as the service does. It prints what apply would write as a unified diff, and writes nothing.

A text, date or true/false column without a default summarization keeps it: Power BI does not summarize such columns.
It also lists the objects that need a person's words, each with a question, and the dimensions whose score would fall.
--questions writes these questions into a table with a column for answers; --answers of preview and apply reads it, and an
answer is then the description of its object. What is left blank stays as it is.
--format json prints every change with its key, reason and scores. Of the AI data schema, apply writes the recommended
changes unless --key names others. Nothing is proposed for findings that --ignore or a model's own annotations accept;
see assess --help. A .bim file or a folder of TMDL files alone can hold an AI data schema and AI instructions only if it
already does; otherwise these kinds are skipped with a warning, or fail if --kind names them. If a model cannot be read,
the exit code is 4.`,
		Example: `  readiness preview .
  readiness preview models/Sales.SemanticModel --kind descriptions
  readiness preview models --questions questions.csv
  readiness preview models --ai openai --ai-model gpt-5-mini --ai-key-env OPENAI_API_KEY`,
		RunE: func(c *cobra.Command, paths []string) error {
			all, err := r.propose(c.Context(), f, false, paths)
			if err != nil {
				return err
			}
			if questions != "" {
				n, err := offline.WriteQuestions(questions, all)
				if err != nil {
					return err
				}
				fmt.Fprintf(r.Stderr, "%d questions; answer what you can in %s, and read the result with --answers\n", n, cli.Printable(questions))
			}
			if format == "json" {
				err = offline.WritePreviews(r.Stdout, all, nil, "")
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
	f.addAnswers(c)
	c.Flags().StringVar(&questions, "questions", "", "file to write the questions to whose answers describe objects: CSV, or JSON lines if "+
		"it ends in .jsonl; it must not exist")
	cli.FormatFlag(c, &format, "diff", "json")
	cli.OwnEnvironment(c, c.Name(), "all", "answers", "format", "questions")
	return c
}
