//go:build !linux

package memdir

// Make returns no folder: these systems have no in-memory folder for all users.
func Make() (dir string, remove func() error) { return "", nil }
