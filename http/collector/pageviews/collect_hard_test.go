//go:build hard

package pageviews_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// number returns the number in an environment variable, or n without it.
func number(t *testing.T, env string, n int) int {
	t.Helper()
	if set := os.Getenv(env); set != "" {
		var err error
		n, err = strconv.Atoi(set)
		check(t, err)
	}
	return n
}

// process is a process of the program.
type process struct {
	*exec.Cmd
	address  string // of a collector
	answered atomic.Int64
}

// program is the built program, for one world.
type program struct {
	*world
	path, data string
}

// start starts a process; a collector is ready when this returns.
func (p *program) start(args ...string) *process {
	p.Helper()
	c := &process{Cmd: exec.CommandContext(p.Context(), p.path, args...)}
	c.Stderr = p.Output()
	out, err := c.StdoutPipe()
	check(p, err)
	check(p, c.Start())
	if args[0] == "collect" {
		line, err := bufio.NewReader(out).ReadString('\n')
		check(p, err)
		c.address = "http://" + strings.TrimSpace(strings.TrimPrefix(line, "Listening on "))
	}
	return c
}

func (p *program) collector() *process {
	p.Helper()
	return p.start("collect", "--listen", "127.0.0.1:0", "--metrics-listen", "", "--collect", p.cluster.URL(), "--log-level", "error")
}

func (p *program) worker() *process {
	p.Helper()
	return p.start("worker", "--data", p.data, "--database-url", p.Pool.Config().ConnString(), "--platform", "folder:../../../samples/workspaces",
		"--collect", p.cluster.URL(), "--collect-system", p.cluster.System(), "--log-level", "error")
}

// kill kills a process at once, as SIGKILL does.
func (c *process) kill() { _ = c.Process.Kill(); _ = c.Wait() }

// published returns how many views a collector reports as published.
func (p *program) published(c *process) int {
	p.Helper()
	answer, err := http.Get(c.address + "/metrics")
	check(p, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	check(p, err)
	for line := range strings.Lines(string(text)) {
		if value, is := strings.CutPrefix(line, `readiness_collector_views_total{outcome="published"} `); is {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			check(p, err)
			return int(n)
		}
	}
	p.Fatalf("no count of published views in %s", text)
	return 0
}

// load is readers who ask collectors for images.
type load struct {
	at     [2]atomic.Pointer[process]
	asked  atomic.Int64
	enough atomic.Bool
	cut    atomic.Int64 // requests without an answer, whose views may have been seen
	client *http.Client
}

// run asks for images, from eight readers, until it is enough.
func (l *load) run(ctx context.Context) {
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for !l.enough.Load() {
				i := l.asked.Add(1)
				of := l.at[i%2].Load()
				r, _ := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/p/%s.gif", of.address, id(int(1+i%9))), nil)
				answer, err := l.client.Do(r)
				if err != nil {
					l.cut.Add(1)
					continue
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
				if answer.StatusCode == http.StatusOK {
					of.answered.Add(1)
				}
			}
		})
	}
	readers.Wait()
}

// TestHardCollectedViews asks two collectors for images while the program's processes, the server that leads the stream and the connections of
// the database are killed. While collectors are not killed, the counts are the answered images exactly. With them, the counts are at least
// what the collectors reported as published, and at most the requests. READINESS_VIEWS and READINESS_KILLS raise its numbers.
//
// proves: decisions/21/acknowledged
func TestHardCollectedViews(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3, "always")
	// The program has another service.key than the world, and refuses keys that were stored under the world's. No text was sealed under them.
	_, err := w.Pool.Exec(t.Context(), `DELETE FROM account_keys`)
	check(t, err)
	p := &program{world: w, path: filepath.Join(t.TempDir(), "readinessd"), data: t.TempDir()}
	if out, err := exec.CommandContext(t.Context(), "go", "run", "-exec", "cp", "readiness/cmd/readinessd", p.path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	views, kills := int64(number(t, "READINESS_VIEWS", 10_000)), number(t, "READINESS_KILLS", 6)
	choose := rand.New(rand.NewPCG(22, uint64(kills)))
	workers := [2]*process{p.worker(), p.worker()}
	w.until("a worker makes the stream", func() bool { _, err := w.js.Stream(t.Context(), "readiness-views"); return err == nil })
	readers := &load{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}, Timeout: limit}}
	// answer waits until n more images were asked for.
	answer := func(n int64) {
		t.Helper()
		at := readers.asked.Load() + n
		w.until("images are answered", func() bool { return readers.asked.Load() >= at })
	}
	// disturb kills at random moments of the load: the counting worker, the stream's leader, the database's connections and, with
	// collectors, these. killed gets each collector that is about to be killed.
	disturb := func(collectors bool, killed func(*process)) {
		kinds := 3
		if collectors {
			kinds = 5
		}
		for i := range kills {
			answer(choose.Int64N(2 * views / int64(kills)))
			switch i % kinds {
			case 0:
				workers[0].kill()
				workers[0], workers[1] = workers[1], p.worker()
			case 1:
				leader := -1
				w.until("the stream has a leader", func() bool { leader = w.cluster.Leader("readiness-views"); return leader >= 0 })
				w.cluster.Stop(leader)
				if choose.IntN(2) == 0 {
					workers[0].kill()
					workers[0], workers[1] = workers[1], p.worker()
				}
				w.cluster.Again(leader)
			case 2:
				_, err := w.Pool.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
					AND (query LIKE '%INTO page_view%' OR pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND (classid::bigint << 32) + objid::bigint = $1))`,
					int64(0x636f6c6c656374)) // of the one that counts
				check(t, err)
			default:
				n := choose.IntN(2)
				old := readers.at[n].Swap(p.collector())
				killed(old)
				old.kill()
			}
		}
	}
	// stopped stops the collectors, which publish what they have, and returns how many images they answered.
	stopped := func() (answered int) {
		for n := range readers.at {
			c := readers.at[n].Load()
			check(t, c.Process.Signal(os.Interrupt))
			check(t, c.Wait())
			answered += int(c.answered.Load())
		}
		return answered
	}
	// counted waits until everything that was published is counted, and returns the sum of the counts.
	counted := func() int {
		w.until("everything is counted", func() bool {
			s, err := w.js.Stream(t.Context(), "readiness-views")
			return err == nil && s.CachedInfo().State.Msgs == 0
		})
		return sum(w.counts())
	}
	phase := func(collectors bool, killed func(*process)) (answered int, took time.Duration) {
		began := time.Now()
		for n := range readers.at {
			readers.at[n].Store(p.collector())
		}
		readers.asked.Store(0)
		readers.enough.Store(false)
		ended := make(chan struct{})
		go func() { defer close(ended); readers.run(t.Context()) }()
		disturb(collectors, killed)
		answer(views / 10)
		readers.enough.Store(true)
		<-ended
		return stopped(), time.Since(began)
	}

	answered, took := phase(false, nil)
	exact := counted()
	t.Logf("%d images answered, %d views counted after %d kills of workers, leader and connections: %s", answered, exact, kills, took.Round(time.Second))
	if asked := int(readers.asked.Load()); exact != answered || readers.cut.Load() != 0 || answered != asked {
		t.Errorf("%d views were counted of %d answered images; %d requests of %d failed", exact, answered, readers.cut.Load(), asked)
	}

	reported, collectorsKilled := 0, 0
	answered, took = phase(true, func(c *process) {
		reported += p.published(c)
		collectorsKilled++
	})
	total := counted() - exact
	least, most := reported+answered, int(readers.asked.Load())
	t.Logf("%d requests, %d without an answer; %d collectors killed, which reported %d views as published; %d views counted: %s", most, readers.cut.Load(),
		collectorsKilled, reported, total, took.Round(time.Second))
	if total < least || total > most {
		t.Errorf("%d views were counted, want %d to %d", total, least, most)
	}
	for _, c := range workers {
		c.kill()
	}
	var rows int
	check(t, w.Pool.QueryRow(t.Context(), `SELECT count(*) FROM page_view_collectors`).Scan(&rows))
	if want := 4 + collectorsKilled; rows > want {
		t.Errorf("%d collectors are recorded, want at most %d", rows, want)
	}
}
