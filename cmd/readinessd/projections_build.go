package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	connections "readiness/internal/database"
	"readiness/projections"
)

// buildFlags are the flags of build and rebuild.
type buildFlags struct {
	view                string
	diff, doesSwitch    bool
	restart, regardless bool
	without             bool // texts
}

const regardlessUsage = "switch also while processes of the earlier version are alive; their calls then fail"

func (r *root) projectionsBuildCommand(flags *databaseFlags) *cobra.Command {
	var f buildFlags
	c := &cobra.Command{
		Use:   "build",
		Short: "Build views of this version next to those that serve, and do not switch",
		Long: `Projects the entire log into new tables while the earlier version serves. Without --view it builds the views that are not live in
this version. Nothing changes for running processes. projections switch, or the start of serve or worker of this version, makes the new tables
live, after it projected what was appended since. An interrupted build resumes where it stopped, unless another program began it.`,
		Example: "  readinessd projections build",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return r.withViews(c.Context(), *flags, f, missingViews, func(core *core, views []string) error {
				if len(views) == 0 {
					_, err := fmt.Fprintln(r.Stdout, "every view of this version is live; --view names one to build again")
					return err
				}
				return r.rebuild(c.Context(), core, views, projections.RebuildOptions{Restart: f.restart, Stay: true})
			})
		},
	}
	c.Flags().StringVar(&f.view, "view", "", "only this view, also if it is live")
	c.Flags().BoolVar(&f.restart, "restart", false, "begin again instead of resuming an interrupted build")
	r.withoutTextsFlag(c.Flags(), &f.without)
	return c
}

func (r *root) projectionsSwitchCommand(flags *databaseFlags) *cobra.Command {
	var f buildFlags
	c := &cobra.Command{
		Use:   "switch",
		Short: "Make views live that projections build has built",
		Long: `Projects what was appended since the build, and makes the new tables live in one short transaction. Processes of a version with
other views cannot serve afterwards, so the command refuses while any is alive.`,
		Example: "  readinessd projections switch",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			built := func(ctx context.Context, core *core) ([]string, error) { return core.engine.Built(ctx) }
			return r.withViews(c.Context(), *flags, f, built, func(core *core, views []string) error {
				if len(views) == 0 {
					_, err := fmt.Fprintln(r.Stdout, "this program has built no view that is not live; readinessd projections build does")
					return err
				}
				if err := mayTakeOver(c.Context(), core, views, f.regardless); err != nil {
					return err
				}
				for _, name := range views {
					report, err := core.engine.Switch(c.Context(), core.store, name)
					if err != nil {
						return err
					}
					r.printRebuilt(report, true)
				}
				return nil
			})
		},
	}
	c.Flags().StringVar(&f.view, "view", "", "only this view")
	c.Flags().BoolVar(&f.regardless, "now", false, regardlessUsage)
	r.withoutTextsFlag(c.Flags(), &f.without)
	return c
}

func (r *root) projectionsRebuildCommand(flags *databaseFlags) *cobra.Command {
	var f buildFlags
	c := &cobra.Command{
		Use:   "rebuild",
		Short: "Build views again from the log next to the live ones, then switch; or compare them",
		Long: `Projects the entire log into new tables while the service runs, catches up, and switches to them in one short transaction.
An interrupted rebuild resumes where it stopped, unless another program began it. The previous tables stay until they are retired. With --diff it
compares the new rows with the live ones and does not switch, unless --switch is given too; a difference makes the exit code 3. Tables
that differ stay: projections switch makes them live.

A view that the running processes have in another version is built and not switched, because they could not serve afterwards.`,
		Example: `  readinessd projections rebuild --view operations --diff
  readinessd projections rebuild`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.doesSwitch && !f.diff {
				return cli.Usage("--switch is for --diff; without it a rebuild switches")
			}
			all := func(context.Context, *core) ([]string, error) { return viewNames(), nil }
			return r.withViews(c.Context(), *flags, f, all, func(core *core, names []string) error {
				stay := f.diff && !f.doesSwitch
				if !stay {
					if err := mayTakeOver(c.Context(), core, names, f.regardless); err != nil {
						return err
					}
				}
				return r.rebuild(c.Context(), core, names, projections.RebuildOptions{Diff: f.diff, Restart: f.restart, Stay: stay})
			})
		},
	}
	c.Flags().StringVar(&f.view, "view", "", "only this view")
	c.Flags().BoolVar(&f.diff, "diff", false, "compare the new rows with the live ones, and do not switch")
	c.Flags().BoolVar(&f.doesSwitch, "switch", false, "with --diff, switch after the comparison")
	c.Flags().BoolVar(&f.restart, "restart", false, "begin again instead of resuming an interrupted rebuild")
	c.Flags().BoolVar(&f.regardless, "now", false, regardlessUsage)
	r.withoutTextsFlag(c.Flags(), &f.without)
	return c
}

// withViews calls do with the view that the flags name, else with those that otherwise returns.
func (r *root) withViews(ctx context.Context, flags databaseFlags, f buildFlags, otherwise func(context.Context, *core) ([]string, error),
	do func(*core, []string) error) error {
	if f.view != "" {
		if err := knownView(f.view); err != nil {
			return err
		}
	}
	return r.withCore(ctx, flags, true, func(core *core) (err error) {
		core.store.TextsLeftOut = f.without
		views := []string{f.view}
		if f.view == "" {
			if views, err = otherwise(ctx, core); err != nil {
				return err
			}
		}
		return do(core, views)
	})
}

// missingViews returns the names of the views that are not live in this version.
func missingViews(ctx context.Context, core *core) (names []string, err error) {
	missing, err := core.engine.Missing(ctx)
	for _, v := range missing {
		names = append(names, v.Name)
	}
	return names, err
}

// rebuild builds the views one after the other. A difference is cli.ErrDamaged.
func (r *root) rebuild(ctx context.Context, core *core, names []string, o projections.RebuildOptions) error {
	differs := false
	for _, name := range names {
		progress := r.TimedProgress("building " + name)
		o.Progress = func(p projections.Progress) { progress.At(p.Position, p.Target) }
		report, err := core.engine.Rebuild(ctx, core.store, name, o)
		progress.End()
		if err != nil {
			return err
		}
		r.printRebuilt(report, !o.Stay)
		differs = differs || report.Diff != nil && !report.Diff.None()
	}
	if differs {
		return cli.ErrDamaged
	}
	return nil
}

// mayTakeOver returns an error if a view is not live in this version while processes are alive: they have another version of it, or none.
func mayTakeOver(ctx context.Context, core *core, names []string, regardless bool) error {
	missing, err := missingViews(ctx, core)
	if err != nil || regardless {
		return err
	}
	theirs := slices.DeleteFunc(missing, func(name string) bool { return !slices.Contains(names, name) })
	if len(theirs) == 0 {
		return nil
	}
	alive, err := connections.Lives(ctx, core.pool)
	if err == nil && alive > 0 {
		err = fmt.Errorf("%d processes are alive that have no version of %s that this program builds, and could not serve after the switch; "+
			"run readinessd projections build, then stop them, or start this version's serve, which waits for them to end; --now switches "+
			"nevertheless", alive, strings.Join(theirs, ", "))
	}
	return err
}

func (r *root) printRebuilt(report projections.Report, live bool) {
	if report.Restarted {
		fmt.Fprintf(r.Stdout, "%s v%d: the earlier work was dropped, because another program did it, or as asked\n", report.View, report.Version)
	}
	took := report.Took.Round(time.Millisecond)
	switch {
	case live:
		fmt.Fprintf(r.Stdout, "%s v%d: generation %d is live, %d events in %s, appends waited %s\n",
			report.View, report.Version, report.Generation, report.Events, took, report.Held.Round(time.Millisecond))
	case report.Diff != nil && report.Diff.None():
		fmt.Fprintf(r.Stdout, "%s v%d: compared, %d events in %s\n", report.View, report.Version, report.Events, took)
	default:
		fmt.Fprintf(r.Stdout, "%s v%d: generation %d is built, %d events in %s; not live before readinessd projections switch\n",
			report.View, report.Version, report.Generation, report.Events, took)
	}
	if report.Diff == nil {
		return
	}
	fmt.Fprintf(r.Stdout, "  %d rows are the same\n", report.Diff.Same)
	for _, t := range report.Diff.Tables {
		if t.OnlyLive+t.OnlyNew+t.Different > 0 {
			fmt.Fprintf(r.Stdout, "  %s: %d rows only in the live table, %d only in the new one, %d different: %s\n",
				t.Table, t.OnlyLive, t.OnlyNew, t.Different, strings.Join(t.First, " "))
		}
	}
}
