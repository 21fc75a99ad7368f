package schedule

import (
	"fmt"

	"readiness/domain"
)

// CredentialExpired is the code of a schedule's pause when no valid token of the owner
// is stored. No call is refused with it.
const CredentialExpired domain.Code = "CredentialExpired"

// enableAgain says what to do once the cause is removed.
const enableAgain = "then change the schedule with enabled true"

// pauses holds, for every code that needs someone to act, what happened and what to do.
// A refusal with any other code does not pause the schedule; its next slot is tried.
var pauses = map[domain.Code]string{
	CredentialExpired: "the token that the schedule acted with has expired; change the schedule with enabled true, using a " +
		"token that is valid until the next slot",
	domain.UserNotRegistered: "its owner is no longer in the account; another member can take it over: change the schedule with " +
		"enabled true",
	domain.AccountNotActive:        "the account is not active; once it is, change the schedule with enabled true",
	domain.FeatureNotInPlan:        "the account's plan does not include scheduled assessments; move to one that does, " + enableAgain,
	domain.FeatureTurnedOff:        "an administrator of the account has turned AI features off; have them turned on, " + enableAgain,
	domain.PlatformConsentRequired: "its owner has withdrawn the permission to act on the platform; grant it again, " + enableAgain,
	domain.PlatformAccessDenied: "the platform denies its owner access to the semantic model; request access, " + enableAgain +
		", or ask a member who has access to do that",
	domain.WorkspaceNotFound: "the workspace no longer exists, or its owner cannot see it; a member who sees it can take the schedule " +
		"over with enabled true, else delete the schedule",
	domain.ItemNotFound: "the semantic model no longer exists, or its owner cannot see it; a member who sees it can take the schedule " +
		"over with enabled true, else delete the schedule",
}

// refusals are further codes that pause; the refusal's own message says what is wrong.
var refusals = map[domain.Code]bool{
	domain.RegionNotReady: true, domain.CapacityUnpaid: true, domain.CapacityRequired: true, domain.StoreNotConnected: true,
	domain.OperationNotSupportedForItem: true,
}

// ReasonOf returns why a refused slot pauses its schedule, or false when it does not,
// because the cause may pass by itself.
func ReasonOf(r *domain.Refusal) (Reason, bool) {
	if r.Code == domain.Unauthorized || r.Code == domain.TokenExpired { // of the platform: the stored token serves no longer
		return Reason{CredentialExpired, pauses[CredentialExpired]}, true
	}
	if text, ok := pauses[r.Code]; ok {
		return Reason{r.Code, text}, true
	}
	if refusals[r.Code] {
		return Reason{r.Code, fmt.Sprintf("%s; %s", r.Message, enableAgain)}, true
	}
	return Reason{}, false
}
