//go:build hard

package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore/audit/publish"
	"readiness/test/pgtest"
)

// heads returns the names and notes that the database has signed.
func heads(t *testing.T, url string) map[string]string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	rows, err := conn.Query(t.Context(), `SELECT split_part(note, E'\n', 1), size, note FROM audit_checkpoints`)
	if err != nil {
		t.Fatal(err)
	}
	signed := map[string]string{}
	var origin, note string
	var size int64
	if _, err := pgx.ForEachRow(rows, []any{&origin, &size, &note}, func() error {
		signed[publish.Key(origin, size)] = note
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return signed
}

// until waits until do reports that something happened.
func until(t *testing.T, what string, do func() bool) {
	t.Helper()
	limit, tick := time.After(waits), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for !do() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("in %s it did not happen: %s", waits, what)
		}
	}
}

// A program that is killed between signing a head and publishing it publishes it when it runs again, and no note changes.
func TestHardKilledBeforePublishing(t *testing.T) {
	t.Parallel()
	url, data, folder := pgtest.URL(t), t.TempDir(), t.TempDir()
	a := &auditor{T: t, url: url, data: data, files: t.TempDir()}
	args := []string{"serve", "--listen", "127.0.0.1:0", "--platform", "folder:../../samples/workspaces", "--database-url", url, "--data", data,
		"--accounts", samplesAccounts}
	anchored := append(args, "--checkpoint-to", "file://"+folder)
	missing := func() (names []string) {
		for name, note := range heads(t, url) {
			text, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				names = append(names, name)
			} else if string(text) != note {
				t.Fatalf("%s holds %q, want %q", name, text, note)
			}
		}
		return names
	}
	for n := range 3 {
		cmd, stdout, _, ended := program(t, "readinessd", args...) // signs and publishes nothing: as if killed between both
		stdout.await(t, `Listening on`, ended)
		before := len(heads(t, url))
		if n == 0 {
			before = 0
		} else {
			a.more()
			a.wants(a.types("accounts", "apply", samplesAccounts), 0)
		}
		until(t, "a head is signed", func() bool { return len(heads(t, url)) > before })
		_ = cmd.Process.Kill()
		<-ended
		if len(missing()) == 0 {
			t.Fatal("nothing is left to publish")
		}
		cmd, stdout, _, ended = program(t, "readinessd", anchored...)
		stdout.await(t, `Listening on`, ended)
		until(t, "everything is published", func() bool { return len(missing()) == 0 })
		_ = cmd.Process.Kill()
		<-ended
	}
}
