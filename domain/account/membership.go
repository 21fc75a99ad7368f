package account

import (
	"readiness/domain"
	"readiness/domain/item"
)

// Membership is a person of an account, with the parts of the account that decide what
// the person may do.
type Membership struct {
	AccountID string
	Plan      Plan
	Status    Status
	Region    string
	Settings  Settings
	Person    SavedPerson
}

// NotAMember returns the refusal of a person who does not belong to the token's account.
func NotAMember(accountID string) *domain.Refusal {
	return domain.Refuse(domain.UserNotRegistered, "the token is for account %s, which does not know the signed-in person", accountID)
}

// NotActive returns the refusal of a person whose account is not active.
func (m Membership) NotActive() *domain.Refusal {
	return domain.Refuse(domain.AccountNotActive, "the account %s is %s", m.AccountID, m.Status)
}

// Membership returns p's membership, or false when p does not belong to the account.
func (a Account) Membership(p item.PersonID) (Membership, bool) {
	person, known := a.People.Get(p)
	return Membership{AccountID: a.ID, Plan: a.Plan, Status: a.Status, Region: a.Region, Settings: a.Settings, Person: person}, known
}
