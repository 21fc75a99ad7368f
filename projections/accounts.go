package projections

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/eventstore"
)

var accounts = &Table{
	Name:    "accounts",
	Columns: []Column{{"account_id", "text"}, {"plan", "text"}, {"status", "text"}, {"region", "text"}, {"settings", "jsonb"}},
	Key:     []string{"account_id"},
}

var members = &Table{
	Name:    "members",
	Columns: []Column{{"account_id", "text"}, {"issuer", "text"}, {"person", "text"}, {"member", "jsonb"}},
	Key:     []string{"account_id", "issuer", "person"},
	Indexes: []string{"(issuer, person)"},
}

// Accounts is the view that every call's token is looked up in: the accounts
// and their people, each row fed by the account's stream alone.
var Accounts = &View{
	Name: "accounts", Version: 1, Inline: true,
	Tables: []*Table{accounts, members},
	Of: []domain.Event{
		account.Opened{}, account.PlanChanged{}, account.StatusChanged{}, account.RegionChanged{}, account.SettingsChanged{}, account.PersonSaved{}, account.PersonRemoved{},
	},
	Project: func(rows *Rows, r eventstore.Recorded) error {
		key := Key{r.Account}
		switch e := r.Event.(type) {
		case account.Opened:
			rows.Insert(accounts, Row{"account_id": r.Account, "plan": string(e.Plan), "status": string(e.Status), "region": e.Region, "settings": e.Settings})
		case account.PlanChanged:
			rows.Set(accounts, key, Row{"plan": string(e.Plan)})
		case account.StatusChanged:
			rows.Set(accounts, key, Row{"status": string(e.Status)})
		case account.RegionChanged:
			rows.Set(accounts, key, Row{"region": e.Region})
		case account.SettingsChanged:
			rows.Set(accounts, key, Row{"settings": e.Settings})
		case account.PersonSaved:
			who := e.Person.Person
			rows.Delete(members, Key{r.Account, who.Issuer, who.ID})
			rows.Insert(members, Row{"account_id": r.Account, "issuer": who.Issuer, "person": who.ID, "member": e.Person})
		case account.PersonRemoved:
			rows.Delete(members, Key{r.Account, e.Person.Issuer, e.Person.ID})
		}
		return nil
	},
}

// Members returns every account that knows the person, by account id. People
// who are looked up at the same time are looked up together.
func (v *Views) Members(ctx context.Context, p item.Person) ([]account.Membership, error) {
	members, err := v.members.Do(ctx, p, v.membersOf)
	if err != nil {
		return nil, fmt.Errorf("projections: look a person up: %w", err)
	}
	return members, nil
}

// OFFSET 0 keeps the planner from joining all people first.
const membersSQL = `
SELECT p.i, m.account_id, m.plan, m.status, m.region, m.settings, m.member
FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS p (issuer, person, i),
LATERAL (
	SELECT a.account_id, a.plan, a.status, a.region, a.settings, m.member
	FROM members_v1 m JOIN accounts_v1 a USING (account_id) WHERE m.issuer = p.issuer AND m.person = p.person
	OFFSET 0
) m
ORDER BY p.i, m.account_id`

func (v *Views) membersOf(ctx context.Context, people []item.Person) ([][]account.Membership, error) {
	ctx, cancel := context.WithTimeout(ctx, tripTimeout)
	defer cancel()
	issuers, persons := make([]string, len(people)), make([]string, len(people))
	for i, p := range people {
		issuers[i], persons[i] = p.Issuer, p.ID
	}
	rows, err := v.Pool.Query(ctx, membersSQL, issuers, persons)
	if err != nil {
		return nil, err
	}
	members := make([][]account.Membership, len(people))
	var i int
	var m account.Membership
	var settings, person []byte
	_, err = pgx.ForEachRow(rows, []any{&i, &m.AccountID, &m.Plan, &m.Status, &m.Region, &settings, &person}, func() error {
		m.Settings, m.Person = account.Settings{}, account.Person{}
		members[i-1] = append(members[i-1], m)
		one := &members[i-1][len(members[i-1])-1]
		if err := json.Unmarshal(settings, &one.Settings); err != nil {
			return err
		}
		return json.Unmarshal(person, &one.Person)
	})
	return members, err
}
