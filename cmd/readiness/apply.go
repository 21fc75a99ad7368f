package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"readiness/offline"
)

func (r *root) applyCommand() *cobra.Command {
	var f proposeFlags
	var write bool
	var record string
	c := &cobra.Command{
		Use:   "apply PATH…",
		Short: "Write into files what makes semantic models more ready, without server or database",
		Long: `Proposes what preview proposes and, with --write, writes it: each model whole or not at all, and only when it still is as
it was read. Without --write it shows the diff and writes nothing.

Before the first model is touched, a record is written that revert takes: to --record, or to
readiness-apply-<hash>.json in the current folder. It holds what stood where something is written, so that everything
comes back byte for byte, also when apply was cut off in the middle. Keep it until you have committed or reverted.`,
		Example: `  readiness apply .                     # shows the diff
  readiness apply . --write
  readiness apply models --kind descriptions --write --record before.json
  readiness revert before.json --write`,
		RunE: func(c *cobra.Command, paths []string) error {
			if record != "" && !write {
				return usage("--record needs --write; without it nothing is written, and there is nothing to record")
			}
			all, err := r.propose(c.Context(), f, true, paths)
			if err != nil {
				return err
			}
			if err := r.showProposals(all); err != nil {
				return err
			}
			if !write {
				fmt.Fprintln(r.stderr, "Nothing was written; --write writes it.")
				return failedProposals(all)
			}
			applied, named, err := offline.Write(c.Context(), all, record, now())
			if named != "" {
				fmt.Fprintf(r.stderr, "readiness revert %s --write takes it back.\n", filepath.ToSlash(named))
			}
			if err != nil {
				return err
			}
			return errors.Join(r.written(applied, "written"), failedProposals(all))
		},
	}
	f.add(c)
	c.Flags().BoolVar(&write, "write", false, "write it, and a record that revert takes")
	c.Flags().StringVar(&record, "record", "", "file of the record; readiness-apply-<hash>.json by default")
	return c
}
