// Package kills_test kills, freezes and disconnects processes of the program and PostgreSQL at random instants of their work, and lets several share it.
package kills_test

import (
	"os"
	"testing"

	"readiness/test/scenarios/program"
)

func TestMain(m *testing.M) { os.Exit(program.Main(m)) }
