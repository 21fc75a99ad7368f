package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/note"

	"readiness/cmd/cli"
	"readiness/eventstore/audit"
	"readiness/eventstore/audit/tree"
	"readiness/test/pgtest"
)

const treeOrigin = "readiness.example.com/audit"

// auditor is a database with the trees of its log, and a data directory with the key that signs them.
type auditor struct {
	*testing.T
	url, data string
	files     string // folder of heads
	core      *core
	log       *audit.Log
	key       ed25519.PrivateKey
}

func newAuditor(t *testing.T) *auditor {
	t.Helper()
	a := &auditor{T: t, url: pgtest.URL(t), data: t.TempDir(), files: t.TempDir()}
	must(t, "accounts", "apply", samplesAccounts, "--database-url", a.url, "--data", a.data)
	quiet := slog.New(slog.DiscardHandler)
	var err error
	a.core, err = openCore(t.Context(), a.url, 2, false, quiet)
	a.ok(err)
	t.Cleanup(a.core.close)
	a.log, a.key, err = (&root{&cli.Program{Log: quiet}}).trees(a.core, a.data)
	a.ok(err)
	return a
}

func (a *auditor) ok(err error) {
	a.Helper()
	if err != nil {
		a.Fatal(err)
	}
}

// types runs a command on the database, with the data directory.
func (a *auditor) types(args ...string) result {
	a.Helper()
	return run(a.Context(), append(args, "--database-url", a.url, "--data", a.data)...)
}

// wants checks the result of a command: each text in its output, in this order, or in its error.
func (a *auditor) wants(got result, code int, says ...string) {
	a.Helper()
	out := got.stdout + got.stderr
	for _, text := range says {
		_, rest, found := strings.Cut(out, text)
		if !found {
			a.Errorf("there is no %q in\n%s%s", text, got.stdout, got.stderr)
			return
		}
		out = rest
	}
	if got.code != code {
		a.Errorf("exit code %d, want %d\n%s%s", got.code, code, got.stdout, got.stderr)
	}
}

// file writes a head to a file.
func (a *auditor) file(name string, note []byte) string {
	a.Helper()
	path := filepath.Join(a.files, name)
	a.ok(os.WriteFile(path, note, 0o600))
	return path
}

// kept seals the log and keeps the head of a tree in a file.
func (a *auditor) kept(name, of string) (path string, head audit.Head) {
	a.Helper()
	a.ok(a.log.Seal(a.Context()))
	head, err := a.log.Head(a.Context(), of, audit.Current)
	a.ok(err)
	return a.file(name, head.Note), head
}

// signed returns a signed head.
func (a *auditor) signed(key ed25519.PrivateKey, origin string, head tree.Head) []byte {
	a.Helper()
	vkey, err := audit.VerifierKey(origin, key.Public().(ed25519.PublicKey))
	a.ok(err)
	parts := strings.SplitN(vkey, "+", 3)
	secret := append([]byte{1}, key.Seed()...) // 1 is the algorithm
	skey := "PRIVATE+KEY+" + parts[0] + "+" + parts[1] + "+" + base64.StdEncoding.EncodeToString(secret)
	signer, err := note.NewSigner(skey)
	a.ok(err)
	text, err := note.Sign(&note.Note{Text: audit.Body(origin, head)}, signer)
	a.ok(err)
	return text
}

// more adds an event to the log.
func (a *auditor) more() {
	a.Helper()
	text, err := os.ReadFile(samplesAccounts)
	a.ok(err)
	path := a.file("accounts.yaml", bytes.Replace(text, []byte("plan: Business"), []byte("plan: Enterprise"), 1))
	a.wants(a.types("accounts", "apply", path), cli.ExitOK, "contoso")
}

func (a *auditor) exec(sql string) {
	a.Helper()
	conn, err := pgx.Connect(a.Context(), a.url)
	a.ok(err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(a.Context(), "BEGIN; SET LOCAL session_replication_role = replica; "+sql+"; COMMIT")
	a.ok(err)
}

// The key is that of the tree in the current epoch. There is none before a server has named the trees, and none without the service's key.
func TestAuditKey(t *testing.T) {
	t.Parallel()
	a := newAuditor(t)
	a.wants(a.types("audit", "key"), cli.ExitFailed, "the trees of the log have no name", "readinessd serve")
	a.ok(a.log.Begin(t.Context(), treeOrigin))
	for args, origin := range map[string]string{"": treeOrigin, "--account contoso": treeOrigin + "/accounts/contoso"} {
		got := a.types(append([]string{"audit", "key"}, strings.Fields(args)...)...)
		want, err := audit.VerifierKey(origin, a.key.Public().(ed25519.PublicKey))
		a.ok(err)
		a.wants(got, cli.ExitOK, want+"\n")
		if got.stdout != want+"\n" || got.stderr != "" {
			t.Errorf("got %q and %q", got.stdout, got.stderr)
		}
	}
	nowhere := t.TempDir()
	got := run(t.Context(), "audit", "key", "--database-url", a.url, "--data", nowhere)
	a.wants(got, cli.ExitFailed, "has no service.key", "--data")
	if left, err := os.ReadDir(nowhere); err != nil || len(left) > 0 || got.stdout != "" {
		t.Errorf("it printed %q and left %v, %v", got.stdout, left, err)
	}
}

// audit verify distinguishes kept heads of the log from those of another, and names each that is not one of the log.
func TestAuditVerify(t *testing.T) {
	t.Parallel()
	a := newAuditor(t)
	a.ok(a.log.Begin(t.Context(), treeOrigin))
	older, first := a.kept("older", audit.Service)
	a.more()
	newest, head := a.kept("newest", audit.Service)
	account, _ := a.kept("account", "contoso")
	if head.Size <= first.Size {
		t.Fatalf("the log grew from %d to %d", first.Size, head.Size)
	}
	_, strangers, err := ed25519.GenerateKey(nil)
	a.ok(err)
	other := tree.Head{Size: first.Size, Root: tree.Hash{1}}
	for _, row := range []struct {
		name  string
		files []string
		code  int
		says  []string
	}{
		{"the newest", []string{newest}, cli.ExitOK, []string{"signatures checked: 0 mismatches\n"}},
		{"an older one, the newest and an account's", []string{older, newest, account}, cli.ExitOK, []string{": 0 mismatches\n"}},
		{"one whose hash was changed", []string{a.file("changed", bytes.Replace(first.Note, []byte(first.Root.String()), []byte(head.Root.String()), 1))},
			cli.ExitDamaged, []string{"the note of the tree of all events at", "invalid signature", "had another hash", ": 2 mismatches\n"}},
		{"one of another history, signed with the key", []string{a.file("history", a.signed(a.key, treeOrigin, other))}, cli.ExitDamaged,
			[]string{"the tree of all events had another hash", "the log was changed since that head was kept", ": 1 mismatches\n"}},
		{"one that another key signed", []string{a.file("key", a.signed(strangers, treeOrigin, head.Head))}, cli.ExitDamaged,
			[]string{"the note of the tree of all events at", ": 1 mismatches\n"}},
		{"one of another log", []string{older, a.file("origin", a.signed(a.key, "other.example.com/audit", head.Head))}, cli.ExitDamaged,
			[]string{`from "other.example.com/audit"`, ": 1 mismatches\n"}},
		{"one of an account that the log does not have", []string{a.file("nobody", a.signed(a.key, treeOrigin+"/accounts/nobody", head.Head))},
			cli.ExitDamaged, []string{"/accounts/nobody", ": 1 mismatches\n"}},
		{"a later one", []string{a.file("later", a.signed(a.key, treeOrigin, tree.Head{Size: head.Size + 1, Root: tree.Hash{1}}))}, cli.ExitDamaged,
			[]string{"events were removed, or the database was restored to an earlier time", ": 1 mismatches\n"}},
		{"none", nil, cli.ExitUsage, []string{"--checkpoint or --checkpoint-to is missing", "readinessd events verify"}},
		{"a file that is missing", []string{filepath.Join(a.files, "none")}, cli.ExitFailed, []string{"none does not exist"}},
		{"a file that is no head", []string{newest, a.file("text", []byte("no head"))}, cli.ExitUsage, []string{"text: audit: a note that is no checkpoint"}},
		{"a head without a size", []string{a.file("size", bytes.Replace(head.Note, []byte("\n"), []byte("\nx"), 1))}, cli.ExitUsage, []string{"has no size"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			args := []string{"audit", "verify"}
			for _, f := range row.files {
				args = append(args, "--checkpoint", f)
			}
			a := *a
			a.T = t
			a.wants(a.types(args...), row.code, row.says...)
		})
	}
}

// events verify lists the mismatches of chains and of trees, chains first, over two connections or one.
func TestEventsVerify(t *testing.T) {
	t.Parallel()
	a := newAuditor(t)
	verify := func(more string, says ...string) {
		t.Helper()
		for _, connections := range []string{"1", "2"} {
			code := cli.ExitDamaged
			if more == "" {
				code = cli.ExitOK
			}
			a.wants(a.types("events", "verify", "--database-connections", connections), code, says...)
		}
	}
	verify("", " streams: 0 mismatches\n0 entries in 0 trees with 0 signed heads, signatures checked: 0 mismatches\n")
	a.ok(a.log.Begin(t.Context(), treeOrigin))
	a.kept("head", audit.Service)
	verify("", " streams: 0 mismatches\n", "entries in 4 trees with 4 signed heads, signatures checked: 0 mismatches\n")
	got := run(t.Context(), "events", "verify", "--database-url", a.url, "--data", t.TempDir())
	a.wants(got, cli.ExitOK, "signatures not checked without service.key: 0 mismatches\n")
	if at := query[int](t, a.url, `SELECT count(*) FROM verifications`); at != 1 {
		t.Errorf("%d verifications are recorded", at)
	}
	a.exec(`DELETE FROM verifications`)

	a.exec(`UPDATE audit_trees SET note = replace(note, E'\n\n— ', E'\n\n— x') WHERE tree = ''`)
	verify("the note", " streams: 0 mismatches\n", "not signed by the service's key", "signatures checked: 1 mismatches\n")
	a.exec(`UPDATE audit_trees SET note = replace(note, E'\n\n— x', E'\n\n— ') WHERE tree = ''`)
	a.exec(`UPDATE audit_tiles SET hashes = sha256('x') || substr(hashes, 33) WHERE tree = 'contoso'`)
	verify("a tile", " streams: 0 mismatches\n", "the tree of account contoso: tile 0 at level 0", ": 1 mismatches\n")
	a.exec(`UPDATE events SET data = '{"plan": "Enterprise"}' WHERE position = 1`)
	verify("an event", "position 1, stream account-contoso", " streams: 1 mismatches", "the tree of account contoso", "signatures checked: ")
	if at := query[int](t, a.url, `SELECT count(*) FROM verifications`); at != 0 {
		t.Errorf("a verification that found damage is recorded")
	}
}

// After a restart the trees have another name, heads of the epoch before still verify, and the first entry names the last of them.
func TestAuditRestart(t *testing.T) {
	t.Parallel()
	a := newAuditor(t)
	epochs := func() int { return query[int](t, a.url, `SELECT count(*) FROM audit_epochs`) }
	because := []string{"audit", "restart", "--because", "restored the backup"}
	a.wants(a.types(because...), cli.ExitFailed, "the trees of the log have no name")
	a.ok(a.log.Begin(t.Context(), treeOrigin))
	older, _ := a.kept("older", audit.Service)
	a.more()
	last, head := a.kept("last", audit.Service)
	lost := a.file("lost", a.signed(a.key, treeOrigin, tree.Head{Size: head.Size + 5, Root: tree.Hash{1}}))

	a.wants(a.types("audit", "restart"), cli.ExitUsage, "--because must say in 1 to 500 bytes why")
	a.wants(a.types("audit", "restart", "--because", " \n"), cli.ExitUsage, "--because must say")
	a.wants(a.types("audit", "restart", "--because", strings.Repeat("x", 501)), cli.ExitUsage, "--because must say")
	a.wants(a.types(append(because, "--checkpoint", filepath.Join(a.files, "none"))...), cli.ExitFailed, "does not exist")
	a.wants(run(t.Context(), append(because, "--database-url", a.url, "--data", t.TempDir())...), cli.ExitFailed, "has no service.key")
	if n := epochs(); n != 1 {
		t.Fatalf("a restart that was refused began one: there are %d", n)
	}
	a.wants(a.types(append(because, "--checkpoint", lost, "--checkpoint", older)...), cli.ExitOK, "epoch 2 has begun")
	a.wants(a.types("audit", "key"), cli.ExitOK, treeOrigin+"/2+")
	a.wants(a.types("audit", "key", "--account", "contoso"), cli.ExitOK, treeOrigin+"/accounts/contoso/2+")
	newest, _ := a.kept("newest", audit.Service)
	first := query[string](t, a.url, `SELECT convert_from(first_entry, 'UTF8') FROM audit_trees WHERE tree = '' AND epoch = 2`)
	text, err := os.ReadFile(lost)
	a.ok(err)
	if want := "readiness audit restart\nepoch 2\nbecause \"restored the backup\"\n\n" + string(text); first != want {
		t.Errorf("the first entry is\n%s\nwant\n%s", first, want)
	}
	a.wants(a.types("audit", "verify", "--checkpoint", older, "--checkpoint", last, "--checkpoint", newest), cli.ExitOK, ": 0 mismatches\n")
	a.wants(a.types("audit", "verify", "--checkpoint", lost), cli.ExitDamaged, "and a head of")
	a.wants(a.types("events", "verify"), cli.ExitOK, ": 0 mismatches\n")
}

func otherHead(size int64) tree.Head { return tree.Head{Size: size, Root: tree.Hash{1}} }

// The trees of a new log are named after the address below which they are served. A log whose trees were named by an earlier version keeps
// that name, and what was kept of it still verifies.
//
// proves: decisions/18/origin
func TestOriginsOfTrees(t *testing.T) {
	t.Parallel()
	named := func(a *auditor) (origin, note string) {
		a.Helper()
		a.ok(a.core.pool.QueryRow(t.Context(), `SELECT origin FROM audit_epochs WHERE epoch = 1`).Scan(&origin))
		s := serve(t, "--database-url", a.url, "--data", a.data)
		defer s.stop()
		token := strings.TrimSpace(must(t, "token", "--data", a.data, "--database-url", a.url, "--account", "contoso", "--person", "ada").stdout)
		status, body, err := get(t, s.base+"/v1/audit/checkpoint", token)
		if err != nil || status != 200 {
			t.Fatalf("the head: %d, %v, %s", status, err, body)
		}
		return origin, string(body)
	}

	old := newAuditor(t)
	old.ok(old.log.Begin(t.Context(), treeOrigin))
	file, _ := old.kept("old", audit.Service)
	if _, note := named(old); !strings.HasPrefix(note, treeOrigin+"\n") {
		t.Errorf("the head of the old log is\n%s", note)
	}
	old.wants(old.types("audit", "verify", "--checkpoint", file), cli.ExitOK, "signatures checked: 0 mismatches")
	old.wants(old.types("events", "verify"), cli.ExitOK, "signatures checked: 0 mismatches")
	old.wants(old.types("audit", "key", "--account", "contoso"), cli.ExitOK, treeOrigin+"/accounts/contoso+")

	fresh := newAuditor(t)
	s := serve(t, "--database-url", fresh.url, "--data", fresh.data)
	s.stop()
	fresh.kept("new", audit.Service)
	want := strings.TrimPrefix(s.base, "http://") + "/v1/audit"
	if origin, note := named(fresh); origin != want || !strings.HasPrefix(note, want+"\n") {
		t.Errorf("the new log is named %q, want %q, and its head is\n%s", origin, want, note)
	}
}
