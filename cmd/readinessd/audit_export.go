package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/eventstore/audit"
)

func (r *root) auditExportCommand(flags *databaseFlags) *cobra.Command {
	var id, output string
	c := &cobra.Command{
		Use:   "export",
		Short: "Export the newest head and the first entry of each tree, to verify an imported log",
		Long: `Writes one JSON text on a line for each tree of each epoch: its name, its newest signed head, and its first
entry, which is not an event. readinessd events export has the events; with both, an imported log can be verified against heads
of every epoch (readinessd audit verify --trees).`,
		Example: "  readinessd audit export --account contoso --output contoso.trees",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return r.withCore(c.Context(), *flags, false, func(core *core) (err error) {
				out := r.Stdout
				if output != "" {
					f, err := os.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
					if err != nil {
						return err
					}
					defer func() { err = errors.Join(err, f.Close()) }()
					out = f
				}
				log, _, err := r.trees(core, flags.data)
				if err != nil {
					return err
				}
				n, err := log.ExportTrees(c.Context(), out, id)
				if err == nil {
					fmt.Fprintf(r.Stderr, "exported %d trees\n", n)
				}
				return err
			})
		},
	}
	c.Flags().StringVar(&id, "account", "", "only the trees of this account; by default all")
	c.Flags().StringVar(&output, "output", "", "file to create; it must not exist. stdout by default")
	return c
}

// readTrees reads a file of readinessd audit export; without a name there are none.
func readTrees(name string) ([]audit.EpochTree, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	trees, err := audit.ParseTrees(f)
	if err != nil {
		return nil, cli.Usage("--trees %s: %w", name, err)
	}
	return trees, nil
}
