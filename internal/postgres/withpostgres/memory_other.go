//go:build unix && !linux

package main

// inMemory returns no folder: these systems keep none in memory that every user finds.
func inMemory() (dir string, remove func() error) { return "", nil }
