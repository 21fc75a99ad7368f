package desk

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/cmd/readiness/screen"
	"readiness/offline"
)

func (r *desk) revertCommand() *cobra.Command {
	var rootDir, format string
	var write bool
	c := &cobra.Command{
		Use:   "revert RECORD",
		Short: "Undo what apply, rename or upgrade-ai wrote to files",
		Long: `Shows as a unified diff what reverting a record changes and, with --write, writes it. It restores every byte where nothing
else has changed. A model whose objects are no longer as apply wrote them is refused and left unchanged; for display
folders and field defaults, only the changed objects are left out. What apply did not write stays unchanged. A record of rename
is reverted in all of its files or in none.

Paths in the record are relative to --root, as they were for apply: run it in the same folder.`,
		Example: `  readiness revert readiness-apply-3fa9c1d20b7e.json
  readiness revert readiness-apply-3fa9c1d20b7e.json --write`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.Usage("revert needs one record, the file that apply --write wrote")
			}
			record, err := offline.ReadRecord(args[0])
			if err != nil {
				return err
			}
			bar := r.LateProgress("comparing")
			all, err := offline.Reverse(c.Context(), rootDir, record, bar.Of)
			bar.End()
			if err != nil {
				return err
			}
			s, refused := screen.Of(r.Stdout), 0
			for _, v := range all {
				if format != "json" {
					fmt.Fprintf(r.Stdout, "%s\n", v.Headline())
					if err := s.WriteReversal(r.Stdout, v); err != nil {
						return err
					}
				}
				if v.Error != nil {
					refused++
				}
			}
			var failed error
			if refused > 0 {
				failed = cli.Partly("%d of %d semantic models cannot be reverted; see their lines above", refused, len(all))
			}
			var applied []offline.Applied
			if write {
				bar := r.LateProgress("reverting")
				applied, err = offline.Restore(c.Context(), all, bar.Of)
				bar.End()
				if err != nil {
					return err
				}
			}
			if format == "json" {
				if err := offline.WriteReversals(r.Stdout, all, applied); err != nil {
					return err
				}
			}
			if !write {
				fmt.Fprintln(r.Stderr, "Nothing was written; add --write to write it.")
				return failed
			}
			return errors.Join(r.written(applied, "reverted"), failed)
		},
	}
	rootFlag(c.Flags(), &rootDir)
	c.Flags().BoolVar(&write, "write", false, "write the changes")
	cli.FormatFlag(c, &format, "diff", "json")
	cli.OwnEnvironment(c, c.Name(), "format", "write")
	return c
}
