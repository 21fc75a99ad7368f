package main

import (
	"path/filepath"
	"strings"
	"testing"

	"readiness/definition"
	"readiness/internal/pgtest"
)

// Documents move to a bucket and back. Between the two, a command without the bucket, or with another one, is refused and says why.
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
