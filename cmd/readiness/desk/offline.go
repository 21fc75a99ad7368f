package desk

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"readiness/ai"
	"readiness/cmd/cli"
	"readiness/cmd/readiness/screen"
	"readiness/cmd/readiness/teamrules"
	"readiness/domain/aiprovider"
	"readiness/domain/item"
	"readiness/domain/optimization"
	"readiness/domain/proposal"
	"readiness/internal/lists"
	"readiness/offline"
	"readiness/offline/show"
	"readiness/platform/folder"
)

// rootFlag adds --root, the folder that paths are relative to.
func rootFlag(flags *pflag.FlagSet, to *string) {
	flags.StringVar(to, "root", ".", "folder that paths in reports and records are relative to")
}

// proposeFlags holds the flags of commands that propose changes to files.
type proposeFlags struct {
	root  string
	kinds []string
	keys  []string
	all   bool
	jobs  int
	// ignore is the file of accepted findings, rules those of changed and own rules, answers that of a person's answers.
	ignore, answers string
	rules           []string
	// The AI provider; without a kind, the embedded rules.
	aiKind, aiBaseURL, aiModel, aiKeyEnv, aiAPIVersion string
}

func (f *proposeFlags) add(c *cobra.Command) {
	flags := c.Flags()
	rootFlag(flags, &f.root)
	var names []string
	for _, k := range optimization.Kinds() {
		names = append(names, string(k))
	}
	flags.StringSliceVar(&f.kinds, "kind", nil, "optimization kinds, all by default: "+strings.Join(names, ", "))
	cli.Completes(c, "kind", names...)
	flags.StringArrayVar(&f.keys, "key", nil, "key of a change to include; others are excluded. Can be repeated")
	flags.BoolVar(&f.all, "all", false, fmt.Sprintf("include every change, also of models with more than %d", offline.MaxRecommended))
	flags.StringVar(&f.ignore, "ignore", "", "YAML file of accepted findings, as for assess; nothing is proposed for them")
	teamrules.Flag(flags, &f.rules)
	flags.IntVar(&f.jobs, "jobs", 0, "how many models to process at once; 0 for one per processor")
	flags.StringVar(&f.aiKind, "ai", "", "AI provider that writes texts: openai, anthropic, openai_compatible or azure_openai; the "+
		"embedded rules by default")
	flags.StringVar(&f.aiBaseURL, "ai-base-url", "", "address of the AI provider, if its kind has no fixed one")
	flags.StringVar(&f.aiModel, "ai-model", "", "language model to ask")
	flags.StringVar(&f.aiKeyEnv, "ai-key-env", "", "environment variable that holds the AI provider's key")
	flags.StringVar(&f.aiAPIVersion, "ai-api-version", "", "API version, for azure_openai")
}

// addAnswers adds --answers.
func (f *proposeFlags) addAnswers(c *cobra.Command) {
	c.Flags().StringVar(&f.answers, "answers", "", "file of preview --questions with a person's answers, which take the place of proposed descriptions")
}

// options validates the flags.
func (f *proposeFlags) options(r *desk) (offline.ProposeOptions, error) {
	o := offline.ProposeOptions{All: f.all, Jobs: f.jobs}
	if len(f.keys) > 0 {
		o.Keys = f.keys
	}
	for _, name := range f.kinds {
		if !slices.Contains(optimization.Kinds(), optimization.Kind(name)) {
			return o, cli.Usage("--kind: there is no optimization kind %q; available: %v", name, optimization.Kinds())
		}
		o.Kinds = append(o.Kinds, optimization.Kind(name))
	}
	settings := aiprovider.Embedded()
	if f.aiKind != "" {
		settings = aiprovider.Settings{
			Kind: aiprovider.Kind(f.aiKind), BaseURL: f.aiBaseURL, Model: f.aiModel, APIVersion: f.aiAPIVersion, KeyEnv: f.aiKeyEnv,
			Declared: true,
		}
	}
	switch {
	case f.jobs < 0:
		return o, cli.Usage("--jobs must not be negative")
	case f.aiKind == "" && (f.aiBaseURL != "" || f.aiModel != "" || f.aiKeyEnv != "" || f.aiAPIVersion != ""):
		return o, cli.Usage("--ai-… flags need --ai, the kind of the AI provider")
	case f.aiKind == "":
	case !settings.Kind.Remote():
		return o, cli.Usage("--ai must be openai, anthropic, openai_compatible or azure_openai, not %q", f.aiKind)
	case f.aiModel == "":
		return o, cli.Usage("--ai needs --ai-model, the language model to ask")
	case settings.Kind.NeedsAddress() && f.aiBaseURL == "":
		return o, cli.Usage("--ai %s needs --ai-base-url", f.aiKind)
	case settings.Kind.NeedsKey() && f.aiKeyEnv == "":
		return o, cli.Usage("--ai %s needs --ai-key-env, the environment variable that holds the key", f.aiKind)
	}
	proposer := ai.New(ai.Options{Getenv: os.Getenv, Log: r.Log})
	o.Propose = func(ctx context.Context, ask proposal.Ask) (proposal.Answer, error) {
		return proposer.Ask(ctx, settings, ask)
	}
	return o, nil
}

// propose makes the proposals for the paths. With recorded, all models must be below the root.
func (r *desk) propose(ctx context.Context, f proposeFlags, recorded bool, paths []string) ([]offline.Proposal, error) {
	if len(paths) == 0 {
		return nil, cli.Usage("a path is missing: name a folder with semantic models")
	}
	o, err := f.options(r)
	if err != nil {
		return nil, err
	}
	if o.Regime, err = teamrules.Regime(f.rules); err != nil {
		return nil, err
	}
	if f.ignore != "" {
		if o.Ignores, err = offline.ReadIgnores(f.ignore, offline.OwnRules(o.Regime)...); err != nil {
			return nil, err
		}
	}
	if f.answers != "" {
		if len(o.Kinds) > 0 && !slices.Contains(o.Kinds, optimization.Descriptions) {
			return nil, cli.Usage("--answers are descriptions, and --kind proposes none; add --kind descriptions")
		}
		if o.Words, err = offline.ReadAnswers(f.answers); err != nil {
			return nil, err
		}
	}
	items, passed, err := offline.Find(ctx, f.root, paths)
	if err != nil {
		return nil, err
	}
	for model := range o.Words {
		if !slices.ContainsFunc(items, func(i offline.Item) bool { return i.Shown == model }) {
			return nil, fmt.Errorf("%s has answers about %s, which is no model at these paths; --root must be that of the questions", f.answers, model)
		}
	}
	if recorded {
		if err := offline.Inside(items); err != nil {
			return nil, err
		}
	}
	bar := r.LateProgress("proposing")
	o.Progress = bar.Of
	all, warnings, err := offline.Propose(ctx, items, o)
	bar.End()
	r.warn(append(passed, warnings...))
	return all, err
}

// warn prints warnings, which do not fail the command: of several that say the same, the first, and how many there are.
func (r *desk) warn(all []offline.Warning) {
	times := map[string]int{}
	for _, w := range all {
		times[w.Message]++
	}
	for _, w := range all {
		more := ""
		if n := times[w.Message] - 1; n > 0 {
			more = fmt.Sprintf(" (and %d more of the same)", n)
		}
		if times[w.Message] > 0 {
			fmt.Fprintf(r.Stderr, "readiness: warning: %s%s\n", w, more)
		}
		times[w.Message] = 0
	}
}

// showProposals prints each model's headline and diff.
func (r *desk) showProposals(all []offline.Proposal) error {
	s := screen.Of(r.Stdout)
	for _, p := range all {
		fmt.Fprintf(r.Stdout, "%s\n", p.Headline())
		if err := p.WriteNotes(r.Stdout); err != nil {
			return err
		}
		if err := s.WriteDiff(r.Stdout, p); err != nil {
			return err
		}
	}
	return nil
}

// failedProposals returns an error if some proposals could not be made.
func failedProposals(all []offline.Proposal) error {
	n := lists.Count(all, func(p offline.Proposal) bool { return p.Error != nil })
	if n > 0 {
		return cli.Partly("%d of %d semantic models could not be optimized; see their lines above", n, len(all))
	}
	return nil
}

// written prints which models, or items if reports are among them, were written and which were not.
func (r *desk) written(applied []offline.Applied, how string) error {
	failed, noun := 0, "model"
	for _, a := range applied {
		if kind, _ := folder.TypeOf(path.Base(a.Path)); kind == item.Report {
			noun = "item"
		}
		if a.Error != nil {
			failed++
			fmt.Fprintf(r.Stderr, "readiness: %s was not %s: %s\n", a.Path, how, a.Error)
		}
	}
	fmt.Fprintf(r.Stderr, "%s %s\n", show.Count(len(applied)-failed, noun), how)
	if failed > 0 {
		return cli.Partly("%d of %d semantic models were not %s", failed, len(applied), how)
	}
	return nil
}

// now returns the timestamp for a record, truncated to seconds.
func now() time.Time { return time.Now().Truncate(time.Second) }
