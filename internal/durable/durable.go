// Package durable makes changes of folders last through a crash of the machine.
package durable

import (
	"errors"
	"os"
	"runtime"
)

// CloseFolder makes the entries of an open folder durable, and closes it. Windows refuses to sync a folder; NTFS keeps its entries in
// a journal.
func CloseFolder(f *os.File) error {
	if runtime.GOOS == "windows" {
		return f.Close()
	}
	return errors.Join(f.Sync(), f.Close())
}
