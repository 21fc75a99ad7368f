//go:build hard

package files_test

import "testing"

// TestHardBounds pages through everything about a model of 5,000 objects.
func TestHardBounds(t *testing.T) { bounds(t, 50) }
