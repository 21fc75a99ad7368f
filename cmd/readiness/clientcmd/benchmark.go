package clientcmd

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/cmd/readiness/clientcmd/sheet"
	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/benchmark/answerset"
	"readiness/domain/verdict"
	"readiness/internal/jsonerror"
	"readiness/internal/lists"
	"readiness/internal/optional"
	"readiness/offline/report/runreport"
	"readiness/offline/show"
)

func (c *calls) benchmarkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "benchmark",
		Short: "Ask questions about a semantic model and score the answers",
		Long: `Asks benchmark questions about a semantic model. init writes a file of questions to edit, generate proposes some, save stores
the complete set that runs ask, export writes it to a file, run asks them, import judges answers that were given elsewhere,
result shows the answers, and verdict overrules one.`,
		Example: `  readiness client benchmark init "Corporate Functions" "Support Tickets" questions.csv
  readiness client benchmark save "Corporate Functions" "Support Tickets" questions.csv
  readiness client benchmark run "Corporate Functions" "Support Tickets"`,
		RunE: cli.NeedsSubcommand,
	}
	cmd.AddCommand(c.benchmarkQuestionsCommand(), c.benchmarkGenerateCommand(), c.benchmarkSaveCommand(), c.benchmarkInitCommand(),
		c.benchmarkExportCommand(), c.benchmarkRunCommand(), c.benchmarkImportCommand(),
		c.benchmarkRunsCommand(), c.benchmarkResultCommand(), c.benchmarkVerdictCommand())
	return cmd
}

func (c *calls) benchmarkQuestionsCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "questions WORKSPACE MODEL",
		Short:   "List the saved questions and whether they can run",
		Example: `  readiness client benchmark questions "Corporate Functions" "Support Tickets"`,
		Args:    cobra.ExactArgs(2),
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			workspaceID, modelID, err := semanticModel(ctx, s, args)
			if err != nil {
				return err
			}
			got, err := s.GetBenchmarkQuestionsWithResponse(ctx, workspaceID, modelID, nil)
			return shown(c, got, err, questionsTable)
		}),
	}
}

func (c *calls) benchmarkGenerateCommand() *cobra.Command {
	var count int
	cmd := c.noWaitFlag(&cobra.Command{
		Use:   "generate WORKSPACE MODEL",
		Short: "Propose questions and expected answers from the model",
		Long: `Proposes questions with their expected answers and saves nothing. save accepts what --json prints, also after you have
edited it. It uses one of the day's benchmark builds.`,
		Example: `  readiness client benchmark generate "Corporate Functions" "Support Tickets" --count 30 --json > questions.json`,
		Args:    cobra.ExactArgs(2),
	})
	cmd.RunE = c.run(func(ctx context.Context, s *client.Service, args []string) error {
		workspaceID, modelID, err := semanticModel(ctx, s, args)
		if err != nil {
			return err
		}
		answer, err := s.GenerateBenchmarkQuestionsWithResponse(ctx, workspaceID, modelID, nil,
			client.GenerateBenchmarkQuestionsRequest{Count: given(cmd, "count", count)})
		return c.started(ctx, s, answer, err)
	})
	cmd.Flags().IntVar(&count, "count", 20, "how many questions at most")
	return cmd
}

func (c *calls) benchmarkSaveCommand() *cobra.Command {
	var format string
	var keep bool
	cmd := c.noWaitFlag(&cobra.Command{
		Use:   "save WORKSPACE MODEL FILE",
		Short: "Save the questions that runs ask, replacing the earlier ones",
		Long: `Saves the complete set of questions from a CSV, JSON lines or JSON file, or from stdin if FILE is -. The columns of CSV and
the members of JSON lines are question, expectedAnswer, expectedValue, dax, cluster, weight, ordered, tags, questionId,
source and fields; question and one of expectedAnswer, expectedValue, dax and fields are required. If the file has errors,
or has questions that cannot run on the model, each is listed with its line and column, and nothing is saved. A JSON file is what generate --json or questions
--json printed, or an object with a list questions.`,
		Example: `  readiness client benchmark save "Corporate Functions" "Support Tickets" questions.csv
  readiness client benchmark save "Corporate Functions" "Support Tickets" - --format jsonl < questions.jsonl`,
		Args: cobra.ExactArgs(3),
	})
	formatFlag(cmd, &format)
	cli.KeepUnrunnableFlag(cmd.Flags(), &keep)
	cmd.RunE = c.run(func(ctx context.Context, s *client.Service, args []string) error {
		f, err := questionFormat(args[2], format)
		if err != nil {
			return err
		}
		file, err := readBody(cmd, args[2])
		if err != nil {
			return err
		}
		body, err := questionsRequest(f, file, keep)
		if err != nil {
			return fmt.Errorf("%s: %w", cli.Printable(args[2]), err)
		}
		workspaceID, modelID, err := semanticModel(ctx, s, args)
		if err != nil {
			return err
		}
		answer, err := s.SaveBenchmarkQuestionsWithResponse(ctx, workspaceID, modelID, nil, client.SaveBenchmarkQuestionsRequest{},
			client.WithBody("application/json", body))
		return placed(c.started(ctx, s, answer, err), f, file)
	})
	return cmd
}

// questionsOf returns the request that saves questions. body is such a request, or the service's response with
// questions.
func questionsOf(body []byte, keep bool) ([]byte, error) {
	var set map[string]json.RawMessage
	if err := json.Unmarshal(body, &set); err != nil {
		return nil, fmt.Errorf("it must be a JSON object with a list of questions: %w", jsonerror.Explain(err))
	}
	request := set
	if value, answered := set["value"]; answered {
		request = map[string]json.RawMessage{"questions": value}
		if repeats, ok := set["repeats"]; ok {
			request["repeats"] = repeats
		}
	}
	if request == nil {
		return body, nil // the service reports its errors, also those of a request
	}
	if !keep {
		request["runnable"] = json.RawMessage(`"required"`)
	}
	return json.Marshal(request)
}

func (c *calls) benchmarkRunCommand() *cobra.Command {
	var by answeredByFlags
	var gate gateFlags
	var repeats int
	cmd := c.noWaitFlag(&cobra.Command{
		Use:   "run WORKSPACE MODEL",
		Short: "Ask the saved questions that can run",
		Long: `Asks the saved questions. The platform's own assistant answers, unless --agent names a data agent or --provider an AI
provider. A run counts toward the account's benchmark runs; readiness client operations cancel stops it.

--fail-under and --fail-on-regression define when the command exits with 3. A question regresses if most of its answers
were correct in the earlier run, and now they are not; an ask without an answer is not correct. The earlier run is the
last that succeeded with the same questions and answerer, or that of --baseline. Exit code 1 means that there is no
result, 2 that the command line is wrong. --junit, --markdown and --html write reports whether the gate passes or fails.`,
		Example: `  readiness client benchmark run "Corporate Functions" "Support Tickets"
  readiness client benchmark run "Retail Analytics" "Retail Sales" --agent "Sales Assistant" --repeats 3
  readiness client benchmark run "Retail Analytics" "Retail Sales" --fail-under 80 --fail-on-regression --junit answers.xml`,
		Args: cobra.ExactArgs(2),
	})
	call := c.run(func(ctx context.Context, s *client.Service, args []string) error {
		workspaceID, modelID, err := semanticModel(ctx, s, args)
		if err != nil {
			return err
		}
		request := client.StartBenchmarkRunRequest{Repeats: given(cmd, "repeats", repeats)}
		if request.AnsweredBy, err = by.request(ctx, s, workspaceID); err != nil {
			return err
		}
		if err := gate.compares(ctx, s, workspaceID, modelID); err != nil {
			return err
		}
		answer, err := s.StartBenchmarkRunWithResponse(ctx, workspaceID, modelID, nil, request)
		if !gate.wanted(cmd) {
			return c.started(ctx, s, answer, err)
		}
		return c.judged(ctx, s, &gate, answer, err, func(_ client.Operation, result []byte) (*runreport.Report, error) {
			return gate.ofRun(ctx, s, workspaceID, modelID, result)
		})
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := by.check(); err != nil {
			return err
		}
		if err := gate.check(cmd, c.noWait); err != nil {
			return err
		}
		return call(cmd, args)
	}
	by.add(cmd.Flags())
	gate.add(cmd, "the score")
	cmd.Flags().IntVar(&repeats, "repeats", 1, "how many times to ask each question, 1 to 20; by default as saved")
	return cmd
}

func (c *calls) benchmarkImportCommand() *cobra.Command {
	var who string
	cmd := c.noWaitFlag(&cobra.Command{
		Use:   "import WORKSPACE MODEL FILE...",
		Short: "Judge answers that an AI gave elsewhere",
		Long: `Sends files with answers, and the service judges them against the saved questions that can run, as it judges a run. The files
are those that readiness evaluate reads: a table with the columns question and answer and perhaps dax, seconds and who,
diagnostics of a data agent, tables of the evaluation SDK, results of runs, and earlier evaluations; 32 MB in all. Nobody is
asked, and no benchmark run is counted. result lists the questions that have no answer and the answers that have no question.`,
		Example: `  readiness client benchmark import "Corporate Functions" "Support Tickets" copilot.csv --answered-by Copilot
  readiness client benchmark import "Corporate Functions" "Support Tickets" diagnostics-*.json`,
		Args: cobra.MinimumNArgs(3),
	})
	cmd.RunE = c.run(func(ctx context.Context, s *client.Service, args []string) error {
		request := client.ImportBenchmarkRunRequest{AnsweredBy: optional.Of(who)}
		total := 0
		for _, file := range args[2:] {
			text, err := readFile(cmd, file, answerset.MaxImport)
			if err != nil {
				return err
			}
			content := answerset.Content(text)
			if !utf8.ValidString(content) { // JSON would replace bytes of it
				_, err := answerset.Read(file, text)
				return fmt.Errorf("%s: %w", cli.Printable(file), err)
			}
			if total += len(content); total > answerset.MaxImport {
				return fmt.Errorf("the files are larger than %d MB, the most that is read", answerset.MaxImport>>20)
			}
			request.Files = append(request.Files, client.AnswersFile{Name: filepath.Base(file), Content: content})
		}
		workspaceID, modelID, err := semanticModel(ctx, s, args)
		if err != nil {
			return err
		}
		answer, err := s.ImportBenchmarkRunWithResponse(ctx, workspaceID, modelID, nil, request)
		return c.started(ctx, s, answer, err)
	})
	cmd.Flags().StringVar(&who, "answered-by", "", "who answered; if the files have answers of several, which of them; by default as the files say")
	return cmd
}

func (c *calls) benchmarkRunsCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "runs WORKSPACE MODEL",
		Short:   "List the runs, newest first",
		Example: `  readiness client benchmark runs "Corporate Functions" "Support Tickets"`,
		Args:    cobra.ExactArgs(2),
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			workspaceID, modelID, err := semanticModel(ctx, s, args)
			if err != nil {
				return err
			}
			pages := s.ListBenchmarkRunsPages(ctx, workspaceID, modelID, client.ListBenchmarkRunsParams{})
			return listed(c, pages, func(s *sheet.Sheet, p client.BenchmarkRunList) {
				for _, r := range p.Value {
					side := ""
					if r.AbTestSide != nil {
						side = "side " + string(*r.AbTestSide)
					}
					s.Row(r.RunID, answeredAs(r.Agent, r.Answerer), string(r.Status), sheet.Count(r.Score),
						fmt.Sprintf("%d of %d", r.Asks.Made, r.Asks.Total), side, sheet.Moment(r.FinishedAtUtc), sheet.Failure(r.Error))
				}
			}, "RUN", "ASKED", "STATUS", "SCORE", "ASKS", "A/B TEST", "FINISHED", "WHY")
		}),
	}
}

func (c *calls) benchmarkResultCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "result WORKSPACE MODEL RUN_ID",
		Short:   "Show the answers of a run",
		Example: `  readiness client benchmark result "Corporate Functions" "Support Tickets" 01a1fe19-b4e6-73d6-a5f4-307239dadc95`,
		Args:    ids(2, 1, "a run", "readiness client benchmark runs WORKSPACE MODEL"),
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			workspaceID, modelID, err := semanticModel(ctx, s, args)
			if err != nil {
				return err
			}
			got, err := s.GetBenchmarkRunResultWithResponse(ctx, workspaceID, modelID, args[2])
			return shown(c, got, err, benchmarkTable)
		}),
	}
}

// answeredAs returns who was asked and, once it is known, the answerer in short.
func answeredAs(by client.AnsweredBy, what *string) string {
	if what == nil {
		return answerer(by)
	}
	short, _, _ := strings.Cut(*what, " (")
	return answerer(by) + ": " + short
}

func questionsTable(s *sheet.Sheet, q client.BenchmarkQuestions) {
	if len(q.Value) == 0 {
		s.Say("There are no questions")
		return
	}
	s.Say("%s (%d can run), each asked %s", show.Count(q.Count, "question"), q.CanRun, times(q.Repeats))
	head := []string{"ID", "QUESTION"}
	if q.CanRun < len(q.Value) {
		head = append(head, "WHY IT CANNOT RUN")
	}
	s.Rows(head...)
	for _, one := range q.Value {
		s.Row(one.QuestionID, one.Text, optional.Text(one.Reason))
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// answeredQuestion is the part of a question in a run's or comparison's document that is printed.
type answeredQuestion struct {
	QuestionID string       `json:"questionId"`
	Text       string       `json:"text"`
	Verdict    string       `json:"verdict"`
	Change     string       `json:"change"`
	A          answersTally `json:"a"`
	B          answersTally `json:"b"`
}

type answersTally struct {
	Verdict string `json:"verdict"`
}

// answeredQuestions returns the questions of a document; none if the document has another schema.
func answeredQuestions(document []byte) []answeredQuestion {
	var d struct {
		Questions []answeredQuestion `json:"questions"`
	}
	if json.Unmarshal(document, &d) != nil {
		return nil
	}
	return d.Questions
}

// benchmarkTable prints the result of a run and the questions that were not answered correctly.
func benchmarkTable(s *sheet.Sheet, b client.BenchmarkRunResult) {
	r := b.Run
	var asked struct {
		Summary  verdict.Side      `json:"summary"`
		Imported *benchmark.Origin `json:"imported"`
	}
	known := json.Unmarshal(b.Document, &asked) == nil && asked.Summary.Kind != ""
	how := "asked of" // a score of the rules engine is not a score of the answerer
	switch {
	case asked.Imported != nil:
		how = "judged from files with the answers of"
	case asked.Summary.Target.Transport == verdict.Embedded:
		how = "simulated in place of"
	case asked.Summary.Target.UsesGenerateQuery():
		how = "asked of Generate Query in place of"
	}
	s.Say("%s, %s %s: score %s of 100; %s, each asked %s",
		cli.Printable(sheet.OrID(r.SemanticModelName, r.SemanticModelID)), how, cli.Printable(answerer(r.Agent)), show.Number(r.Score),
		show.Count(r.QuestionsCount, "question"), times(r.Repeats))
	if i := asked.Imported; i != nil {
		for _, note := range i.Notes {
			s.Say("%s", cli.Printable(note))
		}
		if n := len(i.Unmatched.Questions); n > 0 {
			s.Say("Questions without an answer: %d, such as %s", n, cli.Printable(domain.Excerpt(i.Unmatched.Questions[0])))
		}
		if n := len(i.Unmatched.Answers) + i.Unmatched.More; n > 0 {
			s.Say("Answers to other questions, left out: %d, such as %s", n, cli.Printable(domain.Excerpt(i.Unmatched.Answers[0].Text)))
		}
	}
	if known {
		s.Say("Answered by %s", cli.Printable(asked.Summary.Answerer()))
	}
	if r.Conclusion != nil && r.Scored != nil {
		s.Say("Nothing is concluded: %d of %d questions have no answer", r.QuestionsCount-*r.Scored, r.QuestionsCount)
	}
	if r.Verdicts != nil {
		s.Say("Answers: %s", cli.Printable(verdicts(*r.Verdicts)))
	}
	if u := r.Usage; u != nil {
		cost := "unknown, because the AI provider has no prices"
		if r.Cost != nil {
			cost = fmt.Sprintf("%.4f", *r.Cost)
		}
		s.Say("Tokens: %d of input, %d of output; cost %s", u.InputTokens, u.OutputTokens, cost)
	}
	if r.Overruled != nil {
		s.Say("Verdicts that persons changed: %d; --json shows both", *r.Overruled)
	}
	if j := b.JudgeReview; j != nil && j.Judged > 0 {
		s.Say("The judge: persons overruled %d of its %d verdicts in this account (%.0f %%)", j.Overruled, j.Judged, 100**j.Share)
	}
	wrong := lists.Where(answeredQuestions(b.Document), func(q answeredQuestion) bool { return q.Verdict != "correct" })
	if len(wrong) == 0 {
		return
	}
	s.Rows("NOT RIGHT", "VERDICT", "QUESTION")
	for _, q := range wrong[:min(len(wrong), maxRows)] {
		s.Row(q.QuestionID, q.Verdict, q.Text)
	}
	s.More(len(wrong) - maxRows)
}

// verdicts counts the answers by verdict, without the verdicts that did not occur.
func verdicts(v client.BenchmarkVerdicts) string {
	var all []string
	for _, name := range []string{"correct", "incorrect", "unclear", "refused", "error"} {
		if n, ok := v[name].(float64); ok && n > 0 {
			all = append(all, fmt.Sprintf("%v %s", n, name))
		}
	}
	return strings.Join(all, ", ")
}
