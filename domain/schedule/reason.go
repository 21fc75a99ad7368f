package schedule

import (
	"fmt"

	"readiness/domain"
)

// CredentialExpired is the code of a schedule that no valid token of its owner is
// kept for. No call is refused with it.
const CredentialExpired domain.Code = "CredentialExpired"

// takeUp is what to do once the cause is removed.
const takeUp = "then change the schedule with enabled true"

// pauses say, for every code that time does not heal, what happened and what to
// do. A refusal with another code passes, and the next slot stays.
var pauses = map[domain.Code]string{
	CredentialExpired:              "the token that the schedule acted with has expired, and the service keeps none longer; change the schedule with enabled true, with a token that lives until the next slot",
	domain.UserNotRegistered:       "its owner is no longer in the account; another member can take it over: change the schedule with enabled true",
	domain.AccountNotActive:        "the account is not active; once it is, change the schedule with enabled true",
	domain.FeatureNotInPlan:        "the account's plan does not include scheduled assessments; move to one that does, " + takeUp,
	domain.FeatureTurnedOff:        "an administrator of the account has turned AI features off; have them turned on, " + takeUp,
	domain.PlatformConsentRequired: "its owner has withdrawn the permission to act on the platform; grant it again, " + takeUp,
	domain.PlatformAccessDenied:    "the platform denies its owner access to the semantic model; have access granted, " + takeUp + ", or have a member who has access do that",
	domain.WorkspaceNotFound:       "the workspace does not exist any more, or its owner cannot see it; a member who sees it can take the schedule over with enabled true, else delete the schedule",
	domain.ItemNotFound:            "the semantic model does not exist any more, or its owner cannot see it; a member who sees it can take the schedule over with enabled true, else delete the schedule",
}

// refusals are the codes that pause too, whose refusal itself says what is wrong.
var refusals = map[domain.Code]bool{
	domain.RegionNotReady: true, domain.CapacityUnpaid: true, domain.CapacityRequired: true, domain.StoreNotConnected: true,
	domain.OperationNotSupportedForItem: true,
}

// ReasonOf returns why a schedule is paused whose slot was refused; false when time
// heals what it was refused for.
func ReasonOf(r *domain.Refusal) (Reason, bool) {
	if text, ok := pauses[r.Code]; ok {
		return Reason{r.Code, text}, true
	}
	if refusals[r.Code] {
		return Reason{r.Code, fmt.Sprintf("%s; %s", r.Message, takeUp)}, true
	}
	return Reason{}, false
}
