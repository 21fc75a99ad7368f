package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"readiness/cmd/cli"
	"readiness/domain/account"
)

// emulating is a running emulator.
type emulating struct {
	url, data string
	client    *http.Client // that trusts it
	stdout    *output
}

// emulate starts the emulator over the samples until t ends.
func emulate(t *testing.T, args ...string) *emulating {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	e := &emulating{data: filepath.Join(t.TempDir(), "emulator"), stdout: newOutput()}
	stderr, ended := newOutput(), make(chan struct{})
	args = append([]string{"emulator", "--platform", "folder:../../samples/workspaces", "--listen", "127.0.0.1:0", "--data", e.data}, args...)
	go func() {
		defer close(ended)
		if code := newRoot(e.stdout, stderr).Run(ctx, args); code != cli.ExitOK && ctx.Err() == nil {
			t.Errorf("the emulator ended with %d:\n%s", code, stderr)
		}
	}()
	t.Cleanup(func() { cancel(); <-ended })
	both := make(chan struct{})
	go func() { <-ended; close(both) }()
	e.url = e.stdout.await(t, `Entra at (https://\S+)`, both)[1]
	e.stdout.await(t, `client login [^\n]+\n[^\n]+\n`, both)
	text, err := os.ReadFile(filepath.Join(e.data, caFile))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	e.client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}}
	t.Cleanup(e.client.CloseIdleConnections)
	return e
}

// The emulator serves people by HTTPS with the certificate that it made, keeps its files to its owner, and behaves as its
// flags say.
func TestEmulator(t *testing.T) {
	t.Parallel()
	e := emulate(t, "--fault", "GET:/v1/workspaces:503")
	for _, name := range []string{caFile, serverKeyFile, secretFile, accountsFile} {
		if info, err := os.Stat(filepath.Join(e.data, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if declared, err := readAccounts(filepath.Join(e.data, accountsFile), account.DefaultPlans()); err != nil || len(declared[0].People) != 3 {
		t.Errorf("the accounts file: %+v, %v", declared, err)
	}
	for _, want := range []int{http.StatusServiceUnavailable, http.StatusUnauthorized} {
		res, err := e.client.Get(e.url + "/v1/workspaces")
		if err != nil {
			t.Fatal(err)
		}
		if _ = res.Body.Close(); res.StatusCode != want {
			t.Errorf("got %d, want %d", res.StatusCode, want)
		}
	}
	secret, err := os.ReadFile(filepath.Join(e.data, secretFile))
	if err != nil || strings.Contains(e.stdout.String(), strings.TrimSpace(string(secret))) {
		t.Errorf("the secret is printed, or %v", err)
	}
}

// Invalid flags are refused before anything listens.
func TestEmulatorRefuses(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "emulator")
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"no platform":   {[]string{"--platform", "fabric"}, "--platform must be folder:DIR"},
		"everyone":      {[]string{"--listen", "0.0.0.0:0"}, "must be a loopback address"},
		"half a fault":  {[]string{"--fault", "GET:/v1"}, "METHOD:PATH:WHAT"},
		"unknown fault": {[]string{"--fault", "GET:/v1:200"}, "neither lost, failed, challenge nor a status"},
		"never":         {[]string{"--fault", "GET:/v1:lost:0"}, "how often"},
		"page size":     {[]string{"--page-size", "0"}, "--page-size"},
		"token life":    {[]string{"--token-life", "0s"}, "--token-life"},
	} {
		args := append([]string{"emulator", "--platform", "folder:../../samples/workspaces", "--data", data}, tt.args...)
		if got := run(t.Context(), args...); got.code != cli.ExitUsage || !strings.Contains(got.stderr, tt.want) || got.stdout != "" {
			t.Errorf("%s: got %+v, want %q", name, got, tt.want)
		}
		if _, err := os.Stat(data); err == nil {
			t.Errorf("%s: left files", name)
		}
	}
}

// An emulator that starts again keeps the secret that a running service uses; an empty file counts as none.
func TestEmulatorKeepsItsSecret(t *testing.T) {
	t.Parallel()
	f := emulatorFlags{data: t.TempDir()}
	first, err := f.secret()
	second, err2 := f.secret()
	if err != nil || err2 != nil || len(first) < 20 || second != first {
		t.Errorf("got %q and %q, %v, %v", first, second, err, err2)
	}
	if err := f.write(secretFile, []byte("\n")); err != nil {
		t.Fatal(err)
	}
	if third, err := f.secret(); err != nil || len(third) < 20 || third == first {
		t.Errorf("of an empty file: got %q, %v", third, err)
	}
}
