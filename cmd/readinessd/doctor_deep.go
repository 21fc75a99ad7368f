package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"readiness/domain/item"
	"readiness/storage/documents"
)

// verify makes the checks of --deep. They have no limit of time.
func (d *doctor) verify(ctx context.Context, c *core) {
	for _, one := range []struct {
		name, restore string
		do            func(context.Context, *root) (damaged bool, err error)
	}{
		{"log", "Restore the database from a backup, or ask who changed it: readinessd events verify lists each mismatch.",
			func(ctx context.Context, quiet *root) (bool, error) {
				_, damaged, err := quiet.verifyLog(ctx, c, d.flags.data, false)
				return damaged, err
			}},
		{"results", "Restore the documents from a backup, or make the results again: readinessd documents verify lists them.",
			func(ctx context.Context, quiet *root) (bool, error) {
				found, err := quiet.verifyDocuments(ctx, c, documents.VerifyOptions{})
				return found > 0, err
			}},
	} {
		var out bytes.Buffer
		program := *d.Program
		program.Stdout = &out
		quiet := &root{&program}
		damaged, err := one.do(ctx, quiet)
		found := symptom{Check: one.name, Verdict: healthy, Says: few(strings.Split(strings.TrimSpace(out.String()), "\n"))}
		switch {
		case err != nil:
			found = failure(err)[0]
			found.Check = one.name
		case damaged:
			found.Verdict, found.Do = failing, one.restore
		}
		d.findings = append(d.findings, found)
	}
	d.findings = append(d.findings, d.verifyPeople(ctx, c))
}

// few joins the last of many texts, and says how many there are before.
func few(texts []string) string {
	const most = 5
	if before := len(texts) - most; before > 0 {
		return fmt.Sprintf("%d more; %s", before, strings.Join(texts[before:], "; "))
	}
	return strings.Join(texts, "; ")
}

// verifyPeople opens the rows of all persons.
func (d *doctor) verifyPeople(ctx context.Context, c *core) symptom {
	if c.people == nil {
		return symptom{Check: "persons", Verdict: unknown, Says: "without " + keyFile + " the rows of persons cannot be opened",
			Do: "Run the command with the service's data directory."}
	}
	var damaged []string
	n, err := c.people.Verify(ctx, func(accountID string, id item.PersonID) {
		damaged = append(damaged, fmt.Sprintf("%s of account %s", id, accountID))
	})
	switch {
	case err != nil:
		found := failure(err)[0]
		found.Check = "persons"
		return found
	case len(damaged) > 0:
		return symptom{Check: "persons", Verdict: failing,
			Says: fmt.Sprintf("%d of %d rows of persons were changed, or exchanged with another: %s", len(damaged), n, few(damaged)),
			Do:   "Restore the table people from a backup: what these persons do is recorded as another's, or refused."}
	}
	lost, imported, err := c.lostPersons(ctx)
	switch {
	case err != nil:
		found := failure(err)[0]
		found.Check = "persons"
		return found
	case len(lost) > 0:
		return symptom{Check: "persons", Verdict: failing, Says: fmt.Sprintf("%d persons of events have no row, and no event says that they "+
			"were erased: %s", len(lost), few(lost)),
			Do: "Restore the table people from a backup: these persons are shown as erased, and are not recognized."}
	case imported > 0:
		return symptom{Check: "persons", Verdict: warning, Says: fmt.Sprintf("the log was imported without %d persons", imported),
			Do: "Copy the table people and service.key of the database that the log comes from; until then no name is shown."}
	}
	return symptom{Check: "persons", Verdict: healthy, Says: fmt.Sprintf("%d persons are those by whom they are found", n)}
}
