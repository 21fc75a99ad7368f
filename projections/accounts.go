package projections

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/eventstore"
	"readiness/internal/lists"
)

var accounts = &Table{
	Name:    "accounts",
	Columns: []Column{{"account_id", "text"}, {"plan", "text"}, {"status", "text"}, {"region", "text"}, {"settings", "jsonb"}},
	Key:     []string{"account_id"},
}

var members = &Table{
	Name:    "members",
	Columns: []Column{{"account_id", "text"}, {"person", "text"}, {"member", "jsonb"}},
	Key:     []string{"account_id", "person"},
}

// Accounts is the view in which every call looks up the token's person: the accounts and their people,
// each row fed by the account's stream alone.
var Accounts = &View{
	Name: "accounts", Version: 2, Inline: true,
	Tables: []*Table{accounts, members},
	Of: []domain.Event{
		account.Opened{}, account.PlanChanged{}, account.StatusChanged{}, account.RegionChanged{}, account.SettingsChanged{},
		account.PersonSaved{}, account.PersonRemoved{}, account.Erased{},
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
			who := string(e.Person.Person)
			rows.Delete(members, Key{r.Account, who})
			rows.Insert(members, Row{"account_id": r.Account, "person": who, "member": e.Person})
		case account.PersonRemoved:
			rows.Delete(members, Key{r.Account, string(e.Person)})
		case account.Erased:
			rows.Delete(accounts, key) // so no one is a member, whatever is left of the members
		}
		return nil
	},
}

// OFFSET 0 keeps the planner from joining all people first. SELECT $1 keeps it from counting the
// values, which would make it plan the statement again each time.
var membersSQL = `
SELECT p.i, m.account_id, m.plan, m.status, m.region, m.settings, m.member
FROM unnest((SELECT $1::bytea[])) WITH ORDINALITY AS p (index, i),
LATERAL (
	SELECT a.account_id, a.plan, a.status, a.region, a.settings, m.member
	FROM people w JOIN ` + live.members + ` m ON m.account_id = w.account_id AND m.person = w.person_id
	JOIN ` + live.accounts + ` a ON a.account_id = w.account_id
	WHERE w.blind_index = p.index
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
	personOf   = newDecoder[account.SavedPerson](4096)
)

// QueueMembers queues a query for the memberships of each person. found receives them in the order of
// people.
func (v *Views) QueueMembers(b *pgx.Batch, people []item.Person, found func([][]account.Membership)) {
	indexes := lists.Map(people, v.People.Index)
	b.Queue(membersSQL, indexes).Query(func(rows pgx.Rows) error {
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

// RoleOf returns the role of a person in the account; "" for a person who does not belong to it.
func (v *Views) RoleOf(ctx context.Context, accountID string, id item.PersonID) (role account.Role, err error) {
	err = v.Pool.QueryRow(ctx, `SELECT member ->> 'role' FROM `+live.members+` WHERE account_id = $1 AND person = $2`, accountID,
		id).Scan(&role)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("projections: read the role of a person: %w", err)
	}
	return role, nil
}
