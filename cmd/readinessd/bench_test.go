package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"readiness/http/token"
	"readiness/test/bench"
	"readiness/test/pgtest"
	"readiness/test/testworld"
)

// BenchmarkMemory measures the memory of a service process (Linux: VmRSS) after its start, and while 16 callers start
// assessments of the sample workspaces and read. b.N is the number of calls. Calls refused by the rate limit count too.
func BenchmarkMemory(b *testing.B) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		b.Log("not measured: ", err)
		return
	}
	const accounts, people = bench.Callers, 8
	s := serveFor(b, "../../samples/workspaces", accounts, people)
	call := func(caller, made int, method, path string) (string, error) {
		code, text, err := s.call(b.Context(), s.tokens[caller][made/4%people], method, path, "")
		if err == nil && code >= http.StatusInternalServerError {
			err = fmt.Errorf("%s %s: got %d %s", method, path, code, text)
		}
		return string(text), err
	}
	idle := resident(b, s.pid, "VmRSS")
	workspaces, err := call(0, 0, http.MethodGet, "/v1/workspaces")
	ids := regexp.MustCompile(`"workspaceId":"([^"]+)"`).FindAllStringSubmatch(workspaces, -1)
	if err != nil || len(ids) == 0 {
		b.Fatalf("got %s, error %v", workspaces, err)
	}
	var models []string
	for _, id := range ids {
		listed, err := call(0, 0, http.MethodGet, "/v1/workspaces/"+id[1]+"/semanticModels")
		if err != nil {
			b.Fatal(err)
		}
		for _, model := range regexp.MustCompile(`"semanticModelId":"([^"]+)"`).FindAllStringSubmatch(listed, -1) {
			models = append(models, "/v1/workspaces/"+id[1]+"/semanticModels/"+model[1])
		}
	}
	b.ResetTimer()
	var started atomic.Int64
	calls, err := bench.Together(bench.Callers, b.N, func(caller, made int) error {
		workspace := "/v1/workspaces/" + ids[(caller+made)%len(ids)][1]
		var err error
		switch made % 4 {
		case 0:
			var text string
			if text, err = call(caller, made, http.MethodPost, models[(caller+made/4)%len(models)]+"/aiReadiness/assess"); strings.Contains(text, `"operationId"`) {
				started.Add(1)
			}
		case 1:
			_, err = call(caller, made, http.MethodGet, workspace+"/semanticModels")
		default:
			_, err = call(caller, made, http.MethodGet, "/v1/operations")
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(calls.PerSecond(), "calls/s")
	if started.Load() == 0 {
		b.Error("nothing was started")
	}
	b.ReportMetric(float64(started.Load()), "started")
	b.ReportMetric(idle, "idle-MB")
	b.ReportMetric(resident(b, s.pid, "VmHWM"), "most-MB")
}

// served is a process of the service with accounts a0, a1, … of people.
type served struct {
	base   string
	pid    int
	tokens [][]string // by account and person
	client *http.Client
}

// serveFor builds and starts the service on the folder of workspaces until the benchmark ends.
func serveFor(b *testing.B, workspaces string, accounts, people int) *served {
	b.Helper()
	dir := b.TempDir()
	program := filepath.Join(dir, "readinessd")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	var declared strings.Builder
	declared.WriteString("accounts:\n")
	for a := range accounts {
		fmt.Fprintf(&declared, "  - accountId: a%d\n    plan: Enterprise\n    people:\n", a)
		for p := range people {
			fmt.Fprintf(&declared, "      - person: a%d-p%d\n", a, p)
		}
	}
	file, data := filepath.Join(dir, "accounts.yaml"), filepath.Join(dir, "data")
	testworld.Check(b, os.WriteFile(file, []byte(declared.String()), 0o600))
	server := exec.Command(program, "serve", "--database-url", pgtest.URL(b), "--data", data, "--listen", "127.0.0.1:0",
		"--platform", "folder:"+workspaces, "--accounts", file, "--log-level", "warn")
	server.Stderr = b.Output()
	said, err := server.StdoutPipe()
	testworld.Check(b, err)
	testworld.Check(b, server.Start())
	b.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		if err := server.Wait(); err != nil {
			b.Error(err)
		}
	})
	s := &served{pid: server.Process.Pid, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}}
	for lines := bufio.NewScanner(said); s.base == "" && lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "Listening on "); ok {
			s.base, _, _ = strings.Cut(rest, ",")
		}
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	issuer, err := token.OpenIssuer(data)
	testworld.Check(b, err)
	s.tokens = make([][]string, accounts)
	for a := range s.tokens {
		for p := range people {
			made, err := issuer.Mint(fmt.Sprint("a", a), fmt.Sprintf("a%d-p%d", a, p), []string{token.ScopeRead, token.ScopeReadWrite}, time.Now(), time.Hour)
			testworld.Check(b, err)
			s.tokens[a] = append(s.tokens[a], made)
		}
	}
	return s
}

// call makes a call with the token; body may be "".
func (s *served) call(ctx context.Context, token, method, path, body string) (code int, text []byte, err error) {
	answer, err := s.send(ctx, token, method, path, body)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	text, err = io.ReadAll(answer.Body)
	return answer.StatusCode, text, err
}

// send makes a call whose answer the caller reads.
func (s *served) send(ctx context.Context, token, method, path, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return s.client.Do(r)
}

// resident returns a figure of a process's memory.
func resident(b *testing.B, pid int, what string) (megabytes float64) {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, what+":"); ok {
			kilobytes, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kilobytes / 1024
		}
	}
	b.Fatalf("no %s in\n%s", what, status)
	return 0
}
