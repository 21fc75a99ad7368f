//go:build unix

// Command busy runs a command repeatedly while loops keep the processors busy, and
// prints the result of each run. A test that passes with hardly any processor time
// does not depend on the machine's speed. The loops run at low priority and end
// with this program, however it ends. The output of a run is kept in a file unless
// it passes.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// loopEnv makes this program one of the loops.
const loopEnv = "READINESS_BUSY_LOOP"

func main() {
	if os.Getenv(loopEnv) != "" {
		loop()
	}
	runs := flag.Int("runs", 10, "how often the command is run")
	loops := flag.Int("loops", 16, "how many loops run at the same time")
	load := flag.Float64("load", 15, "the load to wait for before the first run")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: busy [-runs N] [-loops N] [-load N] COMMAND [ARGUMENT]...")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, *runs, *loops, *load, flag.Args())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "busy:", err)
		os.Exit(1)
	}
}

// loop keeps a processor busy until standard input ends, which it does when the
// parent process is gone.
func loop() {
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 10)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	for n := uint64(0); ; n++ {
		runtime.KeepAlive(n)
	}
}

func run(ctx context.Context, runs, loops int, load float64, command []string) error {
	end, err := start(ctx, loops)
	if err != nil {
		return err
	}
	defer end()
	if loops > 0 {
		if err := loaded(ctx, load); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stdout, "%3s  %-7s  %8s  %10s  %10s  %-11s  %5s\n", "run", "verdict", "wall", "user", "system", "load", "skips")
	failed := 0
	for n := 1; n <= runs; n++ {
		ok, err := once(ctx, n, command)
		if err != nil {
			return err
		}
		if !ok {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d runs failed", failed, runs)
	}
	return nil
}

// start starts the loops and returns a function that ends them.
func start(ctx context.Context, loops int) (end func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var ends []func()
	end = func() {
		for _, one := range ends {
			one()
		}
	}
	for range loops {
		cmd := exec.CommandContext(ctx, self)
		cmd.Env = append(os.Environ(), loopEnv+"=1", "GOMAXPROCS=2") // one for the loop, one to notice the end
		cmd.Stderr = os.Stderr
		alive, err := cmd.StdinPipe()
		if err != nil {
			end()
			return nil, err
		}
		if err := cmd.Start(); err != nil {
			end()
			return nil, err
		}
		ends = append(ends, func() {
			_ = alive.Close()
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
	}
	return end, nil
}

// loaded waits until the load of the last minute is at least load.
func loaded(ctx context.Context, load float64) error {
	for began := time.Now(); ; {
		now, known := loadNow()
		if !known || now >= load {
			return nil
		}
		if time.Since(began) > 10*time.Minute {
			return fmt.Errorf("after 10 minutes the load is %.1f, want %.1f; ask for more loops", now, load)
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context) error {
	select {
	case <-time.After(time.Second):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// loadNow returns the average number of processes that wanted a processor in the
// last minute; known is false where the system does not report it.
func loadNow() (load float64, known bool) {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0, false
	}
	_, err = fmt.Sscan(string(text), &load)
	return load, err == nil
}

var (
	skipped = regexp.MustCompile(`(?m)^\s*--- SKIP`)
	broken  = regexp.MustCompile(`(?m)^\s*(--- FAIL: \S+|FAIL\s+\S+|panic: .*)`)
)

// once runs the command and prints the result, and the number of skipped tests for
// go test -v. ok reports whether it passed.
func once(ctx context.Context, n int, command []string) (ok bool, err error) {
	out, err := os.CreateTemp("", fmt.Sprintf("busy-run-%d-", n))
	if err != nil {
		return false, err
	}
	defer out.Close()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // so that it ends its own children
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return false, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	least, most := math.Inf(1), 0.0
	for waits := true; waits; {
		if load, known := loadNow(); known {
			least, most = min(least, load), max(most, load)
		}
		select {
		case err = <-ended:
			waits = false
		case <-time.After(time.Second):
		}
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if _, is := errors.AsType[*exec.ExitError](err); err != nil && !is {
		return false, err
	}
	load := "unknown"
	if most > 0 {
		load = fmt.Sprintf("%.1f to %.1f", least, most)
	}
	return err == nil, report(n, out.Name(), cmd.ProcessState, time.Since(began), load)
}

// report prints the result of a run whose output is in the file. It removes the file of a run that passed.
func report(n int, output string, state *os.ProcessState, took time.Duration, load string) error {
	text, err := os.ReadFile(output)
	if err != nil {
		return err
	}
	verdict := "passed"
	if !state.Success() {
		verdict = "FAILED"
	}
	fmt.Fprintf(os.Stdout, "%3d  %-7s  %8s  %10s  %10s  %-11s  %5d\n", n, verdict, took.Round(time.Second),
		state.UserTime().Round(time.Second), state.SystemTime().Round(time.Second), load, len(skipped.FindAll(text, -1)))
	if state.Success() {
		return os.Remove(output)
	}
	fmt.Fprintf(os.Stdout, "     its output is in %s\n", output)
	var shown []string
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if found := strings.TrimSpace(broken.FindString(lines.Text())); found != "" && !slices.Contains(shown, found) && len(shown) < 20 {
			shown = append(shown, found)
			fmt.Fprintf(os.Stdout, "     %s\n", found)
		}
	}
	return nil
}
