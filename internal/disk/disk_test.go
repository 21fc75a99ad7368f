package disk_test

import (
	"path/filepath"
	"testing"

	"readiness/internal/disk"
)

func TestSpace(t *testing.T) {
	t.Parallel()
	free, total, err := disk.Space(t.TempDir())
	if err != nil || total == 0 || free > total {
		t.Errorf("got %d of %d bytes, error %v", free, total, err)
	}
	if _, _, err := disk.Space(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a directory that does not exist has space")
	}
}
