//go:build hard

package overfabric_test

import (
	"testing"

	"readiness/test/scenarios/program"
)

func TestHardKilledReads(t *testing.T) {
	t.Parallel()
	killReads(t, program.Times(t, 20), 3)
}

func TestHardKilledExport(t *testing.T) {
	t.Parallel()
	killReads(t, program.Times(t, 20), 30)
}
