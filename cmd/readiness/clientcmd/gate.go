package clientcmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/cmd/readiness/clientcmd/sheet"
	"readiness/internal/optional"
	"readiness/offline/report/runreport"
)

// gateFlags define when a run fails the command, and which reports of it are written.
type gateFlags struct {
	runreport.Gate
	failUnder                       int
	baseline, junit, markdown, html string
}

func (f *gateFlags) add(cmd *cobra.Command, score string) {
	flags := cmd.Flags()
	flags.IntVar(&f.failUnder, "fail-under", 0, "exit with 3 if "+score+" is lower (0 to 100)")
	flags.BoolVar(&f.FailOnRegression, "fail-on-regression", false,
		"exit with 3 if a question is no longer answered correctly in the majority of its asks")
	flags.StringVar(&f.baseline, "baseline", "",
		"run to compare with; by default the last that succeeded with the same questions and answerer")
	flags.StringVar(&f.junit, "junit", "", "JUnit file to write")
	flags.StringVar(&f.markdown, "markdown", "", "Markdown file to write, for a comment on a pull request")
	flags.StringVar(&f.html, "html", "", "HTML file to write: one page without external resources")
}

// wanted reports whether any of the flags is set.
func (f *gateFlags) wanted(cmd *cobra.Command) bool {
	return cmd.Flags().Changed("fail-under") || f.FailOnRegression || f.baseline != "" || f.junit+f.markdown+f.html != ""
}

// check rejects flags that are wrong or cannot be combined.
func (f *gateFlags) check(cmd *cobra.Command, noWait bool) error {
	if cmd.Flags().Changed("fail-under") {
		f.FailUnder = &f.failUnder
	}
	_, wrong := uuid.Parse(f.baseline)
	switch {
	case f.failUnder < 0 || f.failUnder > 100:
		return cli.Usage("--fail-under must be 0 to 100, not %d", f.failUnder)
	case f.baseline != "" && wrong != nil:
		return cli.Usage("--baseline: %q is not the id of a run; readiness client benchmark runs shows them", f.baseline)
	case noWait && f.wanted(cmd):
		return cli.Usage("--no-wait cannot be combined with a gate or a report: both need the result")
	}
	for _, file := range []string{f.junit, f.markdown, f.html} { // a run is too expensive to fail only afterwards
		if _, err := os.Stat(filepath.Dir(file)); err != nil && file != "" {
			return fmt.Errorf("%s cannot be written: %w", file, err)
		}
	}
	return nil
}

// compares returns an error if the run of --baseline cannot be read, before another run is started.
func (f *gateFlags) compares(ctx context.Context, s *client.Service, workspaceID, modelID uuid.UUID) error {
	if f.baseline == "" {
		return nil
	}
	_, err := s.GetBenchmarkRunResultWithResponse(ctx, workspaceID, modelID, f.baseline)
	return err
}

// comparesTest is compares for side B of a test.
func (f *gateFlags) comparesTest(ctx context.Context, s *client.Service, testID string) error {
	if f.baseline == "" {
		return nil
	}
	got, err := s.GetAbTestWithResponse(ctx, testID, nil)
	if err != nil {
		return err
	}
	workspaceID, modelID, err := modelOf(got.JSON200.SideB)
	if err != nil {
		return err
	}
	return f.compares(ctx, s, workspaceID, modelID)
}

// modelOf returns the model of side B of a test.
func modelOf(side client.AbTestSide) (workspaceID, modelID uuid.UUID, err error) {
	if workspaceID, err = uuid.Parse(optional.Text(side.WorkspaceID)); err != nil {
		return workspaceID, modelID, fmt.Errorf("side B of the test: %w", err)
	}
	if modelID, err = uuid.Parse(optional.Text(side.SemanticModelID)); err != nil {
		return workspaceID, modelID, fmt.Errorf("side B of the test: %w", err)
	}
	return workspaceID, modelID, nil
}

// judged waits for a run that was started, prints its result, writes the reports of it and applies the gate. reported
// makes the report from the operation and its result.
func (c *calls) judged(ctx context.Context, s *client.Service, f *gateFlags, answer *client.Started, err error,
	reported func(o client.Operation, result []byte) (*runreport.Report, error)) error {
	o, body, err := c.finished(ctx, s, answer, err)
	if err != nil {
		return err
	}
	result, err := readResult(optional.Text(o.OperationType), body)
	if err != nil {
		return fmt.Errorf("the result of operation %s: %w", o.ID, err)
	}
	if err := c.answered(body, result.show); err != nil {
		return err
	}
	r, err := reported(o, body)
	if err != nil {
		return err
	}
	r.Check(f.Gate)
	for _, one := range []struct {
		file  string
		write func(io.Writer) error
	}{{f.junit, func(w io.Writer) error { return r.WriteJUnit(w, f.Gate) }}, {f.markdown, r.WriteMarkdown}, {f.html, r.WriteHTML}} {
		if one.file == "" {
			continue
		}
		if err := c.program.WriteTo(one.file, one.write); err != nil {
			return err
		}
	}
	for _, note := range r.Notes {
		fmt.Fprintf(c.program.Stderr, "readiness: %s\n", cli.Printable(note))
	}
	for _, q := range r.Regressed() {
		fmt.Fprintf(c.program.Stderr, "readiness: regressed: %s\n", cli.Printable(q.Text))
	}
	for _, miss := range r.Misses {
		fmt.Fprintf(c.program.Stderr, "readiness: %s\n", cli.Printable(miss))
	}
	if len(r.Misses) > 0 {
		return cli.ErrFound
	}
	return nil
}

// askedAgain identifies the earlier runs to compare a run with.
type askedAgain struct {
	workspaceID, modelID uuid.UUID
	by                   client.AnsweredBy
	setHash              string
	operationID          string // of the run itself
}

// earlier returns the run to compare with: the one of --baseline, else the last one that succeeded with the same questions
// and answerer; nil if there is none.
func (f *gateFlags) earlier(ctx context.Context, s *client.Service, a askedAgain) (*runreport.Baseline, error) {
	runID := f.baseline
	if runID == "" {
		for page, err := range s.ListBenchmarkRunsPages(ctx, a.workspaceID, a.modelID, client.ListBenchmarkRunsParams{}) {
			if err != nil {
				return nil, err
			}
			for _, r := range page.JSON200.Value {
				if runID == "" && r.Status == client.OperationStatusSucceeded && r.QuestionSetHash == a.setHash &&
					sameAnswerer(r.Agent, a.by) && r.OperationID != a.operationID {
					runID = r.RunID
				}
			}
			if runID != "" {
				break
			}
		}
	}
	if runID == "" {
		return nil, nil
	}
	got, err := s.GetBenchmarkRunResultWithResponse(ctx, a.workspaceID, a.modelID, runID)
	if err != nil {
		return nil, err
	}
	at := time.Time{}
	if t := got.JSON200.Run.FinishedAtUtc; t != nil {
		at = *t
	}
	return &runreport.Baseline{RunID: runID, At: at, Document: got.JSON200.Document}, nil
}

func sameAnswerer(a, b client.AnsweredBy) bool {
	return optional.Text(a.Kind) == optional.Text(b.Kind) && optional.Text(a.DataAgentID) == optional.Text(b.DataAgentID) &&
		optional.Text(a.ProviderID) == optional.Text(b.ProviderID) && optional.Text(a.RunID) == optional.Text(b.RunID)
}

// ofRun returns the report of a benchmark run.
func (f *gateFlags) ofRun(ctx context.Context, s *client.Service, workspaceID, modelID uuid.UUID, result []byte) (*runreport.Report,
	error) {
	var b client.BenchmarkRunResult
	if err := json.Unmarshal(result, &b); err != nil {
		return nil, err
	}
	before, err := f.earlier(ctx, s, askedAgain{workspaceID, modelID, b.Run.Agent, b.Run.QuestionSetHash, b.Run.OperationID})
	if err != nil {
		return nil, err
	}
	return runreport.OfRun(cli.Printable(sheet.OrID(b.Run.SemanticModelName, b.Run.SemanticModelID)), b.Document, before)
}

// ofTest returns the report of an A/B run.
func (f *gateFlags) ofTest(ctx context.Context, s *client.Service, testID string, o client.Operation, result []byte) (*runreport.Report,
	error) {
	var b client.AbTestResult
	if err := json.Unmarshal(result, &b); err != nil {
		return nil, err
	}
	got, err := s.GetAbTestWithResponse(ctx, testID, nil)
	if err != nil {
		return nil, err
	}
	side := got.JSON200.SideB
	workspaceID, modelID, err := modelOf(side)
	if err != nil {
		return nil, err
	}
	var d struct {
		Benchmark struct {
			Hash string `json:"hash"`
		} `json:"benchmark"`
	}
	if err := json.Unmarshal(b.Document, &d); err != nil {
		return nil, fmt.Errorf("the stored comparison cannot be read: %w", err)
	}
	before, err := f.earlier(ctx, s, askedAgain{workspaceID, modelID, side.AnsweredBy, d.Benchmark.Hash, o.ID.String()})
	if err != nil {
		return nil, err
	}
	conclusion := ""
	if a := readAggregate(b.Aggregate); a != nil {
		conclusion = cmp.Or(a.Sentence, fmt.Sprintf("Over %d questions: %s.", a.Comparable, a.concluded()))
	}
	return runreport.OfTest(cli.Printable(got.JSON200.Name), conclusion, b.Document, before)
}
