package account

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/internal/lists"
)

// Apply makes an account match a declaration. Only differences become events, in a
// fixed order, so applying the same declaration twice changes nothing. A declaration
// with problems is refused and changes nothing.
type Apply struct {
	Declaration Declaration
	// Plans are the existing plans; they bound how many people an account has.
	Plans Plans
	// IDs has the id of each declared person in the account.
	IDs map[item.Person]item.PersonID
}

func (c Apply) Decide(a Account) ([]domain.Event, error) {
	d := c.Declaration
	if err := c.check(a); err != nil {
		return nil, err
	}
	var events []domain.Event
	add := func(changed bool, e domain.Event) {
		if changed {
			events = append(events, e)
		}
	}
	if !a.Opened {
		add(true, Opened{d.AccountID, d.Plan, d.Status, d.Region, d.Settings})
	} else {
		add(a.Plan != d.Plan, PlanChanged{d.Plan})
		add(a.Status != d.Status, StatusChanged{d.Status})
		add(a.Region != d.Region, RegionChanged{d.Region})
		add(a.Settings != d.Settings, SettingsChanged{d.Settings})
	}

	// Licenses are saved before the people who have them, and removed after them.
	licenses := lists.Index(d.Licenses, func(l License) string { return l.ID })
	known, people, declared := maps.Collect(a.People.All()), map[item.PersonID]SavedPerson{}, map[item.PersonID]item.Person{}
	for _, p := range d.People {
		id, ok := c.IDs[p.Person]
		if !ok {
			return nil, fmt.Errorf("account: a person of the declaration of %q has no id", d.AccountID)
		}
		people[id], declared[id] = p.saved(id), p.Person
	}
	documents := d.documents()
	for _, id := range differing(a.Licenses, licenses, strings.Compare) {
		add(true, LicenseSaved{licenses[id]})
	}
	inOrder := func(a, b item.PersonID) int { // of their names: ids are random
		x, y := declared[a], declared[b]
		return cmp.Or(cmp.Compare(x.Issuer, y.Issuer), cmp.Compare(x.ID, y.ID))
	}
	for _, who := range differing(known, people, inOrder) {
		add(true, PersonSaved{people[who]})
	}
	for _, who := range missing(known, people, cmp.Compare[item.PersonID]) {
		add(true, PersonRemoved{who})
	}
	for _, id := range missing(a.Licenses, licenses, strings.Compare) {
		add(true, LicenseRemoved{id})
	}
	for _, name := range differing(a.Saved, documents, strings.Compare) {
		add(true, DocumentSaved{name, documents[name]})
	}
	for _, name := range missing(a.Saved, documents, strings.Compare) {
		add(true, DocumentRemoved{name})
	}
	return events, nil
}

// check refuses a declaration that has problems, or that the account cannot match.
func (c Apply) check(a Account) error {
	d := c.Declaration
	if problems := d.Problems(c.Plans); len(problems) > 0 {
		p := problems[0]
		return domain.Refuse(domain.InvalidRequest, "account %q: %s: %s", d.AccountID, p.Member, p.Message).About("member", p.Member)
	}
	if a.Opened && a.ID != d.AccountID {
		return domain.Refuse(domain.InvalidRequest, "the declaration of account %q cannot be applied to account %q", d.AccountID, a.ID)
	}
	if a.Erased {
		return domain.Refuse(domain.InvalidRequest, "account %q was erased; remove it from the file, and give a new account another id",
			d.AccountID)
	}
	return nil
}

// differing returns the keys, in order, whose value in want is not the one in have.
func differing[K comparable, V any](have, want map[K]V, order func(a, b K) int) []K {
	keys := slices.SortedFunc(maps.Keys(want), order)
	return slices.DeleteFunc(keys, func(k K) bool {
		v, ok := have[k]
		return ok && reflect.DeepEqual(v, want[k])
	})
}

// missing returns the keys, in order, that are in have and not in want.
func missing[K comparable, V any](have, want map[K]V, order func(a, b K) int) []K {
	keys := slices.SortedFunc(maps.Keys(have), order)
	return slices.DeleteFunc(keys, func(k K) bool {
		_, ok := want[k]
		return ok
	})
}
