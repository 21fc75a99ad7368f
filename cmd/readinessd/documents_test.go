package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"readiness/cmd/cli"
	"readiness/definition"
	"readiness/test/pgtest"
)

// Documents move to a bucket and back. Between the two, a command without the bucket, or with another one, is refused and says why.
//
// proves: decisions/24/move decisions/24/checked
func TestDocumentsMove(t *testing.T) {
	t.Parallel()
	url, there := pgtest.URL(t), "file://"+t.TempDir()
	must(t, "migrate", "up", "--database-url", url)
	operationID, reportID := keep(t, url, definition.Part{Path: "definition.pbir", Data: []byte("{}")})
	restore := func(args ...string) result {
		return run(t.Context(), append([]string{"reports", "copies", "restore", "--account", "contoso", "--operation", operationID.String(),
			"--report", reportID.String(), "--to", filepath.Join(t.TempDir(), "copy"), "--database-url", url}, args...)...)
	}
	move := func(to string) {
		t.Helper()
		if got := must(t, "documents", "move", "--to", to, "--documents", there, "--database-url", url).stdout; got != "1 documents moved\n" {
			t.Errorf("to the %s: %q", to, got)
		}
	}
	shows := func(want string) {
		t.Helper()
		if got := must(t, "documents", "show", "--database-url", url).stdout; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	move("bucket")
	shows("in the database: 0\nin the bucket: 1\nobjects without a document: 0\n")
	if got := restore("--documents", there); got.code != 0 {
		t.Errorf("with the bucket: %s", got.stderr)
	}
	if got := restore(); got.code == 0 || !strings.Contains(got.stderr, "--documents") {
		t.Errorf("without the bucket: %d %s", got.code, got.stderr)
	}
	if got := restore("--documents", "file://"+t.TempDir()); got.code == 0 || !strings.Contains(got.stderr, "another bucket") {
		t.Errorf("with another bucket: %d %s", got.code, got.stderr)
	}
	for _, args := range [][]string{{"--to", "bucket"}, {"--to", "elsewhere", "--documents", there}, {"--documents", there}} {
		if got := run(t.Context(), append([]string{"documents", "move", "--database-url", url}, args...)...); got.code != 2 {
			t.Errorf("%v: %d %s", args, got.code, got.stderr)
		}
	}
	move("database")
	shows("in the database: 1\nin the bucket: 0\nobjects without a document: 0\n")
	if got := restore(); got.code != 0 {
		t.Errorf("without the bucket again: %s", got.stderr)
	}
}

// The doctor names a bucket that is missing, another one or out of reach, and documents that are still in the database.
//
// proves: decisions/24/doctor
func TestDoctorOfDocuments(t *testing.T) {
	t.Parallel()
	url, folder := pgtest.URL(t), t.TempDir()
	there := []string{"--documents", "file://" + folder}
	must(t, "migrate", "up", "--database-url", url)
	keep(t, url, definition.Part{Path: "definition.pbir", Data: []byte("{}")})
	finds := func(verdict, says string, args ...string) {
		t.Helper()
		found := examined(t, cli.ExitDamaged, append([]string{"--data", t.TempDir(), "--database-url", url, "--platform", "folder:" + folder + "/none"}, args...)...)
		if is := found["documents "+verdict]; len(is) != 1 || !strings.Contains(is[0].Says, says) {
			t.Errorf("with %v: %+v; want %s that says %q", args, found, verdict, says)
		}
	}
	finds("ok", "1 documents are in the database, and 0 in a bucket")
	finds("warning", "1 documents are in the database, and 0 in the bucket", there...)
	finds("ok", "1 documents are in the database, and 0 in a bucket", append(there, "--documents-put=false")...)
	must(t, append([]string{"documents", "move", "--to", "bucket", "--database-url", url}, there...)...)
	finds("ok", "0 documents are in the database, and 1 in a bucket", there...)
	finds("failing", "name it with --documents")
	finds("failing", "another bucket", "--documents", "file://"+t.TempDir())
	if err := os.Rename(folder, folder+".away"); err != nil {
		t.Fatal(err)
	}
	finds("failing", "no such file or directory", there...)
}

// Objects that the database does not know are listed, and removed only with --remove.
//
// proves: decisions/24/strays
func TestDocumentsStrays(t *testing.T) {
	t.Parallel()
	url, folder := pgtest.URL(t), t.TempDir()
	flags := []string{"--documents", "file://" + folder, "--database-url", url}
	must(t, "migrate", "up", "--database-url", url)
	keep(t, url, definition.Part{Path: "definition.pbir", Data: []byte("{}")})
	must(t, append([]string{"documents", "move", "--to", "bucket"}, flags...)...)
	key := "documents/00/" + strings.Repeat("0", 64) + "-00000000-0000-0000-0000-000000000000"
	path := filepath.Join(folder, filepath.FromSlash(key))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	strays := func(stdout, stderr string, args ...string) {
		t.Helper()
		if got := must(t, slices.Concat([]string{"documents", "strays"}, args, flags)...); got.stdout != stdout || got.stderr != stderr {
			t.Errorf("%v: got %q, %q", args, got.stdout, got.stderr)
		}
	}
	strays("", "0 objects found\n")
	strays(key+"\n", "1 objects found\n", "--older", "0s")
	strays(key+"\n", "1 objects removed\n", "--older", "0s", "--remove")
	strays("", "0 objects found\n", "--older", "0s")
	if got := must(t, "documents", "show", "--database-url", url).stdout; got != "in the database: 0\nin the bucket: 1\nobjects without a document: 0\n" {
		t.Errorf("left: %q", got)
	}
	for _, args := range [][]string{{"--database-url", url}, append([]string{"--older", "-1s"}, flags...)} {
		if got := run(t.Context(), append([]string{"documents", "strays"}, args...)...); got.code != cli.ExitUsage {
			t.Errorf("%v: %d %s", args, got.code, got.stderr)
		}
	}
}
