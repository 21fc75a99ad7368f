//go:build hard

package rewrite_test

import (
	"maps"
	"slices"
	"testing"
)

// Every layout of every model of the corpus.
func TestHardRestoreOfTheCorpusLaidOutAnew(t *testing.T) {
	t.Parallel()
	everyLayout(t, corpus(t), slices.Collect(maps.Keys(layouts))...)
}
