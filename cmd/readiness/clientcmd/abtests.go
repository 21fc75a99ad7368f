package clientcmd

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/cmd/readiness/clientcmd/sheet"
	"readiness/domain/verdict"
	"readiness/internal/optional"
	"readiness/offline/report/runreport"
	"readiness/offline/show"
)

func (c *calls) abTestsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "abtests",
		Short: "Ask two sides the same questions, and compare the answers",
		Long: `Compares how two sides answer the same questions: two semantic models, a model before and after a change, or two
answerers. The service asks side B after side A has finished, and only while the person who started the run waits.`,
		RunE: cli.NeedsSubcommand,
	}
	cmd.AddCommand(c.abTestsListCommand(), c.abTestsCreateCommand(), c.abTestsShowCommand(), c.abTestsRunCommand(),
		c.abTestsResultCommand(), c.abTestsDeleteCommand())
	return cmd
}

// anABTest accepts the id of an A/B test and up to optional further ids.
func anABTest(optional int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := cobra.RangeArgs(1, 1+optional)(cmd, args); err != nil {
			return err
		}
		return areIDs(args, "an A/B test or a run", "readiness client abtests list")
	}
}

func (c *calls) abTestsListCommand() *cobra.Command {
	var search string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the A/B tests of the account, newest first",
		Args:  cobra.NoArgs,
		RunE: c.run(func(ctx context.Context, s *client.Service, _ []string) error {
			var params client.ListAbTestsParams
			if search != "" {
				params.Q = &search
			}
			return listed(c, s.ListAbTestsPages(ctx, params), func(s *sheet.Sheet, p client.AbTestList) {
				for _, t := range p.Value {
					status, when, came := "", "", ""
					if r := t.LatestRun; r != nil {
						status, when = optional.Text(r.Status), sheet.Moment(r.StartedAtUtc)
					}
					if a := readAggregate(t.LatestSucceededRunAggregate); a != nil {
						came = a.scores()
					}
					s.Row(t.AbTestID, t.Name, fmt.Sprint(t.RunCount), status, came, when)
				}
			}, "A/B TEST", "NAME", "RUNS", "LATEST", "A → B", "STARTED")
		}),
	}
	cmd.Flags().StringVar(&search, "search", "", "list only those whose name, models or data agents contain this text")
	return cmd
}

// abTestFlags are the flags of abtests create.
type abTestFlags struct {
	by          answeredByFlags
	file, runID string
	imported    []string
	reuse       bool
	repeats     int
}

func (f *abTestFlags) add(flags *pflag.FlagSet) {
	f.by.add(flags)
	flags.StringVar(&f.file, "file", "", "JSON file of the request; - for stdin")
	flags.StringVar(&f.runID, "run", "", "stored run of the first model whose questions to ask, instead of the saved ones")
	flags.StringSliceVar(&f.imported, "imported", nil, "compare two imported runs of the model, RUN_A,RUN_B; nobody is asked")
	flags.BoolVar(&f.reuse, "reuse-side-a", false, "keep the answers of --run as side A, and ask only side B")
	flags.IntVar(&f.repeats, "repeats", 1, "how many times to ask each question, 1 to 20; by default as saved or asked before")
}

// check rejects arguments and flags that cannot be combined.
func (f *abTestFlags) check(args []string) error {
	_, wrong := uuid.Parse(f.runID)
	switch {
	case len(f.imported) > 0 && (len(f.imported) != 2 || len(args) != 3 || f.file != "" || f.runID != "" || f.reuse || f.by != answeredByFlags{}):
		return cli.Usage("--imported takes two runs, separated by a comma, with NAME, WORKSPACE and MODEL and no flag about who answers")
	case slices.ContainsFunc(f.imported, func(id string) bool { return uuid.Validate(id) != nil }):
		return cli.Usage("--imported: %q are not ids of runs; readiness client benchmark runs shows them", f.imported)
	case f.file != "" && (len(args) > 0 || f.runID != "" || f.reuse || f.by != answeredByFlags{}):
		return cli.Usage("--file contains the complete request and cannot be combined with arguments or other flags")
	case f.file == "" && len(args) != 3 && len(args) != 5:
		return cli.Usage("create needs NAME, WORKSPACE and MODEL, and WORKSPACE_B and MODEL_B for another model on side B; or --file")
	case f.runID != "" && wrong != nil:
		return cli.Usage("--run: %q is not the id of a run; readiness client benchmark runs shows them", f.runID)
	case f.reuse && f.runID == "":
		return cli.Usage("--reuse-side-a needs --run, the run to keep")
	}
	return f.by.check()
}

// request returns the request for the arguments of abtests create.
func (f *abTestFlags) request(ctx context.Context, s *client.Service, cmd *cobra.Command, args []string) (client.CreateAbTestRequest,
	error) {
	request := client.CreateAbTestRequest{Name: args[0], Repeats: given(cmd, "repeats", f.repeats),
		ReuseSideA: given(cmd, "reuse-side-a", f.reuse)}
	request.Source.Kind = "Questions"
	if f.runID != "" {
		request.Source = client.AbTestSourceRequest{Kind: "Run", RunID: new(uuid.MustParse(f.runID))}
	}
	var err error
	if request.SideA, err = f.by.side(ctx, s, args[1:3]); err != nil {
		return request, err
	}
	request.SideB = request.SideA
	if len(f.imported) == 2 {
		a, b := uuid.MustParse(f.imported[0]), uuid.MustParse(f.imported[1])
		request.Source, request.ReuseSideA = client.AbTestSourceRequest{Kind: "Run", RunID: &a}, new(true)
		request.SideA.AnsweredBy = client.AnsweredByRequest{Kind: string(verdict.Imported), RunID: &a}
		request.SideB.AnsweredBy = client.AnsweredByRequest{Kind: string(verdict.Imported), RunID: &b}
	}
	if len(args) == 5 {
		request.SideB, err = f.by.side(ctx, s, args[3:5])
	}
	return request, err
}

func (c *calls) abTestsCreateCommand() *cobra.Command {
	var f abTestFlags
	cmd := c.noWaitFlag(&cobra.Command{
		Use:   "create NAME WORKSPACE MODEL [WORKSPACE_B MODEL_B] | create --file FILE",
		Short: "Create an A/B test and start its first run",
		Long: `Asks both sides the saved questions of the first model, or with --run the questions of a stored run; --reuse-side-a keeps
that run as side A. Without a second model both sides use the same model. The same answerer answers for both sides,
unless --file contains the request as the service expects it.`,
		Example: `  readiness client abtests create "After my changes" "Corporate Functions" "Support Tickets" --run 01a1fe19-b4e6-73d6-a5f4-307239dadc95 --reuse-side-a
  readiness client abtests create "Old and new" Retail Sales Retail "Sales 2"
  readiness client abtests create --file abtest.json`,
		Args: cobra.MaximumNArgs(5),
	})
	call := c.run(func(ctx context.Context, s *client.Service, args []string) error {
		if f.file != "" {
			body, err := readBody(cmd, f.file)
			if err != nil {
				return err
			}
			answer, err := s.CreateAbTestWithResponse(ctx, nil, client.CreateAbTestRequest{}, client.WithBody("application/json", body))
			return c.started(ctx, s, answer, err)
		}
		request, err := f.request(ctx, s, cmd, args)
		if err != nil {
			return err
		}
		answer, err := s.CreateAbTestWithResponse(ctx, nil, request)
		return c.started(ctx, s, answer, err)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(args); err != nil {
			return err
		}
		return call(cmd, args)
	}
	f.add(cmd.Flags())
	return cmd
}

// side returns the semantic model that args name (workspace, model) with its answerer.
func (f *answeredByFlags) side(ctx context.Context, s *client.Service, args []string) (client.AbTestSideRequest, error) {
	workspaceID, modelID, err := semanticModel(ctx, s, args)
	if err != nil {
		return client.AbTestSideRequest{}, err
	}
	by, err := f.request(ctx, s, workspaceID)
	return client.AbTestSideRequest{WorkspaceID: workspaceID, SemanticModelID: modelID, AnsweredBy: by}, err
}

func (c *calls) abTestsShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show AB_TEST_ID",
		Short: "Show an A/B test with its newest runs",
		Args:  anABTest(0),
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			got, err := s.GetAbTestWithResponse(ctx, args[0], nil)
			return shown(c, got, err, abTestTable)
		}),
	}
}

func abTestTable(s *sheet.Sheet, t client.AbTest) {
	side := func(of client.AbTestSide) string {
		model := optional.Text(of.SemanticModelName) + " in " + optional.Text(of.WorkspaceName)
		return cli.Printable(model + ", asked of " + answerer(of.AnsweredBy))
	}
	s.Say("%s: %s, %s", cli.Printable(t.Name), show.Count(t.Questions.Count, "question"), show.Count(t.RunCount, "run"))
	s.Say("A: %s\nB: %s", side(t.SideA), side(t.SideB))
	var effect detectableEffect
	if body, err := json.Marshal(t.MinimumDetectableEffect); err == nil && json.Unmarshal(body, &effect) == nil && effect.N > 0 {
		s.Say("%s", cli.Printable(effect.text()))
	}
	if len(t.Runs) == 0 {
		return
	}
	if a, b := t.Runs[0].SideA.Answerer, t.Runs[0].SideB.Answerer; a != nil && b != nil {
		s.Say("In the newest run side A was answered by %s, side B by %s", cli.Printable(*a), cli.Printable(*b))
	}
	s.Rows("RUN", "STATUS", "STAGE", "A → B", "FINISHED", "WHY")
	for _, r := range t.Runs {
		came := ""
		if a := readAggregate(r.Aggregate); a != nil {
			came = a.scores()
		}
		s.Row(r.RunID, optional.Text(r.Status), optional.Text(r.Stage), came, sheet.Moment(r.FinishedAtUtc), sheet.Failure(r.Error))
	}
}

func (c *calls) abTestsRunCommand() *cobra.Command {
	var current bool
	var reuse string
	var gate gateFlags
	cmd := c.noWaitFlag(&cobra.Command{
		Use:   "run AB_TEST_ID",
		Short: "Run an A/B test again",
		Long: `Asks both sides the questions that were stored with the test, or with --current those that side A's model has saved now.
--reuse keeps a stored run of side A's model that asked the same questions, and asks only side B.

--fail-under and --fail-on-regression define when the command exits with 3. Both judge side B: its score, and its answers
compared with those of the last run that succeeded with the same questions and answerer, or with run --baseline. Exit
code 1 means that there is no result, 2 that the command line is wrong.`,
		Example: "  readiness client abtests run 01a1fe19-b4e6-73d6-a5f4-307239dadc95",
		Args:    anABTest(0),
	})
	call := c.run(func(ctx context.Context, s *client.Service, args []string) error {
		var request client.RunAbTestAgainRequest
		if current {
			request.QuestionSet = new("Current")
		}
		if reuse != "" {
			request.ReuseRunID = new(uuid.MustParse(reuse))
		}
		if err := gate.comparesTest(ctx, s, args[0]); err != nil {
			return err
		}
		answer, err := s.RunAbTestAgainWithResponse(ctx, args[0], nil, request)
		if !gate.wanted(cmd) {
			return c.started(ctx, s, answer, err)
		}
		return c.judged(ctx, s, &gate, answer, err, func(o client.Operation, result []byte) (*runreport.Report, error) {
			return gate.ofTest(ctx, s, args[0], o, result)
		})
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if _, err := uuid.Parse(reuse); reuse != "" && err != nil {
			return cli.Usage("--reuse: %q is not the id of a run; readiness client benchmark runs shows them", reuse)
		}
		if err := gate.check(cmd, c.noWait); err != nil {
			return err
		}
		return call(cmd, args)
	}
	cmd.Flags().BoolVar(&current, "current", false, "ask the questions that side A's model has saved now")
	cmd.Flags().StringVar(&reuse, "reuse", "", "stored run to keep as side A")
	gate.add(cmd, "side B's score")
	return cmd
}

func (c *calls) abTestsResultCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "result AB_TEST_ID [RUN_ID]",
		Short: "Show the result of a run, by default the newest that succeeded",
		Args:  anABTest(1),
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			testID := args[0]
			if len(args) == 1 {
				test, err := s.GetAbTestWithResponse(ctx, testID, nil)
				if err != nil {
					return err
				}
				if args = append(args, optional.Text(test.JSON200.LatestSucceededRunID)); args[1] == "" {
					return fmt.Errorf("no run of this A/B test has succeeded yet; readiness client abtests show %s%s shows their status",
						testID, c.profileFlag())
				}
			}
			got, err := s.GetAbTestRunResultWithResponse(ctx, testID, args[1])
			return shown(c, got, err, abResultTable)
		}),
	}
}

func (c *calls) abTestsDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "delete AB_TEST_ID",
		Short: "Delete an A/B test with its runs",
		Long: `Deletes the test with its runs and comparisons; the benchmark runs of the sides are kept. A run in progress ends as Failed,
and the allowance that it used is not refunded.`,
		Args: anABTest(0),
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			got, err := s.DeleteAbTestWithResponse(ctx, args[0])
			return shown(c, got, err, func(s *sheet.Sheet, got client.DeletedAbTest) {
				s.Say("Deleted, with %s", show.Count(got.DeletedRuns, "run"))
			})
		}),
	}
}
