package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/definition/report"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/pixies"
	"readiness/domain/usage"
)

// How long reports may be read, for usage or for what they show, and how much of a
// step's time is reserved for what follows.
const (
	reportsTimeout = 30 * time.Second
	afterReports   = 15 * time.Second
)

// forReports returns ctx for as long as reports may be read.
func forReports(ctx context.Context) (context.Context, context.CancelFunc) {
	budget := reportsTimeout
	if deadline, ok := ctx.Deadline(); ok {
		budget = min(budget, time.Until(deadline)-afterReports)
	}
	return context.WithTimeout(ctx, budget)
}

// usageAccess returns the person's current access to the usage permission, so a
// consent withdrawn after the call counts.
func (o *Options) usageAccess(ctx context.Context, as item.Caller) (item.Access, error) {
	access, err := o.Permissions.Access(ctx, as)
	if err != nil && !domain.IsRefused(err, domain.PlatformUnavailable) {
		return "", err
	}
	return cmp.Or(access[item.PermissionUsage], item.Unavailable), nil
}

// usageOf measures how often the fields of the model were viewed, as
// readiness.Options.Usage: table, field, views. fields is nil when usage does not
// affect the score; u says why. The reports are read as the person. No failure to
// measure, not even a timeout, is an error; only a cancelled step is, and
// *item.Pending while the platform still reads a report.
func (o *Options) usageOf(ctx context.Context, as item.Caller, access item.Access, modelID uuid.UUID,
	m *semanticmodel.Model) (fields map[string]map[string]int64, u assessment.Usage, err error) {
	u.Access = access
	without := func(s assessment.UsageState, reason string) (map[string]map[string]int64, assessment.Usage, error) {
		u.State, u.Reason = s, reason
		return nil, u, cutOff(ctx)
	}
	defer func() {
		if fault := recover(); fault != nil {
			o.Log.Error("measuring usage panicked", "semanticModelId", modelID, "fault", fault, "stack", string(debug.Stack()))
			fields, u, err = without(assessment.UsageUnavailable,
				"the service could not measure usage: internal error; the operator's log has the details")
		}
	}()
	if access != item.Granted {
		return without(withheld(access))
	}
	tracked, err := o.TrackedReports(ctx, as.Account, modelID)
	if err != nil {
		o.Log.Warn("the reports with Pixies could not be read; the score is not weighted by usage", "semanticModelId", modelID,
			"error", err)
		return without(assessment.UsageUnavailable, "which reports on this semantic model have Pixies could not be read")
	}
	n := len(tracked)
	if u.TrackedReportCount = &n; n == 0 {
		return without(assessment.NoTrackedReports, "no report on this semantic model has Pixies, so there is no usage to weigh "+
			"the score with")
	}
	ids := make([]uuid.UUID, n)
	for i, r := range tracked {
		ids[i] = r.ReportID
	}
	from, to := usage.Window(o.Now())
	views, err := o.PageViews(ctx, as.Account, ids, from, to)
	if err != nil {
		o.Log.Warn("page views could not be read; the score is not weighted by usage", "semanticModelId", modelID, "error", err)
		return without(assessment.UsageUnavailable, "the views of the reports on this semantic model could not be read")
	}
	days := usage.Days
	u.WindowDays, u.Source = &days, usage.Source
	u.Window = &assessment.UsageWindow{From: from.Format(time.DateOnly), To: to.Format(time.DateOnly)}
	viewed := usage.Views(views).Viewed(tracked)
	fields, read, pending := o.count(ctx, as, m, viewed[:min(len(viewed), usage.MaxReports)], views)
	switch {
	case pending != nil:
		return nil, u, pending
	case read == 0 && len(viewed) > 0:
		return without(assessment.UsageUnavailable, "none of the "+reports(len(viewed))+" that were viewed could be read")
	case len(fields) == 0:
		return without(assessment.NoViews, fmt.Sprintf("in %d days no one viewed a page that queries this semantic model", usage.Days))
	}
	u.Applied, u.State = true, assessment.UsageApplied
	var left []string
	if unread := min(len(viewed), usage.MaxReports) - read; unread > 0 {
		left = append(left, reports(unread)+" could not be read")
	}
	if more := len(viewed) - usage.MaxReports; more > 0 {
		left = append(left, reports(more)+fmt.Sprintf(" beyond the %d most viewed were left out", usage.MaxReports))
	}
	u.Reason = strings.Join(left, "; ")
	return fields, u, cutOff(ctx)
}

// withheld returns why usage may not be read with an access other than Granted.
func withheld(access item.Access) (assessment.UsageState, string) {
	if access == item.ConsentRequired {
		return assessment.NotGranted, "the person has not granted the permission to read usage"
	}
	return assessment.UsageUnavailable, "the platform did not say whether usage may be read"
}

// cutOff returns an error if the step was cancelled and another process must repeat
// it.
func cutOff(ctx context.Context) error {
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// count reads the reports one by one, while there is time, and counts the views of
// what their pages query. read is how many it could read; pending is set if the
// platform still reads one, so that the weights do not depend on its speed.
func (o *Options) count(ctx context.Context, as item.Caller, m *semanticmodel.Model, viewed []pixies.Report,
	views usage.Views) (fields map[string]map[string]int64, read int, pending *item.Pending) {
	ctx, cancel := forReports(ctx)
	defer cancel()
	counted := usage.NewCount(m)
	for _, r := range viewed {
		if ctx.Err() != nil {
			break
		}
		d, err := o.Platform.Definition(ctx, as, item.Item{ID: r.ReportID, Type: item.Report, WorkspaceID: r.WorkspaceID,
			DisplayName: r.ReportName})
		if waits, ok := errors.AsType[*item.Pending](err); ok {
			if pending = pending.Later(waits); !waits.Begun {
				break
			}
		}
		if err != nil {
			continue
		}
		if definition, err := report.Read(d); err == nil {
			counted.Add(definition, views[r.ReportID])
			read++
		}
	}
	return counted.Fields(), read, pending
}

// reports returns a count of reports with its noun.
func reports(n int) string {
	if n == 1 {
		return "1 report"
	}
	return fmt.Sprintf("%d reports", n)
}
