package account_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/domain/account"
)

func TestSeal(t *testing.T) {
	t.Parallel()
	opened := account.Evolve(account.Account{}, account.Opened{AccountID: "acme"})
	sealed := account.Evolve(opened, account.Sealed{Size: 7, Root: []byte("r")})
	for name, row := range map[string]struct {
		account account.Account
		command account.Seal
		want    []domain.Event
	}{
		"the first":     {opened, account.Seal{Size: 1, Root: []byte("x")}, []domain.Event{account.Sealed{Size: 1, Root: []byte("x")}}},
		"a later one":   {sealed, account.Seal{Size: 8, Root: []byte("x")}, []domain.Event{account.Sealed{Size: 8, Root: []byte("x")}}},
		"the same":      {sealed, account.Seal{Size: 7, Root: []byte("r")}, nil},
		"an earlier":    {sealed, account.Seal{Size: 6, Root: []byte("x")}, nil},
		"of no account": {account.Account{}, account.Seal{Size: 1, Root: []byte("x")}, nil},
	} {
		got, err := row.command.Decide(row.account)
		if err != nil || !cmp.Equal(row.want, got) {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
}
