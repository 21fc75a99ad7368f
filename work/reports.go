package work

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/definition/report"
	"readiness/definition/semanticmodel"
	"readiness/domain/item"
	"readiness/domain/proposal"
	"readiness/domain/usage"
)

// reportsTimeout is how long reports of a model's workspace are read for what they show.
const reportsTimeout = 20 * time.Second

// shown counts, for each field, the pages of the workspace's reports on the model
// that show it: table, field, pages. It needs no permission for usage, because it
// says nothing about viewers.
func (o *Options) shown(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID,
	m *semanticmodel.Model) map[string]map[string]int64 {
	counted := usage.NewCount(m)
	o.reports(ctx, as, workspaceID, modelID, func(_ string, r report.Report) {
		pages := make(map[string]int64, len(r.Pages))
		for _, p := range r.Pages {
			pages[p.Name] = 1
		}
		counted.Add(r, pages)
	})
	return counted.Fields()
}

// captions returns what the workspace's reports on the model call its fields.
func (o *Options) captions(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID) (all []proposal.Caption) {
	o.reports(ctx, as, workspaceID, modelID, func(name string, r report.Report) {
		all = append(all, proposal.Captions(name, r)...)
	})
	return all
}

// reports calls use with the display name of each of the workspace's reports on the
// model, by id, at most proposal.MaxReports. Reports that cannot be read in time are
// skipped.
func (o *Options) reports(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID, use func(name string, r report.Report)) {
	ctx, cancel := context.WithTimeout(ctx, reportsTimeout)
	defer cancel()
	listed, err := o.Platform.Items(ctx, as, workspaceID, item.Report)
	if err != nil {
		return
	}
	slices.SortFunc(listed, func(a, b item.Item) int { return strings.Compare(a.ID.String(), b.ID.String()) })
	read := 0
	for _, it := range listed {
		if read == proposal.MaxReports || ctx.Err() != nil {
			return
		}
		if on, ok, err := o.Platform.ModelOf(ctx, as, it); err != nil || !ok || on.ID != modelID {
			continue
		}
		d, err := o.Platform.Definition(ctx, as, it)
		if err != nil {
			continue
		}
		if r, err := report.Read(d); err == nil {
			use(it.DisplayName, r)
			read++
		}
	}
}
