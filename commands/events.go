package commands

import (
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/operation"
	"readiness/eventstore"
)

// Events lists every event the service stores, at its current schema version.
func Events() []eventstore.Type {
	return eventstore.Events(
		account.Opened{}, account.PlanChanged{}, account.StatusChanged{}, account.RegionChanged{}, account.SettingsChanged{},
		account.LicenseSaved{}, account.LicenseRemoved{}, account.PersonSaved{}, account.PersonRemoved{},
		account.DocumentSaved{}, account.DocumentRemoved{},
		account.Spent{}, account.GivenBack{},
		operation.Accepted{}, operation.Started{}, operation.Progressed{}, operation.Completed{}, operation.Broken{}, operation.Stopped{},
		assessment.Accepted{}, assessment.GivenBack{}, assessment.Recorded{}, assessment.RunAccepted{}, assessment.ModelEnded{},
	)
}
