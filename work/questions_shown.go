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
	"readiness/domain/usage"
)

// How many reports of a model's workspace are read for what they show, and for how
// long.
const (
	maxShown     = 20
	shownTimeout = 20 * time.Second
)

// shown counts, for each field, the pages of the workspace's reports on the model
// that show it: table, field, pages. It needs no permission for usage, because it
// says nothing about viewers. Reports that cannot be read in time are skipped.
func (o *Options) shown(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID,
	m *semanticmodel.Model) map[string]map[string]int64 {
	ctx, cancel := context.WithTimeout(ctx, shownTimeout)
	defer cancel()
	listed, err := o.Platform.Items(ctx, as, workspaceID, item.Report)
	if err != nil {
		return nil
	}
	slices.SortFunc(listed, func(a, b item.Item) int { return strings.Compare(a.ID.String(), b.ID.String()) })
	counted, read := usage.NewCount(m), 0
	for _, it := range listed {
		if read == maxShown || ctx.Err() != nil {
			break
		}
		if on, ok, err := o.Platform.ModelOf(ctx, as, it); err != nil || !ok || on.ID != modelID {
			continue
		}
		d, err := o.Platform.Definition(ctx, as, it)
		if err != nil {
			continue
		}
		if r, err := report.Read(d); err == nil {
			pages := make(map[string]int64, len(r.Pages))
			for _, p := range r.Pages {
				pages[p.Name] = 1
			}
			counted.Add(r, pages)
			read++
		}
	}
	return counted.Fields()
}
