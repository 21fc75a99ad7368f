package people

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"readiness/domain/item"
)

// Stored is a person as an account stores them.
type Stored struct {
	AccountID string
	ID        item.PersonID
	Person    item.Person
	// Unnamed is why the person cannot be named: ErrOtherKey, or nil.
	Unnamed error
}

// List calls each with every person, or with those of one account, in the order of
// accounts and ids. It ends at the first error of each.
func (p *People) List(ctx context.Context, accountID string, each func(Stored) error) error {
	return p.list(ctx, each, `$1 = '' OR account_id = $1`, accountID)
}

// Everywhere returns the person in every account that knows them, by name or by id.
func (p *People) Everywhere(ctx context.Context, who item.Person) (all []Stored, err error) {
	err = p.list(ctx, func(s Stored) error { all = append(all, s); return nil },
		`blind_index = $1 OR person_id = $2 AND $3 = ''`, p.Index(who), who.ID, who.Issuer)
	return all, err
}

func (p *People) list(ctx context.Context, each func(Stored) error, where string, args ...any) error {
	rows, err := p.pool.Query(ctx, `SELECT account_id, person_id, key || sealed FROM people WHERE `+where+` ORDER BY account_id, person_id`,
		args...)
	if err == nil {
		var s Stored
		var sealed []byte
		_, err = pgx.ForEachRow(rows, []any{&s.AccountID, &s.ID, &sealed}, func() error {
			s.Person, s.Unnamed = p.Open(s.AccountID, s.ID, sealed)
			return each(s)
		})
	}
	if err != nil {
		return fmt.Errorf("people: list: %w", err)
	}
	return nil
}
