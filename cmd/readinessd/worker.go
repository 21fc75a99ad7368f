package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
)

func (r *root) workerCommand() *cobra.Command {
	var f serviceFlags
	c := &cobra.Command{
		Use:   "worker",
		Short: "Process accepted work without serving HTTP",
		Long: `Processes the work that servers on the same database accept. Add workers to process more at once; if one is killed, the
others take over its work. A worker needs the servers' data directory, or a copy of its service.key, because tokens of
accepted work are encrypted with it. With --metrics-listen it serves metrics and health.`,
		Example: "  readinessd worker --database-url postgres://readiness@db.example.com/readiness --platform folder:/srv/workspaces " +
			"--workers 8",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if err := f.check(); err != nil {
				return err
			}
			if err := f.fabric.Trust(); err != nil {
				return err
			}
			plans, err := readPlans(f.plans)
			if err != nil {
				return err
			}
			life := &lifetime{log: r.Log}
			defer func() { err = errors.Join(err, life.end()) }()
			f.consoleURL = f.baseURL
			s, err := r.openWatched(c.Context(), life, f, plans, true)
			if err != nil {
				return err
			}
			if err := s.work(c.Context(), life); err != nil {
				return err
			}
			r.Log.Info("working", "workers", f.workers)
			<-c.Context().Done()
			r.Log.Info("stopping", "reason", context.Cause(c.Context()).Error())
			return nil
		},
	}
	f.add(c.Flags())
	return c
}
