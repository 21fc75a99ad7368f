// Package soak_test loads processes of the program while they and their databases are killed, promoted or replaced by other versions.
package soak_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"readiness/test/scenarios/program"
)

// previousBuild is the folder in which an earlier version is built.
var previousBuild = filepath.Join(os.TempDir(), fmt.Sprintf("readiness-previous-%d", os.Getpid()))

func TestMain(m *testing.M) {
	code := program.Main(m)
	_ = os.RemoveAll(previousBuild)
	os.Exit(code)
}
