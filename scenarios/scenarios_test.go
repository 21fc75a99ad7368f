package scenarios_test

import (
	"os"
	"testing"

	"readiness/internal/pgtest"
	"readiness/scenarios"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func TestScenarios(t *testing.T) {
	t.Parallel()
	scenarios.Run(t)
}
