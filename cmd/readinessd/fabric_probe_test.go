package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"readiness/cmd/cli"
	"readiness/platform/fabric"
	"readiness/test/testworld"
)

// A person probes a tenant with the program. The answers are in the file only if it could ask everything.
func TestFabricProbe(t *testing.T) {
	t.Parallel()
	const workspace = "dd861a23-9ffc-5a77-a120-f2f1e51bfd19"
	e := emulate(t, "--at-once", "--operations-last", "1ms", "--retry-after", "1s", "--generate-query", "EVALUATE Probe")
	v := &visitor{t: t, e: e, config: t.TempDir(), as: "ada"}
	v.must(serveEmulated(t, e)...)
	token := filepath.Join(t.TempDir(), "token")
	testworld.Write(t, token, v.kept().Token)
	in := func(name string) string { return filepath.Join(e.data, name) }
	flags := []string{"fabric", "probe", "--fabric-url", e.url, "--fabric-power-bi-url", e.url, "--fabric-iq-url", e.url, "--fabric-authority",
		e.url, "--fabric-client-id", emulatedClient, "--fabric-tenant", emulatedTenant, "--fabric-secret-file", in(secretFile), "--ca-file",
		in(caFile), "--token-file", token, "--largest", "1", "--experimental-generate-query"}
	for name, c := range map[string]struct {
		workspace string
		code      int
		says      string // on either output
		kept      bool
	}{
		"passed":    {workspace, cli.ExitOK, "nothing that the probe made is left", true},
		"not there": {emulatedTenant, cli.ExitFailed, "is not there, or you cannot see it", false},
	} {
		file := filepath.Join(t.TempDir(), "answers.json")
		got := run(t.Context(), append(flags, "--workspace", c.workspace, "--fabric-answers", file)...)
		if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.says) {
			t.Errorf("%s: got %+v, want %d with %q", name, got, c.code, c.says)
		}
		text, err := os.ReadFile(file)
		if (err == nil) != c.kept {
			t.Errorf("%s: the file has %s, %v", name, text, err)
		}
		var doc struct{ Tenants map[string]fabric.Answers }
		if a := doc.Tenants[emulatedTenant]; c.kept && (json.Unmarshal(text, &doc) != nil || !doc.Tenants[emulatedTenant].Passed) {
			t.Errorf("%s: the file has %s, so %+v", name, text, a)
		}
		says := strings.Join(strings.Fields(got.stdout), " ")
		if c.kept && (!strings.Contains(says, "Generate Query is offered yes") || !strings.Contains(says, "answer is understood yes")) {
			t.Errorf("%s: it says of Generate Query\n%s", name, got.stdout)
		}
		if bytes.Contains(text, []byte(c.workspace)) && c.workspace == workspace || strings.Contains(got.stdout, workspace) {
			t.Errorf("%s: the workspace is named:\n%s\n%s", name, text, got.stdout)
		}
	}
}

// Invalid flags are refused before any call.
func TestFabricProbeRefuses(t *testing.T) {
	t.Parallel()
	const id = "33333333-3333-4333-8333-333333333333"
	application := []string{"--fabric-client-id", id, "--fabric-tenant", id, "--fabric-managed-identity", "system"}
	for want, args := range map[string][]string{
		"needs --fabric-client-id":                   {"--workspace", id},
		"--workspace must be an id":                  application,
		"--paused-workspace must be an id":           append([]string{"--workspace", id, "--paused-workspace", "x"}, application...),
		"--token-file and --fabric-answers are need": append([]string{"--workspace", id}, application...),
		"--largest must be 0 to 64":                  append([]string{"--workspace", id, "--token-file", "x", "--fabric-answers", "x", "--largest", "65"}, application...),
	} {
		if got := run(context.Background(), append([]string{"fabric", "probe"}, args...)...); got.code != cli.ExitUsage || !strings.Contains(got.stderr, want) {
			t.Errorf("got %+v, want %q", got, want)
		}
	}
}
