package account

import (
	"readiness/domain"
	"readiness/domain/item"
)

// Membership is a person of an account, with what the account lets its people do.
type Membership struct {
	AccountID string
	Plan      Plan
	Status    Status
	Region    string
	Settings  Settings
	Person    Person
}

// Stranger refuses a person whom the account, which the call is for, does not know.
func Stranger(accountID string) *domain.Refusal {
	return domain.Refuse(domain.UserNotRegistered, "the token is for account %s, which does not know the signed-in person", accountID)
}

// NotActive refuses a person of an account that is not active.
func (m Membership) NotActive() *domain.Refusal {
	return domain.Refuse(domain.AccountNotActive, "the account %s is %s", m.AccountID, m.Status)
}

// Membership is that of a person of the account; false when it knows none such.
func (a Account) Membership(p item.Person) (Membership, bool) {
	person, known := a.People.Get(p)
	return Membership{AccountID: a.ID, Plan: a.Plan, Status: a.Status, Region: a.Region, Settings: a.Settings, Person: person}, known
}
