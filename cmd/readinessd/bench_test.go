package main

import (
	"bufio"
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
)

// BenchmarkMemory measures the memory of a service process (Linux: VmRSS) after its start, and while 16 callers start
// assessments of the sample workspaces and read. b.N is the number of calls. Calls refused by the rate limit count too.
func BenchmarkMemory(b *testing.B) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		b.Log("not measured: ", err)
		return
	}
	dir := b.TempDir()
	program := filepath.Join(dir, "readiness")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	const accounts, people = bench.Callers, 8
	var declared strings.Builder
	declared.WriteString("accounts:\n")
	for a := range accounts {
		fmt.Fprintf(&declared, "  - accountId: a%d\n    plan: Enterprise\n    people:\n", a)
		for p := range people {
			fmt.Fprintf(&declared, "      - person: a%d-p%d\n", a, p)
		}
	}
	file, data := filepath.Join(dir, "accounts.yaml"), filepath.Join(dir, "data")
	if err := os.WriteFile(file, []byte(declared.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	server := exec.CommandContext(b.Context(), program, "serve", "--database-url", pgtest.URL(b), "--data", data, "--listen", "127.0.0.1:0",
		"--platform", "folder:../../samples/workspaces", "--accounts", file, "--log-level", "warn")
	said, err := server.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := server.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		if err := server.Wait(); err != nil {
			b.Error(err)
		}
	}()
	var base string
	for lines := bufio.NewScanner(said); base == "" && lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "Listening on "); ok {
			base, _, _ = strings.Cut(rest, ",")
		}
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	issuer, err := token.OpenIssuer(data)
	if err != nil {
		b.Fatal(err)
	}
	var tokens [accounts][people]string
	for a := range accounts {
		for p := range people {
			if tokens[a][p], err = issuer.Mint(fmt.Sprint("a", a), fmt.Sprintf("a%d-p%d", a, p), []string{token.ScopeRead, token.ScopeReadWrite}, time.Now(), time.Hour); err != nil {
				b.Fatal(err)
			}
		}
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: bench.Callers}}
	call := func(caller, made int, method, path string) (string, error) {
		r, err := http.NewRequestWithContext(b.Context(), method, base+path, nil)
		if err != nil {
			return "", err
		}
		r.Header.Set("Authorization", "Bearer "+tokens[caller][made/4%people])
		answer, err := client.Do(r)
		if err != nil {
			return "", err
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if answer.StatusCode >= http.StatusInternalServerError {
			err = fmt.Errorf("%s %s: got %d %s", method, path, answer.StatusCode, text)
		}
		return string(text), err
	}
	idle := resident(b, server.Process.Pid, "VmRSS")
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
	b.ReportMetric(resident(b, server.Process.Pid, "VmHWM"), "most-MB")
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
