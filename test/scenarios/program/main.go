// Package program runs the program as processes for the tests in the packages below it: on folders and databases that end with the test, or
// in front of an emulated platform. Only tests import it.
package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"readiness/test/pgtest"
)

// Patience is the longest wait for any one condition. It detects that something never happens, not that it is slow, so
// it is longer than the slowest machine needs.
const Patience = 5 * time.Minute

// firstPause is the first pause between two checks of a condition; later pauses are longer.
const firstPause = 3 * time.Millisecond

// builds is the folder of the program that the tests run.
var builds string

// Main runs the tests of a package with a folder for the program that they run.
func Main(m *testing.M) int {
	var err error
	if builds, err = os.MkdirTemp("", "readiness-scenarios-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := pgtest.Main(m)
	_ = os.RemoveAll(builds)
	return code
}

// build builds a program in a directory that Main removes. The go command caches what it runs, so copying that spares linking it again.
func build(name string) (string, error) {
	program := filepath.Join(builds, name)
	out, err := exec.Command("go", "run", "-exec", "cp", "readiness/cmd/"+name, program).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go run: %w\n%s", err, out)
	}
	return program, nil
}

// service and desk are the two programs, built once for all tests.
var (
	service = sync.OnceValues(func() (string, error) { return build("readinessd") })
	desk    = sync.OnceValues(func() (string, error) { return build("readiness") })
)
