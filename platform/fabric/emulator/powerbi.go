package emulator

import (
	"net/http"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/internal/lists"
)

// describeReport returns a report as Power BI describes it. A report on a model that the caller cannot see names the
// model without its workspace.
func (c *call) describeReport(r item.WorkspaceReport) map[string]any {
	d := map[string]any{"id": r.ID.String(), "name": r.DisplayName, "reportType": "PowerBIReport", "isOwnedByMe": true,
		"users": []any{}, "subscriptions": []any{},
		"webUrl": "https://app.powerbi.com/groups/" + r.WorkspaceID.String() + "/reports/" + r.ID.String()}
	if c.o.Unknown.InApp != nil && c.o.Unknown.InApp(r.Item) {
		d["appId"], d["originalReportId"] = uuid.NewSHA1(r.ID, []byte("app")).String(), uuid.NewSHA1(r.ID, []byte("original")).String()
	}
	if r.Paginated {
		d["reportType"] = "PaginatedReport"
	}
	if r.Model != nil {
		d["datasetId"] = r.Model.ID.String()
		if r.Model.WorkspaceID != uuid.Nil {
			d["datasetWorkspaceId"] = r.Model.WorkspaceID.String()
		}
	}
	return d
}

func (c *call) reportsHere() ([]item.WorkspaceReport, bool) {
	if code := c.o.Unknown.ReportsRefused; code != "" {
		failPowerBI(c.w, http.StatusForbidden, code)
		return nil, false
	}
	all, err := c.o.Folder.Reports(c.r.Context(), c.as(), c.id("w"))
	switch {
	case err == nil:
		return all, true
	case domain.IsRefused(err, domain.WorkspaceNotFound):
		failPowerBI(c.w, http.StatusNotFound, "PowerBIFolderNotFound")
	default:
		failPowerBI(c.w, http.StatusInternalServerError, "InternalServerError")
	}
	return nil, false
}

func (c *call) powerBIReports() {
	all, ok := c.reportsHere()
	if !ok {
		return
	}
	value := lists.Map(all, func(r item.WorkspaceReport) any { return c.describeReport(r) })
	send(c.w, map[string]any{"@odata.context": "http://wabi-us-central-b-primary-redirect.analysis.windows.net/v1.0/myorg/groups/" +
		c.id("w").String() + "/$metadata#reports", "value": value})
}

func (c *call) powerBIReport() {
	all, ok := c.reportsHere()
	if !ok {
		return
	}
	for _, r := range all {
		if r.ID == c.id("i") {
			send(c.w, c.describeReport(r))
			return
		}
	}
	failPowerBI(c.w, http.StatusNotFound, "PowerBIEntityNotFound")
}
