//go:build !linux

package database

// boundSocket does nothing where TCP_USER_TIMEOUT is not known: the system's own bound holds.
func boundSocket(uintptr) error { return nil }
