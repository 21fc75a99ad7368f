package auditoracles_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/transparency-dev/formats/log"
	"github.com/transparency-dev/formats/proof"
	merkleproof "github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"

	"readiness/eventstore/audit"
)

const (
	pagePath = "../../docs/auditing.md"
	tessera  = "github.com/transparency-dev/tessera"
)

// pageCommands returns the shell commands of the page, except those that set the service's address and install fsck. The test uses the fsck of
// this module, whose version the page must name.
func pageCommands(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(pagePath)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(page)) {
		if command, indented := strings.CutPrefix(line, "    "); indented {
			b.WriteString(command)
		}
	}
	text := b.String()
	version := strings.TrimSpace(program(t, "go", "list", "-m", "-f", "{{.Version}}", tessera))
	for _, without := range []string{`export BASE=.*\n`, `timeout 10m go install ` + tessera + `/cmd/fsck@` + regexp.QuoteMeta(version) + `\n`} {
		found := regexp.MustCompile(`(?m)^` + without)
		if len(found.FindAllString(text, -1)) != 1 {
			t.Fatalf("%s has not exactly one line %q", pagePath, without)
		}
		text = found.ReplaceAllString(text, "")
	}
	return strings.ReplaceAll(text, "contoso", "acme")
}

func program(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).Output()
	if err != nil {
		failed := &exec.ExitError{}
		errors.As(err, &failed)
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, failed.Stderr)
	}
	return string(out)
}

// types runs the page's commands in a folder, as an auditor of acme.
func (w *world) types(commands, folder, fsck, event string) (out string, err error) {
	w.Helper()
	tree := w.tree("acme")
	vkey, err := audit.VerifierKey(tree.origin, key.Public().(ed25519.PublicKey))
	w.must(err)
	cmd := exec.CommandContext(w.Context(), "bash", "-euo", "pipefail", "-c", commands)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "BASE="+w.url, "TOKEN="+w.token("acme"), "VERIFIER_KEY="+vkey, "EVENT_ID="+event,
		"PATH="+fsck+string(os.PathListSeparator)+os.Getenv("PATH"))
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// The commands of docs/auditing.md, run unchanged, do what the page says, and fail on a log that was changed.
func TestPage(t *testing.T) {
	t.Parallel()
	commands, fsck := pageCommands(t), t.TempDir()
	program(t, "go", "build", "-o", fsck, tessera+"/cmd/fsck")
	w := newWorld(t, fresh(t))
	const events = 700 // more than a page
	w.change("acme", "ada", events-1)
	w.change("other", "oscar", 3)
	w.seal()
	var event string
	w.must(w.Pool.QueryRow(t.Context(), `SELECT event_id::text FROM events WHERE account_id = 'acme' ORDER BY position OFFSET 601 LIMIT 1`).Scan(&event))

	folder := t.TempDir()
	out, err := w.types(commands, folder, fsck, event)
	if err != nil || !strings.Contains(out, fmt.Sprintf("Successfully fsck'd log with size %d", events)) {
		t.Fatalf("%v\n%s", err, out)
	}
	tree := w.tree("acme")
	for name, origin := range map[string]string{"head-*": tree.origin, "all-*": w.tree(audit.Service).origin} {
		if note := one(t, folder, name); !bytes.HasPrefix(note, []byte(origin+"\n")) {
			t.Errorf("%s holds %s", name, note)
		}
	}
	lines := bytes.Split(bytes.TrimSuffix(one(t, folder, "lines"), []byte("\n")), []byte("\n"))
	if len(lines) != events {
		t.Fatalf("%d lines were fetched, want %d", len(lines), events)
	}
	var line struct{ EventID string }
	w.must(json.Unmarshal(lines[601], &line))
	var file proof.TLogProof
	w.must(file.Unmarshal(one(t, folder, "event.tlog-proof")))
	head, _, _, err := log.ParseCheckpoint(file.Checkpoint, tree.origin, tree.verifier)
	w.must(err)
	hashes := make([][]byte, len(file.Hashes))
	for i := range file.Hashes {
		hashes[i] = file.Hashes[i][:]
	}
	if line.EventID != event || file.Index != 601 {
		t.Errorf("line 601 is event %s, want %s, with the proof of entry %d", line.EventID, event, file.Index)
	}
	w.must(merkleproof.VerifyInclusion(rfc6962.DefaultHasher, file.Index, head.Size, rfc6962.DefaultHasher.HashLeaf(lines[601]), hashes, head.Hash))

	// fsck does not end by itself if the first of several tiles differs; its time limit, which is shorter here, ends it.
	limited := strings.Replace(commands, "timeout 10m fsck", "timeout 10s fsck", 1)
	if limited == commands {
		t.Fatal("fsck has no time limit")
	}
	w.as(`UPDATE audit_tiles SET hashes = sha256('x') || substr(hashes, 33) WHERE tree = 'acme' AND level = 0 AND index = 0`)
	if out, err := w.types(limited, t.TempDir(), fsck, event); err == nil || strings.Contains(out, "Successfully") {
		t.Errorf("a changed tile is not found:\n%s", out)
	}
	w.as(`UPDATE events SET data = '{"region":"forged"}' WHERE event_id = $1`, event)
	if out, err := w.types(commands, t.TempDir(), fsck, event); err == nil || strings.Contains(out, "Successfully") {
		t.Errorf("a changed event is not found:\n%s", out)
	}
}

// one returns the content of the only file that matches the pattern.
func one(t *testing.T, folder, pattern string) []byte {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %v", pattern, found, err)
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return text
}
