package testworld

import (
	"time"

	"readiness/commands"
	"readiness/domain/account"
	"readiness/domain/item"
)

// Ana returns a person of the account contoso as the caller.
func (w *World) Ana(plan account.Plan) commands.Caller { return w.Person("contoso", "ana", plan) }

// Person returns a person of an account as the caller. The token is valid for an
// hour from now.
func (w *World) Person(accountID, name string, plan account.Plan) commands.Caller {
	return commands.Caller{
		Caller:       item.Caller{Account: accountID, PersonID: item.PersonID(name), Person: item.Person{ID: name}, Token: "eyJ.token"},
		Plan:         plan,
		Settings:     account.Settings{CapacityDetails: true},
		RequestID:    "request",
		TokenExpires: w.Clock.Now().Add(time.Hour),
	}
}
