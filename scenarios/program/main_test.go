// Package program_test runs the program in separate processes: it kills them, replaces them by other versions, restores
// their data, puts them in front of an emulated platform, and lets them improve the sample workspaces.
package program_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"readiness/internal/pgtest"
	"readiness/internal/testworld"
)

// patience is the longest wait for any one condition. It detects that something never happens, not that it is slow, so
// it is longer than the slowest machine needs.
const patience = 5 * time.Minute

// firstPause is the first pause between two checks of a condition; later pauses are longer.
const firstPause = 3 * time.Millisecond

var check = testworld.Check

// builds is the folder of the program that the tests run.
var builds string

func TestMain(m *testing.M) {
	var err error
	if builds, err = os.MkdirTemp("", "readiness-scenarios-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := pgtest.Main(m)
	_ = os.RemoveAll(builds)
	os.Exit(code)
}

// build builds the program, once for all tests, in a directory that TestMain removes. The go command caches what it
// runs, so copying that spares linking it again.
var build = sync.OnceValues(func() (string, error) {
	program := filepath.Join(builds, "readiness")
	out, err := exec.Command("go", "run", "-exec", "cp", "readiness/cmd/readiness", program).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go run: %w\n%s", err, out)
	}
	return program, nil
})
