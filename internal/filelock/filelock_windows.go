package filelock

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// OpenFolder returns the file whose lock is the folder's. Windows locks files only, so it is an empty file in the person's
// folder of temporary files, named after the folder's full path: programs of one person keep out of each other's way.
func OpenFolder(root *os.Root) (*os.File, error) {
	folder, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	name := make([]uint16, windows.MAX_LONG_PATH)
	n, err := windows.GetFinalPathNameByHandle(windows.Handle(folder.Fd()), &name[0], uint32(len(name)), 0)
	if err != nil || int(n) > len(name) {
		return nil, fmt.Errorf("filelock: the full path of %s: %w", root.Name(), err)
	}
	sum := sha256.Sum256([]byte(windows.UTF16ToString(name[:n])))
	locks := filepath.Join(os.TempDir(), "readiness-locks")
	if err := os.MkdirAll(locks, 0o700); err != nil {
		return nil, err
	}
	return os.OpenFile(filepath.Join(locks, hex.EncodeToString(sum[:16])), os.O_CREATE|os.O_RDWR, 0o600)
}

// try locks f unless another holds it.
func try(f *os.File, how Kind) (bool, error) {
	var all windows.Overlapped
	h := windows.Handle(f.Fd())
	// A lock of this handle stands in the way of another. That there is none is an error too, by several names.
	_ = windows.UnlockFileEx(h, 0, ^uint32(0), ^uint32(0), &all)
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if how == Exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(h, flags, 0, ^uint32(0), ^uint32(0), &all)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}
