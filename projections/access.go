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

// MayWriteFabric reports whether the settings of the caller's account let its people write to Microsoft Fabric.
func (v *Views) MayWriteFabric(ctx context.Context, as item.Caller) (bool, error) {
	members, err := v.Members(ctx, as.Person)
	for _, m := range members {
		if m.AccountID == as.Account {
			return m.Settings.FabricWrites, nil
		}
	}
	return false, err
}

// Access returns the caller's access for each of the four platform permissions, as recorded in the
// account when the call came in or, without that, now. It returns PlatformAccessDenied when the person
// no longer belongs to the account.
func (v *Views) Access(ctx context.Context, as item.Caller) (map[item.Permission]item.Access, error) {
	if as.Access != nil {
		return as.Access, nil
	}
	var member []byte
	err := v.Pool.QueryRow(ctx, `SELECT member FROM `+live.members+` WHERE account_id = $1 AND person = $2`, as.Account,
		as.PersonID).Scan(&member)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, domain.Refuse(domain.PlatformAccessDenied, "The person no longer belongs to account %s.", as.Account)
	}
	if err != nil {
		return nil, fmt.Errorf("projections: look up the permissions of a person: %w", err)
	}
	var p account.SavedPerson
	if err := json.Unmarshal(member, &p); err != nil {
		return nil, fmt.Errorf("projections: read the permissions of a person: %w", err)
	}
	return p.AccessToEach(), nil
}
