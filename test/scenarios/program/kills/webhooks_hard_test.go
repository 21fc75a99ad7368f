//go:build hard

package kills_test

import (
	"testing"

	"readiness/test/scenarios/program"
)

// TestHardKilledWebhooks is TestKilledWebhooks with more kills, of 10,000 messages and more.
func TestHardKilledWebhooks(t *testing.T) {
	t.Parallel()
	killWebhooks(t, program.Times(t, 20), 10, 50)
}
