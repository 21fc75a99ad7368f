package clientcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/domain/benchmark"
	"readiness/domain/benchmark/goldenset"
	"readiness/offline/show"
)

// questionFormats lists the formats of files with questions.
var questionFormats = []string{"csv", "jsonl", "json"}

// formatFlag adds --format, which is needed where a file's name has no known ending.
func formatFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "format", "", "format of FILE: csv, jsonl or json; by default from the ending of its name, else json")
	cli.Completes(cmd, "format", questionFormats...)
}

// questionFormat returns the format of a file; "json" for the service's own.
func questionFormat(file, flag string) (goldenset.Format, error) {
	if flag != "" {
		if !slices.Contains(questionFormats, flag) {
			return "", cli.Usage("--format must be csv, jsonl or json, not %q", flag)
		}
		return goldenset.Format(flag), nil
	}
	if f, ok := goldenset.FormatOf(file); ok {
		return f, nil
	}
	return "json", nil
}

// questionsRequest returns the request that saves the questions of a file, with keep also those that cannot run.
func questionsRequest(f goldenset.Format, body []byte, keep bool) ([]byte, error) {
	if f == "json" {
		return questionsOf(body, keep)
	}
	all, err := goldenset.Read(f, body)
	if err != nil {
		return nil, err
	}
	set, err := benchmark.Set{Questions: all, Repeats: benchmark.DefaultRepeats}.Admit()
	if err != nil {
		return nil, err
	}
	request := map[string]any{"questions": set.Questions}
	if !keep {
		request["runnable"] = client.Required
	}
	return json.Marshal(request)
}

// placed returns the error of a save with the places in the file of the questions that cannot run.
func placed(err error, f goldenset.Format, file []byte) error {
	failed, ok := errors.AsType[*client.NotSucceededError](err)
	if !ok || failed.Operation.Error == nil {
		return err
	}
	reasons, head := benchmark.Cannot(failed.Operation.Error.Message)
	if reasons == nil {
		return err
	}
	const todo = "\nMend them, or save all with --keep-unrunnable"
	n := -1
	_, faulty := goldenset.ReadChecked(f, file, func(benchmark.Question) string { n++; return reasons[n] })
	faults, ok := errors.AsType[*goldenset.Faults](faulty)
	if f == "json" || !ok { // it has no lines
		return fmt.Errorf("%w%s", err, todo)
	}
	for _, one := range faults.All {
		head += "\n  " + one.Place() + ": " + cli.Printable(one.Why)
	}
	return errors.New(head + todo)
}

func (c *calls) benchmarkExportCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "export WORKSPACE MODEL FILE",
		Short: "Write the saved questions to a file that people edit",
		Long: `Writes the saved questions to a CSV or JSON lines file, or to stdout if FILE is -. save reads it back as the same questions.
In CSV, a cell that a spreadsheet would take for a formula begins with an apostrophe, which save removes.`,
		Example: `  readiness client benchmark export "Corporate Functions" "Support Tickets" questions.csv`,
		Args:    cobra.ExactArgs(3),
	}
	formatFlag(cmd, &format)
	call := c.run(func(ctx context.Context, s *client.Service, args []string) error {
		workspaceID, modelID, err := semanticModel(ctx, s, args)
		if err != nil {
			return err
		}
		f, err := questionFormat(args[2], format)
		if err != nil {
			return err
		}
		wanted := client.GetBenchmarkQuestionsParamsFormat(f)
		answer, err := s.GetBenchmarkQuestionsWithResponse(ctx, workspaceID, modelID, &client.GetBenchmarkQuestionsParams{Format: &wanted})
		if err != nil {
			return err
		}
		return c.program.WriteTo(fileOrStdout(args[2]), func(w io.Writer) error {
			_, err := w.Write(answer.Body)
			return err
		})
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if _, err := questionFormat(args[2], format); err != nil {
			return err
		}
		return call(cmd, args)
	}
	return cmd
}

func fileOrStdout(file string) string {
	if file == "-" {
		return ""
	}
	return file
}

// initialQuestions is how many questions init writes.
const initialQuestions = 10

func (c *calls) benchmarkInitCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "init WORKSPACE MODEL FILE",
		Short: "Write a file with ten questions to begin a golden set with",
		Long: `Writes ten questions that are generated from the model and from what its reports show to a new CSV or JSON lines file. Edit
it: keep the questions that people really ask in their words, and give the answers that you know to be right. Clear the
source of a question once a person has checked it. Then save it. It uses one of the day's benchmark builds and never
overwrites a file.`,
		Example: `  readiness client benchmark init "Corporate Functions" "Support Tickets" questions.csv
  readiness client benchmark save "Corporate Functions" "Support Tickets" questions.csv`,
		Args: cobra.ExactArgs(3),
	}
	formatFlag(cmd, &format)
	call := c.run(func(ctx context.Context, s *client.Service, args []string) error {
		f, err := questionFormat(args[2], format)
		if err != nil {
			return err
		}
		workspaceID, modelID, err := semanticModel(ctx, s, args)
		if err != nil {
			return err
		}
		text, n, err := c.initial(ctx, s, workspaceID, modelID, f)
		if err != nil {
			return err
		}
		if args[2] == "-" {
			_, err := c.program.Stdout.Write(text)
			return err
		}
		if err := writeNew(args[2], text); err != nil {
			return err
		}
		fmt.Fprintf(c.program.Stderr, "%s written to %s; edit the file, then save it with\n"+
			"  readiness client benchmark save %s %s %s%s\n",
			show.Count(n, "question"), cli.Printable(args[2]), show.ShellWord(args[0]), show.ShellWord(args[1]), show.ShellWord(args[2]),
			c.profileFlag())
		return nil
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		f, err := questionFormat(args[2], format)
		switch {
		case err != nil:
			return err
		case f == "json":
			return cli.Usage("init writes CSV or JSON lines: name the file .csv or .jsonl, or set --format")
		}
		if _, err := os.Lstat(args[2]); args[2] != "-" && err == nil {
			return fmt.Errorf("%s exists; init overwrites no file", cli.Printable(args[2]))
		}
		return call(cmd, args)
	}
	return cmd
}

// initial generates questions and returns them as a file, and how many there are.
func (c *calls) initial(ctx context.Context, s *client.Service, workspaceID, modelID uuid.UUID, f goldenset.Format) ([]byte, int,
	error) {
	answer, err := s.GenerateBenchmarkQuestionsWithResponse(ctx, workspaceID, modelID, nil,
		client.GenerateBenchmarkQuestionsRequest{Count: new(initialQuestions)})
	_, body, err := c.finished(ctx, s, answer, err)
	if err != nil {
		return nil, 0, err
	}
	var made struct {
		Value []benchmark.Question `json:"value"`
	}
	if err := json.Unmarshal(body, &made); err != nil {
		return nil, 0, fmt.Errorf("the generated questions: %w", err)
	}
	text, err := goldenset.Write(f, made.Value)
	return text, len(made.Value), err
}

// writeNew writes a file that must not exist.
func writeNew(file string, text []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // the user's own file, to be read by others
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists; init overwrites no file", cli.Printable(file))
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(f, bytes.NewReader(text))
	return errors.Join(err, f.Close())
}
