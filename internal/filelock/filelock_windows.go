package filelock

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// OpenFolder returns the file whose lock is the folder's. Windows locks files only, so it is an empty file in the person's
// folder of temporary files, named after the folder's full path: only programs of one person exclude each other.
func OpenFolder(root *os.Root) (*os.File, error) {
	folder, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	path, err := fullPath(folder)
	if err != nil {
		return nil, fmt.Errorf("filelock: the full path of %s: %w", root.Name(), err)
	}
	sum := sha256.Sum256([]byte(path))
	locks := filepath.Join(os.TempDir(), "readiness-locks")
	if err := os.MkdirAll(locks, 0o700); err != nil {
		return nil, err
	}
	return os.OpenFile(filepath.Join(locks, hex.EncodeToString(sum[:16])), os.O_CREATE|os.O_RDWR, 0o600)
}

// fullPath returns the path of an open folder without links, or as it was opened where the file system cannot say the former, as
// some drivers of network folders and RAM disks.
func fullPath(folder *os.File) (string, error) {
	name := make([]uint16, windows.MAX_LONG_PATH)
	n, err := windows.GetFinalPathNameByHandle(windows.Handle(folder.Fd()), &name[0], uint32(len(name)), 0)
	if err != nil || int(n) > len(name) {
		path, err := filepath.Abs(folder.Name())
		return strings.ToLower(path), err
	}
	return windows.UTF16ToString(name[:n]), nil
}

// try locks f unless another holds it.
func try(f *os.File, how Kind) (bool, error) {
	var all windows.Overlapped
	h := windows.Handle(f.Fd())
	// If this handle has a lock, it gets no other. UnlockFileEx fails if there is none, with one of several errors.
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
