package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	connections "readiness/internal/database"
	"readiness/internal/lists"
	"readiness/internal/pace"
	"readiness/projections"
)

// handOver is how often a process that waits for those of the earlier version looks again.
const handOver = 100 * time.Millisecond

// readyViews makes the views live that this version has and the earlier one does not, if they are built; with --build-views it builds them
// first. It waits until the processes of the earlier version have ended, because they cannot serve after the switch.
func (r *root) readyViews(ctx context.Context, url string, f serviceFlags, with secrets) error {
	owner, err := openCore(ctx, url, f.connections, true, r.Log)
	if err != nil {
		return err
	}
	defer owner.close()
	missing, err := owner.engine.Missing(ctx)
	if err != nil || len(missing) == 0 {
		return err
	}
	if err := owner.unseal(with); err != nil {
		return err
	}
	if f.buildViews {
		err = r.buildViews(ctx, owner, missing)
	} else if slices.ContainsFunc(missing, func(v projections.MissingView) bool { return !v.Built }) {
		err = owner.engine.Check(ctx)
	}
	if err != nil {
		return err
	}
	return r.takeOver(ctx, owner)
}

// buildViews builds the views next to those that serve. Several processes that start together share the work.
func (r *root) buildViews(ctx context.Context, owner *core, missing []projections.MissingView) error {
	for _, v := range missing {
		for !v.Built {
			r.Log.Info("building a view", "view", v.Name, "version", v.Version)
			report, err := owner.engine.Rebuild(ctx, owner.store, v.Name, projections.RebuildOptions{Stay: true})
			if errors.Is(err, projections.ErrRebuilding) {
				if err = pause(ctx); err == nil {
					v, err = again(ctx, owner, v)
				}
			} else if err == nil {
				r.Log.Info("the view is built", "view", v.Name, "version", v.Version, "events", report.Events, "took", report.Took.String())
				break
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// again returns the view's state now; one that became live needs no build either.
func again(ctx context.Context, owner *core, v projections.MissingView) (projections.MissingView, error) {
	missing, err := owner.engine.Missing(ctx)
	i := slices.IndexFunc(missing, func(m projections.MissingView) bool { return m.Name == v.Name })
	if v.Built = true; i >= 0 {
		v = missing[i]
	}
	return v, err
}

func pause(ctx context.Context) error {
	return pace.Wait(ctx, handOver)
}

// takeOver switches to the views that are built, once no process of the earlier version is alive.
func (r *root) takeOver(ctx context.Context, owner *core) error {
	for said := false; ; {
		missing, err := owner.engine.Missing(ctx)
		if err != nil || len(missing) == 0 {
			return err
		}
		alive, err := connections.Lives(ctx, owner.pool)
		if err == nil && alive == 0 {
			err = r.switchViews(ctx, owner, missing)
		}
		if err != nil && !errors.Is(err, projections.ErrRebuilding) {
			return err
		}
		if alive > 0 && !said {
			said = true
			r.Log.Info("the views of this version are built; it takes over when the processes of the earlier version have ended: stop them",
				"processes", alive, "views", names(missing))
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

func (r *root) switchViews(ctx context.Context, owner *core, missing []projections.MissingView) error {
	for _, v := range missing {
		report, err := owner.engine.Switch(ctx, owner.store, v.Name)
		if err != nil {
			return err
		}
		r.Log.Info("the view is live", "view", v.Name, "version", v.Version, "appendsWaited", report.Held.String())
	}
	return nil
}

func names(missing []projections.MissingView) string {
	all := lists.Map(missing, func(v projections.MissingView) string { return v.Name })
	return strings.Join(all, ", ")
}
