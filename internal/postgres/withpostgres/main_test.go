//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv("WITHPOSTGRES_TEST_MAIN") != "" {
		main()
	}
	os.Exit(m.Run())
}

// withpostgres prepares the program, in a temporary folder that must be empty when
// t ends, without a given server.
func withpostgres(t *testing.T, command ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	if err := os.Chmod(filepath.Dir(tmp), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if left, _ := os.ReadDir(tmp); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	cmd := exec.CommandContext(t.Context(), exe, command...)
	cmd.Env = append(os.Environ(), "WITHPOSTGRES_TEST_MAIN=1", "TMPDIR="+tmp, addressEnv+"=")
	cmd.Stderr = os.Stderr
	return cmd
}

func TestCommandFindsAServerAndItsExitCodeIsOurs(t *testing.T) {
	t.Parallel()
	rows := map[string]struct {
		script, says string
		code         int
	}{
		"success":         {`echo "$READINESS_TEST_DATABASE_URL"`, "postgres://readiness:", 0},
		"failure":         {`exit 3`, "", 3},
		"death by signal": {`kill -9 $$`, "", 128 + 9},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := withpostgres(t, "sh", "-c", row.script)
			out, _ := cmd.Output()
			if got := cmd.ProcessState.ExitCode(); got != row.code || !strings.HasPrefix(string(out), row.says) {
				t.Errorf("exit code %d, output %q, want %d and %q", got, out, row.code, row.says)
			}
		})
	}
}

func TestGivenServerIsUsed(t *testing.T) {
	t.Parallel()
	cmd := withpostgres(t, "sh", "-c", `echo "$READINESS_TEST_DATABASE_URL"`)
	cmd.Env = append(cmd.Env, addressEnv+"=postgres://elsewhere/x")
	if out, err := cmd.Output(); err != nil || string(out) != "postgres://elsewhere/x\n" {
		t.Errorf("got %q, %v, want the given address", out, err)
	}
}

func TestSignalsReachTheCommand(t *testing.T) {
	t.Parallel()
	cmd := withpostgres(t, "sh", "-c", `trap 'echo ended; exit 7' TERM; echo started; while :; do sleep 0.05; done`)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var started, ended string
	if _, err := fmt.Fscanln(out, &started); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fscanln(out, &ended); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); started != "started" || ended != "ended" || got != 7 {
		t.Errorf("the command says %q, %q and exits with %d, want started, ended and 7", started, ended, got)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for name, command := range map[string][]string{"no command": nil, "no such command": {filepath.Join(t.TempDir(), "none")}} {
		cmd := withpostgres(t, command...)
		cmd.Env = append(cmd.Env, addressEnv+"=postgres://elsewhere/x")
		cmd.Stderr = nil
		if err := cmd.Run(); err == nil {
			t.Errorf("%s: exit code 0", name)
		}
	}
}

func TestTemporaryFilesOfTheCommandAreGoneWithIt(t *testing.T) {
	t.Parallel()
	cmd := withpostgres(t, "sh", "-c", `f=$(mktemp) && echo "$f"`)
	cmd.Env = append(cmd.Env, "TMPDIR=") // the default
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	made := strings.TrimSpace(string(out))
	if dir := filepath.Dir(made); dir == os.TempDir() || dir == "/tmp" {
		t.Cleanup(func() { os.Remove(made) }) // there is not enough memory here
	} else if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s still exists after the command: %v", dir, err)
	}
}
