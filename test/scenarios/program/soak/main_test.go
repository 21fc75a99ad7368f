// Package soak_test loads processes of the program while they and their databases are killed, promoted or replaced by other versions.
package soak_test

import (
	"os"
	"testing"

	"readiness/test/scenarios/program"
)

func TestMain(m *testing.M) { os.Exit(program.Main(m)) }
