package commands_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/eventstore"
	"readiness/storage/people"
	"readiness/test/testlog"
)

func declaration(id string, people ...string) account.Declaration {
	d := account.Declaration{AccountID: id, Plan: account.Team, Status: account.Active, Settings: account.Settings{DefinitionCopies: account.CopiesNone}}
	for _, p := range people {
		d.People = append(d.People, account.Person{Person: item.Person{ID: p}, Role: account.Member})
	}
	return d
}

// counts is how many events each account's change has.
func counts(changes []commands.AccountChange) map[string]int {
	n := map[string]int{}
	for _, c := range changes {
		n[c.AccountID] = len(c.Events)
	}
	return n
}

func TestApplyAccounts(t *testing.T) {
	t.Parallel()
	codec, err := eventstore.NewCodec(commands.Events()...)
	check(t, err)
	pool := testlog.Pool(t)
	who, err := people.WithIDs(pool, make([]byte, people.KeySize), item.FormerPersonID) // ids that Diff and Apply agree on
	check(t, err)
	s := commands.New(commands.Options{Store: eventstore.New(pool, codec, eventstore.Options{}), People: who, Plans: account.DefaultPlans()})
	logged := func() (n int) {
		t.Helper()
		check(t, pool.QueryRow(t.Context(), `SELECT count(*) FROM events`).Scan(&n))
		return n
	}
	both := []account.Declaration{declaration("contoso", "ada", "grace"), declaration("fabrikam")}

	diff, err := s.Accounts.Diff(t.Context(), both)
	if want := map[string]int{"contoso": 3, "fabrikam": 1}; err != nil || !cmp.Equal(counts(diff), want) || logged() != 0 {
		t.Fatalf("diff: got %v, error %v, %d events in the log, want %v and none", counts(diff), err, logged(), want)
	}
	applied, err := s.Accounts.Apply(t.Context(), both)
	if err != nil || !reflect.DeepEqual(applied, diff) || logged() != 4 {
		t.Fatalf("apply: got %v, error %v, %d events in the log, want what diff listed", applied, err, logged())
	}
	again, err := s.Accounts.Apply(t.Context(), both)
	if want := map[string]int{"contoso": 0, "fabrikam": 0}; err != nil || !cmp.Equal(counts(again), want) || logged() != 4 {
		t.Fatalf("apply again: got %v, error %v, %d events in the log, want %v and 4", counts(again), err, logged(), want)
	}

	// An account that is no longer declared is kept. A refused declaration stops
	// the later ones.
	bad := declaration("northwind")
	bad.Plan = "Gold"
	some, err := s.Accounts.Apply(t.Context(), []account.Declaration{declaration("contoso", "ada"), bad, declaration("adatum")})
	if want := map[string]int{"contoso": 1}; !domain.IsRefused(err, domain.InvalidRequest) || !cmp.Equal(counts(some), want) || logged() != 5 {
		t.Fatalf("apply with a bad one: got %v, error %v, %d events in the log, want %v, a refusal and 5", counts(some), err, logged(), want)
	}
	if _, err := s.Accounts.Diff(t.Context(), []account.Declaration{bad}); !domain.IsRefused(err, domain.InvalidRequest) {
		t.Errorf("diff of a bad one: got error %v, want a refusal", err)
	}
	fabrikam := eventstore.Fold(account.Stream("fabrikam"), account.Evolve)
	if err := s.Store.Load(t.Context(), fabrikam); err != nil || !fabrikam.State.Opened || fabrikam.Version != 1 {
		t.Errorf("fabrikam: got %+v, error %v, want it as it was", fabrikam.State, err)
	}
}
