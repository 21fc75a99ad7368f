package desk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"readiness/ai"
	"readiness/ai/answerer"
	"readiness/cmd/cli"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/verdict"
	"readiness/offline"
	"readiness/offline/lift"
	"readiness/offline/show"
)

// askFlags say who answers.
type askFlags struct {
	ask, askBaseURL, askKeyEnv string
	timeout                    time.Duration
}

func (f *askFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.ask, "ask", askRules, "who answers: rules, openai:MODEL, ollama:MODEL or command:PROGRAM")
	flags.StringVar(&f.askBaseURL, "ask-base-url", "", "address for openai:MODEL and ollama:MODEL, if not their own")
	flags.StringVar(&f.askKeyEnv, "ask-key-env", "", "environment variable with the key; OPENAI_API_KEY for openai without an address")
	flags.DurationVar(&f.timeout, "ask-timeout", time.Minute, "how long a program may take for one answer")
}

// askRules asks the rules engine.
const askRules = "rules"

// liftFlags holds the flags of lift.
type liftFlags struct {
	proposeFlags
	askFlags
	questions, by, asks, format, write, record string
	count, repeats, budget                     int
	failOnHarm, keepUnrunnable                 bool
}

func (r *desk) liftCommand() *cobra.Command {
	f := liftFlags{}
	c := &cobra.Command{
		Use:   "lift PATH…",
		Short: "Measure which proposals buy right answers of an AI, without server or database",
		Long: `Asks questions of each semantic model as it is, with everything that apply would write, and with parts of it, and says which
parts help, which hurt, and which these questions cannot tell. Nothing is written without --write helpful, which applies
the parts that help, with a record for revert as apply does.

--questions names a golden set in CSV or JSON lines, as client benchmark questions reads it. Without it, --count questions
are made from the model's own names, which say little about the words that people use.

--ask says who answers:
  rules                 the rules engine of this program; its answers come from the rules that make the proposals, so
                        they say nothing about an AI
  openai:MODEL          a language model; OPENAI_API_KEY holds the key. --ask-base-url names any address that offers
                        the same interface, and --ask-key-env the variable of its key
  ollama:MODEL          a language model of Ollama on this machine
  command:PROGRAM ARGS  a program of your own, which is started once for each version of the model. It reads lines of
                        JSON, {"question": …, "model": …} with what Copilot sees of the model, and answers each with a
                        line, {"answer": …, "dax": …} or {"error": …}

Each answer is kept in --asks, so that an interrupted run goes on where it stopped, and a second one costs nothing;
--budget limits the new asks. --by rule and --by change look for smaller parts, where a larger one changes answers; AI
instructions are parted into their sections and lines. Another AI may answer otherwise, and the same one on another day.

Answers are judged as evaluate does: by rows over sample data where there are any, by the meaning of their queries, or by
their values. A part helps or hurts if McNemar's mid-p, adjusted
by Holm's method over the parts, is below 0.05. With --fail-on-harm the command exits with 3 if a part hurts, or if
everything together has more wrong answers than the model as it is.`,
		Example: `  readiness lift Sales.SemanticModel --questions golden.csv --ask openai:gpt-5-mini
  readiness lift Sales.SemanticModel --questions golden.csv --ask "command:python3 agent.py" --by rule --budget 400
  readiness lift models --ask rules --fail-on-harm --format json`,
		RunE: func(c *cobra.Command, paths []string) error { return r.lift(c.Context(), &f, paths) },
	}
	f.proposeFlags.add(c)
	flags := c.Flags()
	flags.StringVar(&f.questions, "questions", "", "file of golden questions, for one model; by default questions are made from the model")
	cli.KeepUnrunnableFlag(flags, &f.keepUnrunnable)
	flags.IntVar(&f.count, "count", 20, "how many questions to make without --questions")
	f.askFlags.add(flags)
	flags.StringVar(&f.by, "by", string(lift.ByKind), "size of the parts: kind, rule or change")
	cli.Completes(c, "by", string(lift.ByKind), string(lift.ByRule), string(lift.ByChange))
	flags.IntVar(&f.repeats, "repeats", 1, "how often to ask each question of each version, 1 to 10; most answers decide")
	flags.IntVar(&f.budget, "budget", 1000, "how many new asks there may be; 0 sets no limit")
	flags.StringVar(&f.asks, "asks", "readiness-lift.jsonl", "file of the answers, to go on with or to begin; not used with --ask rules")
	cli.FormatFlag(c, &f.format, "table", "json")
	flags.BoolVar(&f.failOnHarm, "fail-on-harm", false, "exit with 3 if a part hurts, or all together cause wrong answers")
	flags.StringVar(&f.write, "write", "", "helpful: write the parts that help, and a record for revert")
	flags.StringVar(&f.record, "record", "", recordUsage)
	cli.OwnEnvironment(c, c.Name(), "all", "format", "write", "record") // those of assess and apply mean something else
	return c
}

// mostRepeats bounds --repeats.
const mostRepeats = 10

func (f *liftFlags) check() error {
	switch {
	case f.by != string(lift.ByKind) && f.by != string(lift.ByRule) && f.by != string(lift.ByChange):
		return cli.Usage("--by must be kind, rule or change, not %q", f.by)
	case f.write != "" && f.write != "helpful":
		return cli.Usage("--write must be helpful, not %q", f.write)
	case f.record != "" && f.write == "":
		return cli.Usage("--record needs --write helpful: without it nothing is written, so there is nothing to record")
	case f.repeats < 1 || f.repeats > mostRepeats:
		return cli.Usage("--repeats must be from 1 to %d", mostRepeats)
	case f.budget < 0:
		return cli.Usage("--budget must not be negative; 0 sets no limit")
	case f.questions == "" && benchmark.CheckCount(f.count) != nil:
		return cli.Usage("--count: %s", benchmark.CheckCount(f.count))
	}
	return nil
}

func (r *desk) lift(ctx context.Context, f *liftFlags, paths []string) (err error) {
	if err := f.check(); err != nil {
		return err
	}
	open, end, err := r.opener(ctx, f.askFlags)
	if err != nil {
		return err
	}
	defer end()
	all, err := r.propose(ctx, f.proposeFlags, f.write != "", paths)
	if err != nil {
		return err
	}
	for flag, given := range map[string]string{"--questions": f.questions, "--write": f.write} {
		if given != "" && len(all) != 1 {
			return cli.Usage("%s is for one model, and the paths have %d", flag, len(all))
		}
	}
	o := lift.Options{Open: open, By: lift.By(f.by), Repeats: f.repeats, Budget: f.budget, KeepUnrunnable: f.keepUnrunnable}
	if f.ask != askRules {
		if o.Asks, err = lift.OpenAsks(f.asks); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, o.Asks.Close()) }()
	}
	results, harm := []lift.Result{}, false
	for _, p := range all {
		if p.Error != nil {
			fmt.Fprintf(r.Stderr, "readiness: %s: %s\n", p.Shown, p.Error)
			continue
		}
		if f.budget > 0 && o.Budget == 0 {
			fmt.Fprintf(r.Stderr, "readiness: warning: %s is left out: the budget of %d asks is spent\n", p.Shown, f.budget)
			continue
		}
		warnings, err := o.Prepare(ctx, p, f.questions, f.count, now())
		if refusal, refused := domain.Refused(err); refused {
			fmt.Fprintf(r.Stderr, "readiness: warning: %s is left out: %s\n", p.Shown, refusal.Message)
			continue
		}
		if err != nil {
			return err
		}
		r.warn(warnings)
		bar := r.LateProgress("asking")
		o.Progress = bar.Of
		result, err := lift.Measure(ctx, p, o)
		bar.End()
		if err != nil {
			return fmt.Errorf("%s: %w", p.Shown, err)
		}
		if f.budget > 0 {
			o.Budget -= result.Asked
		}
		results, harm = append(results, result), harm || result.Harms()
	}
	if err := r.showLift(f.format, results); err != nil {
		return err
	}
	if f.write != "" && len(results) == 1 {
		if err := r.writeHelpful(ctx, f, all[0], results[0]); err != nil {
			return err
		}
	}
	if f.failOnHarm && harm {
		return cli.ErrFound
	}
	return failedProposals(all)
}

// writeHelpful writes what helps.
func (r *desk) writeHelpful(ctx context.Context, f *liftFlags, p offline.Proposal, of lift.Result) error {
	chosen, helps, err := of.Helpful(p)
	if err != nil {
		return err
	}
	if !helps {
		fmt.Fprintln(r.Stderr, "Nothing was written: by these answers no part helps.")
		return nil
	}
	applied, named, err := offline.Write(ctx, []offline.Proposal{chosen}, f.record, now())
	if named != "" {
		fmt.Fprintf(r.Stderr, "To undo: readiness revert %s%s --write\n", show.ShellPath(filepath.ToSlash(named)), f.rootToRevert())
	}
	if err != nil {
		return err
	}
	return r.written(applied, "written")
}

// opener returns how to ask who --ask names, and what to call at the end.
func (r *desk) opener(ctx context.Context, f askFlags) (open func(*semanticmodel.Model) (verdict.Target, answerer.Ask, error), end func(), err error) {
	settings, end := aiprovider.Embedded(), func() {}
	kind, name, _ := strings.Cut(f.ask, ":")
	switch {
	case f.timeout <= 0:
		return nil, end, cli.Usage("--ask-timeout must be above 0")
	case f.ask == askRules:
	case name == "":
		return nil, end, cli.Usage("--ask must be rules, openai:MODEL, ollama:MODEL or command:PROGRAM, not %q", f.ask)
	case kind == "command":
		program := &program{ctx: ctx, words: strings.Fields(name), timeout: f.timeout, stderr: r.Stderr}
		return func(m *semanticmodel.Model) (verdict.Target, answerer.Ask, error) {
			program.end()
			target, ask := answerer.OfProgram(name, m, program.call)
			return target, ask, nil
		}, program.end, nil
	default:
		var known bool
		if settings, known, err = languageModel("--ask", f.ask, f.askBaseURL, f.askKeyEnv); !known {
			return nil, end, cli.Usage("--ask must be rules, openai:MODEL, ollama:MODEL or command:PROGRAM, not %q", f.ask)
		}
		if err != nil {
			return nil, end, err
		}
	}
	asker := answerer.New(answerer.Options{Models: ai.New(ai.Options{Getenv: os.Getenv, Log: r.Log}), Now: time.Now})
	return func(m *semanticmodel.Model) (verdict.Target, answerer.Ask, error) { return asker.OnModel(m, settings) }, end, nil
}

// languageModel returns the language model that openai:MODEL or ollama:MODEL names. known is false if it is none of them.
func languageModel(flag, of, baseURL, keyEnv string) (s aiprovider.Settings, known bool, err error) {
	kind, name, _ := strings.Cut(of, ":")
	if name == "" || kind != "openai" && kind != "ollama" {
		return s, false, nil
	}
	s = aiprovider.Settings{Kind: aiprovider.OpenAICompatible, Model: name, BaseURL: baseURL, KeyEnv: keyEnv, Declared: true}
	switch {
	case kind == "openai" && baseURL == "":
		s.Kind, s.KeyEnv = aiprovider.OpenAI, cmp.Or(keyEnv, "OPENAI_API_KEY")
	case baseURL == "":
		s.BaseURL = "http://127.0.0.1:11434/v1"
	}
	if s.KeyEnv != "" && os.Getenv(s.KeyEnv) == "" {
		return s, true, cli.Usage("%s %s: the environment variable %s holds no key", flag, of, s.KeyEnv)
	}
	return s, true, nil
}

// showLift prints the results.
func (r *desk) showLift(format string, all []lift.Result) error {
	if format == "json" {
		e := json.NewEncoder(r.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			Format string        `json:"format"`
			Models []lift.Result `json:"models"`
		}{"readiness-lift/1", all})
	}
	for _, result := range all {
		if err := lift.WriteTable(r.Stdout, result); err != nil {
			return err
		}
	}
	return nil
}
