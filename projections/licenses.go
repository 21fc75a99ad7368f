package projections

import (
	"context"
	"time"

	"readiness/domain/account"
	"readiness/domain/trackeditem"
)

// Licensing is the licenses of an account and whom they are for.
type Licensing struct {
	Licenses map[string]License
	account  account.Account
}

// License is a license of an account.
type License struct {
	account.License
	CreatedAt time.Time
	Members   int // how many people of the account it is for
}

// Of returns the license of a person of the account: the one named, else the
// account's default; false when there is neither.
func (l Licensing) Of(license string) (id string, ok bool) {
	own, ok := trackeditem.LicenseOf(l.account, license)
	return own.ID, ok
}

// Licensing folds the account's own stream, which grows only with what its
// operator changes.
func (v *Views) Licensing(ctx context.Context, accountID string) (Licensing, error) {
	l := Licensing{Licenses: map[string]License{}}
	for r, err := range v.Store.ReadStream(ctx, account.Stream(accountID), 0) {
		if err != nil {
			return Licensing{}, err
		}
		l.account = account.Evolve(l.account, r.Event)
		switch e := r.Event.(type) {
		case account.LicenseSaved:
			one, known := l.Licenses[e.License.ID]
			if !known {
				one.CreatedAt = r.RecordedAt
			}
			one.License = e.License
			l.Licenses[e.License.ID] = one
		case account.LicenseRemoved:
			delete(l.Licenses, e.LicenseID)
		}
	}
	for _, p := range l.account.People {
		if id, ok := l.Of(p.License); ok {
			one := l.Licenses[id]
			one.Members++
			l.Licenses[id] = one
		}
	}
	return l, nil
}
