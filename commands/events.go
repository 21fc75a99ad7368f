package commands

import (
	"slices"

	"readiness/domain/abtest"
	"readiness/domain/account"
	"readiness/domain/aiprovider"
	"readiness/domain/assessment"
	"readiness/domain/auditview"
	"readiness/domain/benchmark"
	"readiness/domain/modelnotes"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/person"
	"readiness/domain/pixies"
	"readiness/domain/schedule"
	"readiness/domain/trackeditem"
	"readiness/domain/trackeditem/room"
	"readiness/domain/webhook"
	"readiness/eventstore"
)

// Events returns the types of every event that was ever stored, by the streams that
// contain them. A type that is no longer written stays in the list: the log still
// contains it.
func Events() []eventstore.Type {
	return withFormerForms(slices.Concat(
		eventstore.Of("account",
			account.Opened{}, account.PlanChanged{}, account.StatusChanged{}, account.RegionChanged{}, account.SettingsChanged{},
			account.LicenseSaved{}, account.LicenseRemoved{}, account.PersonSaved{}, account.PersonRemoved{},
			account.DocumentSaved{}, account.DocumentRemoved{}, account.Sealed{}, account.Erased{}),
		eventstore.Of("person",
			person.Erased{}),
		eventstore.WithSnapshot[account.Usage]("allowance",
			account.Spent{}, account.Refunded{}),
		eventstore.Of("aiproviders",
			aiprovider.Saved{}, aiprovider.Changed{}, aiprovider.KeyChanged{}, aiprovider.Tested{}, aiprovider.Used{},
			aiprovider.Released{}, aiprovider.Deleted{}),
		eventstore.Of("webhooks",
			webhook.Created{}, webhook.Changed{}, webhook.Stopped{}, webhook.SecretRotated{}, webhook.Deleted{}),
		eventstore.Of("operation",
			operation.Accepted{}, operation.Started{}, operation.Progressed{}, operation.WaitingForOwner{}, operation.SignInNeeded{},
			operation.Resumed{},
			operation.ImpactCorrected{}, operation.Succeeded{}, operation.Failed{}, operation.Cancelled{},
			assessment.RunAccepted{}, assessment.ModelEnded{},
			optimization.PreviewAccepted{}, optimization.Previewed{},
			optimization.ApplyAccepted{}, optimization.Proposed{}, optimization.WriteStarted{}, optimization.WriteIntended{},
			optimization.WriteLanded{}, optimization.WriteFailed{}, optimization.Restored{}, optimization.WritesContinued{},
			optimization.IntentContinued{}, optimization.WriteSent{},
			optimization.BundleAccepted{}, optimization.ChildChanged{}, optimization.BundleUsed{},
			pixies.RunAccepted{}, pixies.ChangeIntended{}, pixies.ChangeSent{}, pixies.ReportEnded{},
			benchmark.GenerationAccepted{}, benchmark.SavingAccepted{}, benchmark.QuestionsMade{},
			abtest.RunAccepted{}, abtest.SideQueued{}, abtest.SideStarted{}, abtest.SideCompleted{}, abtest.SideFailed{}, abtest.Compared{},
			abtest.ComparisonRevised{},
			abtest.RunStopped{}, abtest.RunErased{},
			auditview.Asked{}, auditview.Listed{}),
		eventstore.WithSnapshot[assessment.Standing]("assessment",
			assessment.Accepted{}, assessment.Refunded{}, assessment.Recorded{}, assessment.Pinned{}, assessment.Unpinned{},
			assessment.Ended{}, assessment.ResultsDeleted{}),
		eventstore.Of("trackeditem",
			trackeditem.Reserved{}, trackeditem.Released{}, trackeditem.Joined{}, trackeditem.Left{}, trackeditem.Claimed{},
			trackeditem.Removed{}, trackeditem.AddedAgain{}, trackeditem.Deleted{},
			trackeditem.ResultsDeleted{}, trackeditem.TrackedAgain{}, trackeditem.Renamed{}),
		eventstore.WithSnapshot[room.Total]("trackeditems",
			room.Reserved{}, room.Released{}, room.Counted{}),
		eventstore.WithSnapshot[optimization.Standing]("optimization",
			optimization.LockTaken{}, optimization.LockReleased{}),
		eventstore.WithSnapshot[pixies.Report]("pixies",
			pixies.Locked{}, pixies.Added{}, pixies.Removed{}, pixies.Unchanged{}, pixies.ReportDeleted{}),
		eventstore.Of("pixieviews",
			pixies.Seen{}),
		eventstore.WithSnapshot[schedule.Schedule]("schedule",
			schedule.Created{}, schedule.Changed{}, schedule.SlotStarted{}, schedule.SlotRefused{}, schedule.Paused{},
			schedule.Deleted{}),
		eventstore.Of("modelnotes",
			modelnotes.OwnerSet{}, modelnotes.OwnerRemoved{}, modelnotes.Added{}, modelnotes.Changed{}, modelnotes.Removed{}),
		eventstore.WithSnapshot[benchmark.SavedQuestions]("questions",
			benchmark.SaveAccepted{}, benchmark.QuestionsSaved{}),
		eventstore.Of("benchmarkrun",
			benchmark.RunAccepted{}, benchmark.RunStarted{}, benchmark.Asked{}, benchmark.RunCompleted{}, benchmark.RunFailed{},
			benchmark.RunCancelled{}, benchmark.VerdictOverruled{}, benchmark.RunDeleted{}),
		eventstore.Of("abtest",
			abtest.Created{}, abtest.Reworded{}, abtest.RunAdded{}, abtest.QuestionsFrozen{}, abtest.RunEnded{}, abtest.RunRevised{},
			abtest.RunRemoved{}, abtest.Deleted{}),
		eventstore.Of("abfamily",
			abtest.Tested{}),
	))
}
