//go:build npm

package eventstore_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/domain"
	"readiness/eventstore"
	"readiness/test/bench"
)

// emmett is a process that makes calls by Emmett, an event store for Node.js.
type emmett struct {
	asks    *json.Encoder
	answers *bufio.Scanner
	made    int // events that it appended so far
}

// newEmmett installs Emmett from npm and starts it on the database at the address.
func newEmmett(b *testing.B, database string) *emmett {
	b.Helper()
	dir := b.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "emmett"))); err != nil {
		b.Fatal(err)
	}
	install := exec.CommandContext(b.Context(), "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		b.Fatalf("npm install: %v\n%s", err, out)
	}
	cmd := exec.CommandContext(b.Context(), "node", "peer.mjs", database, fmt.Sprint(bench.Callers))
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close() // it ends
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
	})
	return &emmett{asks: json.NewEncoder(in), answers: bufio.NewScanner(out)}
}

// emmettCall is what a caller does as often as the benchmark says.
type emmettCall struct {
	Call    string `json:"call"`
	Callers int    `json:"callers"`
	Calls   int    `json:"calls"`
	Events  int    `json:"events"`
}

// does makes the calls and returns their rate per second.
func (e *emmett) does(c emmettCall) (float64, error) {
	if err := e.asks.Encode(c); err != nil {
		return 0, err
	}
	if !e.answers.Scan() {
		return 0, fmt.Errorf("Emmett ended: %w", e.answers.Err())
	}
	var answer struct {
		Seconds float64 `json:"seconds"`
		Made    int     `json:"made"`
	}
	err := json.Unmarshal(e.answers.Bytes(), &answer)
	e.made = answer.Made
	return float64(c.Calls) / answer.Seconds, err
}

// BenchmarkEmmett compares appends and loads with Emmett's, in turns, on one PostgreSQL that has fsync on and a database for each.
// Both append to a stream of each caller and check its version; ours also loads that version, which Emmett remembers. Both have
// 16 connections. It reports how many times as fast as Emmett ours is.
func BenchmarkEmmett(b *testing.B) {
	address := durable(b)
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		b.Fatal(err)
	}
	config.MaxConns = bench.Callers
	pool, err := pgxpool.NewWithConfig(b.Context(), config)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	if _, err := pool.Exec(b.Context(), "CREATE DATABASE emmett"); err != nil {
		b.Fatal(err)
	}
	theirs, err := url.Parse(address)
	if err != nil {
		b.Fatal(err)
	}
	theirs.Path = "/emmett"
	s, peer := eventstore.New(pool, codec(b), eventstore.Options{}), newEmmett(b, theirs.String())
	event := []domain.Event{spent{Units: 50, Total: 2500, By: "somebody with a name"}}
	for _, c := range []emmettCall{{Call: "append", Callers: 1, Events: 1}, {Call: "append", Callers: bench.Callers, Events: 1},
		{Call: "append", Callers: bench.Callers, Events: 100}, {Call: "load", Callers: 1, Events: 100}, {Call: "load", Callers: bench.Callers, Events: 100}} {
		events := slices.Repeat(event, c.Events)
		call := func(caller, _ int) error {
			return add(b.Context(), s, fmt.Sprintf("budget-%d-%d", c.Events, caller), events...)
		}
		if c.Call == "load" {
			for caller := range c.Callers {
				mustAdd(b, s, fmt.Sprintf("loaded-%d-%d-%d", c.Callers, c.Events, caller), events...)
			}
			call = func(caller, _ int) error {
				past := eventstore.Fold(fmt.Sprintf("loaded-%d-%d-%d", c.Callers, c.Events, caller), evolveBudget)
				if err := s.Load(b.Context(), past); err != nil {
					return err
				}
				if past.State.Events != c.Events {
					return fmt.Errorf("loaded %d events, want %d", past.State.Events, c.Events)
				}
				return nil
			}
		}
		b.Run(fmt.Sprintf("%s, %d events, %d callers", c.Call, c.Events, c.Callers), func(b *testing.B) {
			appended := 0
			calls, ratio, _, err := bench.Against(b.N, func(n int) (bench.Calls, error) { return bench.Together(c.Callers, n, call) },
				func(n int) (float64, error) {
					before := peer.made
					c.Calls = n
					rate, err := peer.does(c)
					appended += peer.made - before
					return rate, err
				})
			if err != nil {
				b.Fatal(err)
			}
			if want := b.N * c.Events; c.Call == "append" && appended != want {
				b.Fatalf("Emmett appended %d events, want %d", appended, want)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(calls.PerSecond(), "calls/s")
			b.ReportMetric(ratio, "of-Emmett")
		})
	}
}
