package database

import "golang.org/x/sys/unix"

// boundSocket bounds how long sent data may stay unacknowledged.
func boundSocket(socket uintptr) error {
	return unix.SetsockoptInt(int(socket), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT,
		int(unacknowledged.Milliseconds())) //nolint:gosec // a file descriptor
}
