package schedule

import (
	"readiness/domain"
	"readiness/domain/account"
)

// CheckOwner refuses a slot for what a call of the schedule's owner would be refused
// for: m is the owner's membership of the account, known whether they still have one,
// and limits are those of the account's plan.
func CheckOwner(accountID string, m account.Membership, known bool, limits account.Limits) error {
	switch {
	case !known:
		return domain.Refuse(domain.UserNotRegistered, "the owner of the schedule is no longer a member of account %s", accountID)
	case m.Status != account.Active:
		return m.NotActive()
	case !limits.ScheduledAssessments:
		return domain.Refuse(domain.FeatureNotInPlan, "the account's plan %s does not include scheduled assessments", m.Plan)
	case !m.Settings.AIFeatures:
		return domain.Refuse(domain.FeatureTurnedOff, "an administrator of the account has turned aiFeatures off")
	}
	return nil
}

// NoToken returns the refusal of a slot because no valid token of the owner is kept.
func NoToken() error {
	return domain.Refuse(CredentialExpired, "no valid token of the owner of the schedule is kept")
}
