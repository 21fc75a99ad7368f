package account

import "readiness/domain/item"

// Membership is a person of an account, with what the account lets its people do.
type Membership struct {
	AccountID string
	Plan      Plan
	Status    Status
	Region    string
	Settings  Settings
	Person    Person
}

// Membership is that of a person of the account; false when it knows none such.
func (a Account) Membership(p item.Person) (Membership, bool) {
	person, known := a.People.Get(p)
	return Membership{AccountID: a.ID, Plan: a.Plan, Status: a.Status, Region: a.Region, Settings: a.Settings, Person: person}, known
}
