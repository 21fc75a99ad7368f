//go:build hard

package rewrite_test

import (
	"maps"
	"slices"
	"testing"
)

// TestHardRestoreOfReformattedCorpus tests every layout of every model of the
// corpus.
func TestHardRestoreOfReformattedCorpus(t *testing.T) {
	t.Parallel()
	everyLayout(t, corpus(t), slices.Collect(maps.Keys(layouts))...)
}

// TestHardRestoreOfReformattedSamples tests every layout of every sample.
func TestHardRestoreOfReformattedSamples(t *testing.T) {
	t.Parallel()
	everyLayout(t, modelsBelow(t, "../../samples/workspaces"), slices.Collect(maps.Keys(layouts))...)
}
