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

// Members returns every account that knows the person, by account id.
func (v *Views) Members(ctx context.Context, p item.Person) ([]account.Membership, error) {
	rows, err := v.Pool.Query(ctx, `SELECT a.account_id, a.plan, a.status, a.region, a.settings, m.member
		FROM members_v1 m JOIN accounts_v1 a USING (account_id) WHERE m.issuer = $1 AND m.person = $2 ORDER BY a.account_id`, p.Issuer, p.ID)
	if err != nil {
		return nil, fmt.Errorf("projections: look a person up: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (m account.Membership, err error) {
		var settings, person []byte
		if err := row.Scan(&m.AccountID, &m.Plan, &m.Status, &m.Region, &settings, &person); err != nil {
			return m, err
		}
		if err := json.Unmarshal(settings, &m.Settings); err != nil {
			return m, err
		}
		return m, json.Unmarshal(person, &m.Person)
	})
}
