package projections

import (
	"context"
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

// The live tables, as queries name them.
var (
	liveAccounts = Accounts.live(accounts)
	liveMembers  = Accounts.live(members)
)

// Accounts is the view in which every call looks up the token's person: the accounts and their people,
// each row fed by the account's stream alone.
var Accounts = &View{
	Name: "accounts", Version: 1, Inline: true,
	Tables: []*Table{accounts, members},
	Of: []domain.Event{
		account.Opened{}, account.PlanChanged{}, account.StatusChanged{}, account.RegionChanged{}, account.SettingsChanged{},
		account.PersonSaved{}, account.PersonRemoved{},
	},
	Project: func(rows *Rows, r eventstore.Recorded) error {
		key := Key{r.Account}
		switch e := r.Event.(type) {
		case account.Opened:
			rows.Insert(accounts, Row{"account_id": r.Account, "plan": string(e.Plan), "status": string(e.Status), "region": e.Region,
				"settings": e.Settings})
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

// OFFSET 0 keeps the planner from joining all people first. SELECT $1 keeps it from counting the
// values, which would make it plan the statement again each time.
var membersSQL = `
SELECT p.i, m.account_id, m.plan, m.status, m.region, m.settings, m.member
FROM unnest((SELECT $1::text[]), (SELECT $2::text[])) WITH ORDINALITY AS p (issuer, person, i),
LATERAL (
	SELECT a.account_id, a.plan, a.status, a.region, a.settings, m.member
	FROM ` + liveMembers + ` m JOIN ` + liveAccounts + ` a USING (account_id) WHERE m.issuer = p.issuer AND m.person = p.person
	OFFSET 0
) m
ORDER BY p.i, m.account_id`

// CallStatements returns the statements that QueueMembers and QueueOperations queue, to be prepared before
// the first call.
func CallStatements() []string { return []string{membersSQL, operationsByID} }

// Members returns the person's membership in every account that has the person, by account id.
func (v *Views) Members(ctx context.Context, p item.Person) (members []account.Membership, err error) {
	b := &pgx.Batch{}
	v.QueueMembers(b, []item.Person{p}, func(found [][]account.Membership) { members = found[0] })
	if err := v.Pool.SendBatch(ctx, b).Close(); err != nil {
		return nil, fmt.Errorf("projections: look a person up: %w", err)
	}
	return members, nil
}

// settingsOf and personOf decode the columns that every call reads.
var (
	settingsOf = newDecoder[account.Settings](256)
	personOf   = newDecoder[account.Person](4096)
)

// QueueMembers queues a query for the memberships of each person. found receives them in the order of
// people.
func (v *Views) QueueMembers(b *pgx.Batch, people []item.Person, found func([][]account.Membership)) {
	issuers, persons := make([]string, len(people)), make([]string, len(people))
	for i, p := range people {
		issuers[i], persons[i] = p.Issuer, p.ID
	}
	b.Queue(membersSQL, issuers, persons).Query(func(rows pgx.Rows) error {
		members := make([][]account.Membership, len(people))
		var i int
		var m account.Membership
		var settings, person []byte
		if _, err := pgx.ForEachRow(rows, []any{&i, &m.AccountID, &m.Plan, &m.Status, &m.Region, &settings, &person}, func() error {
			members[i-1] = append(members[i-1], m)
			known := &members[i-1][len(members[i-1])-1]
			var err error
			if known.Settings, err = settingsOf.decode(settings); err == nil {
				known.Person, err = personOf.decode(person)
			}
			return err
		}); err != nil {
			return err
		}
		found(members)
		return nil
	})
}
