package desk

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/offline"
	"readiness/offline/show"
)

func (r *desk) applyCommand() *cobra.Command {
	var f proposeFlags
	var write bool
	var record, format string
	c := &cobra.Command{
		Use:   "apply PATH…",
		Short: "Improve semantic models in files, without server or database",
		Long: `Makes the same proposals as preview and, with --write, writes them. Each model is written completely or not at all, and
only if it has not changed since it was read. Without --write it shows the diff and writes nothing.

Before it changes the first model, it writes a record for revert: to the file of --record, or to
readiness-apply-<hash>.json in the current folder (.readiness-apply-<hash>.json in a model's folder). The record holds
the previous content, so that revert can restore every byte, even if apply was interrupted. Keep it until you have
committed or reverted the changes.`,
		Example: `  readiness apply .                     # shows the diff
  readiness apply . --write
  readiness apply models --kind descriptions --write --record before.json
  readiness apply models --answers questions.csv --write
  readiness revert before.json --write`,
		RunE: func(c *cobra.Command, paths []string) error {
			if record != "" && !write {
				return cli.Usage("--record needs --write: without it nothing is written, so there is nothing to record")
			}
			all, err := r.propose(c.Context(), f, true, paths)
			if err != nil {
				return err
			}
			if format != "json" {
				if err := r.showProposals(all); err != nil {
					return err
				}
			}
			if !write {
				if format == "json" {
					if err := offline.WritePreviews(r.Stdout, all, nil, ""); err != nil {
						return err
					}
				}
				fmt.Fprintln(r.Stderr, "Nothing was written; add --write to write it.")
				return failedProposals(all)
			}
			applied, named, err := offline.Write(c.Context(), all, record, now())
			if named != "" {
				fmt.Fprintf(r.Stderr, "To undo: readiness revert %s%s --write\n", show.ShellPath(filepath.ToSlash(named)), f.rootToRevert())
			}
			if err == nil && format == "json" {
				err = offline.WritePreviews(r.Stdout, all, applied, named)
			}
			if err != nil {
				return err
			}
			return errors.Join(r.written(applied, "written"), failedProposals(all))
		},
	}
	f.add(c)
	f.addAnswers(c)
	c.Flags().BoolVar(&write, "write", false, "write the changes, and a record for revert")
	c.Flags().StringVar(&record, "record", "", recordUsage)
	cli.FormatFlag(c, &format, "diff", "json")
	cli.OwnEnvironment(c, c.Name(), "all", "answers", "format", "write", "record")
	return c
}

// recordUsage describes --record.
const recordUsage = "file to write the record to; by default readiness-apply-<hash>.json, in a model's folder .readiness-apply-<hash>.json"

// rootToRevert returns the flag that revert needs to find the models of the record.
func (f *proposeFlags) rootToRevert() string {
	if f.root == "." {
		return ""
	}
	return " --root " + show.ShellPath(filepath.ToSlash(f.root))
}
