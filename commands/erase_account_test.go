package commands_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/test/testworld"
)

// An account that is erased has neither a key nor a member, and no command changes it again. Another one with the same people is as before.
//
// proves: decisions/23/refused decisions/23/last
func TestEraseAccount(t *testing.T) {
	t.Parallel()
	w := testworld.New(t, testworld.Options{})
	closed := func(id string) account.Declaration {
		d := declaration(id, "ana")
		d.Status = account.Closed
		return d
	}
	both := []account.Declaration{closed("contoso"), declaration("fabrikam", "ana")}
	_, err := w.Accounts.Apply(t.Context(), both)
	check(t, err)
	for _, id := range []string{"fabrikam", "nowhere"} {
		before := w.Left(t)
		if recorded, err := w.Accounts.EraseAccount(t.Context(), id); recorded || !domain.IsRefused(err, domain.InvalidRequest) {
			t.Errorf("%s: got %v, %v", id, recorded, err)
		}
		w.Unchanged(t, before)
	}
	for i, want := range []bool{true, false} {
		if recorded, err := w.Accounts.EraseAccount(t.Context(), "contoso"); recorded != want || err != nil {
			t.Errorf("erased %d times before: got %v, %v", i, recorded, err)
		}
	}
	before := w.Left(t)
	if _, err := w.Accounts.Apply(t.Context(), both); !domain.IsRefused(err, domain.InvalidRequest) {
		t.Errorf("declared again: got %v", err)
	}
	check(t, w.Accounts.RecordSealed(t.Context(), "contoso", account.Seal{Size: 9, Root: []byte("x")},
		func(context.Context, pgx.Tx) error { return nil }))
	if _, err := w.Accounts.ErasePerson(t.Context(), "contoso", "ana"); !domain.IsRefused(err, domain.AccountNotActive) {
		t.Errorf("a person of it: got %v", err)
	}
	w.Unchanged(t, before)
	if n := w.Count(t, `SELECT count(*) FROM account_keys WHERE account_id = 'contoso' AND key IS NULL`); n != 1 {
		t.Error("it has a key")
	}
	members, err := w.Views.Members(t.Context(), item.Person{ID: "ana"})
	check(t, err)
	if len(members) != 1 || members[0].AccountID != "fabrikam" {
		t.Errorf("ana is a member of %+v", members)
	}
}
