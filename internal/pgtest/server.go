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

// ServerEnv names the environment variable that holds the address of a server for tests, whose user may create databases.
const ServerEnv = "READINESS_TEST_DATABASE_URL"

// guardEnv makes the test's own program run as the guard of its server.
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

// lifeline is the pipe that the guard watches; a variable, because a pipe that nothing refers to is closed.
var lifeline io.Closer //nolint:unused // the reference is the use

// private starts this process's own server, once. Tests have no last moment to stop it in, and may be killed: so a second copy of this
// program, the guard, runs it until the pipe from here breaks, which it does whatever ends this process.
var private = sync.OnceValues(func() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	guard := exec.CommandContext(context.Background(), exe)
	guard.Env = append(os.Environ(), guardEnv+"=1")
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a Ctrl-C is for the tests
	if lifeline, err = guard.StdinPipe(); err != nil {
		return "", err
	}
	out, err := guard.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := guard.Start(); err != nil {
		return "", err
	}
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

// guard runs a server until standard input ends, and exits. It says the server's address, or why there is none.
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
