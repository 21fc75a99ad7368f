//go:build linux || darwin

package disk

import (
	"fmt"
	"syscall"
)

// Space returns the bytes that this process may still write to the disk that holds dir, and the disk's size.
func Space(dir string) (free, total uint64, err error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, 0, fmt.Errorf("disk: %s: %w", dir, err)
	}
	block := uint64(s.Bsize) //nolint:gosec // not negative; its type depends on the system
	return s.Bavail * block, s.Blocks * block, nil
}
