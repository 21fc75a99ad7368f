package projections

import (
	"context"
	"maps"
	"time"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/trackeditem/room"
	"readiness/eventstore"
)

// Licensing is the licenses of an account and the people that use them.
type Licensing struct {
	Licenses map[string]License
	account  account.Account
}

// License is a license of an account.
type License struct {
	account.License
	CreatedAt time.Time
	Members   int // how many people of the account use it
}

// Of returns the license of a person of the account: the one named, else the account's default. It
// returns false when there is neither.
func (l Licensing) Of(license string) (id string, ok bool) {
	own, ok := room.LicenseOf(l.account, license)
	return own.ID, ok
}

// licensed maps each license of an account to its creation time.
type licensed map[string]time.Time

func evolveLicensed(l licensed, e domain.Event, at time.Time) licensed {
	switch e := e.(type) {
	case account.LicenseSaved:
		if _, known := l[e.License.ID]; !known {
			after := licensed{e.License.ID: at}
			maps.Copy(after, l)
			return after
		}
	case account.LicenseRemoved:
		l = maps.Clone(l)
		delete(l, e.LicenseID)
	}
	return l
}

// Licensing folds the licenses of the account from the account's stream.
func (v *Views) Licensing(ctx context.Context, accountID string) (Licensing, error) {
	stream := account.Stream(accountID)
	owner, made := eventstore.FoldCached(stream, account.Evolve), eventstore.FoldCachedDated(stream, evolveLicensed)
	if err := v.Store.Load(ctx, owner, made); err != nil {
		return Licensing{}, err
	}
	l := Licensing{Licenses: make(map[string]License, len(owner.State.Licenses)), account: owner.State}
	for id, one := range owner.State.Licenses {
		l.Licenses[id] = License{License: one, CreatedAt: made.State[id]}
	}
	for _, p := range owner.State.People.All() {
		if id, ok := l.Of(p.License); ok {
			one := l.Licenses[id]
			one.Members++
			l.Licenses[id] = one
		}
	}
	return l, nil
}
