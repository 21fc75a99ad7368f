package evaluations

import (
	"crypto/rand"

	"readiness/client"
	"readiness/http/console/page"
)

// one is what the page of a test shows.
type one struct {
	test
	Runs []run
	// Next is the difference that the next run can show.
	Next string
	// Once marks the form, so that it can be sent twice and starts one run.
	Once string
}

// run is a run of a test.
type run struct{ client.AbTestRun }

// Aggregate returns the summary of the run.
func (r run) Aggregate() aggregate { return aggregateOf(r.AbTestRun.Aggregate) }

// State returns the status of the run.
func (r run) State() client.AbTestRunStatus {
	if r.Status == nil {
		return ""
	}
	return *r.Status
}

// Tone returns the tone of the run's status.
func (r run) Tone() string {
	switch r.State() {
	case client.AbTestRunStatusSucceeded:
		return "good"
	case client.AbTestRunStatusFailed:
		return "poor"
	case client.AbTestRunStatusRunning:
		return "fair"
	case client.AbTestRunStatusCancelled:
	}
	return ""
}

// showTest shows a test with its newest runs.
func showTest(v *page.Visit) error {
	id, err := parsed(v, "id")
	if err != nil {
		return err
	}
	got, err := v.API.GetAbTestWithResponse(v.Request.Context(), id.String(), nil)
	if err != nil {
		return err
	}
	o := one{test: test{*got.JSON200}, Next: detectable(got.JSON200.MinimumDetectableEffect), Once: rand.Text()}
	for _, r := range got.JSON200.Runs {
		o.Runs = append(o.Runs, run{r})
	}
	return v.Show(testView, page.Page{Title: o.Name, In: path, Data: o})
}
