package http_test

import (
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/google/uuid"

	"readiness"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/eventstore"
	"readiness/eventstore/audit"
	"readiness/eventstore/audit/tree"
)

const treeOrigin = "readiness.example.com/v1/audit"

// anEvent returns the id of an account's first event.
func (w *world) anEvent(account string) (id uuid.UUID) {
	w.t.Helper()
	check(w.t, w.Pool.QueryRow(w.t.Context(), `SELECT event_id FROM events WHERE account_id = $1 ORDER BY position LIMIT 1`, account).Scan((*[16]byte)(&id)))
	return id
}

// sealed seals the log and returns the id of an account's first event.
func (w *world) sealed(account string) uuid.UUID {
	w.t.Helper()
	check(w.t, w.trees().Begin(w.t.Context(), treeOrigin))
	check(w.t, w.trees().Seal(w.t.Context()))
	return w.anEvent(account)
}

// lines returns the lines of all pages of the account's events.
func (w *world) lines(tok string, query url.Values) (lines []string) {
	w.t.Helper()
	for address := w.base + "/v1/audit/events?" + query.Encode(); address != ""; {
		page := w.send("GET", strings.TrimPrefix(address, w.base), tok, "", "Accept", "application/x-ndjson").ok(200)
		if kind := page.header.Get("Content-Type"); kind != "application/x-ndjson" {
			w.t.Fatalf("the lines have the type %q", kind)
		}
		for line := range strings.Lines(string(page.text)) {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
		next, _, _ := strings.Cut(strings.TrimPrefix(page.header.Get("Link"), "<"), ">")
		address = next
	}
	return lines
}

// lineSchema returns the JSON Schema of a line, as the service serves it.
func lineSchema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	text, err := fs.ReadFile(readiness.Documents, "docs/events.schema.json")
	check(t, err)
	var schema jsonschema.Schema
	check(t, json.Unmarshal(text, &schema))
	resolved, err := schema.Resolve(nil)
	check(t, err)
	return resolved
}

// An administrator reads the account's events as the lines that an export writes, page by page and with filters. They are the entries of
// the account's tree: its size is their number, its head their hash, and the proof of one holds for its line.
//
// proves: decisions/18/lines decisions/18/proofs
func TestAuditLinesAreTheEntries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.assess("ada", modelA)
	w.assess("oscar", modelA)
	first := w.sealed("acme")
	ada := w.as("ada")
	lines := w.lines(ada, url.Values{"maxResults": {"3"}})
	var export strings.Builder
	_, err := w.Store.Export(t.Context(), &export, eventstore.NDJSON, eventstore.Selection{Account: "acme"})
	check(t, err)
	if strings.Join(lines, "\n")+"\n" != export.String() || len(lines) < 6 {
		t.Fatalf("got %d lines that are not those of the export", len(lines))
	}
	schema := lineSchema(t)
	for i, line := range lines {
		var event map[string]any
		check(t, json.Unmarshal([]byte(line), &event))
		if err := schema.Validate(event); err != nil {
			t.Errorf("line %d does not satisfy docs/events.schema.json: %v\n%s", i, err, line)
		}
	}
	for _, line := range w.lines(ada, url.Values{"type": {"operation.accepted"}}) {
		if !strings.Contains(line, `"type":"operation.accepted"`) {
			t.Errorf("filtered by type, got %s", line)
		}
	}

	note := w.get("/v1/audit/accounts/acme/checkpoint", ada).ok(200)
	key := ed25519.NewKeyFromSeed([]byte(strings.Repeat("c", 32))).Public().(ed25519.PublicKey)
	head, err := audit.Opened(note.text, treeOrigin+"/accounts/acme", key)
	check(t, err)
	edge := &tree.Edge{}
	for _, line := range lines {
		edge.Append(tree.Leaf([]byte(line)))
	}
	if edge.Size() != head.Size || edge.Root() != head.Root {
		t.Errorf("the head is %+v, and the lines have %d, %s", head, edge.Size(), edge.Root())
	}
	bundle := ""
	for _, line := range lines {
		bundle += string([]byte{byte(len(line) >> 8), byte(len(line))}) + line
	}
	tile := w.get(fmt.Sprintf("/v1/audit/accounts/acme/tile/entries/000.p/%d", len(lines)), ada).ok(200)
	if string(tile.text) != bundle || tile.header.Get("Cache-Control") != "private, max-age=31536000, immutable" {
		t.Errorf("the bundle is not that of the lines, or not cacheable: %v", tile.header)
	}
	if got := w.get(fmt.Sprintf("/v1/audit/accounts/acme/tile/0/000.p/%d", len(lines)), ada).ok(200); len(got.text) != 32*len(lines) {
		t.Errorf("the tile has %d bytes", len(got.text))
	}
	var event struct{ EventID uuid.UUID }
	check(t, json.Unmarshal([]byte(lines[0]), &event))
	proof := w.get("/v1/audit/proofs/"+first.String(), ada).ok(200)
	if event.EventID != first || !strings.HasPrefix(string(proof.text), "c2sp.org/tlog-proof@v1\nindex 0\n") || !strings.HasSuffix(string(proof.text), "\n\n"+string(note.text)) {
		t.Errorf("got the proof\n%s", proof.text)
	}
}

// Everyone who may call reads the tree of all events. The tree of an account is for its administrators: others, and what no tree has, get
// the answer of what there is not.
//
// proves: decisions/18/tree-access
func TestWhoReadsTrees(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	for _, path := range []string{"/v1/audit/checkpoint", "/v1/audit/accounts/acme/checkpoint", "/v1/audit/tile/0/000.p/1", "/v1/audit/proofs/" + w.anEvent("acme").String()} {
		w.get(path, ada).refused(404, domain.AuditRecordNotFound)
	}
	w.sealed("acme")
	_, err := w.Accounts.Apply(t.Context(), []account.Declaration{{AccountID: "other", Plan: account.Team, Status: account.Active, Settings: account.Settings{AIFeatures: true, DefinitionCopies: account.CopiesNone}}})
	check(t, err)
	w.get("/v1/audit/checkpoint", w.as("bob")).ok(200)
	w.get("/v1/audit/tile/entries/000.p/1", w.as("bob")).ok(200)
	w.get("/v1/audit/accounts/acme/checkpoint", w.as("bob")).refused(403, domain.AdminRoleRequired)
	w.get("/v1/audit/proofs/"+w.anEvent("acme").String(), w.as("bob")).refused(403, domain.AdminRoleRequired)
	w.get("/v1/audit/proofs/"+w.anEvent("other").String(), ada).refused(404, domain.AuditRecordNotFound)
	for _, path := range []string{
		"/v1/audit/accounts/other/checkpoint", "/v1/audit/accounts/other/tile/0/000.p/1", "/v1/audit/accounts/none/checkpoint", "/v1/audit/2/checkpoint", "/v1/audit/1/checkpoint",
		"/v1/audit/0/checkpoint", "/v1/audit/02/checkpoint", "/v1/audit/99999999999999999999/checkpoint", "/v1/audit/tile/0/000.p/255", "/v1/audit/tile/0/001", "/v1/audit/tile/1/000.p/1",
		"/v1/audit/tile/9/000", "/v1/audit/tile/x", "/v1/audit/accounts/acme/tile/entries/000", "/v1/audit/accounts/acme/2/tile/entries/000.p/1",
	} {
		w.get(path, ada).refused(404, domain.AuditRecordNotFound)
	}
	for _, path := range []string{"/v1/audit/nothing", "/audit/checkpoint", "/audit/accounts/acme/checkpoint", "/audit/tile/0/000.p/1"} {
		w.get(path, ada).refused(404, domain.InvalidRequest)
	}
	w.post("/v1/audit/checkpoint", ada, "").refused(405, domain.InvalidRequest)
}

// What the database no longer has as it was signed is answered as what there is not, with the reason, and never as an error of the service,
// which tools would try again. Nothing else of the trees is refused for it.
func TestDamagedTrees(t *testing.T) {
	t.Parallel()
	const (
		ofAll, ofAcme = "/v1/audit/", "/v1/audit/accounts/acme/"
		acmes         = `(SELECT min(position) + 1 FROM events WHERE account_id = 'acme')`
	)
	for name, tt := range map[string]struct {
		damage  string
		refused []string // entries and tile stand for those of the tree
		served  []string
	}{
		"a tile is missing": {`DELETE FROM audit_tiles WHERE tree = 'acme'`, []string{ofAcme + "tile", ofAcme + "entries", "proof"}, []string{ofAll + "tile", ofAll + "entries"}},
		"a tile is shorter": {`UPDATE audit_tiles SET hashes = substr(hashes, 1, 32) WHERE tree = 'acme'`, []string{ofAcme + "tile", ofAcme + "entries", "proof"}, []string{ofAll + "tile"}},
		"a tile's hashes":   {`UPDATE audit_tiles SET hashes = sha256('x') || substr(hashes, 33) WHERE tree = ''`, []string{ofAll + "tile", ofAll + "entries"}, []string{ofAcme + "tile", ofAcme + "entries", "proof"}},
		"a tile's positions": {`UPDATE audit_tiles SET first_position = first_position + 1, last_position = last_position + 1 WHERE tree = 'acme'`, []string{ofAcme + "entries", "proof"},
			[]string{ofAcme + "tile", ofAll + "entries"}},
		"a tile has no positions": {`UPDATE audit_tiles SET first_position = NULL, last_position = NULL WHERE tree = 'acme'`, []string{ofAcme + "entries", "proof"}, []string{ofAcme + "tile"}},
		"the head's hash":         {`UPDATE audit_trees SET root = sha256('x') WHERE tree = 'acme'`, []string{ofAcme + "tile", ofAcme + "entries", "proof"}, []string{ofAll + "tile", ofAll + "entries"}},
		"an event is missing":     {`DELETE FROM events WHERE position = ` + acmes, []string{ofAcme + "entries", ofAll + "entries"}, []string{ofAcme + "tile", ofAll + "tile"}},
		"an event's data":         {`UPDATE events SET data = '{"region":"forged"}' WHERE position = ` + acmes, []string{ofAcme + "entries", "proof"}, []string{ofAcme + "tile", ofAll + "tile", ofAll + "entries"}},
		"an event's hash":         {`UPDATE events SET hash = sha256('x') WHERE position = ` + acmes, []string{ofAcme + "entries", ofAll + "entries", "proof"}, []string{ofAcme + "tile", ofAll + "tile"}},
		"an event's account":      {`UPDATE events SET account_id = 'other' WHERE position = ` + acmes, []string{ofAcme + "entries"}, []string{ofAcme + "tile", ofAll + "tile"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.assess("ada", modelA)
			w.sealed("acme")
			var proved uuid.UUID
			check(t, w.Pool.QueryRow(t.Context(), `SELECT event_id FROM events WHERE position = `+acmes).Scan((*[16]byte)(&proved)))
			address := func(of string) string {
				for tree, within := range map[string]string{"acme": ofAcme, "": ofAll} {
					var size int
					check(t, w.Pool.QueryRow(t.Context(), `SELECT size FROM audit_trees WHERE tree = $1`, tree).Scan(&size))
					switch of {
					case within + "tile":
						return fmt.Sprintf("%stile/0/000.p/%d", within, size)
					case within + "entries":
						return fmt.Sprintf("%stile/entries/000.p/%d", within, size)
					}
				}
				return "/v1/audit/proofs/" + proved.String()
			}
			all := append(slices.Clone(tt.refused), tt.served...)
			for _, of := range all {
				w.get(address(of), w.as("ada")).ok(200)
			}
			_, err := w.Pool.Exec(t.Context(), `SET session_replication_role = replica; `+tt.damage+`; RESET session_replication_role`)
			check(t, err)
			for _, of := range tt.refused {
				got := w.get(address(of), w.as("ada")).refused(404, domain.AuditRecordNotFound)
				if message := got.body["message"].(string); !strings.Contains(message, "no longer has it as it was signed") {
					t.Errorf("%s: the reason is %q", of, message)
				}
			}
			for _, of := range tt.served {
				w.get(address(of), w.as("ada")).ok(200)
			}
		})
	}
}
