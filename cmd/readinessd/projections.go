package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/projections"
)

func (r *root) projectionsCommand() *cobra.Command {
	var flags databaseFlags
	c := &cobra.Command{
		Use:   "projections",
		Short: "Show, build, switch, rebuild, withdraw or retire the views that are built from the log, or print them as of a position",
		RunE:  cli.NeedsSubcommand,
	}
	flags.add(c.PersistentFlags())
	c.AddCommand(r.projectionsStatusCommand(&flags), r.projectionsBuildCommand(&flags), r.projectionsSwitchCommand(&flags),
		r.projectionsRebuildCommand(&flags), r.projectionsRetireCommand(&flags),
		r.projectionsWithdrawCommand(&flags), r.projectionsAsOfCommand(&flags))
	return c
}

// viewNames returns the names of all views.
func viewNames() (names []string) {
	for _, v := range projections.All() {
		names = append(names, v.Name)
	}
	return names
}

// knownView rejects a name that is not a view's.
func knownView(name string) error {
	names := viewNames()
	if !slices.Contains(names, name) {
		return cli.Usage("--view: there is no view %q; available: %s", name, strings.Join(names, ", "))
	}
	return nil
}

func (r *root) projectionsStatusCommand(flags *databaseFlags) *cobra.Command {
	var days int
	c := &cobra.Command{
		Use:   "status",
		Short: "Show the state of each view, and recent events by account",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if days < 0 {
				return cli.Usage("--days must not be negative")
			}
			return r.withCore(c.Context(), *flags, false, func(core *core) error {
				list, err := core.engine.Status(c.Context(), core.store)
				if err != nil {
					return err
				}
				w := tabwriter.NewWriter(r.Stdout, 0, 0, 2, ' ', 0)
				fmt.Fprintln(w, "VIEW\tVERSION\tGENERATION\tSTATE\tPROJECTED\tPOSITION\tLAG\tROWS\tUPDATED\tERROR")
				live := map[string]bool{}
				for _, s := range list {
					projected := "following"
					if s.Inline {
						projected = "inline"
					}
					fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%d\t%d\t%d\t%s\t%s\n",
						s.View, s.Version, s.Generation, s.State, projected, s.Position, s.Lag, s.Rows,
						s.UpdatedAt.UTC().Format(time.RFC3339), s.Error)
					live[s.View] = live[s.View] || s.State == projections.Live
				}
				if err := w.Flush(); err != nil || days == 0 || !live[projections.Activity.Name] {
					return err
				}
				return r.printActivity(c, core, days)
			})
		},
	}
	c.Flags().IntVar(&days, "days", 7, "show the events of this many days by account and type; 0 for none")
	return c
}

// maxActivity bounds the rows of activity.
const maxActivity = 1000

func (r *root) printActivity(c *cobra.Command, core *core, days int) error {
	since := time.Now().UTC().AddDate(0, 0, 1-days).Truncate(24 * time.Hour)
	counts, err := core.views.ActivitySince(c.Context(), since, maxActivity)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(r.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nDAY\tACCOUNT\tTYPE\tEVENTS")
	for _, n := range counts {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\n", n.Day.Format(time.DateOnly), n.AccountID, n.Type, n.Events)
	}
	return w.Flush()
}

func (r *root) projectionsRetireCommand(flags *databaseFlags) *cobra.Command {
	var view string
	c := &cobra.Command{
		Use:     "retire --view NAME",
		Short:   "Drop the tables that rebuilds replaced",
		Example: "  readinessd projections retire --view operations",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if view == "" {
				return cli.Usage("retire needs --view")
			}
			if err := knownView(view); err != nil {
				return err
			}
			return r.withCore(c.Context(), *flags, true, func(core *core) error {
				n, err := core.engine.Retire(c.Context(), view)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(r.Stdout, "%s: %d generations dropped\n", view, n)
				return err
			})
		},
	}
	c.Flags().StringVar(&view, "view", "", "view whose unused generations to drop")
	return c
}

func (r *root) projectionsWithdrawCommand(flags *databaseFlags) *cobra.Command {
	var view string
	c := &cobra.Command{
		Use:   "withdraw --view NAME",
		Short: "Withdraw a view that a newer program made live, to return to the earlier program",
		Long: `Withdraws the live generation of a view, or of a version of it, that only a newer program has. Programs with this generation
can then no longer append; the earlier program can, once its own version is rebuilt. Events do not change, and the newer program
can build the view again with projections rebuild.`,
		Example: "  readinessd projections withdraw --view operations && readinessd projections rebuild --view operations",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if view == "" {
				return cli.Usage("withdraw needs --view")
			}
			return r.withCore(c.Context(), *flags, true, func(core *core) error {
				n, err := core.engine.Withdraw(c.Context(), view)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(r.Stdout, "%s: %d generations withdrawn; their tables stay until they are retired\n", view, n)
				return err
			})
		},
	}
	c.Flags().StringVar(&view, "view", "", "view to withdraw")
	return c
}
