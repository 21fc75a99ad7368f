package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"readiness/test/testworld"
)

// Process is one life of the program.
type Process struct {
	Cmd            *exec.Cmd
	stdout, Stderr *testworld.LogBook
	ended          chan struct{}
}

// Over reports whether the process has ended.
func (p *Process) Over() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// Kill kills the process unless it has ended, and returns when it has.
func (p *Process) Kill() {
	_ = p.Cmd.Process.Kill() // it may have ended
	<-p.ended
}

var greeting = regexp.MustCompile(`Listening on (\S+),`)

// Spawn starts the service.
func (c *Program) Spawn() *Process {
	c.T.Helper()
	p := c.Begin(c.Args...)
	c.Lives = append(c.Lives, p)
	return p
}

// Begin starts the program. It is killed at the end of the test at the latest.
func (c *Program) Begin(args ...string) *Process {
	c.T.Helper()
	p := &Process{Cmd: exec.Command(c.Binary, args...), stdout: &testworld.LogBook{}, Stderr: &testworld.LogBook{}, ended: make(chan struct{})}
	p.Cmd.Stdout, p.Cmd.Stderr, p.Cmd.Env = p.stdout, p.Stderr, append(os.Environ(), c.Env...)
	testworld.Check(c.T, p.Cmd.Start())
	go func() {
		defer close(p.ended)
		_ = p.Cmd.Wait() // it is killed
	}()
	c.T.Cleanup(p.Kill)
	return p
}

// Launch starts the program and waits until it listens.
func (c *Program) Launch() *Process {
	c.T.Helper()
	p := c.Spawn()
	c.Listens(p)
	return p
}

// Listens waits until the process listens.
func (c *Program) Listens(p *Process) {
	c.T.Helper()
	c.Await("the service listens", func() bool {
		if p.Over() {
			c.T.Fatalf("the service ended: %v\n%s", p.Cmd.ProcessState, p.Stderr)
		}
		found := greeting.FindStringSubmatch(p.stdout.String())
		if found != nil {
			c.Base = found[1]
		}
		return found != nil
	})
	c.Token = c.Mint("ada")
}

// Life starts the program, runs do, and kills it. Sometimes it is killed before it listens.
func (c *Program) Life(do func(context.Context)) {
	c.T.Helper()
	if len(c.Runs) > 0 && c.Random.IntN(5) == 0 {
		early := c.Spawn()
		c.Wait(c.T.Context(), time.Duration(c.Random.Int64N(int64(400*time.Millisecond))))
		early.Kill()
		return
	}
	p := c.Launch()
	defer p.Kill()
	do(c.T.Context())
}

// Wait waits for a time.
func (c *Program) Wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Await checks repeatedly, at growing intervals, until is returns true.
func (c *Program) Await(what string, is func() bool) {
	c.T.Helper()
	began := time.Now()
	for pause := firstPause; !is(); pause = min(pause*3/2, 150*time.Millisecond) {
		if time.Since(began) > Patience {
			c.T.Fatalf("after %s it was still not true that %s; the last answer was %v%s", Patience, what, c.Last, c.output())
		}
		c.Wait(c.T.Context(), pause)
	}
}

// output returns the output of the program's last life.
func (c *Program) output() string {
	if len(c.Lives) == 0 {
		return ""
	}
	return "\n" + c.Lives[len(c.Lives)-1].Stderr.String()
}

// Strike runs try until it counted n times, each for a random time. The longest time doubles after each try that did
// not count, so a machine of any speed reaches tries that count.
func (c *Program) Strike(n int, longest time.Duration, try func(lasts time.Duration) (counted bool)) {
	c.T.Helper()
	for now := longest; n > 0; {
		if now > Patience {
			c.T.Fatalf("nothing was in progress at any instant up to %s, so no kill counted; want %d more; the last answer was %v%s", now/2, n, c.Last, c.output())
		}
		if try(time.Duration(c.Random.Int64N(int64(now)))) {
			n, now = n-1, max(longest, now/2)
		} else {
			now *= 2
		}
	}
}

// Operate runs an operator's command, which must succeed.
func (c *Program) Operate(args ...string) {
	c.T.Helper()
	ctx, cancel := context.WithTimeoutCause(c.T.Context(), Patience, fmt.Errorf("it did not end in %s", Patience))
	defer cancel()
	out, err := exec.CommandContext(ctx, c.Binary, append(args, c.Database...)...).CombinedOutput()
	if err != nil {
		c.T.Errorf("readiness %s: %v (%v)\n%s", strings.Join(args, " "), err, context.Cause(ctx), out)
	}
}

// Command returns what a command of the program prints.
func (c *Program) Command(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), c.Binary, args...).Output()
	if err != nil {
		t.Fatalf("readiness %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

// Try runs an operator's command, and returns what it says if it fails.
func (c *Program) Try(t *testing.T, args ...string) error {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), c.Binary, append(args, c.Database...)...).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// Client runs a command of the client as its own process, as ada, and returns what it prints.
func (c *Program) Client(stdin string, args ...string) string {
	c.T.Helper()
	ctx, cancel := context.WithTimeoutCause(c.T.Context(), Patience, fmt.Errorf("it did not end in %s", Patience))
	defer cancel()
	program, err := desk()
	testworld.Check(c.T, err)
	cmd := exec.CommandContext(ctx, program, append([]string{"client", "--config", c.T.TempDir()}, args...)...)
	cmd.Env = append(os.Environ(), "READINESS_CLIENT_BASE_URL="+c.Base, "READINESS_CLIENT_TOKEN="+c.Token)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil {
		failed, _ := errors.AsType[*exec.ExitError](err)
		c.T.Fatalf("readiness client %s: %v (%v)\n%s\n%+v", strings.Join(args, " "), err, context.Cause(ctx), out, failed)
	}
	return string(out)
}

// Times returns how many times a test kills: n, or READINESS_KILLS if set.
func Times(t *testing.T, n int) int {
	t.Helper()
	if set := os.Getenv("READINESS_KILLS"); set != "" {
		n, err := strconv.Atoi(set)
		testworld.Check(t, err)
		return n
	}
	return n
}
