//go:build unix

package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if os.Getenv(loopEnv) != "" || os.Getenv("BUSY_TEST_MAIN") != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// busy prepares the program.
func busy(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Env = append(os.Environ(), "BUSY_TEST_MAIN=1", "TMPDIR="+t.TempDir())
	return cmd
}

func TestRunsAreReported(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]struct {
		says string
		code int
	}{
		"true":                                {"passed", 0},
		"echo '--- FAIL: TestX (1s)'; exit 1": {"--- FAIL: TestX", 1},
		"echo '    --- SKIP: TestX'":          {"      1\n", 0},
	} {
		cmd := busy(t, "-runs", "2", "-loops", "1", "-load", "0", "sh", "-c", script)
		out, _ := cmd.Output()
		if code := cmd.ProcessState.ExitCode(); code != want.code || strings.Count(string(out), want.says) != 2 {
			t.Errorf("%s: got exit code %d and\n%s\nwant %d, and %q for both runs", script, code, out, want.code, want.says)
		}
	}
}

// The loops end with the program, even when it is killed.
func TestLoopsEndWithTheProgram(t *testing.T) {
	t.Parallel()
	cmd := busy(t, "-runs", "1", "-loops", "2", "-load", "0", "sleep", "600")
	// The loops share the program's standard error, and the command does not: the
	// pipe ends with the last of them.
	held, stderr, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }() // the command too
	stderr.Close()
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil { // the table's header: the loops run
		t.Fatal(err)
	}
	if err := held.SetReadDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(held); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("no loop runs: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := held.SetReadDeadline(time.Now().Add(5 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(held); err != nil {
		t.Errorf("loops outlive the program: %v", err)
	}
	_ = cmd.Wait()
}
