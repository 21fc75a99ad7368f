//go:build unix && !linux

package postgres

import "syscall"

// setParentDeathSignal does nothing where the kernel has no such signal: the next
// start stops the old server.
func setParentDeathSignal(*syscall.SysProcAttr, syscall.Signal) {}
