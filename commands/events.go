package commands

import (
	"readiness/domain/abtest"
	"readiness/domain/account"
	"readiness/domain/aiprovider"
	"readiness/domain/assessment"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/pixies"
	"readiness/domain/schedule"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
)

// Events are the types of every event that was ever stored. A type that is no
// longer written stays here: the log still holds it.
func Events() []eventstore.Type {
	return eventstore.Events(
		account.Opened{}, account.PlanChanged{}, account.StatusChanged{}, account.RegionChanged{}, account.SettingsChanged{},
		account.LicenseSaved{}, account.LicenseRemoved{}, account.PersonSaved{}, account.PersonRemoved{},
		account.DocumentSaved{}, account.DocumentRemoved{},
		account.Spent{}, account.GivenBack{},
		aiprovider.Saved{}, aiprovider.Changed{}, aiprovider.KeyChanged{}, aiprovider.Tested{}, aiprovider.Used{}, aiprovider.Released{}, aiprovider.Deleted{},
		operation.Accepted{}, operation.Started{}, operation.Progressed{}, operation.Waiting{}, operation.WentOn{}, operation.ImpactCorrected{}, operation.Completed{}, operation.Broken{}, operation.Stopped{},
		assessment.RunAccepted{}, assessment.ModelEnded{},
		assessment.Accepted{}, assessment.GivenBack{}, assessment.Recorded{}, assessment.Ended{}, assessment.ResultsDeleted{},
		trackeditem.Claimed{}, trackeditem.PixiesRemoved{}, trackeditem.AddedAgain{}, trackeditem.Gone{},
		trackeditem.ResultsGone{}, trackeditem.TrackedAgain{}, trackeditem.Renamed{}, trackeditem.Counted{},
		optimization.PreviewAccepted{}, optimization.Previewed{},
		optimization.ApplyAccepted{}, optimization.Proposed{}, optimization.WriteStarted{}, optimization.WriteIntended{},
		optimization.WriteLanded{}, optimization.WriteFailed{}, optimization.PutBack{}, optimization.WritesContinued{}, optimization.IntentContinued{},
		optimization.LockTaken{}, optimization.LockReleased{},
		pixies.Held{}, pixies.Added{}, pixies.Removed{}, pixies.LeftAsItWas{}, pixies.Gone{},
		pixies.RunAccepted{}, pixies.ChangeIntended{}, pixies.ReportEnded{}, pixies.Seen{},
		schedule.Created{}, schedule.Changed{}, schedule.SlotStarted{}, schedule.SlotRefused{}, schedule.WasPaused{}, schedule.Deleted{},
		benchmark.SaveAccepted{}, benchmark.QuestionsSaved{}, benchmark.GenerationAccepted{}, benchmark.SavingAccepted{}, benchmark.QuestionsMade{},
		benchmark.RunAccepted{}, benchmark.RunStarted{}, benchmark.Asked{}, benchmark.RunCompleted{}, benchmark.RunFailed{}, benchmark.RunCancelled{}, benchmark.RunDeleted{},
		abtest.Created{}, abtest.Reworded{}, abtest.RunAdded{}, abtest.Froze{}, abtest.RunEnded{}, abtest.RunRemoved{}, abtest.Deleted{},
		abtest.RunAccepted{}, abtest.SideQueued{}, abtest.SideStarted{}, abtest.SideCompleted{}, abtest.SideFailed{}, abtest.Compared{}, abtest.RunStopped{}, abtest.Erased{},
		optimization.BundleAccepted{}, optimization.ChildChanged{}, optimization.BundleUsed{},
	)
}
