package main

import (
	"context"
	"fmt"

	"readiness/storage/people"
)

// lostPersons describes the persons of the log whose row is gone although no event says that they were erased. imported is how many others
// have no row because the log was imported without persons.
func (c *core) lostPersons(ctx context.Context) (lost []string, imported int, err error) {
	all, err := people.FindLost(ctx, c.pool)
	for _, one := range all {
		if one.Imported {
			imported++
			continue
		}
		lost = append(lost, fmt.Sprintf("%s of account %s", one.ID, one.AccountID))
	}
	return lost, imported, err
}

// verifyOutside verifies the keys and the persons that the log names and that are stored outside of it. It reports whether any are missing.
func (r *root) verifyOutside(ctx context.Context, c *core) (bool, error) {
	keys, err := r.verifyKeys(ctx, c)
	if err != nil {
		return false, err
	}
	persons, err := r.verifyPersons(ctx, c)
	return keys || persons, err
}

// verifyPersons lists the persons of the log who are lost. It reports whether there are any.
func (r *root) verifyPersons(ctx context.Context, c *core) (bool, error) {
	lost, imported, err := c.lostPersons(ctx)
	if err != nil {
		return false, err
	}
	for _, one := range lost {
		fmt.Fprintf(r.Stdout, "person %s: no row is stored, and no event says that the person was erased; restore the table people from a backup\n", one)
	}
	if imported > 0 {
		fmt.Fprintf(r.Stdout, "the log was imported without %d persons, who cannot be named here\n", imported)
	}
	if len(lost) > 0 {
		fmt.Fprintf(r.Stdout, "%d persons are lost\n", len(lost))
	}
	return len(lost) > 0, nil
}
