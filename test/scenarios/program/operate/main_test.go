// Package operate_test does with the program what operators do: move its data and accounts, erase people and accounts, restore backups.
package operate_test

import (
	"os"
	"testing"

	"readiness/test/scenarios/program"
)

func TestMain(m *testing.M) { os.Exit(program.Main(m)) }
