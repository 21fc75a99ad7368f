// Package overfabric_test runs the program over an emulated Fabric, at which people sign in.
package overfabric_test

import (
	"os"
	"testing"

	"readiness/test/scenarios/program"
)

func TestMain(m *testing.M) { os.Exit(program.Main(m)) }
