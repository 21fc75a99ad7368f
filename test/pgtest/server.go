package pgtest

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"readiness/internal/postgres"
)

// ServerEnv is the environment variable with the address of a server for tests,
// whose user may create databases.
const ServerEnv = "READINESS_TEST_DATABASE_URL"

// guardEnv makes the test binary run as the guard of its server.
const guardEnv = "READINESS_PGTEST_GUARD"

// address returns the address of the server that tests of this process use.
func address() (string, error) {
	if url := os.Getenv(ServerEnv); url != "" {
		return url, nil
	}
	url, err := private()
	if err != nil {
		return "", fmt.Errorf("%w (or set %s)", err, ServerEnv)
	}
	return url, nil
}

// guarding is the server of this process: the guard that runs it, and the pipe that the guard watches. They are variables so that
// the garbage collector does not close the pipe.
var guarding struct {
	*exec.Cmd
	lifeline io.Closer
}

// stop stops this process's own server, if it was started, and waits until its files are removed.
func stop() {
	if guarding.lifeline != nil {
		_ = guarding.lifeline.Close()
		_ = guarding.Wait() // its failure leaves files, which are removed with their folder
	}
}

// private starts this process's own server, once. A test process may have no hook at its end, and may be killed. So a second copy of this
// binary, the guard, runs the server until the pipe from here breaks, which happens however this process ends.
var private = sync.OnceValues(func() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	guard := exec.CommandContext(context.Background(), exe)
	guard.Env = append(os.Environ(), guardEnv+"=1")
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // keep Ctrl-C for the tests
	lifeline, err := guard.StdinPipe()
	if err != nil {
		return "", err
	}
	out, err := guard.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := guard.Start(); err != nil {
		return "", err
	}
	guarding.Cmd, guarding.lifeline = guard, lifeline
	said, _ := io.ReadAll(io.LimitReader(out, 64<<10))
	url, ok := strings.CutPrefix(string(said), "url ")
	if !ok {
		return "", fmt.Errorf("pgtest: no server for tests: %s", said)
	}
	return url, nil
})

func init() {
	if os.Getenv(guardEnv) != "" {
		guard()
	}
}

// guard runs a server until standard input ends, then exits. It prints the server's
// address, or the error.
func guard() {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	s, err := postgres.StartTemporary(ctx, postgres.Options{})
	if err != nil {
		fmt.Print(err)
		os.Exit(1)
	}
	fmt.Print("url ", s.URL())
	os.Stdout.Close()
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := s.Stop(context.Background()); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}
