package projections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
)

// Access is how the caller stands to each of the four platform permissions, as
// their account says now, or said when the call came in that they make.
// PlatformAccessDenied when the account knows the person no more.
func (v *Views) Access(ctx context.Context, as item.Caller) (map[item.Permission]item.Access, error) {
	if as.Access != nil {
		return as.Access, nil
	}
	var member []byte
	err := v.Pool.QueryRow(ctx, `SELECT member FROM members_v1 WHERE account_id = $1 AND issuer = $2 AND person = $3`, as.Account, as.Person.Issuer, as.Person.ID).Scan(&member)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, domain.Refuse(domain.PlatformAccessDenied, "account %s does not know the person any more", as.Account)
	}
	if err != nil {
		return nil, fmt.Errorf("projections: look the permissions of a person up: %w", err)
	}
	var p account.Person
	if err := json.Unmarshal(member, &p); err != nil {
		return nil, fmt.Errorf("projections: read the permissions of a person: %w", err)
	}
	return p.AccessToEach(), nil
}
