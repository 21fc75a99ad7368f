//go:build hard

package patch_test

import (
	"os/exec"
	"testing"
)

// gnuPatch applies the diff with GNU patch.
func gnuPatch(dir string, diff []byte) error {
	return run(exec.Command("patch", "-p1", "--force", "--fuzz=0"), dir, diff)
}

func TestHardPatchAppliesEveryEdit(t *testing.T) {
	t.Parallel()
	everyEdit(t, gnuPatch)
}

func TestHardPatchAppliesEveryName(t *testing.T) {
	t.Parallel()
	everyName(t, gnuPatch)
}

func TestHardPatchAppliesAnyEdits(t *testing.T) {
	t.Parallel()
	before, after := manyFiles()
	applied(t, t.TempDir(), "M.SemanticModel", before, after, gnuPatch)
}
