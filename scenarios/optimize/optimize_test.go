// Package optimize has the scripts about previews, applies, reverts and bundles of optimizations.
package optimize

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
