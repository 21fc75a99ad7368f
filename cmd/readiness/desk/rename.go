package desk

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/cmd/readiness/screen"
	"readiness/domain/item"
	"readiness/internal/lists"
	"readiness/offline"
	"readiness/offline/show"
)

func (r *desk) renameCommand() *cobra.Command {
	var root, format, record string
	var write bool
	c := &cobra.Command{
		Use:   "rename PATH FIELD NAME",
		Short: "Rename a measure or column in a semantic model and the reports on it",
		Long: `Gives a measure or column of a semantic model another name wherever the model names it: in DAX, relationships, hierarchies,
perspectives, translations, linguistic schemas, the AI data schema, verified answers, and every PBIR report next to the model that is
built on it. FIELD is Table[Name], or Name if no other field has it. Without --write it shows the diff and writes nothing. It refuses
where it is not safe, with the reason. Texts, such as AI instructions and descriptions, stay.

Before it changes the first file, it writes a record as apply does: readiness revert restores every byte, in the model and the reports
together.`,
		Example: `  readiness rename Sales.SemanticModel "Sales[Amt]" Amount
  readiness rename Sales.SemanticModel "[Net Sales]" Revenue --write
  readiness revert readiness-apply-3fa9c1d20b7e.json --write`,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) != 3:
				return cli.Usage("rename needs a semantic model, a measure or column of it, and the new name")
			case record != "" && !write:
				return cli.Usage("--record needs --write: without it nothing is written, so there is nothing to record")
			}
			items, warnings, err := offline.Find(c.Context(), root, args[:1])
			if err != nil {
				return err
			}
			items = lists.Where(items, func(i offline.Item) bool { return i.Type == item.SemanticModel })
			if len(items) != 1 {
				return cli.Usage("rename is of one semantic model; %s holds %d", args[0], len(items))
			}
			renaming, more, err := offline.Rename(c.Context(), items[0], args[1], args[2])
			r.warn(append(warnings, more...))
			if err != nil {
				return err
			}
			if format != "json" {
				if err := screen.Of(r.Stdout).WriteRenaming(r.Stdout, renaming); err != nil {
					return err
				}
			}
			var applied []offline.Applied
			named := ""
			if write {
				if err := offline.Inside(renaming.Items()); err != nil {
					return err
				}
				applied, named, err = renaming.Write(c.Context(), record, now())
				if named != "" {
					f := proposeFlags{root: root}
					fmt.Fprintf(r.Stderr, "To undo: readiness revert %s%s --write\n", show.ShellPath(filepath.ToSlash(named)), f.rootToRevert())
				}
			}
			if err == nil && format == "json" {
				err = offline.WriteRenaming(r.Stdout, renaming, applied, named)
			}
			if err != nil {
				return err
			}
			if !write {
				fmt.Fprintln(r.Stderr, "Nothing was written; add --write to write it.")
				return nil
			}
			return renamed(r, renaming, applied)
		},
	}
	rootFlag(c.Flags(), &root)
	cli.FormatFlag(c, &format, "diff", "json")
	c.Flags().BoolVar(&write, "write", false, "write the changes, and a record for revert")
	c.Flags().StringVar(&record, "record", "", recordUsage)
	cli.OwnEnvironment(c, c.Name(), "format", "write", "record")
	return c
}

// renamed reports what was written, and an error if not everything was.
func renamed(r *desk, all offline.Renaming, applied []offline.Applied) error {
	for _, a := range applied {
		if a.Error != nil {
			return errors.Join(fmt.Errorf("%s was not written: %w", a.Path, a.Error),
				cli.Partly("%d of %d items were written; undo them by the record, and try again", len(applied)-1, len(all.Changed)))
		}
	}
	reports := lists.Count(all.Changed, offline.Renamed.IsReport)
	fmt.Fprintf(r.Stderr, "Renamed in %s, of the model and %s\n", show.Count(len(all.Files()), "file"), show.Count(reports, "report"))
	return nil
}
