package move_test

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/cmd/readinessd/move"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/eventstore"
	"readiness/eventstore/audit"
	"readiness/storage/documents"
	"readiness/storage/people"
	"readiness/storage/vault"
	"readiness/test/pgtest"
)

type noted struct {
	Text     string `json:"text"`
	Document string `json:"documentHash,omitempty"`
}

// EventType implements domain.Event.
func (noted) EventType() string { return "note.noted" }

type adds []domain.Event

// Decide implements domain.Command.
func (a adds) Decide(struct{}) ([]domain.Event, error) { return a, nil }

// site is a deployment.
type site struct {
	testing.TB
	move.Deployment
	by move.Recipient
}

func newSite(t testing.TB, secret byte) *site {
	t.Helper()
	key := bytes.Repeat([]byte{secret}, 32)
	s := &site{TB: t}
	s.Pool = pgtest.Pool(t)
	codec, err := eventstore.NewCodec(eventstore.Events(noted{})...)
	s.must(err)
	s.Store = eventstore.New(s.Pool, codec, eventstore.Options{})
	s.Documents = documents.New(s.Pool)
	s.People, err = people.New(s.Pool, key)
	s.must(err)
	s.Keys, err = vault.NewCredentials(s.Pool, key)
	s.must(err)
	signs := ed25519.NewKeyFromSeed(key)
	s.Key = signs.Public().(ed25519.PublicKey)
	s.Trees = audit.New(audit.Options{Pool: s.Pool, Watermark: s.Store.Watermark, Key: signs, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	s.by, err = move.NewRecipient(key)
	s.must(err)
	return s
}

func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *site) add(account string, events ...domain.Event) {
	s.Helper()
	past := eventstore.Tail("note-" + uuid.NewString())
	s.must(s.Store.Change(s.Context(), eventstore.Metadata{Account: account}, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, past, adds(events))
	}))
}

// document stores a document and returns its hash.
func (s *site) document(text string) string {
	s.Helper()
	hash, stored, err := s.Documents.PutUntil(s.Context(), []byte(text), time.Now().Add(time.Hour))
	s.must(err)
	_, err = s.Pool.Exec(s.Context(), stored.SQL, stored.Args...)
	s.must(err)
	return hash
}

var ada = item.Person{Issuer: "https://login.example.com", ID: "ada@example.com"}

// source is a deployment with the account acme, whose trees were restarted, and another one.
func source(t testing.TB) *site {
	t.Helper()
	s := newSite(t, 1)
	s.fill()
	return s
}

// fill adds what source has.
func (s *site) fill() {
	s.Helper()
	t := s.TB
	s.must(s.Trees.Begin(t.Context(), "one.example.com/audit"))
	foreign := s.document("a result of umbrella")
	s.add("umbrella", noted{"a note of umbrella", foreign})
	s.add("acme", noted{"first", s.document("a result of acme")}, noted{`"documentHash":"` + foreign + `"`, ""}, noted{"", documents.Hash([]byte("deleted"))})
	_, err := s.People.Claim(t.Context(), "acme", map[item.Person]item.PersonID{ada: "p-1"})
	s.must(err)
	_, err = s.People.Claim(t.Context(), "umbrella", map[item.Person]item.PersonID{{ID: "wesker"}: "p-2"})
	s.must(err)
	put := s.Keys.Put("acme", uuid.UUID{7}, "sk-secret")
	_, err = s.Pool.Exec(t.Context(), put.SQL, put.Args...)
	s.must(err)
	_, err = s.Pool.Exec(t.Context(), `INSERT INTO page_view_hours SELECT a, gen_random_uuid(), date_trunc('hour', now()), 'p', 3 FROM unnest(ARRAY['acme', 'umbrella']) a`)
	s.must(err)
	s.must(s.Trees.Seal(t.Context()))
	_, err = s.Trees.Restart(t.Context(), "a test", nil)
	s.must(err)
	s.add("acme", noted{Text: "after the restart"})
	s.must(s.Trees.Seal(t.Context()))
}

func (s *site) export(to *site) []byte {
	s.Helper()
	var file bytes.Buffer
	_, err := move.Export(s.Context(), s.Deployment, "acme", to.by.Public(), &file)
	s.must(err)
	return file.Bytes()
}

func nothing(context.Context, pgx.Tx) error { return nil }

func (s *site) imports(file []byte) error {
	s.Helper()
	_, err := move.Import(s.Context(), s.Deployment, s.by, bytes.NewReader(file), nothing)
	return err
}

const left = `SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM streams) + (SELECT count(*) FROM documents) + (SELECT count(*) FROM people) +
	(SELECT count(*) FROM ai_credentials) + (SELECT count(*) FROM page_view_hours) + (SELECT count(*) FROM imports)`

func (s *site) count(sql string) (n int) {
	s.Helper()
	s.must(s.Pool.QueryRow(s.Context(), sql).Scan(&n))
	return n
}

// Everything of the account is at the target, sealed under its key, and nothing of another account, not even a document that a text of the
// account names.
//
// proves: decisions/22/complete decisions/22/proofs
func TestMove(t *testing.T) {
	t.Parallel()
	from, to := source(t), newSite(t, 2)
	head, err := from.Trees.Head(t.Context(), "acme", 1)
	from.must(err)
	proved := from.proofs()
	file := from.export(to)
	for _, text := range []string{"umbrella", "wesker", "sk-secret", "ada@example.com"} {
		if bytes.Contains(file, []byte(text)) {
			t.Errorf("the file has %q", text)
		}
	}
	to.must(to.imports(file))
	who, err := to.People.Name(t.Context(), "acme", "p-1")
	found, finding := to.People.Find(t.Context(), "acme", []item.Person{ada})
	if err != nil || finding != nil || who != ada || found[ada] != "p-1" {
		t.Errorf("the person is %v, %v, found %v, %v", who, err, found, finding)
	}
	if key, ok, err := to.Keys.Key(t.Context(), "acme", uuid.UUID{7}); key != "sk-secret" || !ok || err != nil {
		t.Errorf("the key is %q, %v, %v", key, ok, err)
	}
	body, err := to.Documents.Get(t.Context(), documents.Hash([]byte("a result of acme")))
	if until, expiring := to.Documents.Expiry(t.Context(), documents.Hash(body)); string(body) != "a result of acme" || err != nil || until == nil || expiring != nil {
		t.Errorf("the document is %q, %v, until %v, %v", body, err, until, expiring)
	}
	for what, want := range map[string]int{"events": 4, "documents": 1, "people": 1, "ai_credentials": 1, "page_view_hours": 1} {
		if n := to.count("SELECT count(*) FROM " + what); n != want {
			t.Errorf("%d rows of %s, want %d", n, what, want)
		}
	}
	var lines bytes.Buffer
	_, err = from.Trees.ExportTrees(t.Context(), &lines, "acme")
	from.must(err)
	trees, err := audit.ParseTrees(&lines)
	from.must(err)
	var wrong []string
	_, err = to.Trees.Verify(t.Context(), audit.VerifyOptions{Trees: trees, Notes: [][]byte{head.Note, to.proven(proved)}, Found: func(what string) { wrong = append(wrong, what) }})
	if err != nil || wrong != nil {
		t.Errorf("the heads of the first epoch and of the proofs: %v, %q", err, wrong)
	}
	if err := to.imports(file); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a second import: %v", err)
	}
}

// entries reads a file into its entries.
func entries(t *testing.T, file []byte) (all []*tar.Header, bodies [][]byte) {
	t.Helper()
	for r := tar.NewReader(bytes.NewReader(file)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, bodies
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all, bodies = append(all, h), append(bodies, body)
	}
}

func archive(t *testing.T, all []*tar.Header, bodies [][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i, h := range all {
		h := *h
		h.Size = int64(len(bodies[i]))
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(bodies[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A file that differs anywhere from the exported one is refused by the name of the first entry that is not right, and leaves nothing: each
// entry changed, left out, repeated, or in another place; the file cut after each entry or in it.
//
// proves: decisions/22/strict decisions/22/sealed
func TestMoveRefuses(t *testing.T) {
	t.Parallel()
	from, to := source(t), newSite(t, 2)
	file := from.export(to)
	all, bodies := entries(t, file)
	refused := func(what, entry string, file []byte) {
		t.Helper()
		if err := to.imports(file); err == nil || !strings.Contains(err.Error(), entry) {
			t.Fatalf("%s: %v, want it refused by the name %q", what, err, entry)
		}
		if n := to.count(left); n != 0 {
			t.Fatalf("%s: %d rows are left", what, n)
		}
	}
	for i, h := range all {
		changed := slices.Clone(bodies)
		changed[i] = slices.Clone(bodies[i])
		changed[i][len(changed[i])/2] ^= 1
		next := "after entry " + strconv.Itoa(i)
		if i+1 < len(all) {
			next = all[i+1].Name
		}
		refused("changed "+h.Name, h.Name, archive(t, all, changed))
		refused("without "+h.Name, next, archive(t, slices.Delete(slices.Clone(all), i, i+1), slices.Delete(slices.Clone(bodies), i, i+1)))
		refused("twice "+h.Name, h.Name, archive(t, slices.Insert(slices.Clone(all), i, h), slices.Insert(slices.Clone(bodies), i, bodies[i])))
		if i > 0 {
			swapped, texts := slices.Clone(all), slices.Clone(bodies)
			swapped[i], swapped[i-1], texts[i], texts[i-1] = all[i-1], all[i], bodies[i-1], bodies[i]
			refused("before "+all[i-1].Name+" "+h.Name, h.Name, archive(t, swapped, texts))
		}
		refused("up to "+h.Name, "after entry "+strconv.Itoa(i), archive(t, all[:i], bodies[:i]))
	}
	for _, n := range []int{0, 1, 511, 512, len(file) / 2, len(file) - 1536} {
		refused(fmt.Sprint("cut after ", n), "entry", file[:n])
	}
	refused("followed by itself", "end.json", append(slices.Clone(file), file...))
	refused("followed by a byte", "end.json", append(slices.Clone(file), 1))
	other, same := newSite(t, 3), newSite(t, 1)
	if err := other.imports(file); err == nil || !strings.Contains(err.Error(), "it was sealed for another deployment") || other.count(left) != 0 {
		t.Errorf("another deployment: %v", err)
	}
	if err := same.imports(file); err == nil || !strings.Contains(err.Error(), "has the service.key of the source") {
		t.Errorf("with the source's key: %v", err)
	}
	if _, err := move.Import(t.Context(), to.Deployment, to.by, bytes.NewReader(file), func(context.Context, pgx.Tx) error { return io.ErrClosedPipe }); !errors.Is(err, io.ErrClosedPipe) || to.count(left) != 0 {
		t.Errorf("a failure after everything: %v", err)
	}
	to.must(to.imports(append(slices.Clone(file), make([]byte, 8192)...)))
}

// What cannot be moved safely is not exported.
//
// proves: decisions/22/closed
func TestMoveRefusesToExport(t *testing.T) {
	t.Parallel()
	from, to := source(t), newSite(t, 2)
	export := func(account, key string) error {
		_, err := move.Export(t.Context(), from.Deployment, account, key, io.Discard)
		return err
	}
	if err := export("none", to.by.Public()); err == nil || !strings.Contains(err.Error(), "no event of this account") {
		t.Errorf("an unknown account: %v", err)
	}
	for _, key := range []string{"", "readiness-move-", "readiness-move-AAAA", to.by.Public()[5:], to.by.Public() + "A"} {
		if err := export("acme", key); err == nil || !strings.Contains(err.Error(), "is not a key that readinessd accounts key prints") {
			t.Errorf("the key %q: %v", key, err)
		}
	}
	from.add("acme", noted{Text: "not sealed"})
	if err := export("acme", to.by.Public()); err == nil || !strings.Contains(err.Error(), "are not in its signed tree yet") {
		t.Errorf("an event that is not sealed: %v", err)
	}
}

// Every table with what an account has and that is sealed is in the list of what is moved, or here with the reason: the log moves as
// events, and checkpoints are of earlier programs.
func TestSealedTablesAreMoved(t *testing.T) {
	t.Parallel()
	s := newSite(t, 1)
	rows, err := s.Pool.Query(t.Context(), `SELECT DISTINCT c.table_name FROM information_schema.columns c JOIN information_schema.columns a
		ON a.table_name = c.table_name AND a.column_name = 'account_id' WHERE c.table_schema = 'public' AND c.data_type = 'bytea' AND c.table_name NOT IN ('events', 'streams', 'checkpoints')`)
	s.must(err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	s.must(err)
	slices.Sort(found)
	moved := move.SealedTables()
	slices.Sort(moved)
	if !slices.Equal(found, moved) {
		t.Errorf("tables with sealed columns %q, moved %q", found, moved)
	}
}
