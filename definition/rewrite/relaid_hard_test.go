//go:build hard

package rewrite_test

import (
	"maps"
	"slices"
	"testing"
)

// TestHardRestoreOfTheCorpusLaidOutAnew tests every layout of every model of the
// corpus.
func TestHardRestoreOfTheCorpusLaidOutAnew(t *testing.T) {
	t.Parallel()
	everyLayout(t, corpus(t), slices.Collect(maps.Keys(layouts))...)
}
