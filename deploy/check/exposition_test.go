package check_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// lines keeps what a process prints.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) find(pattern string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if found := regexp.MustCompile(pattern).FindStringSubmatch(l.text.String()); found != nil {
		return found[1]
	}
	return ""
}

// awaited is how long the test waits for each event; a slow machine needs minutes.
const awaited = 5 * time.Minute

func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for began := time.Now(); !is(); <-time.After(100 * time.Millisecond) {
		if time.Since(began) > awaited {
			t.Fatalf("in %s: %s", awaited, what)
		}
	}
}

// promtool finds nothing wrong with the metrics of the running service, whose private PostgreSQL it starts.
func TestExpositionByPromtool(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "readinessd")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/readinessd")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir, err := os.MkdirTemp("", "readiness-metrics-") // one that another user, PostgreSQL's, may enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { await(t, "the folder is removed", func() bool { return os.RemoveAll(dir) == nil }) })
	if err := os.Chmod(dir, 0o711); err != nil { //nolint:gosec // PostgreSQL's user must enter it
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, program, "serve", "--data", filepath.Join(dir, "data"), "--platform", "folder:../../samples/workspaces", "--accounts",
		"../../samples/accounts.yaml", "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--log-format", "json")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	said := &lines{}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer func() { stop(); <-ended }()
	address := ""
	await(t, "the service serves metrics", func() bool {
		address = said.find(`"metrics and health","address":"([^"]+)"`)
		return address != ""
	})
	text := ""
	await(t, "a worker answers for the database", func() bool {
		response, err := http.Get("http://" + address + "/metrics") //nolint:noctx // the process ends with the test
		if err != nil {
			return false
		}
		defer response.Body.Close()
		b, err := io.ReadAll(response.Body)
		text = string(b)
		return err == nil && strings.Contains(text, "\nreadiness_log_position ")
	})
	if out := tool(t, text, "promtool", "check", "metrics"); strings.TrimSpace(out) != "" {
		t.Errorf("promtool check metrics says\n%s", out)
	}
	for _, name := range []string{"readiness_build_info", "readiness_database_size_bytes", "readiness_events_appended_total"} {
		if !strings.Contains(text, "\n"+name+"{") {
			t.Errorf("%s is missing", name)
		}
	}
}
