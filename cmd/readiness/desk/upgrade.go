package desk

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/definition/upgrade"
	"readiness/internal/indentedjson"
	"readiness/internal/lists"
	"readiness/offline"
	"readiness/offline/show"
)

// maxLosses is how many losses of a model the table lists.
const maxLosses = 10

// maxLinguistic bounds an exported linguistic schema, in bytes.
const maxLinguistic = 64 << 20

func (r *desk) upgradeCommand() *cobra.Command {
	var root, format, record, schema string
	var write bool
	var o upgrade.Options
	c := &cobra.Command{
		Use:   "upgrade-ai PATH…",
		Short: "List what leaves with Q&A, and make the folder Copilot from linguistic schemas (experimental)",
		Long: `Power BI's Q&A retires, and with it the linguistic schema as the place of synonyms, AI instructions and suggested questions. The
command lists for each model where it tells an AI something, what that is, and what the new form does not have: phrasings, and Q&A
visuals of the reports beside it, which show an error once Q&A is off.

With --write it makes the folder Copilot of each model that has only a linguistic schema, and sets definition.pbism as Microsoft's
published example has it: version 5.0, Q&A off. What is lost stands in NAME.upgrade-ai.md beside the model. The linguistic schema stays
unless --remove-linguistic is given. First it writes a record for revert, which restores every byte.

This is an experiment. Microsoft's own upgrade is not published, and this one was never opened in Power BI Desktop: do what
docs/upgrade-ai.md lists before you rely on it.`,
		Example: `  readiness upgrade-ai .                              # what there is, and what would be lost
  readiness upgrade-ai . --format csv > leaving-qna.csv
  readiness upgrade-ai "Sales.SemanticModel" --write
  readiness upgrade-ai "Sales.SemanticModel" --schema Sales.lsdl.yaml --write
  readiness revert readiness-apply-<hash>.json --write`,
		RunE: func(c *cobra.Command, paths []string) error {
			switch {
			case len(paths) == 0:
				return cli.Usage("upgrade-ai needs a path: a folder with semantic models in it")
			case record != "" && !write:
				return cli.Usage("--record needs --write: without it nothing is written, so there is nothing to record")
			}
			if schema != "" {
				text, err := offline.ReadText(schema, maxLinguistic)
				if err != nil {
					return err
				}
				o.Schema = new(string(text))
			}
			items, warnings, err := offline.Find(c.Context(), root, paths)
			if err != nil {
				return err
			}
			all, more, err := offline.Upgrades(c.Context(), items, o)
			if err != nil {
				return err
			}
			if schema != "" && len(all) > 1 {
				return cli.Usage("--schema is of one model; %d are named", len(all))
			}
			r.warn(append(warnings, more...))
			if err := r.showUpgrades(all, format); err != nil {
				return err
			}
			if !write {
				fmt.Fprintln(r.Stderr, "Nothing was written; add --write to write it.")
				return nil
			}
			if err := offline.Inside(items); err != nil {
				return err
			}
			applied, named, err := offline.WriteUpgrades(c.Context(), all, record, now())
			if named != "" {
				f := proposeFlags{root: root}
				fmt.Fprintf(r.Stderr, "To undo: readiness revert %s%s --write\n", show.ShellPath(filepath.ToSlash(named)), f.rootToRevert())
			}
			if err != nil {
				return err
			}
			return errors.Join(r.written(applied, "written"), r.losses(all))
		},
	}
	flags := c.Flags()
	rootFlag(flags, &root)
	cli.FormatFlag(c, &format, "table", "json", "csv")
	flags.BoolVar(&write, "write", false, "write the folder Copilot, and a record for revert")
	flags.StringVar(&record, "record", "", recordUsage)
	flags.StringVar(&o.Culture, "culture", "", "culture whose linguistic schema is taken; the model's default one without it")
	flags.StringVar(&schema, "schema", "", "linguistic schema that was exported from Power BI Desktop (.lsdl.yaml or JSON), in place of the model's")
	flags.BoolVar(&o.Suggested, "suggested", false, "carry over synonyms that Power BI suggested and nobody accepted, too")
	flags.BoolVar(&o.Remove, "remove-linguistic", false, "remove the linguistic schemas")
	cli.OwnEnvironment(c, c.Name(), "format", "write", "record", "schema", "culture") // those of assess and apply mean something else
	return c
}

// outcome says for people what becomes of a model.
func outcome(u offline.Upgrade) string {
	switch {
	case u.Error != nil:
		return "cannot be read: " + u.Error.Error()
	case errors.Is(u.Refused, upgrade.ErrNothing):
		return "nothing to upgrade"
	case u.Refused != nil:
		return "not upgraded: " + u.Refused.Error()
	}
	k := u.Result
	return fmt.Sprintf("carries over %s, %s, %s and %d characters of instructions; loses %s", show.Count(k.Synonyms, "synonym"),
		show.Count(k.Hidden, "hidden object"), show.Count(k.Prompts, "question"), k.Instructions, show.Count(len(k.Lost), "thing"))
}

// numberIn returns a number of a cell, which is empty for none.
func numberIn(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// upgradeRow is a model as JSON and CSV have it.
type upgradeRow struct {
	Path  string `json:"path"`
	Name  string `json:"name"`
	Error string `json:"error,omitempty"`
	offline.LeavingQnA
	Outcome string          `json:"outcome"`
	Upgrade *upgrade.Result `json:"upgrade,omitempty"`
}

func rowOf(u offline.Upgrade) upgradeRow {
	row := upgradeRow{Path: u.Shown, Name: u.Name, LeavingQnA: u.Leaving, Outcome: outcome(u)}
	if u.Error != nil {
		row.Error = u.Error.Error()
	}
	if u.Error == nil && u.Refused == nil {
		row.Upgrade = &u.Result
	}
	return row
}

func (r *desk) showUpgrades(all []offline.Upgrade, format string) error {
	rows := lists.Map(all, rowOf)
	switch format {
	case "json":
		return indentedjson.Write(r.Stdout, map[string]any{"format": "readiness-upgrade-ai/1", "models": rows})
	case "csv":
		out := csv.NewWriter(r.Stdout)
		out.UseCRLF = true
		_ = out.Write([]string{"path", "model", "ai_format", "linguistic_synonyms", "suggested_synonyms", "hidden_objects", "phrasings", "ai_instructions",
			"invalid_linguistic_schema", "qna_visuals", "outcome", "suggested_questions", "losses", "generated_synonyms", "deleted_synonyms",
			"linguistic_entities", "linguistic_relationships", "qna_reports", "reports_unread"})
		for _, u := range rows {
			_ = out.Write([]string{show.InCell(u.Path), show.InCell(u.Name), string(u.Format), strconv.Itoa(u.Synonyms), strconv.Itoa(u.Suggested),
				strconv.Itoa(u.Hidden), strconv.Itoa(u.Phrasings), strconv.FormatBool(u.Instructions), show.InCell(u.Invalid),
				strconv.Itoa(u.Visuals()), show.InCell(u.Outcome), strconv.Itoa(u.Questions), numberIn(u.Losses), strconv.Itoa(u.Generated),
				strconv.Itoa(u.Deleted), strconv.Itoa(u.Entities), strconv.Itoa(u.Relationships), show.InCell(strings.Join(u.Breaks(), "; ")),
				strconv.Itoa(u.Unread)})
		}
		out.Flush()
		return out.Error()
	}
	for n, u := range all {
		if n > 0 {
			fmt.Fprintln(r.Stdout)
		}
		printUpgrade(r.Stdout, rows[n], u)
	}
	return nil
}

// printUpgrade prints what a model has and what becomes of it.
func printUpgrade(out io.Writer, row upgradeRow, u offline.Upgrade) {
	say := func(format string, args ...any) { fmt.Fprintln(out, show.Printable(fmt.Sprintf(format, args...))) }
	say("%s", row.Path)
	if row.Format != "" {
		say("  form: %s; %s", row.Format, row.Holds())
	}
	say("  %s", row.Outcome)
	for n, l := range u.Result.Lost {
		if n == maxLosses {
			say("    and %d more; --format json lists all", len(u.Result.Lost)-n)
			break
		}
		where := ""
		if l.Where != "" {
			where = " of " + l.Where
		}
		say("    lost: %s%s: %s", l.What, where, l.Why)
	}
	for _, broken := range row.Breaks() {
		say("    breaks: %s", broken)
	}
}

// losses writes what each written model loses to a file beside it, which must not exist.
func (r *desk) losses(all []offline.Upgrade) (err error) {
	for _, u := range all {
		if u.Changes() == 0 || len(u.Result.Lost)+len(u.Leaving.Breaks()) == 0 {
			continue
		}
		file, text := u.LossReport()
		f, open := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // as readable as the model
		if open == nil {
			_, open = f.WriteString(text)
			open = errors.Join(open, f.Close())
		}
		if open != nil {
			err = errors.Join(err, fmt.Errorf("what is lost is not listed in a file: %w", open))
			continue
		}
		fmt.Fprintf(r.Stderr, "What is lost: %s\n", show.ShellPath(filepath.ToSlash(file)))
	}
	return err
}
