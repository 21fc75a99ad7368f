//go:build unix && !linux

package main

// inMemory returns no folder: these systems have no in-memory folder for all users.
func inMemory() (dir string, remove func() error) { return "", nil }
