package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"readiness/cmd/cli"
	"readiness/domain"
	"readiness/domain/aiprovider"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/operation"
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

// A person of the log whose row is gone, and whom no event says to be erased, is found by every verification: who acted, who owns work, and
// who only belongs to an account.
func TestPersonsLost(t *testing.T) {
	t.Parallel()
	a := newAuditor(t)
	a.ok(a.log.Begin(t.Context(), treeOrigin))
	// Two people act and own work below; the third only belongs to the account.
	ids := query[[]string](t, a.url, `SELECT array_agg(person_id::text ORDER BY 1) FROM people WHERE account_id = 'contoso'`)
	actor, owner, belongs := ids[0], ids[1], ids[2]
	change := func(by, stream string, e domain.Event) {
		t.Helper()
		past := eventstore.Tail(stream)
		a.ok(a.core.store.Change(t.Context(), eventstore.Metadata{Account: "contoso", Person: by}, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
			return eventstore.Decide(c, past, plainly{e})
		}))
	}
	verifies := func(code int, says ...string) {
		t.Helper()
		path, _ := a.kept("head", audit.Service)
		for _, command := range []string{"events verify", "audit verify --checkpoint " + path, "doctor --deep"} {
			a.wants(a.types(strings.Fields(command)...), code, says...)
		}
	}
	change(actor, "aiproviders-contoso", aiprovider.Deleted{ProviderID: "x"})
	id := uuid.New()
	change("", operation.Stream(id), operation.Accepted{OperationID: id, AccountID: "contoso", Owner: item.PersonID(owner)})
	verifies(cli.ExitOK)
	for _, id := range []string{actor, belongs, owner} {
		a.exec(`CREATE TABLE kept AS SELECT * FROM people WHERE person_id = '` + id + `'; DELETE FROM people WHERE person_id = '` + id + `'`)
		verifies(cli.ExitDamaged, id+" of account contoso")
		a.exec(`INSERT INTO people SELECT * FROM kept; DROP TABLE kept`)
	}
	a.exec(`DELETE FROM people WHERE person_id = '` + actor + `'`)
	change("", person.Stream("contoso", item.PersonID(actor)), person.Erased{PersonID: item.PersonID(actor)})
	verifies(cli.ExitOK)
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

	text, err := os.ReadFile(samplesAccounts)
	a.ok(err)
	a.wants(a.types("accounts", "apply", a.file("closed.yaml", []byte(strings.Replace(string(text), "plan: Business", "plan: Business\n    status: Closed", 1)))), cli.ExitOK)
	a.ok(a.log.Seal(t.Context()))
	to := strings.TrimSpace(must(t, "accounts", "key", "--data", t.TempDir()).stdout)
	export := func(name string) result {
		t.Helper()
		return a.types("accounts", "export", "contoso", "--to", to, "--output", filepath.Join(a.files, name))
	}
	a.wants(export("damaged.tar"), cli.ExitFailed, hashes[0])
	a.exec(`DELETE FROM documents`)
	a.wants(export("lost.tar"), cli.ExitDamaged, "exported account contoso", "is without its document "+hashes[0], "restore it from a backup and export again")
}

// A service.key that cannot be read is not a missing one: no text reads as if its key were not there.
func TestUnreadableKey(t *testing.T) {
	t.Parallel()
	a := newAuditor(t)
	path := filepath.Join(a.data, keyFile)
	a.ok(os.Remove(path))
	a.wants(a.types("events", "export"), cli.ExitOK)
	a.wants(a.types("people", "list"), cli.ExitFailed, "has no "+keyFile)
	for name, target := range map[string]string{"a link to nowhere": filepath.Join(a.files, "none"), "a link to itself": path} {
		a.ok(os.Symlink(target, path))
		for _, command := range []string{"events export", "events verify", "people list", "token --console http://127.0.0.1"} {
			if got := a.types(strings.Fields(command)...); got.code != cli.ExitFailed || strings.Contains(got.stderr, "has no ") {
				t.Errorf("%s: %s: %d %s", name, command, got.code, got.stderr)
			}
		}
		a.wants(a.types("doctor"), cli.ExitDamaged, "data        failing")
		a.ok(os.Remove(path))
	}
}
