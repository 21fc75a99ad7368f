package main

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"readiness/eventstore/sealed"
)

// withoutTextsFlag adds the flag of commands that read a log whose keys are elsewhere.
func (*root) withoutTextsFlag(flags *pflag.FlagSet, without *bool) {
	flags.BoolVar(without, "without-texts", false, "leave out what people wrote, for a log that was imported without the keys of its texts")
}

// missingKeys returns those of the keys that the log names whose texts cannot be opened. imported is true if they are all of them and the
// log was imported: an export has no keys, and an auditor needs none.
func (c *core) missingKeys(ctx context.Context) (named int, missing []sealed.Named, imported bool, err error) {
	all, err := c.store.Keys.Every(ctx, c.pool)
	if err != nil {
		return 0, nil, false, err
	}
	for _, n := range all {
		if n.Missing != nil {
			missing = append(missing, n)
		}
	}
	if len(missing) > 0 {
		err = c.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM imports) AND NOT EXISTS (SELECT FROM account_keys)`).Scan(&imported)
	}
	return len(all), missing, imported, err
}

// verifyKeys lists the keys that the log names and that are missing. It reports whether there are any.
func (r *root) verifyKeys(ctx context.Context, c *core) (bool, error) {
	named, missing, imported, err := c.missingKeys(ctx)
	if err != nil {
		return false, err
	}
	if imported {
		fmt.Fprintf(r.Stdout, "the log was imported without the %d keys of its texts, which cannot be read here\n", len(missing))
		return false, nil
	}
	for _, n := range missing {
		fmt.Fprintf(r.Stdout, "account %s, key %s: %v\n", n.Account, n.ID, n.Missing)
	}
	opened := ""
	if c.store.Keys == nil {
		opened = ", not opened without service.key"
	}
	fmt.Fprintf(r.Stdout, "%d keys of texts%s: %d missing\n", named, opened, len(missing))
	return len(missing) > 0, nil
}

// keys checks that each key under which texts of the log are sealed is stored.
func (d *doctor) keys(ctx context.Context, c *core) (found []symptom) {
	named, missing, imported, err := c.missingKeys(ctx)
	if err != nil {
		return failure(err)
	}
	do := "See docs/operating.md, A missing key of texts. serve and worker do not start until it is restored."
	if imported {
		do = "The log was imported: copy the table account_keys and service.key of the database that it comes from."
	}
	for _, n := range missing {
		found = append(found, symptom{Verdict: failing, Says: fmt.Sprintf("account %s, key %s: %v", n.Account, n.ID, n.Missing), Do: do})
	}
	if len(found) > 0 {
		return found
	}
	return ok("the %d keys of texts that the log names are stored", named)
}
