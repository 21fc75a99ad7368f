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
