//go:build hard

package operate_test

import "testing"

// TestHardMoveAccountOfABucket does what TestMoveAccount does with a bucket at the source and another at the target.
//
// proves: decisions/22/complete
func TestHardMoveAccountOfABucket(t *testing.T) {
	t.Parallel()
	moveAccount(t, t.TempDir(), t.TempDir())
}
