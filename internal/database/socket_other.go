//go:build !linux

package database

// boundSocket does nothing where TCP_USER_TIMEOUT is not available: the system's
// default applies.
func boundSocket(uintptr) error { return nil }
