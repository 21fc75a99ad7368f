package scenarios_test

import (
	"os"
	"testing"

	"readiness/test/pgtest"
	"readiness/test/scenarios"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func TestScenarios(t *testing.T) {
	t.Parallel()
	scenarios.Run(t)
}
