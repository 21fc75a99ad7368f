package desk

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/cmd/readiness/screen"
	"readiness/cmd/readiness/teamrules"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/offline"
	"readiness/offline/report"
	"readiness/offline/report/junit"
	"readiness/offline/report/sarif"
	"readiness/offline/report/webpage"
)

// assessFormats lists the output formats of an assessment.
var assessFormats = []string{"table", "json", "markdown", "html", "csv", "sarif", "junit", "comment", "github", "azure"}

// listFormats lists those that --all, --rule and --object affect.
var listFormats = []string{"table", "markdown", "html", "csv", "comment", "github", "azure"}

// severities lists the severities in ascending order.
var severities = []string{string(finding.Low), string(finding.Medium), string(finding.High)}

// Collecting garbage earlier than Go does by default keeps the memory of an assessment of a thousand models below 200 MB; up to manyItems
// it would only take time.
const manyItems, garbage = 100, 50

// assessFlags holds the flags of assess.
type assessFlags struct {
	root, format, output, ignore, baseline string
	minSeverity, failOn                    string
	failUnder, jobs, sarifLimit            int
	evidence, rulesFiles                   []string
	list                                   report.Listing
}

func (r *desk) assessCommand() *cobra.Command {
	var f assessFlags
	c := &cobra.Command{
		Use:   "assess PATH…",
		Short: "Score semantic models in files, without server or database",
		Long: `Scores semantic models and data agents in files by the same rules as the service. Each path selects the items in a folder
at any depth, the item that a folder or file is or lies in, or the items that a .pbip file's reports are built on. A model
is a folder that ends in .SemanticModel or holds definition.pbism, a folder of TMDL files with model.tmdl or
database.tmdl, or a .bim file. Folders whose names begin with a dot are searched only if a path names them. The command
writes nothing except the file of --output.

--ignore names a YAML file that lists accepted findings. Each entry has a rule and a reason, and may limit itself to a
model, a table and an object:

  ignore:
    - rule: NAM-03            # or "*" for every rule
      table: Products
      object: SKU
      reason: SKU is our usual term

A model can do the same in an annotation readiness.ignore of the object: NAM-03, DSC-02: SKU is our usual term.
The annotation BestPracticeAnalyzer_IgnoreRules of Tabular Editor counts too, for rules with a counterpart (docs/rules).

--rules names a YAML file that turns rules off or gives them another severity; the report's regime then states a hash of
these changes, and its scores are comparable only with those of the same changes:

  rules:
    NAM-01: off
    DSC-02: low             # low, medium or high

It can also hold rules of your own (docs/rules/own.md), which are outside of the score unless they name a dimension.

--baseline names the output of an earlier assess --format json. Findings in it are not reported again; the report shows
the score before and after, and which findings are new, fixed and unchanged.

The table, Markdown and HTML group findings by rule, in the order in which to mend them: first what limits the score or makes
answers wrong, then faults of the structure, then what gives the most points for the effort. They also say what to do first, of
proposals in one step with its command; --minutes limits that to what fits into the time. --all lists every finding, --rule
those of a rule, --object those about one object: a table, a field as Table[Field], or a measure. In CSV, texts that a
spreadsheet would take for a formula (they begin with =, +, -, @, a tab or a carriage return) begin with an apostrophe.

The score is an estimate. --evidence names the output of evaluate --format json, which measured answers; what it measured of the
same definition stands beside the score.

By default findings do not fail the command. --fail-under and --fail-on define when it exits with 3. If an item cannot be
read, the report lists it and the exit code is 4, whatever else was found. Exit code 1 means that there is no report, 2
that the command line is wrong.`,
		Example: `  readiness assess .
  readiness assess models --format sarif --output readiness.sarif --ignore .readiness-ignore.yaml
  readiness assess models --rule NAM-01 --object "Sales[Amount]"
  readiness assess models --format html --output readiness.html
  readiness assess models --baseline main.json --fail-on medium --fail-under 60`,
		RunE: func(c *cobra.Command, paths []string) error {
			if len(paths) == 0 {
				return cli.Usage("assess needs a path: a folder with semantic models in it, or a .bim file")
			}
			gate, err := f.gate(c)
			if err != nil {
				return err
			}
			regime, err := f.rules()
			if err != nil {
				return err
			}
			return r.assess(c, f, regime, gate, paths)
		},
	}
	f.add(c)
	return c
}

func (f *assessFlags) add(c *cobra.Command) {
	flags := c.Flags()
	rootFlag(flags, &f.root)
	cli.FormatFlag(c, &f.format, assessFormats...)
	flags.StringVar(&f.output, "output", "", "file to write instead of stdout")
	flags.StringVar(&f.ignore, "ignore", "", "YAML file of accepted findings")
	flags.StringVar(&f.baseline, "baseline", "", "JSON output of an earlier assess: report only new findings, and compare with it")
	flags.StringArrayVar(&f.evidence, "evidence", nil, "output of evaluate --format json: show beside the score what it measured; can be repeated")
	teamrules.Flag(flags, &f.rulesFiles)
	flags.StringVar(&f.minSeverity, "min-severity", string(finding.Low), "lowest severity to report: low, medium or high")
	flags.StringVar(&f.failOn, "fail-on", "", "exit with 3 if a reported finding has this severity or a higher one")
	flags.IntVar(&f.failUnder, "fail-under", 0, "exit with 3 if an item's score is lower (0 to 100)")
	flags.IntVar(&f.list.Top, "top", 10, "how many rules per item to show in table or markdown output; 0 for all")
	flags.BoolVar(&f.list.All, "all", false, "list every finding, not rules ("+strings.Join(listFormats, ", ")+")")
	flags.StringSliceVar(&f.list.Rules, "rule", nil, "list only the findings of this rule; can be repeated")
	flags.StringVar(&f.list.Object, "object", "", "list only the findings about a table, Table[Field], a measure, or # for the model "+
		"itself; letter case does not matter")
	flags.IntVar(&f.list.Minutes, "minutes", 0, "say what to do first in this many minutes; 0 for any time")
	flags.IntVar(&f.sarifLimit, "sarif-limit", sarif.Limit,
		"how many results to write to SARIF, those with the most impact first; 0 for all (GitHub shows 5,000)")
	flags.IntVar(&f.jobs, "jobs", 0, "how many items to assess at once; 0 for one per processor")
	cli.Completes(c, "rule", rulesToComplete()...)
	cli.Completes(c, "min-severity", severities...)
	cli.Completes(c, "fail-on", severities...)
}

// rules validates the flags that name rules, and returns the regime.
func (f *assessFlags) rules() (*readiness.Regime, error) {
	if (f.list.All || f.list.Rules != nil || f.list.Object != "") && !slices.Contains(listFormats, f.format) {
		return nil, cli.Usage("--all, --rule and --object affect the formats %s, not %s", strings.Join(listFormats, ", "), f.format)
	}
	regime, err := teamrules.Regime(f.rulesFiles)
	if err != nil {
		return nil, err
	}
	if err := f.list.Validate(regime); err != nil {
		return nil, cli.Usage("--rule: %w", err)
	}
	return regime, nil
}

// gate validates the flags and returns what fails the command.
func (f assessFlags) gate(c *cobra.Command) (offline.Gate, error) {
	severity := func(name, value string) error {
		if !slices.Contains(severities, value) {
			return cli.Usage("--%s must be low, medium or high, not %q", name, value)
		}
		return nil
	}
	var g offline.Gate
	if err := severity("min-severity", f.minSeverity); err != nil {
		return g, err
	}
	if f.failOn != "" {
		if err := severity("fail-on", f.failOn); err != nil {
			return g, err
		}
		g.FailOn = finding.Severity(f.failOn)
	}
	switch {
	case f.failUnder < 0 || f.failUnder > 100:
		return g, cli.Usage("--fail-under must be 0 to 100, not %d", f.failUnder)
	case f.list.Top < 0 || f.list.Minutes < 0 || f.jobs < 0 || f.sarifLimit < 0:
		return g, cli.Usage("--top, --minutes, --jobs and --sarif-limit must not be negative")
	case c.Flags().Changed("fail-under"):
		g.FailUnder = &f.failUnder
	}
	return g, nil
}

func (r *desk) assess(c *cobra.Command, f assessFlags, regime *readiness.Regime, gate offline.Gate, paths []string) (err error) {
	o := offline.AssessOptions{Regime: regime, MinSeverity: finding.Severity(f.minSeverity), Jobs: f.jobs}
	if f.ignore != "" {
		if o.Ignores, err = offline.ReadIgnores(f.ignore, offline.OwnRules(regime)...); err != nil {
			return err
		}
	}
	if f.baseline != "" {
		if o.Baseline, err = offline.ReadBaseline(f.baseline); err != nil {
			return err
		}
		if o.Baseline.Regime != regime.ID {
			fmt.Fprintf(r.Stderr, "readiness: warning: the baseline uses the rules of %s, this assessment those of %s; create the "+
				"baseline again\n", o.Baseline.Regime, regime.ID)
		}
	}
	evaluated := make([]*offline.Evaluated, len(f.evidence))
	for n, file := range f.evidence {
		if evaluated[n], err = offline.ReadEvidence(file); err != nil {
			return err
		}
	}
	items, passed, err := offline.Find(c.Context(), f.root, paths)
	if err != nil {
		return err
	}
	if len(items) > manyItems {
		defer debug.SetGCPercent(debug.SetGCPercent(garbage))
	}
	bar := r.LateProgress("assessing")
	o.Progress = bar.Of
	a, err := offline.Assess(c.Context(), items, o)
	bar.End()
	if err != nil {
		return err
	}
	a.Measured(evaluated)
	a.Warnings = append(passed, a.Warnings...)
	r.warn(a.Warnings)
	if err := r.write(a, f, gate); err != nil {
		return err
	}
	if f.output != "" {
		fmt.Fprintf(r.Stderr, "%s; written to %s\n", a.Summary(), filepath.ToSlash(f.output))
	}
	misses := gate.Misses(a)
	for _, miss := range misses {
		fmt.Fprintf(r.Stderr, "readiness: %s\n", miss)
	}
	if n := a.Unreadable(); n > 0 {
		return cli.Partly("%d of %d items could not be assessed; the report says why", n, len(a.Items))
	}
	if len(misses) > 0 {
		return cli.ErrFound
	}
	return nil
}

// write writes the assessment in its format to stdout, or atomically to the file of --output.
func (r *desk) write(a *offline.Assessment, f assessFlags, gate offline.Gate) error {
	return r.WriteTo(f.output, func(w io.Writer) error {
		switch f.format {
		case "json":
			return offline.WriteJSON(w, a)
		case "markdown":
			return report.WriteMarkdown(w, a, f.list)
		case "comment":
			return report.WriteComment(w, a, f.list)
		case "github":
			return report.WriteGitHub(w, a, f.list)
		case "azure":
			return report.WriteAzure(w, a, f.list)
		case "html":
			return webpage.Write(w, a, f.list)
		case "csv":
			return report.WriteCSV(w, a, f.list)
		case "sarif":
			left, err := sarif.Write(w, a, cli.Version(), f.sarifLimit)
			if left > 0 {
				fmt.Fprintf(r.Stderr, "readiness: warning: the SARIF report omits the %d least important of %d results; --sarif-limit "+
					"sets how many it holds,  "+
					"--min-severity and --ignore reduce their number\n", left, left+f.sarifLimit)
			}
			return err
		case "junit":
			return junit.Write(w, a, gate)
		}
		s := screen.Of(w)
		s.Listing = f.list
		return report.WriteTable(w, a, s)
	})
}
