// Package evaluation has the scripts about benchmark questions, runs, A/B tests and AI providers.
package evaluation

import (
	"flag"
	"os"
	"testing"

	"readiness/internal/pgtest"
	"readiness/scenarios"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the scripts")

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func TestScenarios(t *testing.T) {
	t.Parallel()
	scenarios.Run(t, "testdata", *update)
}
