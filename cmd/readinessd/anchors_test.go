package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"readiness/cmd/cli"
	"readiness/eventstore/audit"
	"readiness/eventstore/audit/publish"
)

// A witness needs a bucket and a key for cosignatures; --witnesses-needed is at most their number.
func TestAnchorFlags(t *testing.T) {
	t.Parallel()
	const bucket, witness = "file:///heads", "witness.example.com+c946a8ab+BAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB=https://witness.example.com"
	for _, row := range []struct {
		flags  anchorFlags
		needed int
		says   string
	}{
		{anchorFlags{}, 0, ""},
		{anchorFlags{bucket: bucket}, 0, ""},
		{anchorFlags{bucket: bucket, needed: 1}, 0, "from 0 to the number of witnesses, 0"},
		{anchorFlags{bucket: bucket, needed: -1}, 0, "from 0"},
		{anchorFlags{bucket: bucket, witnesses: []string{witness}}, 1, ""},
		{anchorFlags{bucket: bucket, witnesses: []string{witness}, needed: 1}, 1, ""},
		{anchorFlags{bucket: bucket, witnesses: []string{witness}, needed: 2}, 0, "from 0 to the number of witnesses, 1"},
		{anchorFlags{witnesses: []string{witness}}, 0, "--witness needs --checkpoint-to"},
		{anchorFlags{bucket: bucket, witnesses: []string{witness, witness}}, 0, "is named twice"},
		{anchorFlags{bucket: bucket, witnesses: []string{strings.Replace(witness, "c946a8ab", "c946a8ac", 1)}}, 0, "NAME+HASH+KEY=URL"},
		{anchorFlags{bucket: bucket, witnesses: []string{strings.Replace(witness, "+BAEB", "+AQEB", 1)}}, 0, "with a key for cosignatures"},
		{anchorFlags{bucket: bucket, witnesses: []string{strings.Replace(witness, "https:", "ftp:", 1)}}, 0, "is not the address of a witness"},
		{anchorFlags{bucket: bucket, witnesses: []string{witness + "?a=b"}}, 0, "is not the address of a witness"},
		{anchorFlags{bucket: bucket, witnesses: []string{"witness.example.com"}}, 0, "NAME+HASH+KEY=URL"},
	} {
		witnesses, needed, err := row.flags.parsed()
		if (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) || needed != row.needed ||
			err == nil && len(witnesses) != len(row.flags.witnesses) {
			t.Errorf("%+v: got %d of %d, %v; want %d, %q", row.flags, needed, len(witnesses), err, row.needed, row.says)
		}
	}
}

// publishes publishes the signed heads to a folder, as a worker does, and returns the bucket's address.
func (a *auditor) publishes(folder string) string {
	a.Helper()
	bucket, err := publish.Open(a.Context(), "file://"+folder)
	a.ok(err)
	defer bucket.Close()
	a.ok(publish.New(publish.Options{Log: a.log, Bucket: bucket, Leads: func(context.Context) (bool, error) { return true, nil }, Now: time.Now,
		Logger: slog.New(slog.DiscardHandler)}).Round(a.Context()))
	return "file://" + folder
}

// audit verify and audit restart read the newest published heads from the bucket.
func TestAuditWithABucket(t *testing.T) {
	t.Parallel()
	a := newAuditor(t)
	folder := t.TempDir()
	a.wants(a.types("audit", "verify", "--checkpoint-to", "file://"+folder), cli.ExitFailed, "the trees of the log have no name")
	a.ok(a.log.Begin(t.Context(), treeOrigin))
	a.kept("first", audit.Service)
	a.more()
	_, head := a.kept("second", audit.Service)
	address := a.publishes(folder)
	a.wants(a.types("audit", "verify", "--checkpoint-to", address), cli.ExitOK, ": 0 mismatches\n")
	a.wants(a.types("audit", "verify", "--checkpoint-to", "file://"+filepath.Join(folder, "none")), cli.ExitFailed, "does not exist")
	a.wants(a.types("audit", "verify", "--checkpoint-to", "ftp://heads"), cli.ExitFailed, "ftp")

	name := filepath.Join(folder, publish.Key(treeOrigin+"/accounts/contoso", query[int64](t, a.url,
		`SELECT size FROM audit_trees WHERE tree = 'contoso'`)))
	note, err := os.ReadFile(name)
	a.ok(err)
	a.ok(os.WriteFile(name, []byte(strings.Replace(string(note), "\n— ", "\n— x", 1)), 0o600))
	a.wants(a.types("audit", "verify", "--checkpoint-to", address), cli.ExitDamaged, "the note of the tree of account contoso", ": 1 mismatches\n")
	a.ok(os.WriteFile(name, note, 0o600))

	lost := a.signed(a.key, treeOrigin, otherHead(head.Size+3))
	a.ok(os.WriteFile(filepath.Join(folder, publish.Key(treeOrigin, head.Size+3)), lost, 0o600))
	a.wants(a.types("audit", "verify", "--checkpoint-to", address), cli.ExitDamaged, "events were removed, or the database was restored")
	a.wants(a.types("audit", "restart", "--because", "restored", "--checkpoint-to", address), cli.ExitOK, "epoch 2 has begun")
	first := query[string](t, a.url, `SELECT convert_from(first_entry, 'UTF8') FROM audit_trees WHERE tree = '' AND epoch = 2`)
	if !strings.HasSuffix(first, "\n\n"+string(lost)) {
		t.Errorf("the first entry is\n%s\nand the last published head is\n%s", first, lost)
	}
}
