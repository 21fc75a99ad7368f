package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"readiness/ai"
	"readiness/ai/answerer"
	"readiness/cmd/cli"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/benchmark/evaluation"
	"readiness/domain/verdict"
	"readiness/offline/evaluate"
	"readiness/offline/report/runreport"
)

// evaluateFormats lists the output formats of an evaluation.
var evaluateFormats = []string{"table", "json", "html", "markdown", "junit"}

func (r *desk) evaluateCommand() *cobra.Command {
	var o evaluate.Options
	var gate runreport.Gate
	var format, output, judge, judgeBaseURL, judgeKeyEnv string
	var failUnder int
	c := &cobra.Command{
		Use:   "evaluate MODEL",
		Short: "Judge an AI's answers to golden questions, from files",
		Long: `Judges answers that an AI gave about a semantic model, whoever asked it: Copilot, a data agent, another tool. It works on
files only; nothing leaves the machine, and no AI is asked, unless you name a --judge.

--questions names the golden questions (CSV or JSON lines): question, and dax, expectedValue or expectedAnswer, as for
readiness client benchmark save. A question whose query cannot be read, names what the model lacks or has no row over sample
data is refused by line and column, unless --keep-unrunnable leaves it to the report. --answers names a file with
answers, and can be repeated. Its kind is recognized:

  a table              CSV or JSON lines: question, answer, and any of dax, rows, seconds, error, who
  diagnostics          the JSON file that a data agent's page downloads
  evaluation SDK       evaluation_output and evaluation_output_steps, as CSV or Parquet
  a run of the service what readiness client benchmark result --json printed
  an evaluation        what evaluate --format json printed

Questions are the same if their texts are, without case and punctuation. The nearest one is named, and never taken. Who
answered is the column who, the data agent with its stage, runtime and definition, or else the file. An answer to the same
question by the same answerer counts as asked again.

If the folder of MODEL has sample data (.data/TABLE.csv), both queries are evaluated over it and their rows compared. Else
the meanings of the queries are, and values in texts where there is nothing else. Each verdict says by what. --judge lets a
language model, which should be another one than who answered, judge what nothing of this decides: it gets question, expected
answer and answer. The report names it, marks its verdicts, and says how many answers are right without it.

With --baseline, an earlier evaluation, run or file with answers, each answerer is compared with the one of the same name,
or else with the last of the baseline. Without it, each is compared with the first. --fail-under is for each answerer,
--fail-on-regression for the last. Exit code 1 means that there is no result, 2 that the command line is wrong, 3 that a gate failed.`,
		Example: `  readiness evaluate models/Sales.SemanticModel --questions golden.csv --answers copilot.csv
  readiness evaluate models/Sales.SemanticModel --questions golden.csv --answers agent.json --format json --output main.json
  readiness evaluate models/Sales.SemanticModel --questions golden.csv --answers agent.json --baseline main.json --fail-on-regression`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("fail-under") {
				gate.FailUnder = &failUnder
			}
			switch {
			case o.Questions == "":
				return cli.Usage("--questions is missing: the file of golden questions")
			case len(o.Answers) == 0:
				return cli.Usage("--answers is missing: a file with answers")
			case failUnder < 0 || failUnder > 100:
				return cli.Usage("--fail-under must be 0 to 100, not %d", failUnder)
			case gate.FailOnRegression && o.Baseline == "":
				return cli.Usage("--fail-on-regression needs --baseline, the answers to compare with")
			}
			if judge != "" {
				settings, known, err := languageModel("--judge", judge, judgeBaseURL, judgeKeyEnv)
				if !known {
					return cli.Usage("--judge must be openai:MODEL or ollama:MODEL, not %q", judge)
				}
				if err != nil {
					return err
				}
				o.Judge = r.judge(c.Context(), settings)
			}
			o.Model, o.Program, o.Now = args[0], cli.Version(), time.Now().UTC()
			bar := r.LateProgress("judging")
			o.Progress = bar.Of
			e, warnings, err := evaluate.Run(c.Context(), o)
			bar.End()
			if err != nil {
				return err
			}
			r.warn(warnings)
			return r.evaluated(e, gate, format, output)
		},
	}
	flags := c.Flags()
	rootFlag(flags, &o.Root)
	flags.StringVar(&o.Questions, "questions", "", "file of golden questions")
	cli.KeepUnrunnableFlag(flags, &o.KeepUnrunnable)
	flags.StringArrayVar(&o.Answers, "answers", nil, "file with answers; can be repeated")
	flags.StringVar(&judge, "judge", "", "language model that judges what nothing else decides: openai:MODEL or ollama:MODEL")
	flags.StringVar(&judgeBaseURL, "judge-base-url", "", "address of the judge, if not its own")
	flags.StringVar(&judgeKeyEnv, "judge-key-env", "", "environment variable with the judge's key; OPENAI_API_KEY for openai without an address")
	flags.StringVar(&o.Baseline, "baseline", "", "earlier evaluation, run or answers to compare with")
	cli.FormatFlag(c, &format, evaluateFormats...)
	flags.StringVar(&output, "output", "", "file to write instead of stdout")
	flags.IntVar(&failUnder, "fail-under", 0, "exit with 3 if the score of an answerer is lower (0 to 100)")
	flags.BoolVar(&gate.FailOnRegression, "fail-on-regression", false, "exit with 3 if a question that the baseline answers correctly no longer is")
	cli.OwnEnvironment(c, c.Name(), "format", "output", "baseline", "fail-under") // those of assess mean something else
	return c
}

// judge returns how to ask a language model about an answer.
func (r *desk) judge(ctx context.Context, by aiprovider.Settings) func(benchmark.Case) (verdict.Judgement, verdict.Judge, bool) {
	asker := answerer.New(answerer.Options{Models: ai.New(ai.Options{Getenv: os.Getenv, Log: r.Log}), Now: time.Now, Log: r.Log})
	return func(of benchmark.Case) (verdict.Judgement, verdict.Judge, bool) {
		j, judge, judged, err := asker.JudgeBy(ctx, by, of)
		return j, judge, judged && err == nil // an error is the context's, which ends the evaluation
	}
}

// evaluated writes the report of an evaluation and applies the gate.
func (r *desk) evaluated(e *evaluation.Evaluation, gate runreport.Gate, format, output string) error {
	report := runreport.OfEvaluation(e)
	report.Check(gate)
	err := r.WriteTo(output, func(w io.Writer) error {
		switch format {
		case "json":
			to := json.NewEncoder(w)
			to.SetIndent("", "  ")
			return to.Encode(e)
		case "html":
			return report.WriteHTML(w)
		case "markdown":
			return report.WriteMarkdown(w)
		case "junit":
			return report.WriteJUnit(w, gate)
		}
		return report.WriteTable(w)
	})
	if err != nil {
		return err
	}
	if output != "" {
		fmt.Fprintf(r.Stderr, "written to %s\n", filepath.ToSlash(output))
	}
	for _, miss := range report.Misses {
		fmt.Fprintf(r.Stderr, "readiness: %s\n", cli.Printable(miss))
	}
	switch {
	case !slices.ContainsFunc(e.Runs, func(r evaluation.Run) bool { return len(r.Questions) > 0 }):
		return errors.New("no answer is one to a golden question that the model can be asked: the report says why, and names the nearest question")
	case len(report.Misses) > 0:
		return cli.ErrFound
	}
	return nil
}
