package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"readiness/cmd/cli"
	"readiness/domain/aiprovider"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/person"
	"readiness/eventstore"
	"readiness/eventstore/audit"

	"github.com/google/uuid"
)

// A head that the data directory keeps is compared by every verification: yesterday's dump passes none.
func TestKeptHead(t *testing.T) {
	t.Parallel()
	a := newAuditor(t)
	a.ok(a.log.Begin(t.Context(), treeOrigin))
	a.ok(a.log.Seal(t.Context()))
	a.exec(`CREATE SCHEMA yesterday`)
	tables := []string{"events", "streams", "audit_epochs", "audit_trees", "audit_tiles", "audit_checkpoints"}
	for _, table := range tables {
		a.exec(`CREATE TABLE yesterday.` + table + ` AS TABLE ` + table)
	}
	a.more()
	path, _ := a.kept("newest", audit.Service)
	note, err := os.ReadFile(path)
	a.ok(err)
	a.ok(os.WriteFile(filepath.Join(a.data, "audit.checkpoint"), note, 0o600))
	a.wants(a.types("events", "verify"), cli.ExitOK, "0 mismatches", "0 mismatches")
	for i := range tables {
		a.exec(`DELETE FROM ` + tables[len(tables)-1-i])
	}
	for _, table := range tables {
		a.exec(`INSERT INTO ` + table + ` SELECT * FROM yesterday.` + table)
	}
	a.wants(a.types("events", "verify"), cli.ExitDamaged, "0 mismatches", "the tree of all events", "1 mismatches")
	a.wants(a.types("doctor", "--deep"), cli.ExitDamaged, "1 mismatches", "readinessd events verify lists")
}

// The newest signed head cannot be deleted without a trace.
func TestNewestHeadIsMissing(t *testing.T) {
	t.Parallel()
	a := newAuditor(t)
	a.ok(a.log.Begin(t.Context(), treeOrigin))
	a.ok(a.log.Seal(t.Context()))
	a.more()
	a.ok(a.log.Seal(t.Context()))
	a.wants(a.types("events", "verify"), cli.ExitOK, "0 mismatches", "0 mismatches")
	a.exec(`DELETE FROM audit_checkpoints WHERE tree = '' AND size = (SELECT max(size) FROM audit_checkpoints WHERE tree = '')`)
	a.wants(a.types("events", "verify"), cli.ExitDamaged, "0 mismatches", "the newest signed head", "is missing", "1 mismatches")
}

// The ids of two persons, or what they are found by, cannot be exchanged without a trace.
func TestPersonsExchanged(t *testing.T) {
	t.Parallel()
	for _, column := range []string{"person_id", "blind_index", "name_index", "sealed"} {
		a := newAuditor(t)
		a.wants(a.types("doctor", "--deep"), cli.ExitOK, "persons are those by whom they are found")
		a.exec(`ALTER TABLE people DROP CONSTRAINT people_blind_index_key, DROP CONSTRAINT people_pkey`)
		a.exec(`UPDATE people p SET ` + column + ` = o.v FROM (SELECT ` + column + ` AS v, row_number() OVER (ORDER BY person_id) n FROM people
			WHERE account_id = 'contoso' ORDER BY person_id LIMIT 2) o, (SELECT person_id, row_number() OVER (ORDER BY person_id) n FROM people
			WHERE account_id = 'contoso' ORDER BY person_id LIMIT 2) m WHERE p.account_id = 'contoso' AND m.person_id = p.person_id AND o.n = 3 - m.n`)
		a.wants(a.types("doctor", "--deep"), cli.ExitDamaged, "2 of", "rows of persons were changed, or exchanged with another")
	}
}

// A person whose row is gone, and whom no event says to be erased, is found.
func TestPersonsLost(t *testing.T) {
	t.Parallel()
	a := newAuditor(t)
	id := query[string](t, a.url, `SELECT person_id FROM people WHERE account_id = 'contoso' ORDER BY 1 LIMIT 1`)
	past := eventstore.Tail("aiproviders-contoso")
	a.ok(a.core.store.Change(t.Context(), eventstore.Metadata{Account: "contoso", Person: id}, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, past, plainly{aiprovider.Deleted{ProviderID: "x"}})
	}))
	a.wants(a.types("doctor", "--deep"), cli.ExitOK, "persons are those by whom they are found")
	a.exec(`DELETE FROM people WHERE person_id = '` + id + `'`)
	a.wants(a.types("doctor", "--deep"), cli.ExitDamaged, "1 persons of events have no row", "contoso "+id)
	past = eventstore.Tail("person-" + id)
	a.ok(a.core.store.Change(t.Context(), eventstore.Metadata{Account: "contoso"}, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, past, plainly{person.Erased{PersonID: item.PersonID(id)}})
	}))
	a.wants(a.types("doctor", "--deep"), cli.ExitOK, "persons are those by whom they are found")
}

// A changed document, and one that is gone, are found by documents verify, audit verify and doctor --deep. A verification can be continued.
func TestDocumentsVerify(t *testing.T) {
	t.Parallel()
	a := newAuditor(t)
	a.ok(a.log.Begin(t.Context(), treeOrigin))
	var hashes []string
	for _, body := range []string{`{"a":1}`, `{"a":2}`} {
		hash, stored, err := a.core.Documents.Put(t.Context(), []byte(body))
		a.ok(err)
		standing := eventstore.FoldLast[assessment.Standing](assessment.Stream("contoso", uuid.New()))
		a.ok(a.core.store.Change(t.Context(), eventstore.Metadata{Account: "contoso"}, []eventstore.Loadable{standing}, func(c *eventstore.Change) error {
			c.Queue(stored)
			return eventstore.Decide(c, standing, assessment.Record{Assessment: assessment.Assessment{AssessmentID: uuid.New(), OperationID: uuid.New(), ModelID: uuid.New(), DocumentHash: hash}})
		}))
		hashes = append(hashes, hash)
	}
	path, _ := a.kept("head", audit.Service)
	a.wants(a.types("documents", "verify"), cli.ExitOK, "2 documents: 0 damaged or missing")
	a.wants(a.types("audit", "verify", "--checkpoint", path), cli.ExitOK, "0 mismatches", "2 documents: 0 damaged or missing")
	a.wants(a.types("documents", "verify", "--rate", "0"), cli.ExitUsage, "--rate must be at least 1")
	a.exec(`UPDATE documents SET body = substr(body, 2) WHERE hash = '` + hashes[0] + `'`)
	a.exec(`DELETE FROM documents WHERE hash = '` + hashes[1] + `'`)
	for _, command := range []string{"documents verify", "audit verify --checkpoint " + path} {
		got := a.types(strings.Fields(command)...)
		a.wants(got, cli.ExitDamaged, hashes[0], "of account contoso: its document "+hashes[1]+" is not stored", "1 documents: 2 damaged or missing")
	}
	a.wants(a.types("doctor", "--deep"), cli.ExitDamaged, "1 documents: 2 damaged or missing", "readinessd documents verify lists them")
	a.wants(a.types("documents", "verify", "--after", hashes[0]), cli.ExitDamaged, "0 documents: 1 damaged or missing")
	a.wants(a.types("events", "verify"), cli.ExitOK)
}
