//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/http/token"
	"readiness/internal/database"
	"readiness/internal/postgres"
)

// system is PostgreSQL and the program as separate processes, and a connection to the database.
type system struct {
	path, data string // of the program
	cluster    string // of PostgreSQL
	database   *postgres.Server
	pool       *pgxpool.Pool
	server     *exec.Cmd
	ended      chan struct{} // closed when the program has ended
	base       string
	issuer     *token.Issuer

	mu   sync.Mutex
	last []byte // that the program wrote to stderr
}

// keptOutput is how much of the program's output an error shows.
const keptOutput = 4 << 10

// Write keeps the last output of the program.
func (s *system) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = append(s.last, text...)
	s.last = s.last[max(0, len(s.last)-keptOutput):]
	return len(text), nil
}

func (s *system) output() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.last)
}

// start starts everything and makes the tenant's past. After an error nothing is left running.
func start(ctx context.Context, o options, dir string) (s *system, err error) {
	s = &system{path: filepath.Join(dir, "readinessd"), data: filepath.Join(dir, "data"), cluster: filepath.Join(dir, "database", "cluster")}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.stop())
		}
	}()
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", s.path, "readiness/cmd/readinessd").CombinedOutput(); err != nil {
		return s, fmt.Errorf("go build: %w\n%s", err, out)
	}
	// The settings are those of a first start, except that it is as durable as a database of an operator.
	if s.database, err = postgres.Start(ctx, postgres.Options{DataDir: filepath.Join(dir, "database")}); err != nil {
		return s, err
	}
	began := time.Now()
	flags, err := o.tenant.declare(dir)
	if err != nil {
		return s, err
	}
	if s.issuer, err = token.OpenIssuer(s.data); err != nil {
		return s, err
	}
	if err := s.launch(ctx, flags); err != nil {
		return s, err
	}
	fmt.Fprintf(o.say, "The program listens after %s, with %d people\n", time.Since(began).Round(time.Second/10), o.tenant.people)
	began = time.Now()
	s.pool, err = database.Open(ctx, s.database.URL(), func(c *pgxpool.Config) { c.MaxConns = 4 })
	if err != nil {
		return s, err
	}
	if err := o.tenant.remember(ctx, s.pool); err != nil {
		return s, err
	}
	if _, err := s.pool.Exec(ctx, "ANALYZE"); err != nil {
		return s, err
	}
	fmt.Fprintf(o.say, "%d models and %d reports are in the log after %s\n", o.tenant.models, o.tenant.reports(),
		time.Since(began).Round(time.Second/10))
	return s, s.followed(ctx)
}

// followed waits until the program's views are at the end of the log.
func (s *system) followed(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	for {
		now, err := s.state(ctx)
		if err != nil || now.lag == 0 {
			return err
		}
		select {
		case <-time.After(time.Second / 2):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// launch starts the program and returns when it listens.
func (s *system) launch(ctx context.Context, flags []string) error {
	s.server = exec.CommandContext(context.WithoutCancel(ctx), s.path, append([]string{"serve", "--data", s.data, "--listen", "127.0.0.1:0",
		"--metrics-listen", "",
		"--database-url", s.database.URL(), "--log-format", "text", "--log-level", "warn"}, flags...)...)
	s.server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt reaches only this process, which stops it
	s.server.Stderr = s
	out, err := s.server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.server.Start(); err != nil {
		return err
	}
	s.ended = make(chan struct{})
	listening := make(chan string, 1)
	go func() {
		defer close(s.ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if rest, ok := strings.CutPrefix(lines.Text(), "Listening on "); ok {
				address, _, _ := strings.Cut(rest, ",")
				listening <- address
			}
		}
		_ = s.server.Wait() // its state says how it ended
	}()
	select {
	case s.base = <-listening:
		return nil
	case <-s.ended:
		return fmt.Errorf("the program did not start: %s\n%s", s.server.ProcessState, s.output())
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stop ends everything.
func (s *system) stop() error {
	if s.pool != nil {
		s.pool.Close()
	}
	var failed error
	if s.ended != nil {
		_ = s.server.Process.Signal(syscall.SIGTERM) // it may have ended
		select {
		case <-s.ended:
			if code := s.server.ProcessState.ExitCode(); code != 0 {
				failed = fmt.Errorf("the program ended with %d\n%s", code, s.output())
			}
		case <-time.After(2 * time.Minute):
			_ = s.server.Process.Kill() // it has not ended
			<-s.ended
			failed = errors.New("the program did not stop within two minutes and was killed")
		}
	}
	if s.database != nil {
		failed = errors.Join(failed, s.database.Stop(context.Background()))
	}
	return failed
}

// command runs another command of the program while the server runs.
func (s *system) command(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, s.path, append(args, "--data", s.data, "--database-url", s.database.URL())...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("readiness %s: %w\n%s", strings.Join(args, " "), err, out.Bytes())
	}
	return nil
}

// metrics returns the program's series whose names begin with prefix, by name and labels.
func (s *system) metrics(ctx context.Context, prefix string) (map[string]float64, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+"/metrics", http.NoBody)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 4<<20))
	found := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || !strings.HasPrefix(name, prefix) {
			continue
		}
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			found[name] = n
		}
	}
	return found, err
}
