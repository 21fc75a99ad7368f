package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/domain/pixies"
	"readiness/projections"
	"readiness/storage/documents"
)

func (r *root) reportsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "reports",
		Short: "Manage stored copies of reports",
		RunE:  cli.NeedsSubcommand,
	}
	var flags databaseFlags
	var in documentFlags
	copies := &cobra.Command{
		Use:   "copies",
		Short: "List or restore copies of reports' definitions from before Pixies changed them",
		Long: `If an account's definitionCopies is Keep30Days, the service copies each report's definition before Pixies are added,
updated or removed, and keeps the copy for 30 days. Other accounts have no copies.`,
		RunE: cli.NeedsSubcommand,
	}
	flags.add(copies.PersistentFlags())
	in.add(copies.PersistentFlags())
	copies.AddCommand(r.copiesListCommand(&flags), r.copiesRestoreCommand(&flags, &in))
	c.AddCommand(copies)
	return c
}

// copiesLife is how long a copy is kept; maxCopies bounds a listing.
const (
	copiesLife = 30 * 24 * time.Hour
	maxCopies  = 1000
)

func (r *root) copiesListCommand(flags *databaseFlags) *cobra.Command {
	var account string
	c := &cobra.Command{
		Use:     "list --account ID",
		Short:   "List the stored copies, newest first",
		Example: "  readinessd reports copies list --account contoso",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if account == "" {
				return cli.Usage("list needs --account")
			}
			return r.withCore(c.Context(), *flags, false, func(core *core) error {
				found, err := core.views.ReportCopies(c.Context(), account, time.Now().Add(-copiesLife), maxCopies)
				if err != nil {
					return err
				}
				w := tabwriter.NewWriter(r.Stdout, 0, 0, 2, ' ', 0)
				fmt.Fprintln(w, "COPIED\tREPORT\tREPORT ID\tOPERATION\tKEPT UNTIL")
				for _, one := range found {
					fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", one.At.UTC().Format(time.RFC3339), one.ReportName, one.ReportID, one.OperationID,
						one.At.UTC().Add(copiesLife).Format(time.RFC3339))
				}
				return w.Flush()
			})
		},
	}
	c.Flags().StringVar(&account, "account", "", "account whose copies to list")
	return c
}

func (r *root) copiesRestoreCommand(flags *databaseFlags, in *documentFlags) *cobra.Command {
	var account, operation, report, to string
	c := &cobra.Command{
		Use:   "restore --account ID --operation ID --report ID --to DIR",
		Short: "Write a copy into a new folder",
		Long: `Writes every part of the copied definition to a new folder. To restore it on the platform, compare the folder with the
report and publish it with an account that has permission.`,
		Example: "  readinessd reports copies restore --account contoso --operation 019a… --report 63f8… --to ./before.Report",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			operationID, err := uuid.Parse(operation)
			if err != nil {
				return cli.Usage("--operation must be the id of the operation that made the copy; copies list shows it")
			}
			reportID, err := uuid.Parse(report)
			if err != nil {
				return cli.Usage("--report must be the id of the report; copies list shows it")
			}
			if account == "" || to == "" {
				return cli.Usage("restore needs --account and --to")
			}
			return r.withDocuments(c.Context(), *flags, *in, func(core *core) error {
				one, found, err := core.views.ReportCopy(c.Context(), account, operationID, reportID)
				if err != nil {
					return err
				}
				if !found {
					return fmt.Errorf("account %s has no copy of report %s by operation %s; copies list shows the available ones", account,
						reportID, operationID)
				}
				n, err := restore(c, core, one, to)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(r.Stdout, "%d parts of %s, as of %s, are in %s\n", n, one.ReportName,
					one.At.UTC().Format(time.RFC3339), to)
				return err
			})
		},
	}
	c.Flags().StringVar(&account, "account", "", "account of the copy")
	c.Flags().StringVar(&operation, "operation", "", "operation that made the copy")
	c.Flags().StringVar(&report, "report", "", "report that was copied")
	c.Flags().StringVar(&to, "to", "", "folder to create; it must not exist")
	return c
}

// restore writes the parts of a copy into the new folder, and nothing outside it. It returns the number of parts.
func restore(c *cobra.Command, core *core, one projections.ReportCopy, to string) (int, error) {
	body, err := core.Documents.Get(c.Context(), one.Hash)
	if ends := one.At.UTC().Add(copiesLife); errors.Is(err, documents.ErrNotFound) && time.Now().Before(ends) {
		return 0, fmt.Errorf("the copy of %s, which is kept until %s, is not stored: %w; restore it from a backup of the database",
			one.ReportName, ends.Format(time.RFC3339), err)
	} else if errors.Is(err, documents.ErrNotFound) {
		return 0, fmt.Errorf("the copy of %s expired at %s", one.ReportName, ends.Format(time.RFC3339))
	}
	if err != nil {
		return 0, err
	}
	var kept pixies.Copy
	if err := json.Unmarshal(body, &kept); err != nil {
		return 0, fmt.Errorf("the copy of %s cannot be read: %w", one.ReportName, err)
	}
	if err := os.Mkdir(to, 0o755); err != nil { //nolint:gosec // reports are not secret on this machine
		return 0, err
	}
	dir, err := os.OpenRoot(to)
	if err != nil {
		return 0, err
	}
	defer dir.Close()
	for _, p := range kept.Parts {
		if err := dir.MkdirAll(path.Dir(p.Path), 0o755); err != nil {
			return 0, err
		}
		if err := dir.WriteFile(p.Path, p.Data, 0o644); err != nil {
			return 0, err
		}
	}
	return len(kept.Parts), nil
}
