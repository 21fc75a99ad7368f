package main

import (
	"context"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"readiness/domain/account"
	"readiness/eventstore/forward"
	"readiness/platform/quota"
	"readiness/test/pgtest"
)

// metricNames is the list of the service's metrics, which the tests of deploy compare with the dashboard and the rules.
const metricNames = "../../deploy/metrics.txt"

var fqName = regexp.MustCompile(`fqName: "(readiness_[a-z_]+)"`)

// The list has the metrics of a process that serves and works with Fabric; docs/operating.md explains each.
func TestMetricsAreListed(t *testing.T) {
	t.Parallel()
	r, life := newRoot(newOutput(), newOutput()), &lifetime{}
	if err := r.Command.PersistentPreRunE(r.Command, nil); err != nil {
		t.Fatal(err)
	}
	life.log = r.Log
	defer life.end()
	f := serveFlags{countTimeout: time.Minute}
	f.baseURL = "http://127.0.0.1:1"
	f.data, f.url, f.platforms, f.workers, f.asks = t.TempDir(), pgtest.URL(t), []string{"folder:../../samples/workspaces"}, 1, 1
	f.anchors.bucket = "file://" + t.TempDir()
	f.collect.URL = "nats://127.0.0.1:1"
	s, err := r.openService(t.Context(), life, f.serviceFlags, account.DefaultPlans(), false)
	if err != nil {
		t.Fatal(err)
	}
	_, verifier, err := r.issuers(f)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := listen(t.Context(), life, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.api(t.Context(), life, f, verifier, listener, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.countCollected(life); err != nil {
		t.Fatal(err)
	}
	limits, err := quota.Open(t.Context(), s.url, quota.Options{Registry: s.registry})
	if err != nil {
		t.Fatal(err)
	}
	defer limits.Close()
	s.registry.MustRegister(viewsLag(forward.NewConsumer(forward.ConsumerOptions{Now: time.Now}))) // of readinessd views

	names := map[string]bool{}
	descriptions := make(chan *prometheus.Desc)
	go func() { defer close(descriptions); s.registry.Describe(descriptions) }()
	for d := range descriptions {
		if found := fqName.FindStringSubmatch(d.String()); found != nil {
			names[found[1]] = true
		}
	}
	got := strings.Join(slices.Sorted(maps.Keys(names)), "\n") + "\n"
	if *update {
		if err := os.WriteFile(metricNames, []byte(got), 0o644); err != nil { //nolint:gosec // a source file
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(metricNames)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the service registers\n%s\nand deploy/metrics.txt lists\n%s", got, want)
	}
	doc, err := os.ReadFile("../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range names {
		if !regexp.MustCompile("`" + name + "[`{]").Match(doc) {
			t.Errorf("docs/operating.md does not explain %s", name)
		}
	}
}

// watched returns where a process that prints to stderr serves its metrics.
func watched(t *testing.T, stderr *output, ended <-chan struct{}) string {
	t.Helper()
	return "http://" + stderr.await(t, `"metrics and health","address":"([^"]+)"`, ended)[1]
}

// With --metrics-listen, servers and workers have metrics and health on a separate port, and the port for calls has no metrics. One of
// the processes on a database has the metrics about it, and another one after that process has ended.
func TestMetricsListen(t *testing.T) {
	t.Parallel()
	url, data := pgtest.URL(t), t.TempDir()
	s := serve(t, "--database-url", url, "--data", data, "--roles", "api", "--metrics-listen", "127.0.0.1:0")
	server := watched(t, s.stderr, s.ended)
	for address, want := range map[string]int{
		s.base + "/metrics": 404, s.base + "/healthz": 200, s.base + "/readyz": 200, server + "/metrics": 200, server + "/healthz": 200,
		server + "/readyz": 200, server + "/v1/workspaces": 404, server + "/": 404, server + "/docs": 404,
	} {
		if status, body, err := get(t, address, ""); err != nil || status != want {
			t.Errorf("GET %s: got status %d, error %v, want %d\n%s", address, status, err, want, body)
		}
	}

	type running struct {
		address string
		stop    func()
	}
	var workers []running
	for range 2 {
		ctx, cancel := context.WithCancel(context.Background())
		stderr, ended := newOutput(), make(chan struct{})
		go func() {
			defer close(ended)
			if code := newRoot(newOutput(), stderr).Run(ctx, []string{"worker", "--database-url", url, "--data", data, "--platform", "folder:../../samples/workspaces",
				"--metrics-listen", "127.0.0.1:0"}); code != 0 {
				t.Errorf("a worker ended with %d\n%s", code, stderr)
			}
		}()
		stop := func() { cancel(); <-ended }
		t.Cleanup(stop)
		workers = append(workers, running{watched(t, stderr, ended), stop})
	}
	answers := func(of []string) (n int) {
		for _, address := range of {
			status, body, err := get(t, address+"/metrics", "")
			if err != nil || status != http.StatusOK {
				t.Fatalf("GET %s/metrics: got status %d, error %v", address, status, err)
			}
			if strings.Contains(string(body), "\nreadiness_log_position ") {
				n++
			}
		}
		return n
	}
	one := func(what string, of ...string) {
		t.Helper()
		for began := time.Now(); answers(of) != 1; <-time.After(50 * time.Millisecond) {
			if time.Since(began) > waits {
				t.Fatalf("in %s %s", waits, what)
			}
		}
	}
	for _, w := range workers {
		if status, body, err := get(t, w.address+"/readyz", ""); err != nil || status != http.StatusOK {
			t.Errorf("GET /readyz of a worker: got status %d, error %v\n%s", status, err, body)
		}
	}
	one("no process or several answered for the database", server, workers[0].address, workers[1].address)
	left := workers[1]
	if answers([]string{left.address}) == 1 {
		left, workers[1] = workers[0], left
	} else {
		workers[1] = workers[0]
	}
	workers[1].stop()
	one("the other worker did not answer for the database", server, left.address)
}

func TestMetricsListenIsRefused(t *testing.T) {
	t.Parallel()
	s := serve(t, "--database-url", pgtest.URL(t), "--data", t.TempDir())
	taken := strings.TrimPrefix(s.base, "http://")
	for _, command := range []string{"serve", "worker"} {
		args := []string{command, "--database-url", pgtest.URL(t), "--data", t.TempDir(), "--platform", "folder:../../samples/workspaces",
			"--metrics-listen", taken}
		if command == "serve" {
			args = append(args, "--listen", "127.0.0.1:0")
		}
		if got := run(t.Context(), args...); got.code != 1 || !strings.Contains(got.stderr, "address already in use") {
			t.Errorf("%s: got exit code %d, %q", command, got.code, got.stderr)
		}
	}
}
