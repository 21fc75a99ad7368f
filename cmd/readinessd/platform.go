package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"readiness/ai/answerer"
	"readiness/cmd/cli"
	"readiness/cmd/readinessd/wiring"
	"readiness/commands"
	"readiness/domain/item"
	"readiness/internal/pace"
	"readiness/platform/entra"
	"readiness/platform/fabric"
	"readiness/platform/fabric/setup"
	"readiness/platform/folder"
	"readiness/platform/quota"
	"readiness/platform/reads"
	"readiness/platform/union"
	"readiness/projections"
	"readiness/work"
)

// onFabric is the value of --platform for Microsoft Fabric.
const onFabric = "fabric"

// platform is the analytics platform as commands and steps of work need it.
type platform interface {
	commands.Platform
	commands.Permissions
	work.Platform
	// Check returns an error while the service cannot answer calls for lack of the platform.
	Check(context.Context) error
}

// letAnswer connects the parts of a platform that can answer questions of benchmark runs: its data agents and, with the flag, Generate
// Query.
func (f *serviceFlags) letAnswer(asker *answerer.Asker, p platform) {
	asker.Agents, _ = p.(answerer.Agents)
	if f.generateQuery {
		asker.Generator, _ = p.(answerer.Generator)
	}
}

// chosen returns the directory of the last --platform folder:DIR, if there is one, and whether Fabric is named.
func (f *serviceFlags) chosen() (dir string, remote bool, err error) {
	for _, p := range f.platforms {
		d, isFolder := strings.CutPrefix(p, "folder:")
		switch {
		case p == onFabric:
			remote = true
		case isFolder && d != "":
			dir = d
		default:
			return "", false, cli.Usage("--platform must be folder:DIR, the directory that holds the workspaces, or fabric, not %q", p)
		}
	}
	if dir == "" && !remote {
		return "", false, cli.Usage("--platform must be folder:DIR, the directory that holds the workspaces, or fabric")
	}
	return dir, remote, nil
}

// platforms are the platforms of --platform, validated before anything starts.
type platforms struct {
	local    *folder.Platform // nil without a folder
	exchange *entra.Exchange  // nil without Fabric
	share    int              // of Fabric's quota, in percent
	// probed and writing are the options of fabric.New of those names.
	probed  func(item.Person) fabric.Answers
	writing func(context.Context, item.Caller) error
}

// platforms opens the folder and reads the credential for Fabric. The permissions that people granted in the folder are those of
// the account's views, which are open before the first call.
func (r *root) platforms(f serviceFlags, views func() *projections.Views) (p platforms, err error) {
	dir, remote, err := f.chosen()
	if err == nil && dir != "" {
		p.local, err = folder.Open(dir, folder.Options{Logger: r.Log,
			Access: func(ctx context.Context, as item.Caller) (map[item.Permission]item.Access, error) {
				return views().Access(ctx, as)
			}})
	}
	p.share = f.share
	if err == nil && remote {
		p.exchange, err = f.fabric.Exchange(r.Log)
	}
	if err == nil && remote {
		p.probed, p.writing, err = f.writes.Load(func(ctx context.Context, as item.Caller) (bool, error) {
			return views().MayWriteFabric(ctx, as)
		}, r.Log)
	}
	return p, err
}

// openPlatform returns the folder, Fabric, or both as one, with their query engine, if there is one.
func (r *root) openPlatform(ctx context.Context, life *lifetime, a setup.Application, chosen platforms, core *core,
	registry *prometheus.Registry) (platform, work.Queries, error) {
	local := chosen.local
	if chosen.exchange == nil {
		return local, wiring.SampleQueries{Platform: local, Now: time.Now}, nil
	}
	overREST, err := r.openFabric(ctx, life, a, chosen, core, registry)
	if err != nil {
		return nil, nil, err
	}
	if local == nil {
		return overREST, wiring.FabricQueries{Platform: overREST}, nil
	}
	both := &union.Platform{Folder: local, Fabric: overREST, Serves: chosen.exchange.Serves}
	return both, wiring.UnionQueries{Union: both, Folder: wiring.SampleQueries{Platform: local, Now: time.Now},
		Fabric: wiring.FabricQueries{Platform: overREST}}, nil
}

// openFabric opens Fabric with the quota and the pending reads that all processes share.
func (r *root) openFabric(ctx context.Context, life *lifetime, a setup.Application, chosen platforms, core *core,
	registry *prometheus.Registry) (*fabric.Platform, error) {
	limits, err := quota.Open(ctx, core.url, quota.Options{Limits: quota.Share(chosen.share), Registry: registry})
	if err != nil {
		return nil, err
	}
	life.then("quota of the platform", func(context.Context) error { limits.Close(); return nil })
	pending, exports := reads.Store{Pool: core.pool}, reads.Exports{Pool: core.pool, Life: core.Life}
	life.background("quota's housekeeping", func(ctx context.Context) { limits.KeepSwept(ctx, time.Minute) },
		func(ctx context.Context) { r.sweepReads(ctx, pending, exports) })
	return fabric.New(fabric.Options{URL: a.URL, PowerBIURL: a.PowerBIURL, IQURL: a.IQURL, Tokens: chosen.exchange.For,
		Challenged: chosen.exchange.Challenged, Valid: chosen.exchange.Valid,
		Lasting: chosen.exchange.Lasting, Limits: limits, Reads: pending, Exports: exports,
		Probed:  chosen.probed,
		Writing: chosen.writing, Transport: a.Transport, Log: r.Log})
}

// sweepReads deletes reads and exports that nothing waits for, every 10 minutes until ctx ends.
func (r *root) sweepReads(ctx context.Context, pending reads.Store, exports reads.Exports) {
	for range pace.Every(ctx, 10*time.Minute) {
		if err := errors.Join(pending.Sweep(ctx), exports.Sweep(ctx)); err != nil && ctx.Err() == nil {
			r.Log.Warn("deleting reads that ended failed", "error", err)
		}
	}
}
