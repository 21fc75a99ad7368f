package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/definition/report"
	"readiness/definition/semanticmodel"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/proposal"
	"readiness/domain/usage"
)

// shown counts, for each field, the pages of the workspace's reports on the model
// that show it: table, field, pages. It needs no permission for usage, because it
// says nothing about viewers. unread is as reports returns it.
func (o *Options) shown(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID,
	m *semanticmodel.Model) (fields map[string]map[string]int64, unread string) {
	counted := usage.NewCount(m)
	unread = o.reports(ctx, as, workspaceID, modelID, func(_ string, r report.Report) {
		pages := make(map[string]int64, len(r.Pages))
		for _, p := range r.Pages {
			pages[p.Name] = 1
		}
		counted.Add(r, pages)
	})
	return counted.Fields(), unread
}

// captions returns what the workspace's reports on the model call its fields. unread is as reports returns it.
func (o *Options) captions(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID) (all []proposal.Caption, unread string) {
	unread = o.reports(ctx, as, workspaceID, modelID, func(name string, r report.Report) {
		all = append(all, proposal.Captions(name, r)...)
	})
	return all, unread
}

// searchQnA searches the workspace's reports on the model for Q&A visuals. The assessment does not wait for a platform that reads slowly:
// such reports count as unread.
func (o *Options) searchQnA(ctx context.Context, as item.Caller, a *assessment.Assessment) {
	read, left, err := o.eachReport(ctx, as, a.WorkspaceID, a.ModelID, func(it item.Item, d definition.Definition, r report.Report) {
		a.LeavingQnA.Add(it.ID, it.DisplayName, r.QnA(d))
	})
	if a.LeavingQnA.ReportsUnlisted = err != nil; err == nil {
		a.LeavingQnA.ReportsRead, a.LeavingQnA.ReportsUnread = &read, left
	}
}

// reports calls use with the display name of each of the workspace's reports on the
// model. Reports that cannot be read, or not in time, are left out; unread says so, and is empty if there are none.
func (o *Options) reports(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID,
	use func(name string, r report.Report)) (unread string) {
	read, left, err := o.eachReport(ctx, as, workspaceID, modelID, func(it item.Item, _ definition.Definition, r report.Report) {
		use(it.DisplayName, r)
	})
	left = min(left, proposal.MaxReports-read) // those beyond are not missed
	switch {
	case err != nil:
		return "the reports of the workspace could not be listed, so what they show is not considered"
	case left == 0:
		return ""
	}
	return fmt.Sprintf("%d of %s of the workspace on this semantic model could not be read, so what they show is not considered",
		left, reports(read+left))
}

// eachReport calls use with each of the workspace's reports on the model, by id, at most proposal.MaxReports, and returns how many were
// read and how many were left out: they cannot be read, or not in time, or are more. err says that they could not be listed.
func (o *Options) eachReport(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID,
	use func(it item.Item, d definition.Definition, r report.Report)) (read, left int, err error) {
	ctx, cancel := forReports(ctx)
	defer cancel()
	listed, err := o.Platform.Reports(ctx, as, workspaceID)
	if err != nil {
		return 0, 0, err
	}
	listed = slices.DeleteFunc(listed, func(r item.WorkspaceReport) bool { return r.Paginated || r.Model == nil || r.Model.ID != modelID })
	slices.SortFunc(listed, func(a, b item.WorkspaceReport) int { return strings.Compare(a.ID.String(), b.ID.String()) })
	all := len(listed)
	listed = listed[:min(all, proposal.MaxReports)]
	for i, d := range o.definitions(ctx, as, listed) {
		if len(d.Parts) == 0 {
			continue
		}
		if r, err := report.Read(d); err == nil {
			use(listed[i].Item, d, r)
			read++
		}
	}
	return read, all - read, nil
}

// definitions reads the reports while there is time; one that was not read has no parts. A platform that reads slowly is
// asked for all of them before it is asked again.
func (o *Options) definitions(ctx context.Context, as item.Caller, of []item.WorkspaceReport) []definition.Definition {
	read := make([]definition.Definition, len(of))
	left := make([]int, len(of))
	for i := range of {
		left[i] = i
	}
	for range 2 {
		begun := left[:0:0]
		for _, i := range left {
			if ctx.Err() != nil {
				return read
			}
			d, err := o.Platform.Definition(ctx, as, of[i].Item)
			switch pending, ok := errors.AsType[*item.Pending](err); {
			case err == nil:
				read[i] = d
			case ok && pending.Begun:
				begun = append(begun, i)
			case ok: // no further call gets through for now
				return read
			}
		}
		left = begun
	}
	return read
}
