package postgres

import "syscall"

// setParentDeathSignal makes the kernel send the signal when the thread that starts
// the program ends.
func setParentDeathSignal(a *syscall.SysProcAttr, signal syscall.Signal) { a.Pdeathsig = signal }
