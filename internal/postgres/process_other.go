//go:build unix && !linux

package postgres

import "syscall"

// setParentDeathSignal does nothing where the kernel has no such signal: the next start stops what was left.
func setParentDeathSignal(*syscall.SysProcAttr, syscall.Signal) {}
