package projections

// live names the live tables, as queries do. A table is taken from its view, so that its variable is known to one file only.
var live = struct {
	abRuns, abTests, accounts, members, activity, assessments, auditBlocks, auditHours, benchmarkRuns, failures, modelNotes, modelOwners, operations, pageViews,
	pixieIDs, pixieReports, reportCopies, portfolio, portfolioChanges, portfolioScores, reportViews, schedules, trackedItems,
	unassessed, writes string
}{
	abRuns:           AbRuns.live(AbRuns.Tables[0]),
	abTests:          AbTests.live(AbTests.Tables[0]),
	accounts:         Accounts.live(Accounts.Tables[0]),
	members:          Accounts.live(Accounts.Tables[1]),
	activity:         Activity.live(Activity.Tables[0]),
	assessments:      Assessments.live(Assessments.Tables[0]),
	auditBlocks:      Audit.live(Audit.Tables[0]),
	auditHours:       Audit.live(Audit.Tables[1]),
	benchmarkRuns:    BenchmarkRuns.live(BenchmarkRuns.Tables[0]),
	failures:         Failures.live(Failures.Tables[1]),
	modelNotes:       ModelNotes.live(ModelNotes.Tables[1]),
	modelOwners:      ModelNotes.live(ModelNotes.Tables[0]),
	operations:       Operations.live(Operations.Tables[0]),
	pageViews:        PageViews.live(PageViews.Tables[0]),
	pixieIDs:         Pixies.live(Pixies.Tables[1]),
	pixieReports:     Pixies.live(Pixies.Tables[0]),
	reportCopies:     Pixies.live(Pixies.Tables[2]),
	portfolio:        Assessments.live(Assessments.Tables[1]),
	portfolioScores:  Assessments.live(Assessments.Tables[2]),
	portfolioChanges: Assessments.live(Assessments.Tables[3]),
	reportViews:      PageViews.live(PageViews.Tables[1]),
	schedules:        Schedules.live(Schedules.Tables[0]),
	trackedItems:     TrackedItems.live(TrackedItems.Tables[0]),
	unassessed:       Failures.live(Failures.Tables[0]),
	writes:           Writes.live(Writes.Tables[0]),
}
