//go:build hard

package pixie_test

import "testing"

// TestHardCorpus tests other encodings of the reports of public projects.
func TestHardCorpus(t *testing.T) {
	t.Parallel()
	ofCorpus(t, "CRLF", "byte order mark")
}
