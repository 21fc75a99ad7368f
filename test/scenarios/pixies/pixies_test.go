// Package pixies has the scripts about Pixies in reports, what they count, and tracked items.
package pixies

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
