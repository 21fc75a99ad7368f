package account_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
)

// after returns the account after the events.
func after(events ...domain.Event) (a account.Account) {
	for _, e := range events {
		a = account.Evolve(a, e)
	}
	return a
}

// Only a closed account is erased, once; and nothing is decided about it afterwards.
func TestErase(t *testing.T) {
	t.Parallel()
	opened := func(s account.Status) account.Opened {
		return account.Opened{AccountID: "acme", Plan: account.Team, Status: s}
	}
	ada := account.SavedPerson{Person: "7f", Role: account.Admin}
	closed := after(opened(account.Active), account.PersonSaved{Person: ada}, account.DocumentSaved{Name: "aiProvider", Text: "{}"},
		account.LicenseSaved{License: account.License{ID: "main"}}, account.StatusChanged{Status: account.Closed})
	erased := account.Evolve(closed, account.Erased{})
	erase := account.Erase{AccountID: "acme"}
	apply := func(s account.Status) account.Apply {
		return account.Apply{Declaration: account.Declaration{AccountID: "acme", Plan: account.Team, Status: s,
			Settings: account.Settings{DefinitionCopies: account.CopiesNone}}, Plans: account.DefaultPlans()}
	}
	for name, row := range map[string]struct {
		account account.Account
		command domain.Command[account.Account]
		want    []domain.Event
		refused bool
	}{
		"a closed account":             {closed, erase, []domain.Event{account.Erased{}}, false},
		"no account":                   {account.Account{}, erase, nil, true},
		"an active account":            {after(opened(account.Active)), erase, nil, true},
		"a suspended account":          {after(opened(account.Suspended)), erase, nil, true},
		"one that was erased":          {erased, erase, nil, false},
		"a declaration as it was":      {erased, apply(account.Closed), nil, true},
		"a declaration to open it":     {erased, apply(account.Active), nil, true},
		"the head of its tree":         {erased, account.Seal{Size: 9, Root: []byte("x")}, nil, false},
		"the removal of its person":    {erased, account.RemovePerson{PersonID: ada.Person}, nil, false},
		"a declaration before erasing": {closed, apply(account.Closed), []domain.Event{account.SettingsChanged{Settings: account.Settings{DefinitionCopies: account.CopiesNone}}, account.PersonRemoved{Person: ada.Person}, account.LicenseRemoved{LicenseID: "main"}, account.DocumentRemoved{Name: "aiProvider"}}, false},
	} {
		got, err := row.command.Decide(row.account)
		if domain.IsRefused(err, domain.InvalidRequest) != row.refused || err != nil && !row.refused || !cmp.Equal(row.want, got) {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
	if want := (account.Account{ID: "acme", Opened: true, Plan: account.Team, Status: account.Closed, Erased: true}); !cmp.Equal(want, erased, cmp.AllowUnexported(account.People{})) {
		t.Errorf("erased it is %+v", erased)
	}
	if _, member := erased.Membership(item.PersonID("7f")); member {
		t.Error("a person is still a member")
	}
}
