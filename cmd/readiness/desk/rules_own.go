package desk

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/cmd/readiness/screen"
	"readiness/cmd/readiness/teamrules"
	"readiness/cmd/readiness/teamrules/analyzer"
	"readiness/domain/readiness/finding"
	"readiness/internal/indentedjson"
	"readiness/offline/ignore"
	"readiness/offline/show"
)

// showOwn prints a rule that a team wrote.
func (r *desk) showOwn(rule *teamrules.Rule) error {
	width := min(screen.Of(r.Stdout).Width, screen.Width)
	own := rule.Own
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", own.ID, show.Printable(own.Title))
	in := "outside of the score"
	if own.Dimension != "" {
		in = fmt.Sprintf("weight %s in %s", weight(own.Weight), own.Dimension)
	}
	fmt.Fprintf(&b, "  a rule of your own (%s:%d): %s, %s, effort: %s, %s\n", own.File, own.Line, own.Severity, in, own.Effort, show.Count(rule.Tests, "test"))
	fmt.Fprintf(&b, "\nViolated by a %s, if\n%s\n", rule.Scope, indented(indented(strings.TrimRight(rule.When, "\n"))))
	for _, part := range []struct{ title, text string }{{"Message", rule.Message}, {"Why", own.Why}, {"How to fix", own.Fix}} {
		if part.text != "" {
			fmt.Fprintf(&b, "\n%s\n%s\n", part.title, wrapped(show.Printable(part.text), width))
		}
	}
	entry := ignore.EntryFor(own.ID, finding.Key{Table: "Sales", ObjectName: "Amount"})
	fmt.Fprintf(&b, "\nHow to ignore\n  In the file of --ignore:\n%s", indented(indented(entry)))
	_, err := fmt.Fprint(r.Stdout, b.String())
	return err
}

func (r *desk) rulesTestCommand() *cobra.Command {
	var format string
	var files []string
	c := &cobra.Command{
		Use:   "test",
		Short: "Test rules of your own by the models in their files",
		Long: `Runs the tests that the files of --rules have: each is a small model in TMDL and the names of the objects in it that violate the
rule. The exit code is 3 if one fails. Files with rules that cannot work are errors with line and column, as for assess.`,
		Example: `  readiness rules test --rules readiness-rules.yaml`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if len(files) == 0 {
				return cli.Usage("rules test needs --rules FILE")
			}
			rules, err := teamrules.Read(files)
			if err != nil {
				return err
			}
			return r.testRules(rules, format)
		},
	}
	cli.FormatFlag(c, &format, "text", "json")
	cli.OwnEnvironment(c, "rules-test", "format")
	teamrules.Flag(c.Flags(), &files)
	return c
}

func (r *desk) testRules(rules *teamrules.Rules, format string) error {
	all, untested := rules.Test()
	failed := 0
	for _, o := range all {
		if o.Fault != "" {
			failed++
		}
	}
	if format == "json" {
		if all == nil {
			all = []teamrules.Outcome{}
		}
		if untested == nil {
			untested = []string{}
		}
		if err := indentedjson.Write(r.Stdout, struct {
			Tests    []teamrules.Outcome `json:"tests"`
			Failed   int                 `json:"failed"`
			Untested []string            `json:"untested"`
		}{all, failed, untested}); err != nil {
			return err
		}
	} else {
		for _, o := range all {
			if o.Fault != "" {
				fmt.Fprintf(r.Stdout, "%s:%d: %s %s: %s\n", o.File, o.Line, o.Rule, show.Printable(o.Name), show.Printable(o.Fault))
			}
		}
		fmt.Fprintf(r.Stdout, "%s, %d failed\n", show.Count(len(all), "test"), failed)
		if len(untested) > 0 {
			fmt.Fprintf(r.Stdout, "without a test: %s\n", strings.Join(untested, ", "))
		}
	}
	if failed > 0 {
		return cli.ErrFound
	}
	return nil
}

// maxAnalyzerRules bounds a file of the Best Practice Analyzer, in bytes.
const maxAnalyzerRules = 4 << 20

func (r *desk) rulesImportCommand() *cobra.Command {
	var output, format string
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Turn rules of the Best Practice Analyzer into rules of your own",
		Long: `Reads a file of rules of the Best Practice Analyzer of Tabular Editor (BPARules.json), and writes those whose expressions are simple
as a file for --rules. The others are listed on stderr with the reason. A counterpart among the rules of the score is named, so that you
can leave the imported rule out.`,
		Example: `  readiness rules import BPARules.json --output readiness-rules.yaml
  readiness rules test --rules readiness-rules.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			info, err := os.Stat(args[0])
			if err == nil && info.Size() > maxAnalyzerRules {
				return fmt.Errorf("%s has %d bytes; at most %d are read", args[0], info.Size(), maxAnalyzerRules)
			}
			text, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			return r.importRules(args[0], text, output, format)
		},
	}
	c.Flags().StringVar(&output, "output", "", "file to write instead of stdout")
	cli.FormatFlag(c, &format, "yaml", "json")
	cli.OwnEnvironment(c, "rules-import", "output", "format")
	return c
}

// importRules writes what became of rules of the analyzer. JSON has also what is left out, which is otherwise on stderr.
func (r *desk) importRules(file string, text []byte, output, format string) error {
	rules, err := analyzer.Read(text)
	if err != nil {
		return fmt.Errorf("%s is %w", file, err)
	}
	made := analyzer.Convert(rules)
	if format == "json" {
		if err := r.WriteTo(output, func(w io.Writer) error { return indentedjson.Write(w, made) }); err != nil {
			return err
		}
		if len(made.Made) == 0 {
			return cli.ErrFound
		}
		return nil
	}
	for _, why := range made.Left {
		fmt.Fprintf(r.Stderr, "left out: %s\n", show.Printable(why))
	}
	fmt.Fprintf(r.Stderr, "%d of %d rules imported, %d of these not for every scope; %s made\n", made.Imported, made.Rules, made.Partly,
		show.Count(len(made.Made), "rule"))
	if len(made.Made) == 0 {
		return cli.ErrFound
	}
	return r.WriteTo(output, func(w io.Writer) error {
		_, err := w.Write(made.YAML())
		return err
	})
}
